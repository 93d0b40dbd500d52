"""Parts of the compare page: the saved scenarios, the table of answers, what differs, the four charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from calc.compare import compare_row, differences, differing_fields
from calc.scenario import Scenario
from ui.charts.compare import cost_by_scenario, hours_by_scenario, memory_by_scenario, row_labels
from ui.charts.template import Heading
from ui.compare_state import LETTERS, MAX_SAVED, Saved, add_current, open_again, place_of, remove, rename, saved
from ui.cost_lines import field_name
from ui.data import tables
from ui.export import show_chart
from ui.format import NOTHING, between, gib, gib_number, hours, money, money_number, number, percent
from ui.i18n import t
from ui.inputs_widgets import option_label
from ui.links import decode, encode
from ui.sentences import cards, method_name, model_name
from ui.state import choices, label

_SAME = 1e-9  # rounding of equal figures
_VERDICT_BADGES = {"fits": "green", "tight": "yellow", "no": "gray"}


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


def add_button(key: str, kind: str = "secondary") -> None:
    """Saves the sidebar's scenario for comparing; says how many places are taken."""
    count = len(saved())
    st.button(
        t("compare.add", n=count, most=MAX_SAVED),
        key=key,
        on_click=add_current,
        disabled=count >= MAX_SAVED,
        type="primary" if kind == "primary" else "secondary",
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
            st.markdown(f"**{LETTERS[place]} · {_plain(scenario_name(row))}**")
            with st.container(horizontal=True, gap="small"):
                st.button(t("compare.open"), key=f"compare_open_{place}", on_click=open_again, args=(place,))
                with st.popover(t("compare.rename")):
                    _name_box(place, row)
                st.button(t("compare.remove"), key=f"compare_remove_{place}", on_click=remove, args=(place,))


def _name_box(place: int, row: Saved) -> None:
    key = f"compare_name_{place}"
    st.session_state[key] = row.name  # places shift when a scenario is removed
    st.text_input(
        t("compare.new_name"),
        key=key,
        max_chars=40,
        placeholder=scenario_name(Saved(row.fields)),
        on_change=_renamed,
        args=(place,),
    )


def _renamed(place: int) -> None:
    rename(place, str(st.session_state[f"compare_name_{place}"] or ""))


def _plain(text: str) -> str:
    """Text of a user that Markdown must not read as anything else."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#+-.!|~$:" else char for char in text)


def compare_sentence(frame: pd.DataFrame, currency: str) -> str:
    """Which scenario is cheapest a run, which fastest, which cannot run."""
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


@dataclass(frozen=True)
class _Line:
    """One row of the table: its word, how a scenario's cell reads, and the column and form of the difference."""

    word: str
    cell: Callable[[Any], str]
    column: str = ""
    form: Callable[[float], str] = number


def _lines(currency: str) -> dict[str, list[_Line]]:
    def amount(column: str) -> _Line:
        return _Line(f"compare.row.{column}", lambda row: money(row[column], currency), column, money_number)

    return {
        "memory": [
            _Line("compare.row.verdict", _verdict),
            _Line("compare.row.peak", _peak, "peak_gib", gib),
            _Line("compare.row.spare", lambda row: gib(row["spare_gib"]), "spare_gib", gib),
        ],
        "time": [_Line("compare.row.hours", _time, "hours", hours)],
        "cost": [amount(name) for name in ("rent_per_run", "own_per_run", "rent_total", "own_total")],
        "pay_back": [
            _Line("compare.row.pay_back", _pay_back, "pay_back_month", number),
            _Line(
                "compare.row.break_even",
                lambda row: percent(row["break_even_share"]) if _known(row["break_even_share"]) else t("card.never"),
                "break_even_share",
                _points,
            ),
        ],
        "risks": [
            _Line("compare.row.own_wins", lambda row: percent(row["own_wins"]), "own_wins", _points),
            _Line("compare.row.memory_width", lambda row: _half(row["memory_width"]), "memory_width", _points),
            _Line("compare.row.time_width", lambda row: _half(row["time_width"]), "time_width", _points),
            _Line("compare.row.rent_offers", lambda row: _offers(row["rent_offers"], row["rent_date"])),
            _Line("compare.row.own_offers", lambda row: _offers(row["own_offers"], row["own_date"])),
        ],
    }


def _known(value: float) -> bool:
    return bool(math.isfinite(value))


def _verdict(row: Any) -> str:
    if row["verdict"] not in _VERDICT_BADGES:
        return NOTHING
    return f":{_VERDICT_BADGES[row['verdict']]}-badge[{t('chart.verdict.' + row['verdict'])}]"


def _peak(row: Any) -> str:
    return f"{gib(row['peak_gib'])} :small[({between(row['low_gib'], row['high_gib'], gib_number)})]"


def _time(row: Any) -> str:
    if not _known(row["hours"]):
        return NOTHING
    return f"{hours(row['hours'])} :small[({between(row['hours_low'], row['hours_high'], hours)})]"


def _pay_back(row: Any) -> str:
    if not _known(row["saving"]):
        return NOTHING
    if _known(row["pay_back_month"]):
        return t("money.month", month=number(math.ceil(row["pay_back_month"]), 4))
    return t("money.at_sale") if row["saving"] > 0 else t("money.not_within")


def _points(value: float) -> str:
    return t("compare.points", value=number(value * 100, 2))


def _half(width: float) -> str:
    return f"± {percent(width / 2)}" if _known(width) else NOTHING


def _offers(count: int, date: str) -> str:
    if count == 0:
        return f":red-badge[{t('compare.no_offer')}]"
    if count == 1:
        return f":yellow-badge[{t('compare.one_offer')}] :small[{date}]"
    return t("compare.offers", n=number(count, 4), date=date)


def _signed(value: float, form: Callable[[float], str]) -> str:
    if not _known(value):
        return NOTHING
    value = 0.0 if abs(value) < _SAME else value
    text = form(value)
    return text if value == 0 or text.startswith("−") else f"+{text}"


def answers_table(frame: pd.DataFrame, currency: str) -> None:
    """Rows by topic, a column a scenario, and beside each scenario after the first its difference from the first."""
    apart = differences(frame)
    letters = list(frame["letter"])
    heads = ["", *([letters[0]]), *(head for one in letters[1:] for head in (one, f"{one} − {letters[0]}"))]
    text = ["| " + " | ".join(heads) + " |", "| :--- |" + " ---: |" * (len(heads) - 1)]
    for topic, lines in _lines(currency).items():
        text.append(f"| **{t(f'compare.topic.{topic}')}** |" + " |" * (len(heads) - 1))
        for line in lines:
            cells = [t(line.word), line.cell(frame.iloc[0])]
            for place in range(1, len(frame)):
                gap = _signed(float(apart[line.column].iloc[place]), line.form) if line.column else ""
                cells += [line.cell(frame.iloc[place]), f":gray[{gap}]" if gap else ""]
            text.append("| " + " | ".join(cells) + " |")
    with st.container(key="compare_table"):
        st.markdown("\n".join(text))


def _value(name: str, value: Any) -> str:
    """One field's value in words."""
    if value is None:
        return NOTHING
    if name in ("own", "rent"):
        typed = [f"{field_name(f'{name}.{line}')} {number(amount, 7)}" for line, amount in value.items()]
        return _plain("; ".join(typed)) or t("compare.typical")
    if isinstance(value, bool):
        return t("compare.yes" if value else "compare.no")
    if name == "rent_gpu":
        return value or t("option.rent_gpu.same")
    if name == "model":
        return t(f"option.model.{value}") if value in ("by-size", "custom") else str(value)
    if choices(name):
        return option_label(name, value)
    return str(value) if isinstance(value, str) else number(float(value), 7)


def assumptions_table(rows: Sequence[Saved]) -> None:
    """Choices in which the scenarios differ, those unlike the first one marked."""
    found = differing_fields([row.scenario for row in rows])
    st.markdown(f"#### {t('compare.differ')}")
    if not found:
        st.caption(t("compare.alike"))
        return
    letters = LETTERS[: len(rows)]
    text = ["| | " + " | ".join(letters) + " |", "| :--- |" + " ---: |" * len(rows)]
    for name, values in found.items():
        cells = [_value(name, value) for value in values]
        marked = [
            f":violet-background[{cell}]" if value != values[0] else cell
            for cell, value in zip(cells, values, strict=True)
        ]
        text.append(f"| {label(name)} | " + " | ".join(marked) + " |")
    with st.container(key="compare_differ"):
        st.markdown("\n".join(text))


def _least(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[str, float]:
    """Letter and value of the smallest known figure; blank letter where none is known."""
    values = frame[list(columns)].min(axis=1).dropna()
    return ("", math.nan) if values.empty else (str(frame.loc[values.idxmin(), "letter"]), float(values.min()))


def compare_charts(frame: pd.DataFrame, currency: str, now: Scenario) -> None:
    """Memory, hours, cost of a run and the total over the horizon, one chart each, rows in the same order."""
    labels = row_labels(list(frame["letter"]), list(frame["name"]))
    left, right = st.columns(2)
    letter, value = _least(frame, ["peak_gib"])
    with left:
        heading = Heading(t("compare.title.memory", letter=letter, peak=gib(value)), source=t("source.memory"))
        columns = ["letter", "name", "peak_gib", "low_gib", "high_gib", "usable_gib", "verdict"]
        show_chart(memory_by_scenario(frame, heading, labels), "compare-memory", frame, now, columns=columns)
    letter, value = _least(frame, ["hours"])
    with right:
        title = t("compare.title.hours", letter=letter, hours=hours(value)) if letter else t("compare.title.no_hours")
        columns = ["letter", "name", "hours", "hours_low", "hours_high"]
        heading = Heading(title, source=t("source.time"))
        show_chart(hours_by_scenario(frame, heading, labels), "compare-time", frame, now, columns=columns)
    spans = sorted({int(months) for months in frame["horizon_months"]})
    horizon = number(spans[0], 4) if len(spans) == 1 else t("chart.unit.range", low=spans[0], high=spans[-1])
    for place, kind, own, rent in (
        (left, "run", "own_per_run", "rent_per_run"),
        (right, "total", "own_total", "rent_total"),
    ):
        letter, value = _least(frame, [own, rent])
        title = t("compare.title.no_price")
        if letter:
            title = t(f"compare.title.{kind}", letter=letter, cost=money(value, currency), horizon=horizon)
        with place:
            chart = cost_by_scenario(
                frame,
                Heading(title, source=t("compare.source_prices")),
                labels,
                own=own,
                rent=rent,
                currency=currency,
            )
            show_chart(chart, f"compare-{kind}", frame, now, columns=["letter", "name", own, rent], currency=currency)
