"""The cheapest mix against whole simulations and against its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calc.cost import evaluate
from calc.cost_mix import cheapest_mix
from calc.cost_scenario import CostScenario, OwnCost, RentCost, with_values

SCENARIO = CostScenario(
    horizon_months=36,
    discount_rate=0.05,
    own=OwnCost(
        gpu_price=9_000, host_price=1_000, gpu_power_w=400, idle_power_w=60, electricity_price=0.2, resale_fraction=0.3
    ),
    rent=RentCost(price_per_gpu_hour=1.2, annual_price_change=0.1),
)


def test_a_base_load_is_owned_and_its_peaks_are_rented() -> None:
    demand = np.array([4.0, 4.0, 4.0, 4.0, 4.0, 16.0]) * 730
    mix = cheapest_mix(SCENARIO, demand)
    assert mix.own_gpus == 4
    assert mix.cost < min(mix.all_rented, mix.all_owned)
    assert mix.rented_hours.reshape(-1, 6).sum(axis=0) == pytest.approx([0, 0, 0, 0, 0, 6 * 12 * 730])
    assert mix.costs.size == 17


@settings(max_examples=30, deadline=None)
@given(st.floats(0.05, 1.0), st.integers(1, 12))
def test_a_level_demand_costs_what_the_two_plain_sides_do(use: float, cards: int) -> None:
    scenario = with_values(SCENARIO, {"own.num_gpus": cards, "utilisation": use})
    result, mix = evaluate(scenario), cheapest_mix(scenario, [cards * use * 730])
    rent_flows = np.diff(result.cumulative_rent)
    factors = 1.05 ** (-np.arange(1, 37) / 12)
    assert mix.all_rented == pytest.approx((rent_flows * factors).sum())
    if mix.costs.size == cards + 1:
        assert mix.all_owned == pytest.approx(mix.all_rented - result.npv_saving)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0.0, 20_000.0), min_size=1, max_size=12), st.floats(0.05, 8.0))
def test_no_other_number_of_cards_is_cheaper(demand: list[float], price: float) -> None:
    mix = cheapest_mix(with_values(SCENARIO, {"rent.price_per_gpu_hour": price}), demand)
    assert mix.cost == mix.costs.min()
    assert mix.owned_hours + mix.rented_hours == pytest.approx(np.resize(demand, 36))
    # with costs per card alone each further card is worth less than the one before
    assert np.all(np.diff(mix.costs, 2) >= -1e-6 * abs(mix.costs[0]) - 1e-6)


def test_nothing_wanted_is_nothing_owned() -> None:
    mix = cheapest_mix(SCENARIO, [0.0])
    assert (mix.own_gpus, mix.cost) == (0, 0.0)


@pytest.mark.parametrize("demand", [[], [-1.0], [np.nan]])
def test_an_impossible_profile_is_refused(demand: list[float]) -> None:
    with pytest.raises(ValueError, match="demand"):
        cheapest_mix(SCENARIO, demand)
