"""Cards and axes of the VRAM page."""

from __future__ import annotations

from typing import Any

import pandas as pd

from calc.scenario import Scenario
from ui.cards import Card
from ui.charts.palette import COMPONENTS
from ui.format import between, gib, gib_number, percent
from ui.i18n import t

_LENGTHS = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)
_LENGTHS_SHOWN = 8
_BATCHES = (1, 2, 4, 8)


def fit_cards(row: Any, compared: pd.DataFrame) -> list[Card]:
    """Memory needed, memory offered, the largest part, and the smallest card that would do."""
    largest = max(COMPONENTS, key=lambda name: getattr(row, name, 0.0))
    holds = compared[compared["verdict"].isin(["fits", "tight"])]
    smallest = t("card.none_holds") if holds.empty else str(holds.iloc[0]["short"])
    below = "" if holds.empty else t(f"chart.verdict.{holds.iloc[0]['verdict']}")
    return [
        (t("card.memory"), gib(row.peak_gib), t("card.range", range=between(row.low_gib, row.high_gib, gib_number))),
        (t("card.usable"), gib(row.usable_gib), _verdict(row)),
        (t("card.largest"), t(f"chart.component.{largest}"), gib(getattr(row, largest))),
        (t("card.smallest"), smallest, below),
    ]


def _verdict(row: Any) -> str:
    return t("card.uses", verdict=t(f"chart.verdict.{row.verdict}"), share=percent(row.share)) if row.verdict else ""


def fit_card(row: Any) -> Card:
    """Memory needed with its verdict, for the overview."""
    below = between(row.low_gib, row.high_gib, gib_number)
    if row.verdict:
        word = t(f"chart.verdict.{row.verdict}")
        below = t(
            "card.of_usable", verdict=word, share=percent(row.peak_gib / row.usable_gib), usable=gib(row.usable_gib)
        )
    return t("card.memory"), gib(row.peak_gib), below


def lengths_to_try(scenario: Scenario) -> list[int]:
    """Sequence lengths round the chosen one, doubling, the chosen one among them."""
    chosen = scenario.setup.seq_len
    near = sorted(_LENGTHS, key=lambda length: max(length, chosen) / min(length, chosen))[:_LENGTHS_SHOWN]
    return sorted({*near, chosen})


def batches_to_try(scenario: Scenario) -> list[int]:
    """Usual micro batches and the chosen one."""
    return sorted({*_BATCHES, scenario.setup.micro_batch})
