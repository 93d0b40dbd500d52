"""Ranges carried through the cost model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from calc.cost import evaluate
from calc.cost_flows import running_sum
from calc.cost_scenario import CostScenario, OwnCost, RentCost, with_values
from calc.uncertainty import Range, draw, simulate, tornado

SCENARIO = CostScenario(
    horizon_months=36,
    discount_rate=0.08,
    own=OwnCost(num_gpus=4, gpu_price=20_000, resale_fraction=0.3, gpu_power_w=500, electricity_price=0.15),
    rent=RentCost(price_per_gpu_hour=2.4),
)
RANGES = {
    "own.gpu_price": Range(16_000, 20_000, 30_000),
    "rent.price_per_gpu_hour": Range(1.5, 2.4, 4.0),
    "rent.annual_price_change": Range(-0.4, 0.0, 0.4),
    "utilisation": Range(0.4, 0.6, 0.8),
    "own.resale_fraction": Range(0.2, 0.3, 0.45),
}


def fields(result: Any) -> dict[str, Any]:
    return vars(result)


@given(st.tuples(*[st.floats(-1e4, 1e4)] * 3).map(sorted), st.floats(0.0, 1.0))
def test_quantiles_are_those_of_the_triangular_distribution(values: list[float], share: float) -> None:
    low, typical, high = values
    found = float(Range(low, typical, high).quantile(share))
    assert low - 1e-9 <= found <= high + 1e-9
    if high - low > 1e-3:
        peak = (typical - low) / (high - low)
        assert found == pytest.approx(stats.triang.ppf(share, peak, low, high - low), abs=1e-6 * (high - low))


def test_a_disordered_range_is_refused() -> None:
    with pytest.raises(ValueError, match="does not hold"):
        Range(2, 1, 3)


def test_same_seed_same_answer_and_new_inputs_leave_the_draws_alone() -> None:
    first, again = simulate(SCENARIO, RANGES, 500, seed=7), simulate(SCENARIO, RANGES, 500, seed=7)
    assert all(np.array_equal(value, fields(again)[name]) for name, value in fields(first).items())
    alone = draw({"own.gpu_price": RANGES["own.gpu_price"]}, 500, seed=7)
    assert np.array_equal(alone["own.gpu_price"], draw(RANGES, 500, seed=7)["own.gpu_price"])
    assert not np.array_equal(simulate(SCENARIO, RANGES, 500, seed=8).own_cash, first.own_cash)


def test_bands_are_those_of_single_evaluations() -> None:
    draws = 101
    values = draw(RANGES, draws)
    results = [
        evaluate(with_values(SCENARIO, {path: float(array[place]) for path, array in values.items()}))
        for place in range(draws)
    ]
    found = simulate(SCENARIO, RANGES, draws)
    own = np.sort([result.cumulative_own for result in results], axis=0)
    assert found.own_cash == pytest.approx(own[[10, 50, 90]])
    saving = np.sort([result.npv_saving for result in results])
    assert found.npv_saving == pytest.approx(saving[[10, 50, 90]])
    months = np.sort([np.inf if r.crossover_month_cash is None else r.crossover_month_cash for r in results])
    assert found.crossover_cash == pytest.approx(months[[10, 50, 90]])
    wins = np.mean([result.cumulative_own[24] <= result.cumulative_rent[24] for result in results])
    assert found.own_wins_cash[24] == pytest.approx(wins)
    assert found.own_wins_at_horizon == pytest.approx(np.mean(saving >= 0))


def test_bands_are_ordered_and_probabilities_are_shares() -> None:
    found = simulate(SCENARIO, RANGES, 2_000)
    for name in ("own_cash", "rent_cash", "npv_saving", "break_even_price", "crossover_cash"):
        low, middle, high = fields(found)[name]
        assert np.all(low <= middle)
        assert np.all(middle <= high)
    assert found.own_wins_cash[0] == 0
    assert np.all((found.own_wins_npv >= 0) & (found.own_wins_npv <= 1))
    assert found.own_cash.shape == (3, 37)


def test_without_ranges_every_draw_is_the_scenario() -> None:
    found, single = simulate(SCENARIO, {}, 50), evaluate(SCENARIO)
    assert found.own_cash[0] == pytest.approx(single.cumulative_own)
    assert found.rent_cash[2] == pytest.approx(single.cumulative_rent)
    assert found.npv_saving == pytest.approx([single.npv_saving] * 3)


def test_tornado_moves_one_input_at_a_time() -> None:
    swings = tornado(SCENARIO, RANGES)
    assert [swing.width for swing in swings] == sorted((swing.width for swing in swings), reverse=True)
    for swing in swings:
        for value, saving in ((swing.low, swing.saving_at_low), (swing.high, swing.saving_at_high)):
            alone = evaluate(with_values(SCENARIO, {swing.field: value})).npv_saving
            assert saving == pytest.approx(alone)
    assert tornado(SCENARIO, {}) == []


def test_draws_stay_inside_the_bounds_of_their_field() -> None:
    drawn = draw({"own.pue": Range(0.5, 1.1, 9.0), "rent.useful_fraction": Range(-1.0, 0.5, 2.0)}, 1_000)
    assert drawn["own.pue"].min() == 1.0
    assert drawn["own.pue"].max() == 5.0
    assert drawn["rent.useful_fraction"].min() > 0


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(ValueError, match=r"own\.price"):
        simulate(SCENARIO, {"own.price": Range(1, 2, 3)})


def test_the_running_sum_is_that_of_numpy() -> None:
    values = np.random.default_rng(3).normal(size=(37, 50))
    assert np.array_equal(running_sum(values), np.cumsum(values, axis=0))
    assert running_sum(values[:, 0]).tolist() == np.cumsum(values[:, 0]).tolist()
