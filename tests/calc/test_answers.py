"""What pages are given, over every method and a spread of cards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calc.answers import (
    fit_by_card,
    fit_map,
    headline,
    memory_sweep,
    memory_terms,
    money,
    scaling,
    time_by_card,
    time_terms,
)
from calc.memory import COMPONENTS
from calc.scenario import METHOD_CHOICES, Scenario, scenario_from_flat
from calc.tables import load_tables

CARDS = ("T4 16GB", "RTX 4090", "A100-SXM4-80GB", "H100-SXM5-80GB", "MI300X 192GB")


@pytest.mark.parametrize("method", METHOD_CHOICES)
def test_memory_of_every_method_is_split_into_its_components(method: str) -> None:
    frame = fit_by_card(scenario_from_flat({"method": method}), load_tables(), CARDS)
    assert frame[list(COMPONENTS)].sum(axis=1).to_numpy() == pytest.approx(frame["peak_gib"].to_numpy())
    assert (frame["low_gib"] < frame["peak_gib"]).all()
    assert (frame["peak_gib"] < frame["high_gib"]).all()
    assert frame["usable_gib"].is_monotonic_increasing


def test_lighter_methods_need_less() -> None:
    frame = fit_map(Scenario(), load_tables(), ["H100-SXM5-80GB"], METHOD_CHOICES).set_index("method")["peak_gib"]
    assert frame["qlora-4bit"] < frame["qlora-8bit"] < frame["lora"] < frame["full-16bit"] < frame["full-mixed"]


@pytest.mark.parametrize("method", METHOD_CHOICES)
def test_hours_are_split_into_their_parts(method: str) -> None:
    frame = time_by_card(scenario_from_flat({"method": method}), load_tables(), CARDS)
    parts = frame[["compute_h", "memory_h", "communication_h", "overhead_h"]].sum(axis=1)
    assert parts.to_numpy() == pytest.approx(frame["hours"].to_numpy())
    assert frame["hours"].is_monotonic_increasing


def test_one_card_speeds_up_by_one_and_a_better_link_never_less() -> None:
    scenario = scenario_from_flat({"method": "full-16bit", "gpu": "A100-SXM4-80GB"})
    frame = scaling(scenario, load_tables(), [1, 2, 4, 8], ["pcie", "nvlink"])
    wide = frame.pivot(index="num_gpus", columns="link", values="speedup")
    assert wide.loc[1].to_numpy() == pytest.approx(1)
    assert (wide["nvlink"] >= wide["pcie"] - 1e-9).all()
    assert (wide.to_numpy() <= wide.index.to_numpy()[:, None] * 1.05).all()


def test_more_tokens_a_sequence_never_need_less() -> None:
    frame = memory_sweep(Scenario(), load_tables(), [512, 1024, 4096, 16384], [1, 2, 8])
    wide = frame.pivot(index="seq_len", columns="micro_batch", values="peak_gib").to_numpy()
    assert (np.diff(wide, axis=0) >= 0).all()
    assert (np.diff(wide, axis=1) >= 0).all()


def test_terms_are_explained_with_numbers() -> None:
    memory, time = memory_terms(Scenario(), load_tables()), time_terms(Scenario(), load_tables())
    peak = fit_by_card(Scenario(), load_tables(), ["RTX 4090"])["peak_gib"].iloc[0]
    assert sum(row["gib"] for row in memory) == pytest.approx(peak)
    assert all(row["formula"] and row["source"] for row in (*memory, *time))


def test_the_rented_card_does_the_same_work() -> None:
    slow = money(scenario_from_flat({"gpu": "RTX 3090", "rent_gpu": "H100-SXM5-80GB"}), load_tables())
    assert slow.costs.rent.relative_speed > 2
    hours = slow.result.rent_total / slow.costs.rent.price_per_gpu_hour
    assert hours < slow.costs.utilisation * 730 * 36


def test_an_overridden_line_is_used_and_no_longer_varied() -> None:
    answer = money(scenario_from_flat({"own": {"gpu_price": 1234.0}}), load_tables())
    assert answer.own_lines["cards"] == 1234.0
    assert "own.gpu_price" not in set(answer.tornado["field"])


def test_a_card_nobody_prices_says_so() -> None:
    answer = money(scenario_from_flat({"gpu": "Kunlun R200 32GB"}), load_tables())
    assert not answer.priced
    assert "own.gpu_price" in answer.missing


@settings(max_examples=15)
@given(st.floats(0, 100), st.integers(1, 60), st.sampled_from(["China", "US", "Europe"]), st.sampled_from(CARDS))
def test_the_headline_always_answers(use: float, months: int, market: str, gpu: str) -> None:
    scenario = scenario_from_flat({"utilisation": use, "horizon_months": months, "market": market, "gpu": gpu})
    found = headline(scenario, load_tables())
    assert found.verdict in {"fits", "tight", "no"}
    assert found.hours_low < found.hours < found.hours_high
    assert len(found.money.cumulative) == months + 1
    if use == 0:
        assert found.money.saving <= 0
