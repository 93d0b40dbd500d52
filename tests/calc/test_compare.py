"""Scenarios side by side: the same figures as each page gives, in one currency."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from calc.answers import headline
from calc.compare import compare_row, differences, differing_fields
from calc.scenario import Scenario, scenario_from_flat
from calc.tables import Tables, load_tables
from gpudata.prices import convert


@pytest.fixture(scope="module", name="tables")
def _tables() -> Tables:
    return load_tables()


def scenario(**fields: object) -> Scenario:
    return scenario_from_flat(fields)


def test_a_column_says_what_the_pages_say(tables: Tables) -> None:
    now = scenario(method="qlora-4bit", market="China", currency="CNY")
    found, row = headline(now, tables), compare_row(now, tables, "CNY")
    assert (row["peak_gib"], row["hours"], row["verdict"]) == (found.peak_gib, found.hours, found.verdict)
    assert row["own_total"] == found.money.own_total
    assert row["rent_per_run"] == found.money.rent_cost_per_run
    assert row["spare_gib"] == pytest.approx(found.usable_gib - found.peak_gib)


def test_all_amounts_are_in_one_currency(tables: Tables) -> None:
    now = scenario(market="China", currency="CNY")
    in_cny, in_usd = compare_row(now, tables, "CNY"), compare_row(now, tables, "USD")
    rate = float(convert(1.0, "CNY", "USD", tables.rates))
    for column in ("own_per_run", "rent_per_run", "own_total", "rent_total", "saving"):
        assert in_usd[column] == pytest.approx(in_cny[column] * rate)
    for column in ("hours", "peak_gib", "own_wins", "pay_back_month"):
        assert in_usd[column] == pytest.approx(in_cny[column], nan_ok=True)


def test_a_run_that_cannot_happen_has_neither_time_nor_cost(tables: Tables) -> None:
    row = compare_row(scenario(method="full-mixed"), tables, "USD")
    assert row["verdict"] == "no"
    assert all(math.isnan(row[name]) for name in ("hours", "hours_low", "own_per_run", "rent_per_run", "time_width"))
    assert row["own_total"] > 0


def test_a_card_that_nobody_sells_costs_nothing_known(tables: Tables) -> None:
    row = compare_row(scenario(gpu="Biren BR100 64GB", market="Europe", currency="EUR"), tables, "EUR")
    assert math.isnan(row["own_total"])
    assert math.isnan(row["saving"])
    assert row["own_offers"] == 0


def test_differences_are_against_the_first(tables: Tables) -> None:
    rows = [compare_row(scenario(num_gpus=count), tables, "USD") for count in (1, 2)]
    apart = differences(pd.DataFrame(rows))
    numbers = apart.iloc[0].to_numpy(dtype=float)
    assert (numbers[np.isfinite(numbers)] == 0).all()
    assert apart["num_gpus"].iloc[1] == 1
    assert apart["hours"].iloc[1] == pytest.approx(rows[1]["hours"] - rows[0]["hours"])


def test_only_choices_that_matter_are_said_to_differ() -> None:
    same = scenario(model="Llama-3.1-8B", model_size_b=8.0, custom_layers=12)
    other = scenario(model="Llama-3.1-8B", model_size_b=7.0, custom_layers=99, gpu="RTX 3090")
    assert differing_fields([same, other]) == {"gpu": ["RTX 4090", "RTX 3090"]}
    assert differing_fields([same, same]) == {}
    found = differing_fields([scenario(method="lora", lora_rank=8), scenario(method="full-16bit", lora_rank=64)])
    assert found["lora_rank"] == [8, None]
    assert set(found) == {"method", "lora_rank", "lora_targets"}
