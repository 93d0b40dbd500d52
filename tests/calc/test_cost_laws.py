"""Laws that hold for every scenario of costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy_financial as npf
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from calc import cost_answers as answers
from calc.cost import evaluate
from calc.cost_flows import Flows, first_crossing, monthly_rate
from calc.cost_map import break_even_price_curve, saving_map
from calc.cost_own import own_flows
from calc.cost_rent import billing_stretch, rent_flows
from calc.cost_scenario import CostScenario, OwnCost, RentCost, in_currency, with_values

share = st.one_of(st.just(0.0), st.floats(1e-4, 1.0))
OWN = st.fixed_dictionaries(
    {
        "num_gpus": st.integers(1, 64),
        "gpu_price": st.floats(100.0, 50_000.0),
        "other_capex": st.floats(0.0, 50_000.0),
        "host_price": st.floats(0.0, 5_000.0),
        "sales_tax_rate": st.floats(0.0, 0.27),
        "gpu_power_w": st.floats(0.0, 1_000.0),
        "host_power_w": st.floats(0.0, 600.0),
        "idle_power_w": st.floats(0.0, 200.0),
        "load_factor": st.floats(0.5, 1.0),
        "pue": st.floats(1.0, 2.5),
        "electricity_price": st.floats(0.0, 0.4),
        "cost_per_hour_on": st.floats(0.0, 5.0),
        "fixed_per_month": st.floats(0.0, 5_000.0),
        "maintenance_rate": st.floats(0.0, 0.15),
        "resale_fraction": st.floats(0.0, 0.8),
        "relative_speed": st.floats(0.2, 3.0),
        "useful_fraction": st.floats(0.5, 1.0),
        "loan_rate": st.sampled_from([0.0, 0.0, 0.06, 0.12]),
        "loan_months": st.integers(0, 60),
        "refresh_every_months": st.sampled_from([0, 0, 24]),
        "availability": st.floats(0.8, 1.0),
    }
)
RENT = st.fixed_dictionaries(
    {
        "price_per_gpu_hour": st.floats(0.1, 12.0),
        "annual_price_change": st.floats(-0.4, 0.5),
        "relative_speed": st.floats(0.2, 3.0),
        "useful_fraction": st.floats(0.5, 1.0),
        "price_floor_per_gpu_hour": st.sampled_from([0.0, 0.0, 1.6]),
        "spot_discount": st.sampled_from([0.0, 0.5]),
        "interruption_mtbf_hours": st.sampled_from([0.0, 24.0]),
        "hours_per_run": st.sampled_from([0.0, 3.4]),
        "billing_increment_hours": st.sampled_from([0.0, 1.0]),
        "support_rate": st.sampled_from([0.0, 0.1]),
    }
)
SCENARIOS = st.builds(
    lambda own, rent, rest: CostScenario(own=OwnCost(**own), rent=RentCost(**rent), **rest),
    OWN,
    RENT,
    st.fixed_dictionaries(
        {"horizon_months": st.integers(1, 84), "utilisation": share, "discount_rate": st.floats(0.0, 0.2)}
    ),
)
laws = settings(max_examples=30, deadline=None)


@laws
@given(SCENARIOS)
def test_zero_utilisation_never_favours_owning(scenario: CostScenario) -> None:
    unused = with_values(scenario, {"utilisation": 0.0, "own.resale_fraction": min(scenario.own.resale_fraction, 0.9)})
    result = evaluate(unused)
    assert result.saving < 0
    assert result.crossover_month_cash is None
    assert result.crossover_month_npv is None
    assert result.npv_saving < 0


@laws
@given(SCENARIOS, st.floats(1.0, 3.0))
def test_a_higher_rent_never_delays_the_crossover(scenario: CostScenario, factor: float) -> None:
    price = scenario.rent.price_per_gpu_hour
    dearer = evaluate(with_values(scenario, {"rent.price_per_gpu_hour": price * factor}))
    before = evaluate(scenario)
    for name in ("crossover_month_cash", "crossover_month_npv"):
        first, second = getattr(before, name), getattr(dearer, name)
        if first is not None:
            assert second is not None
            assert second <= first + 1e-6
    assert dearer.npv_saving >= before.npv_saving - 1e-6 * before.capex


@laws
@given(SCENARIOS)
def test_break_even_utilisation_equals_the_simulation(scenario: CostScenario) -> None:
    def saving(utilisation: float) -> float:
        changed = with_values(scenario, {"utilisation": utilisation})
        own, rent = own_flows(changed), rent_flows(changed)
        d = monthly_rate(changed.discount_rate)
        flows = np.concatenate([[sum(rent.at_start.values())], rent.monthly()])
        flows[0] -= sum(own.at_start.values())
        flows[1:] -= own.monthly()
        flows[-1] -= sum(own.at_end.values())
        return float(npf.npv(d, flows))

    assume(not abs(saving(1.0) - saving(0.0)) < 1e-6 * abs(saving(0.0)))
    found = evaluate(scenario).break_even_utilisation
    low, high = 0.0, 1.0
    if saving(0.0) >= 0 and saving(1.0) >= 0:
        assert found == 0.0
    elif (saving(0.0) < 0) == (saving(1.0) < 0):
        assert found is None
    else:
        rising = saving(1.0) > saving(0.0)
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if (saving(middle) > 0) == rising else (middle, high)
        assert found == pytest.approx(low, abs=0.001)


@laws
@given(SCENARIOS)
def test_break_even_price_is_where_both_cost_the_same(scenario: CostScenario) -> None:
    assume(scenario.utilisation > 0.01)
    result = evaluate(scenario)
    price = result.break_even_price_per_gpu_hour
    assert price is not None
    at = evaluate(with_values(scenario, {"rent.price_per_gpu_hour": price}))
    if price > 0:
        assert at.npv_saving == pytest.approx(0.0, abs=1e-6 * result.capex)
    else:
        assert at.npv_saving >= -1e-6 * result.capex


@laws
@given(SCENARIOS, st.floats(0.01, 200.0))
def test_currency_changes_nothing_but_the_unit(scenario: CostScenario, rate: float) -> None:
    before, after = evaluate(scenario), evaluate(in_currency(scenario, "CNY", rate))
    assert after.currency == "CNY"
    for name in ("own_total", "rent_total", "monthly_payment", "break_even_price_per_gpu_hour"):
        first, second = getattr(before, name), getattr(after, name)
        assert (first is None and second is None) or second == pytest.approx(first * rate, rel=1e-6, abs=1e-6 * rate)
    for name in ("crossover_month_cash", "break_even_utilisation", "break_even_hours"):
        first, second = getattr(before, name), getattr(after, name)
        assert (first is None and second is None) or second == pytest.approx(first, rel=1e-6, abs=1e-9)


@laws
@given(SCENARIOS)
def test_doubling_the_cards_doubles_both_totals_when_nothing_is_shared(scenario: CostScenario) -> None:
    nothing_shared = {"own.other_capex": 0.0, "own.fixed_per_month": 0.0, "own.cost_per_hour_on": 0.0}
    single = with_values(scenario, nothing_shared)
    double = with_values(single, {"own.num_gpus": 2 * scenario.own.num_gpus})
    first, second = evaluate(single), evaluate(double)
    assert second.own_total == pytest.approx(2 * first.own_total, rel=1e-9, abs=1e-6)
    assert second.rent_total == pytest.approx(2 * first.rent_total, rel=1e-9)


@given(st.floats(500.0, 5_000.0), st.floats(0.5, 5.0), st.floats(0.1, 1.0))
def test_equal_cards_and_free_running_costs_give_the_textbook_month(price: float, rent: float, use: float) -> None:
    month = price / (rent * 730 * use)
    scenario = CostScenario(
        horizon_months=600,
        utilisation=use,
        own=OwnCost(gpu_price=price),
        rent=RentCost(price_per_gpu_hour=rent),
    )
    assert evaluate(scenario).crossover_month_cash == pytest.approx(month)


@laws
@given(SCENARIOS)
def test_arrays_give_what_numbers_give_one_by_one(scenario: CostScenario) -> None:
    prices, uses = np.array([0.5, 2.0, 6.0]), np.array([0.1, 0.5, 0.9])
    rates, borrowed = np.array([0.0, 0.05, 0.2]), np.array([0.0, 0.08, 0.0])
    swept: dict[str, Any] = {"rent.price_per_gpu_hour": prices, "utilisation": uses, "discount_rate": rates}
    swept["own.loan_rate"] = borrowed
    together = with_values(scenario, swept)
    for place in range(3):
        one = with_values(scenario, {path: float(values[place]) for path, values in swept.items()})
        for function in (
            answers.crossover_cash,
            answers.crossover_npv,
            answers.break_even_utilisation,
            answers.break_even_hours,
            answers.break_even_price,
            answers.own_cost_per_useful_gpu_hour,
            answers.rent_cost_per_useful_gpu_hour,
            answers.npv_saving,
        ):
            whole = np.broadcast_to(function(together), (3,))
            single = float(function(one))  # type: ignore[arg-type]
            assert whole[place] == pytest.approx(single, rel=1e-7, abs=1e-5, nan_ok=True), function.__name__


def test_crossing_on_the_last_month_counts() -> None:
    own = np.array([30.0, 30.0, 30.0, 30.0])
    assert first_crossing(own, np.array([0.0, 10.0, 20.0, 30.0])) == 3.0
    assert np.isnan(first_crossing(own, np.array([0.0, 9.9, 19.9, 29.9])))


def test_present_value_of_draws_is_that_of_numpy_financial() -> None:
    flows = Flows(3, {"buy": 100.0}, {"power": np.array([10.0, 20.0])}, at_end={"resale": -30.0})
    rate = float(monthly_rate(0.12))
    expected = [npf.npv(rate, [100.0, x, x, x - 30.0]) for x in (10.0, 20.0)]
    assert flows.present_value(0.12) == pytest.approx(expected)


def test_falling_rents_stop_at_the_floor_and_rising_ones_do_not() -> None:
    falling = RentCost(price_per_gpu_hour=2.0, annual_price_change=-0.5, price_floor_per_gpu_hour=1.6)
    scenario = CostScenario(utilisation=1.0, rent=falling)
    bills = rent_flows(scenario).monthly() / 730
    assert bills[-1] == pytest.approx(1.6)
    rising = with_values(scenario, {"rent.annual_price_change": 0.4})
    assert rent_flows(rising).monthly()[11] / 730 == pytest.approx(2.0 * 1.4)


@pytest.mark.parametrize("tiny", [5e-324, 2.3e-308, 1e-9])
def test_a_vanishing_increment_or_run_counts_as_none(tiny: float) -> None:
    rent = RentCost(hours_per_run=4.0, startup_hours=1.0, billing_increment_hours=tiny)
    assert billing_stretch(rent) == pytest.approx(1.25)
    assert billing_stretch(RentCost(hours_per_run=tiny, startup_hours=1.0)) == 1.0


def test_increments_start_up_and_spot_lengthen_the_bill() -> None:
    rent = RentCost(price_per_gpu_hour=1.0, hours_per_run=2.5, startup_hours=0.25, billing_increment_hours=1.0)
    scenario = CostScenario(utilisation=0.5, rent=rent)
    assert evaluate(scenario).rent_total == pytest.approx(365 * 36 * 3.0 / 2.5)
    spot = with_values(scenario, {"rent.spot_discount": 0.5, "rent.interruption_mtbf_hours": 6.0})
    ratio = evaluate(spot).rent_total / evaluate(scenario).rent_total
    assert 0.5 < ratio < 0.6


def test_map_and_curve_agree_with_single_answers() -> None:
    scenario = CostScenario(
        horizon_months=24, discount_rate=0.07, own=OwnCost(gpu_price=9_000, resale_fraction=0.4, gpu_power_w=400)
    )
    uses = np.array([0.0, 0.3, 0.6, 1.0])
    grid = saving_map(scenario, uses, 60)
    assert grid.shape == (4, 61)
    for place, use in enumerate(uses):
        assert grid[place, 24] == pytest.approx(evaluate(with_values(scenario, {"utilisation": use})).npv_saving)
    curve = break_even_price_curve(scenario, "own.gpu_price", np.array([5_000.0, 9_000.0]))
    assert curve[1] == pytest.approx(evaluate(scenario).break_even_price_per_gpu_hour)
    assert curve[0] < curve[1]
