"""Every table of a scenario, for people: those of the slides, all cards, the cash flows line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from calc.answers import MoneyAnswer
from calc.scenario import Scenario
from calc.tables import Tables
from ui.charts.money_views import line_name
from ui.cost_lines import assumptions_frame
from ui.documents.csv_safe import csv_zip
from ui.documents.workbook_gpus import card_comparison
from ui.export import numbers_table
from ui.i18n import t
from ui.slides import Slide

_DECIMALS = 4
_CARD_COLUMNS = (
    *("gpu", "usable_gib", "peak_gib", "low_gib", "high_gib", "share", "verdict", "hours", "hours_low", "hours_high"),
    *("tokens_per_s", "bottleneck", "rent_cost", "rent_cost_low", "rent_cost_high"),
)


def tables_zip(entries: Sequence[Slide], money: MoneyAnswer, scenario: Scenario, tables: Tables) -> bytes:
    """All tables as CSV files in one zip, in the language in use.

    entries: ``ui.slides.slides`` of the scenario. money: its ``calc.answers.money``.
    """
    found = {entry.key: entry.table for entry in entries if entry.table is not None}
    found["assumptions"] = assumptions_frame(money)
    found["all-cards"] = numbers_table(card_comparison(scenario, tables), _CARD_COLUMNS, scenario.money.currency)
    if money.priced:
        found["cash-flows"] = cash_flows(money)
    return csv_zip({name: frame.round(_DECIMALS) for name, frame in found.items()})


def cash_flows(money: MoneyAnswer) -> pd.DataFrame:
    """Month by month: each line of owning and of renting that is not nothing, and what has been paid so far."""
    currency, result = money.costs.currency, money.result
    columns: dict[str, Any] = {t("chart.column.month"): range(len(result.cumulative_own))}
    for side, lines in (("own", result.own_lines), ("rent", result.rent_lines)):
        word = t(f"chart.money.{side}")
        columns |= {f"{word}: {line_name(name)} ({currency})": line for name, line in lines.items() if line.any()}
    columns[f"{t('document.flow.own_cumulative')} ({currency})"] = result.cumulative_own
    columns[f"{t('document.flow.rent_cumulative')} ({currency})"] = result.cumulative_rent
    return pd.DataFrame(columns).round(2) + 0  # a nought has no sign
