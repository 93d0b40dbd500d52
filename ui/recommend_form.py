"""The form of the recommender: what is trained, by when, for how much money, and further wishes, in plain words."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from calc.recommend import Constraints
from calc.recommend_constraints import GOALS, SIDES, USES
from calc.scenario import METHOD_CHOICES, MODEL_BY_SIZE, MODEL_CUSTOM
from ui.data import model_names, preset_size_step
from ui.format import money, number
from ui.i18n import t
from ui.inputs_widgets import option_label, option_labels
from ui.recommend_state import AMOUNTS, DEFAULTS, key_of, limit_bounds, reset_limits
from ui.state import bounds, choices, label

WISHES: tuple[str, ...] = ("needs_ecc", "continuous_duty", "quiet_home", "sure_of_deadline", "allow_restricted")
PERMISSIONS: tuple[str, ...] = ("allow_tight", "allow_spot", "allow_offload", "allow_fp8", "any_vendor")
# The form stays in view beside plans that need scrolling.
_STICKY = """<style>
.st-key-recommend_form { position: sticky; top: 4rem; max-height: calc(100vh - 5rem); overflow-y: auto; }
</style>"""
_STEPS = {"term_weeks": 1.0, "budget_once": 1000.0, "budget_per_month": 100.0, "deadline_hours": 1.0}


def _mirror(name: str) -> str:
    """Key of a second widget for a field of the sidebar, holding the same value."""
    key = f"recommend_{name}"
    st.session_state[key] = st.session_state[name]
    return key


def _write_back(name: str) -> None:
    value = st.session_state[f"recommend_{name}"]
    st.session_state[name] = value
    step = preset_size_step(value) if name == "model" else None
    if step is not None:
        st.session_state["model_size_b"] = step


def _training() -> None:
    st.markdown(f"**{t('recommend.form.training')}**")
    named = {name: name for name in model_names()}
    named |= {code: t(f"option.model.{code}") for code in (MODEL_BY_SIZE, MODEL_CUSTOM)}
    st.selectbox(
        label("model"),
        model_names(),
        key=_mirror("model"),
        format_func=named.__getitem__,
        on_change=_write_back,
        args=("model",),
    )
    left, right = st.columns((3, 2))
    for column, name in ((left, "samples"), (right, "epochs")):
        low, high = bounds(name)
        kind = type(st.session_state[name])
        column.number_input(
            label(name),
            min_value=kind(0.01) if name == "epochs" else kind(low or 0),
            max_value=None if high is None else kind(high),
            step=kind(1),
            format="%g" if kind is float else "%d",
            key=_mirror(name),
            on_change=_write_back,
            args=(name,),
        )
    st.multiselect(
        t("limit.methods"),
        METHOD_CHOICES,
        key=key_of("methods"),
        format_func=option_labels("method", METHOD_CHOICES).__getitem__,
        placeholder=t("recommend.form.whatever"),
        persist_state="session",
    )


def _market() -> None:
    left, right = st.columns(2)
    for column, name in ((left, "market"), (right, "currency")):
        column.selectbox(
            label(name),
            choices(name),
            key=_mirror(name),
            format_func=option_labels(name, choices(name)).__getitem__,
            on_change=_write_back,
            args=(name,),
        )


def _number(name: str, text: str, *, open_ended: bool = True, help_text: str = "", empty: str = "") -> None:
    """Number box of a constraint; where ``open_ended`` it may be left empty, which ``empty`` explains in the box."""
    key, kind = key_of(name), type(DEFAULTS[name])
    if open_ended and not st.session_state[key]:
        st.session_state[key] = None
    low, high = limit_bounds(name)
    st.number_input(
        text,
        min_value=kind(low),
        max_value=kind(high),
        value=None if open_ended else "min",
        step=kind(_STEPS.get(name, 1)),
        format="%g" if kind is float else "%d",
        key=key,
        placeholder=empty or t("recommend.form.no_limit"),
        help=help_text or None,
        persist_state="session",
    )


def _segments(name: str, options: tuple[str, ...]) -> None:
    st.segmented_control(
        t(f"limit.{name}"),
        options,
        key=key_of(name),
        format_func={code: t(f"limit.{name}.{code}") for code in options}.__getitem__,
        required=True,
        persist_state="session",
        width="stretch",
    )


def _money_and_time() -> None:
    currency, project = st.session_state["currency"], st.session_state[key_of("use")] == "project"
    st.markdown(f"**{t('recommend.form.limits')}**")
    _market()
    _segments("use", USES)
    if project:
        left, right = st.columns(2, vertical_alignment="bottom")
        with left:
            _number("term_weeks", t("limit.term_weeks"), open_ended=False)
        with right:
            _number("runs", t("limit.runs"), open_ended=False)
    else:
        use = number(st.session_state["utilisation"], 3)
        _number(
            "runs_per_month",
            t("limit.runs_per_month"),
            help_text=t("recommend.form.by_use", use=use),
            empty=t("recommend.form.as_used", use=use),
        )
    once = "recommend.form.budget_project" if project else "recommend.form.budget_once"
    _number("budget_once", t(once, currency=currency), help_text=t("recommend.form.budget_help"))
    if not project:
        _number("budget_per_month", t("recommend.form.budget_per_month", currency=currency))
    _segments("sides", SIDES)
    st.selectbox(
        t("limit.goal"),
        GOALS,
        key=key_of("goal"),
        format_func={code: t(f"limit.goal.{code}") for code in GOALS}.__getitem__,
        persist_state="session",
    )


def _set_wishes(found: Constraints) -> int:
    """How many of the folded constraints differ from their defaults."""
    names = (*WISHES, *PERMISSIONS, "deadline_hours", "max_power_w", "max_num_gpus", "availability")
    return sum(getattr(found, name) != DEFAULTS[name] for name in names)


def _wishes(found: Constraints) -> None:
    count = _set_wishes(found)
    text = t("recommend.form.wishes_set", n=count) if count else t("recommend.form.wishes")
    part = st.expander(text, key="recommend_wishes", on_change="rerun")
    if not part.open:
        return
    with part:
        _number("deadline_hours", t("limit.deadline_hours"))
        _number("max_num_gpus", t("limit.max_num_gpus"), open_ended=False)
        _number("max_power_w", t("limit.max_power_w"), help_text=t("recommend.form.power_help"))
        options = get_args(Constraints.model_fields["availability"].annotation)
        _segments("availability", options)
        for name in (*WISHES, *PERMISSIONS):
            st.toggle(t(f"limit.{name}"), key=key_of(name), persist_state="session")


def constraints_form(found: Constraints) -> None:
    """Draws the whole form; ``found``: the constraints as they stand."""
    st.html(_STICKY)
    with st.container(border=True, key="recommend_form"):
        _training()
        _money_and_time()
        _wishes(found)
        st.button(t("recommend.form.reset"), key="recommend_reset", on_click=reset_limits, width="stretch")


def limit_value(name: str, value: Any, currency: str) -> str:
    """A constraint's value in words, for sentences about what binds."""
    if name == "methods":
        codes = (value,) if isinstance(value, str) else tuple(value)
        return ", ".join(option_label("method", code) for code in codes) or t("recommend.form.whatever")
    if isinstance(value, bool):
        return t("compare.yes" if value else "compare.no")
    if isinstance(value, str):
        return t(f"limit.{name}.{value}")
    if not value:
        return t("recommend.form.no_limit")
    return money(float(value), currency) if name in AMOUNTS else number(float(value), 3)
