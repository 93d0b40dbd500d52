"""Changes that a person can apply with one click: ways to make a job fit, room to spare, faster settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

import streamlit as st

import gpudata
from calc.remedies import Remedies, Remedy
from calc.remedies_room import Faster, Largest
from calc.remedies_top import TopChange
from calc.scenario import MODEL_BY_SIZE, Scenario
from ui.format import number, percent
from ui.i18n import t
from ui.remedy_words import (
    cost_effect,
    effects,
    host_effect,
    memory_effect,
    remedy_name,
    remedy_why,
    speed_gain,
    state_words,
    time_effect,
    verdict_badge,
)

_UNDO = "_undo"
_LEAST_BADGE = ":violet-badge[{word}]"
_ROW = (11, 9, 2)
_GAP: Literal["xxsmall"] = "xxsmall"


@st.cache_resource(show_spinner=False)
def guide_promise() -> tuple[float, float]:
    """Gain in speed that popular guides promise from a better batch and precision, as shares."""
    claim = gpudata.load_popular_claims().set_index("claim_id").loc["c48"]
    return float(claim["value_low"]), float(claim["value_high"])


def apply(fields: Mapping[str, Any], name: str) -> None:
    """Sets scenario fields as the widgets hold them and remembers what they were (a button's callback)."""
    state = st.session_state
    before = {field: state[field] for field in fields}
    state[_UNDO] = [*state.get(_UNDO, ()), {"before": before, "after": dict(fields), "name": name}]
    for field, value in fields.items():
        state[field] = value


def undo() -> None:
    """Takes the last applied change back (a button's callback)."""
    steps = st.session_state[_UNDO]
    for field, value in steps[-1]["before"].items():
        st.session_state[field] = value
    st.session_state[_UNDO] = steps[:-1]


def undo_button() -> None:
    """Names the change applied last and takes it back, while the scenario still holds it."""
    steps = st.session_state.get(_UNDO, [])
    if not steps or any(st.session_state[field] != value for field, value in steps[-1]["after"].items()):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="undo_row"):
        st.markdown(t("remedy.applied", name=steps[-1]["name"]), width="content")
        st.button(
            t("remedy.undo", what=state_words(steps[-1]["before"])),
            key="undo",
            on_click=undo,
            icon=":material/undo:",
            type="tertiary",
        )


def _apply_button(key: str, fields: Mapping[str, Any], name: str, primary: bool = False) -> None:
    st.button(
        t("remedy.apply"),
        key=f"apply_{key}",
        on_click=apply,
        args=(dict(fields), name),
        type="primary" if primary else "secondary",
        width="content",
        help=t("remedy.sets", what=state_words(fields)),
    )


def _card(key: str, remedy: Remedy, name: str, lines: Sequence[str], marked: bool = False) -> None:
    with st.container(border=True, height="stretch", vertical_alignment="distribute", gap="xsmall"):
        mark = f" {_LEAST_BADGE.format(word=t('remedy.least'))}" if marked else ""
        st.markdown("  \n".join((f"**{name}**{mark}", *(line for line in lines if line))))
        _apply_button(key, remedy.fields, name, primary=marked)


def ways_cards(found: Remedies, scenario: Scenario) -> None:
    """Up to three least sufficient sets side by side, or that there is none; nothing where the job fits."""
    if found.verdict != "no":
        return
    if not found.ways:
        st.warning(t("remedy.none"))
        return
    st.markdown(f"#### {t('remedy.title.no' if len(found.ways) > 1 else 'remedy.title.one_way')}")
    for place, (column, way) in enumerate(zip(st.columns(len(found.ways)), found.ways, strict=True)):
        words = effects(
            memory_effect(way, found.usable_gib),
            time_effect(way.time_factor),
            host_effect(way),
        )
        with column:
            lines = (words, f"{verdict_badge(way)} :gray[{t(f'remedy.touches.{way.touches}')}]")
            _card(f"way_{place}", way, remedy_name(way, scenario), lines, marked=way is found.least)


def doctor(found: Remedies, scenario: Scenario) -> None:
    """Every single change that helps, by reach, with what it frees and costs; the least sufficient set marked."""
    if not found.singles:
        return
    st.markdown(f"#### {t(f'remedy.title.list_{found.verdict}')}")
    if found.verdict == "tight" and found.least and len(found.least.kinds) > 1:
        _doctor_row("least", found, found.least, scenario)
    for touches in sorted({single.touches for single in found.singles}):
        with st.container(gap=_GAP):
            st.caption(t(f"remedy.touches.{touches}"))
            for single in found.singles:
                if single.touches == touches:
                    _doctor_row(f"single_{single.kinds[0]}", found, single, scenario)
    if found.without_effect:
        names = t("remedy.comma").join(remedy_name(idle, scenario) for idle in found.without_effect)
        st.caption(t("remedy.without_effect", names=names))


def _doctor_row(key: str, found: Remedies, remedy: Remedy, scenario: Scenario) -> None:
    least = found.least is not None and remedy.fields == found.least.fields
    words = effects(
        memory_effect(remedy, found.usable_gib),
        time_effect(remedy.time_factor),
        host_effect(remedy),
    )
    mark = f" {_LEAST_BADGE.format(word=t('remedy.least'))}" if least else ""
    _row(
        key,
        remedy,
        remedy_name(remedy, scenario),
        remedy_why(remedy),
        f"{words} {verdict_badge(remedy, found.verdict)}{mark}",
    )


def _row(key: str, remedy: Remedy, name: str, why: str, words: str) -> None:
    left, middle, right = st.columns(_ROW, vertical_alignment="center")
    left.markdown(f"**{name}** :gray[{why}]" if why else f"**{name}**")
    middle.markdown(words)
    with right:
        _apply_button(key, remedy.fields, name)


def room(most: Largest, scenario: Scenario) -> None:
    """Largest micro batch, sequence and model that still fit, each to apply."""
    st.markdown(f"#### {t('remedy.title.room')}")
    st.caption(t("remedy.room_note"))
    now = scenario.flat()
    for column, (name, value) in zip(st.columns(3), asdict(most).items(), strict=True):
        fields = {name: value} if name != "model_size_b" else {"model": MODEL_BY_SIZE, name: value}
        with column, st.container(border=True), st.container(horizontal=True, vertical_alignment="center"):
            title = t(f"remedy.largest.{name}")
            if value is None:
                st.markdown(f"{title}  \n**{t('remedy.largest.none')}**", width="stretch")
                continue
            words = _amount(name, value)
            changes = name == "model_size_b" or value != now[name]
            words = words if changes else t("remedy.largest.now", value=words)
            st.markdown(f"{title}  \n**{words}**", width="stretch")
            if changes:
                _apply_button(f"largest_{name}", fields, f"{title} {words}")


def _amount(name: str, value: float) -> str:
    if name == "model_size_b":
        return f"{value:g} B"
    return t("remedy.largest.tokens", value=number(value, 7)) if name == "seq_len" else number(value, 7)


def faster_list(found: Faster, scenario: Scenario, verdict: str, usable_gib: float) -> None:
    """Changes that shorten the run, ours beside what popular guides promise."""
    best = found.together or next(iter(found.singles), None)
    if best is None:
        return
    st.markdown(f"#### {t('remedy.title.faster')}")
    low, high = guide_promise()
    st.caption(
        t(
            "remedy.guides",
            low=percent(low),
            high=percent(high),
            ours=percent(found.batch_and_precision),
            all=percent(1 / best.time_factor - 1),
        )
    )
    with st.container(gap=_GAP):
        for single in found.singles:
            words = _faster_words(single, usable_gib, verdict)
            _row(f"faster_{single.kinds[0]}", single, remedy_name(single, scenario), remedy_why(single), words)
        if found.together:
            names = t("remedy.together", names=remedy_name(found.together, scenario))
            words = _faster_words(found.together, usable_gib, verdict)
            _row("faster_together", found.together, names, "", words)


def _faster_words(remedy: Remedy, usable_gib: float, verdict: str) -> str:
    changed = verdict_badge(remedy) if remedy.verdict != verdict else ""
    return f"{effects(speed_gain(remedy.time_factor), memory_effect(remedy, usable_gib))} {changed}"


def top_cards(changes: Sequence[TopChange], scenario: Scenario, verdict: str, usable_gib: float) -> None:
    """Up to three changes that help most, side by side; nothing where none does."""
    if not changes:
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"#### {t('remedy.title.no' if verdict == 'no' else 'remedy.title.change')}", width="content")
        undo_button()
    for place, (column, change) in enumerate(zip(st.columns(len(changes)), changes, strict=True)):
        way = change.remedy
        words = effects(
            "" if change.aim == "money" else memory_effect(way, usable_gib),
            time_effect(way.time_factor),
            "" if change.cost_factor == way.time_factor else cost_effect(change.cost_factor),
            host_effect(way) if change.aim == "fit" else "",
        )
        badge = verdict_badge(way) if change.aim == "fit" else ""
        why = f":gray[{remedy_why(way)}]" if len(way.kinds) == 1 else ""
        with column:
            lines = (words, f"{badge} {why}".strip())
            _card(f"top_{place}", way, remedy_name(way, scenario), lines)
