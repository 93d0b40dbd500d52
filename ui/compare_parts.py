"""Parts of the compare page: the saved scenarios, the table of answers, what differs, the four charts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from calc.compare import compare_row
from calc.scenario import Scenario
from ui.charts.compare import cost_by_scenario, hours_by_scenario, memory_by_scenario, row_labels
from ui.charts.template import Heading
from ui.compare_state import (
    LETTERS,
    MAX_NAME,
    MAX_SAVED,
    Saved,
    add_current,
    open_again,
    place_of,
    remove,
    rename,
    saved,
)
from ui.data import tables
from ui.export import show_chart
from ui.format import gib, hours, money, number, plain
from ui.i18n import t
from ui.links import decode, encode
from ui.sentences import cards, method_name, model_name


def scenario_name(row: Saved) -> str:
    """The name its user gave, else model, method and cards."""
    now = row.scenario
    return row.name or t("compare.name", model=model_name(now), method=method_name(now), cards=cards(now))


@st.cache_data(show_spinner=False, max_entries=64)
def _row(code: str, currency: str) -> dict[str, Any]:
    # Keyed by the link text: a scenario holds dictionaries and cannot be a key itself.
    fields = decode(code).values
    return compare_row(Saved(fields).scenario, tables(), currency)


def compared(rows: Sequence[Saved], currency: str) -> pd.DataFrame:
    """``compare_row`` of every saved scenario with its letter and name."""
    found = [_row(encode(row.fields), currency) for row in rows]
    frame = pd.DataFrame(found)
    frame.insert(0, "letter", list(LETTERS[: len(rows)]))
    frame.insert(1, "name", [scenario_name(row) for row in rows])
    return frame


def add_button(key: str, main: bool = False) -> None:
    """Saves the sidebar's scenario for comparing; says how many places are taken. main: the page's own button."""
    count = len(saved())
    st.button(
        t("compare.add", n=count, most=MAX_SAVED),
        key=key,
        on_click=add_current,
        disabled=count >= MAX_SAVED,
        type="primary" if main and count < MAX_SAVED else "secondary",
        width="stretch",
    )


def add_state(now: Scenario) -> str:
    """Whether the sidebar's scenario is among the saved ones, or why it cannot be added."""
    place = place_of(now)
    if place is not None:
        return t("compare.is_saved", letter=LETTERS[place])
    return t("compare.full", most=MAX_SAVED) if len(saved()) >= MAX_SAVED else t("compare.not_saved")


def scenario_heads(rows: Sequence[Saved]) -> None:
    """One box a scenario: its name, and the buttons that open, rename and remove it."""
    for place, (column, row) in enumerate(zip(st.columns(len(rows)), rows, strict=True)):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{LETTERS[place]}** · {plain(scenario_name(row))}")
            with st.container(horizontal=True, gap="xsmall"):
                st.button(
                    ":material/open_in_new:",
                    key=f"compare_open_{place}",
                    help=t("compare.open"),
                    type="tertiary",
                    on_click=open_again,
                    args=(place,),
                )
                with st.popover(":material/edit:", help=t("compare.rename"), type="tertiary"):
                    _name_box(place, row)
                st.button(
                    ":material/close:",
                    key=f"compare_remove_{place}",
                    help=t("compare.remove"),
                    type="tertiary",
                    on_click=remove,
                    args=(place,),
                )


def _name_box(place: int, row: Saved) -> None:
    key = f"compare_name_{place}"
    st.session_state[key] = row.name  # places shift when a scenario is removed
    st.text_input(
        t("compare.new_name"),
        key=key,
        max_chars=MAX_NAME,
        placeholder=scenario_name(Saved(row.fields)),
        on_change=_renamed,
        args=(place,),
    )


def _renamed(place: int) -> None:
    rename(place, str(st.session_state[f"compare_name_{place}"] or ""))


def compare_sentence(frame: pd.DataFrame, currency: str) -> str:
    """Which scenario is cheapest a run, which fastest, which cannot run."""
    if len(frame) == 1:
        return t("compare.sentence_single")
    able = frame[frame["verdict"].isin(["fits", "tight"])]
    stuck = [letter for letter, verdict in zip(frame["letter"], frame["verdict"], strict=True) if verdict == "no"]
    refused = t("compare.sentence_no", letters=", ".join(stuck)) if stuck else ""
    costs, times = able[["own_per_run", "rent_per_run"]].min(axis=1).dropna(), able["hours"].dropna()
    if times.empty:
        return t("compare.sentence_none", n=len(frame))
    fastest = able.loc[times.idxmin()]
    said = {"n": len(frame), "fast": fastest["letter"], "hours": hours(fastest["hours"])}
    if costs.empty:
        return t("compare.sentence_time", **said) + refused
    cheap = able.loc[costs.idxmin()]
    cost = money(float(costs.min()), currency)
    key = "compare.sentence_one" if cheap["letter"] == fastest["letter"] else "compare.sentence"
    return t(key, **said, cheap=cheap["letter"], cost=cost) + refused


def _least(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[str, float]:
    """Letter and value of the smallest known figure; blank letter where none is known."""
    values = frame[list(columns)].min(axis=1).dropna()
    return ("", math.nan) if values.empty else (str(frame.loc[values.idxmin(), "letter"]), float(values.min()))


def _short_names(rows: Sequence[Saved]) -> list[str]:
    """Names for the charts: those given, else only the parts in which the scenarios differ."""
    scenarios = [row.scenario for row in rows]
    parts = [[say(now) for say in (model_name, method_name, cards)] for now in scenarios]
    differ = [place for place in range(3) if len({part[place] for part in parts}) > 1] or [1, 2]
    return [row.name or ", ".join(part[place] for place in differ) for row, part in zip(rows, parts, strict=True)]


def compare_charts(frame: pd.DataFrame, rows: Sequence[Saved], currency: str, now: Scenario) -> None:
    """Memory, hours, cost of a run and the total over the horizon, one chart each, scenarios in the same order."""
    labels = row_labels(list(frame["letter"]), _short_names(rows))
    memory, time = st.columns(2)
    run, total = st.columns(2)
    letter, value = _least(frame, ["peak_gib"])
    with memory:
        heading = Heading(t("compare.title.memory", letter=letter, peak=gib(value)), source=t("source.memory"))
        columns = ["letter", "name", "peak_gib", "low_gib", "high_gib", "usable_gib", "verdict"]
        show_chart(memory_by_scenario(frame, heading, labels), "compare-memory", frame, now, columns=columns)
    letter, value = _least(frame, ["hours"])
    with time:
        title = t("compare.title.hours", letter=letter, hours=hours(value)) if letter else t("compare.title.no_hours")
        columns = ["letter", "name", "hours", "hours_low", "hours_high"]
        heading = Heading(title, source=t("compare.source_time"))
        show_chart(hours_by_scenario(frame, heading, labels), "compare-time", frame, now, columns=columns)
    spans = sorted({int(months) for months in frame["horizon_months"]})
    horizon = number(spans[0], 4) if len(spans) == 1 else t("chart.unit.range", low=spans[0], high=spans[-1])
    for place, kind, own, rent in (
        (run, "run", "own_per_run", "rent_per_run"),
        (total, "total", "own_total", "rent_total"),
    ):
        letter, value = _least(frame, [own, rent])
        title = t("compare.title.no_price")
        if letter:
            title = t(f"compare.title.{kind}", letter=letter, cost=money(value, currency), horizon=horizon)
        with place:
            heading = Heading(title, source=t("compare.source_prices"))
            chart = cost_by_scenario(frame, heading, labels, own=own, rent=rent, currency=currency)
            show_chart(chart, f"compare-{kind}", frame, now, columns=["letter", "name", own, rent], currency=currency)
