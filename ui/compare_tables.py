"""Tables of the compare page: every answer by topic with its difference from the first, and the choices that differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from calc.compare import differences, differing_fields
from ui.compare_state import LETTERS, Saved
from ui.cost_lines import field_name
from ui.format import (
    NOTHING,
    between,
    gib,
    gib_number,
    hours,
    money,
    money_number,
    month_number,
    number,
    percent,
    plain,
)
from ui.i18n import t
from ui.inputs_widgets import option_label
from ui.state import choices, label

_SAME = 1e-9  # rounding of equal figures
_VERDICT_BADGES = {"fits": "green", "tight": "yellow", "no": "gray"}
# Eight narrow columns are read across, so rows must stay low.
_DENSE = """<style>
.st-key-compare_table table, .st-key-compare_differ table { width: min(100%, 64rem); font-size: 0.875rem; }
.st-key-compare_table :is(th, td), .st-key-compare_differ :is(th, td) { padding: 0.2rem 0.4rem; }
.st-key-compare_table td:first-child, .st-key-compare_differ td:first-child { min-width: 8rem; }
.st-key-compare_table td span { white-space: nowrap; }
.st-key-compare_table { overflow-x: auto; }
</style>"""


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


def _short_range(low: str, high: str) -> str:
    """Two times as a range with their unit said once where it is the same."""
    amount, _, unit = low.rpartition(" ")
    return t("chart.unit.range", low=amount if high.endswith(f" {unit}") else low, high=high)


def _aside(text: str) -> str:
    """Small print of a cell that moves to a line of its own as a whole where the column is narrow."""
    return f":small[({text})]".replace(" ", "\u00a0").replace("-", "\u2011")


def _known(value: float) -> bool:
    return bool(math.isfinite(value))


def _verdict(row: Any) -> str:
    if row["verdict"] not in _VERDICT_BADGES:
        return NOTHING
    return f":{_VERDICT_BADGES[row['verdict']]}-badge[{t('chart.verdict.' + row['verdict'])}]"


def _peak(row: Any) -> str:
    return f"{gib(row['peak_gib'])} {_aside(between(row['low_gib'], row['high_gib'], gib_number))}"


def _time(row: Any) -> str:
    if not _known(row["hours"]):
        return NOTHING
    return f"{hours(row['hours'])} {_aside(_short_range(hours(row['hours_low']), hours(row['hours_high'])))}"


def _pay_back(row: Any) -> str:
    if not _known(row["saving"]):
        return NOTHING
    if _known(row["pay_back_month"]):
        lasting = row["saving"] >= 0
        return t("money.month", month=month_number(row["pay_back_month"])) if lasting else t("money.not_lasting")
    return t("money.at_sale") if row["saving"] > 0 else t("money.not_within")


def _points(value: float) -> str:
    return t("compare.points", value=number(value * 100, 2))


def _half(width: float) -> str:
    return f"± {percent(width / 2)}" if _known(width) else NOTHING


def _offers(count: int, date: str) -> str:
    if count == 0:
        return f":red-badge[{t('compare.no_offer')}]"
    if count == 1:
        return f":yellow-badge[{t('compare.one_offer')}] {_aside(date)}"
    return f"{t('compare.offers', n=number(count, 4))} {_aside(date)}"


def _signed(value: float, form: Callable[[float], str]) -> str:
    if not _known(value):
        return NOTHING
    if abs(value) < _SAME:
        return "="
    text = form(value)
    return text if text.startswith("−") else f"+{text}"


def answers_table(frame: pd.DataFrame, currency: str) -> None:
    """Rows by topic, a column a scenario, and beside each scenario after the first its difference from the first."""
    st.html(_DENSE)
    apart = differences(frame)
    letters = list(frame["letter"])
    heads = [
        t("compare.column.answer"),
        letters[0],
        *(head for one in letters[1:] for head in (one, f"{one} − {letters[0]}")),
    ]
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
        return plain("; ".join(typed)) or t("compare.typical")
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
    text = [f"| {t('compare.column.choice')} | " + " | ".join(letters) + " |", "| :--- |" + " ---: |" * len(rows)]
    for name, values in found.items():
        cells = [_value(name, value) for value in values]
        marked = [
            f":violet-background[{cell}]" if value != values[0] else cell
            for cell, value in zip(cells, values, strict=True)
        ]
        text.append(f"| {label(name)} | " + " | ".join(marked) + " |")
    with st.container(key="compare_differ"):
        st.markdown("\n".join(text))
