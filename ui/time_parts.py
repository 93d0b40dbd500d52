"""Cards and axes of the page about time."""

from __future__ import annotations

from typing import Any

import pandas as pd

from calc.scenario import Scenario
from calc.tables import Tables
from ui.cards import Card
from ui.format import between, hours, money, money_number, number
from ui.i18n import t

_COUNTS = (1, 2, 4, 8, 16, 32, 64)


def runnable(frame: pd.DataFrame) -> pd.DataFrame:
    """Cards whose speed is known."""
    return frame[frame["hours"].notna()].reset_index(drop=True)


def _holding(frame: pd.DataFrame) -> pd.DataFrame:
    able = runnable(frame)
    return able[able["verdict"].isin(["fits", "tight"])]


def priced(frame: pd.DataFrame) -> pd.DataFrame:
    """Cards with a speed and a rent; none where none of them holds the job, since there is then nothing to choose."""
    known = runnable(frame).dropna(subset=["rent_cost"])
    able = known["verdict"].isin(["fits", "tight"])
    return known.reset_index(drop=True) if able.any() else known.iloc[:0]


def run_card(row: Any) -> Card:
    """Time of one run with its range."""
    return t("card.time"), hours(row.hours), t("card.range", range=between(row.hours_low, row.hours_high, hours))


def time_cards(row: Any, compared: pd.DataFrame, currency: str) -> list[Card]:
    """Time and cost of a run on the chosen machine, the fastest card and the cheapest to rent."""
    able = _holding(compared)
    priced = able.dropna(subset=["rent_cost"])
    fastest = None if able.empty else able.loc[able["hours"].idxmin()]
    cheapest = None if priced.empty else priced.loc[priced["rent_cost"].idxmin()]
    rent = between(row.rent_cost_low, row.rent_cost_high, money_number)
    return [
        run_card(row),
        (
            t("card.run_rented"),
            money(row.rent_cost, currency),
            t("card.range", range=rent) if row.rent_cost > 0 else "",
        ),
        (
            t("card.fastest"),
            t("card.none_holds") if fastest is None else str(fastest["short"]),
            "" if fastest is None else hours(fastest["hours"]),
        ),
        (
            t("card.cheapest"),
            t("card.none_holds") if cheapest is None else str(cheapest["short"]),
            "" if cheapest is None else t("card.a_run", cost=money(cheapest["rent_cost"], currency)),
        ),
    ]


def speed_card(row: Any) -> Card:
    """Tokens a second of the whole machine."""
    return t("card.speed"), t("card.tokens_per_s", value=number(row.tokens_per_s)), ""


def card_counts(scenario: Scenario) -> list[int]:
    """Numbers of cards to compare: doubling, the chosen one among them."""
    return sorted(
        {*(count for count in _COUNTS if count <= max(16, scenario.hardware.num_gpus * 2)), scenario.hardware.num_gpus}
    )


def links_to_compare(scenario: Scenario, tables: Tables) -> list[str]:
    """Links that exist for the chosen card, the chosen one among them."""
    rows = tables.gpus.loc[tables.gpus["gpu"] == scenario.hardware.gpu, "interconnect"]
    has_nvlink = not rows.empty and "nvlink" in str(rows.iloc[0]).lower()
    links = ["pcie+ethernet", "pcie+infiniband", *(["nvlink+roce", "nvlink+infiniband"] if has_nvlink else [])]
    chosen = scenario.hardware.link
    return links if chosen in ("auto", "pcie", "nvlink", *links) else [*links, chosen]
