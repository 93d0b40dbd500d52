"""The cards of small and large charts."""

from __future__ import annotations

from typing import Any

import pytest

from calc.answers import fit_by_card, time_by_card
from calc.scenario import scenario_from_flat
from ui.charts.titles import cards_title, time_title
from ui.data import OVERVIEW_GPUS, overview_gpus, shown_gpus, tables


@pytest.mark.parametrize(
    "fields", [{}, {"gpu": "RTX 3060 12GB"}, {"num_gpus": 8, "model": "Llama-3.1-70B"}, {"method": "qlora-4bit"}]
)
def test_small_charts_name_the_same_smallest_and_fastest_card_as_the_large_ones(fields: dict[str, Any]) -> None:
    scenario = scenario_from_flat(fields)
    chosen = scenario.hardware.gpu
    few, many = overview_gpus(scenario), shown_gpus(chosen, [])
    assert chosen in few
    assert len(few) == len(OVERVIEW_GPUS) < len(many)
    fits, times = (
        [answer(scenario, tables(), names) for names in (few, many)] for answer in (fit_by_card, time_by_card)
    )
    assert cards_title(fits[0]) == cards_title(fits[1])
    assert time_title(times[0], chosen) == time_title(times[1], chosen)
