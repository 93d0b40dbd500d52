"""Parts of the recommender's page: the search, plan cards, the chart with its choice, and "why not?"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from calc.recommend import Constraints, Recommendation, plan_fields, recommend
from calc.scenario import Scenario, scenario_from_flat
from ui.charts.recommend import plan_scatter
from ui.charts.template import Heading
from ui.data import gpu_names, tables
from ui.export import show_chart
from ui.format import hours, money, number
from ui.frame import page_button
from ui.i18n import t
from ui.links import decode, encode
from ui.recommend_state import set_limit
from ui.recommend_words import (
    binding_sentence,
    cost_cell,
    memory_cell,
    missed_limits,
    plan_name,
    point_label,
    relaxed,
    run_cell,
    settings,
    time_cell,
    why,
    why_not_sentence,
)
from ui.sentences import model_name
from ui.state import put

SHOWN = 5
_NOTE = "_plan_note"
_CHOICE = "front_choice"
_BADGES = {"high": "green", "medium": "blue", "low": "gray"}


@st.cache_resource(show_spinner=False, max_entries=16)
def _search(code: str, limits: str) -> Recommendation:
    # Keyed by texts: scenarios and constraints hold collections and cannot be keys themselves.
    scenario = scenario_from_flat(decode(code).values)
    return recommend(scenario, Constraints.model_validate_json(limits), tables())


def searched(scenario: Scenario, constraints: Constraints) -> Recommendation:
    """Plans for the scenario's training under the constraints; the same question is answered once."""
    with st.spinner(t("recommend.searching")):
        return _search(encode(scenario.flat()), constraints.model_dump_json())


def job_words(scenario: Scenario) -> str:
    """What is to be trained, without method and cards, which are what is sought."""
    work = scenario.workload
    return t(
        "recommend.job",
        model=model_name(scenario),
        samples=number(work.samples, 10),
        epochs=number(work.epochs, 7),
    )


def searched_line(found: Recommendation) -> str:
    """How many configurations were tried, fit, and keep every limit."""
    return t(
        "recommend.line",
        searched=number(found.n_searched, 7),
        fit=number(found.n_fit, 7),
        feasible=number(found.n_feasible, 7),
        tokens=number(found.scenario.workload.tokens_per_sample, 7),
        seq_len=number(found.scenario.setup.seq_len, 7),
    )


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def use_plan(plan: Mapping[str, Any], now: Scenario) -> None:
    """Puts a plan into the sidebar and notes it (a button's callback)."""
    fields = {name: _plain(value) for name, value in plan_fields(plan).items()}
    put({**now.flat(), **fields})
    st.session_state[_NOTE] = dict(plan)


def close_plan_note() -> None:
    """Takes the note about the chosen plan away (a button's callback)."""
    st.session_state.pop(_NOTE, None)


def plan_note() -> None:
    """That the sidebar now holds the chosen plan, with the ways to the pages that explain it."""
    plan = st.session_state.get(_NOTE)
    if not plan:
        return
    with st.container(border=True, key="plan_note"):
        st.markdown(f":material/check: {t('recommend.chosen', plan=plan_name(plan))}")
        with st.container(horizontal=True, vertical_alignment="center"):
            for page in ("vram_fit", "training_time", "own_versus_rent"):
                page_button(page)
            st.button(t("action.dismiss"), key="plan_note_close", on_click=close_plan_note)


def plan_cards(found: Recommendation, now: Scenario) -> None:
    """The plans in their order, the first few at once, the others on demand."""
    plans, currency = found.plans, now.money.currency
    for place in range(min(SHOWN, len(plans))):
        _card(place, plans, found, now)
    if len(plans) > SHOWN:
        more = st.expander(t("recommend.more", n=len(plans) - SHOWN), key="recommend_more", on_change="rerun")
        if more.open:
            with more:
                for place in range(SHOWN, len(plans)):
                    _card(place, plans, found, now)
    st.caption(t("recommend.prices", market=t(f"option.market.{now.money.market}"), currency=currency))
    if plans["mode"].eq("spot").any():
        st.caption(t("recommend.spot"))


def _card(place: int, plans: pd.DataFrame, found: Recommendation, now: Scenario) -> None:
    plan, currency = plans.iloc[place].to_dict(), now.money.currency
    project = found.constraints.use == "project"
    with st.container(border=True, key=f"plan_{place}"):
        said, button = st.columns((4, 1), vertical_alignment="center")
        badge = t("recommend.badge", confidence=t(f"recommend.confidence.{plan['confidence']}"))
        said.markdown(f"**{place + 1}. {plan_name(plan)}** :{_BADGES[plan['confidence']]}-badge[{badge}]")
        said.markdown(why(plan, currency))
        button.button(
            t("recommend.use"),
            key=f"use_plan_{place}",
            on_click=use_plan,
            args=(plan, now),
            type="primary" if place == 0 else "secondary",
            width="stretch",
        )
        cells = [("recommend.cell.cost", cost_cell(plan, currency, project))]
        if not project or found.constraints.runs > 1 or plan["mode"] == "own":
            cells.append(("recommend.cell.run", run_cell(plan, currency)))
        cells += [("recommend.cell.time", time_cell(plan)), ("recommend.cell.memory", memory_cell(plan))]
        for column, (word, cell) in zip(st.columns(len(cells)), cells, strict=True):
            column.markdown(f":small[:gray[{t(word)}]]  \n**{cell[0]}**  \n:small[:gray[{cell[1]}]]")
        lines, step = [settings(plan)], int(plan["next_step"])
        if 0 <= step < len(plans):
            larger = plans.iloc[step].to_dict()
            cost, _ = cost_cell(larger, currency, project)
            lines.append(t("recommend.next_step", plan=plan_name(larger), cost=cost))
        st.caption("  \n".join(lines))


def _shown_front(found: Recommendation) -> pd.DataFrame:
    """The curve up to the dearest plan listed; reservations of a year for one training would flatten the rest."""
    front, dearest = found.front, float(found.plans["cost_per_run"].max())
    return front[front["cost_per_run"] <= dearest]


def front_chart(found: Recommendation, now: Scenario) -> None:
    """Cost against time with the curve of best plans, and a menu that takes one of them."""
    front, currency = _shown_front(found), now.money.currency
    rows = front.to_dict("records")
    if not rows:  # costs beyond every number
        return
    plans = found.plans.assign(label=[point_label(row) for row in found.plans.to_dict("records")])
    drawn = front.assign(label=[point_label(row) for row in rows])
    chosen = st.session_state.get(_CHOICE)
    chosen = chosen if isinstance(chosen, int) and chosen < len(rows) else len(rows) - 1
    fast, cheap = rows[0], rows[-1]
    title = t(
        "recommend.title.front" if len(rows) > 1 else "recommend.title.one",
        cheap_cost=money(float(cheap["cost_per_run"]), currency),
        cheap_hours=hours(float(cheap["hours"])),
        fast_cost=money(float(fast["cost_per_run"]), currency),
        fast_hours=hours(float(fast["hours"])),
    )
    heading = Heading(title, job_words(now), t("recommend.source"))
    figure = plan_scatter(plans, drawn, heading, currency=currency, chosen=chosen)
    columns = ["label", "method", "mode", "hours", "hours_low", "hours_high", "cost_per_run", "cost_total", "peak_gib"]
    show_chart(figure, "plans", drawn, now, columns=columns)
    st.session_state[_CHOICE] = chosen
    menu, button = st.columns((4, 1), vertical_alignment="bottom")
    menu.selectbox(
        t("recommend.front_choice"),
        range(len(rows)),
        key=_CHOICE,
        format_func=[
            f"{hours(float(row['hours']))}, {money(float(row['cost_per_run']), currency)}: {plan_name(row)}"
            for row in rows
        ].__getitem__,
    )
    button.button(t("recommend.use"), key="use_front", on_click=use_plan, args=(rows[chosen], now), width="stretch")


def nothing_fits(found: Recommendation, now: Scenario) -> None:
    """Which limit binds, the smallest change of it that helps, and a button that makes it."""
    currency = now.money.currency
    if not found.binding:
        if found.closest is not None and found.closest.plan is not None:
            st.markdown(t("recommend.closest", plan=plan_name(found.closest.plan)))
            st.markdown("\n".join(f"- {text}" for text in missed_limits(found.closest, found, currency)))
        st.info(t("recommend.no_single_limit") if found.n_fit else t("recommend.no_memory_help"))
        return
    st.markdown(f"#### {t('recommend.what_helps')}")
    for place, binding in enumerate(found.binding[:3]):
        with st.container(border=True):
            st.markdown(binding_sentence(binding, currency))
            st.button(
                t("recommend.relax"),
                key=f"relax_{place}",
                on_click=set_limit,
                args=(binding.field, relaxed(binding)),
                type="primary" if place == 0 else "secondary",
            )


def why_not(found: Recommendation, now: Scenario) -> None:
    """The answer to "why not this card?" for every card."""
    left, right = st.columns((1, 2))
    gpu = left.selectbox(
        t("recommend.why_not"),
        ("", *gpu_names()),
        key="why_not_gpu",
        format_func={name: name or t("recommend.why_not_hint") for name in ("", *gpu_names())}.__getitem__,
        persist_state="session",
    )
    if gpu:
        right.markdown(why_not_sentence(found.why_not(gpu), found, now.money.currency))
