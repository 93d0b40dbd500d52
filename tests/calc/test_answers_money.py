"""What the money pages are given: exchange rates, the value today, costs per unit of work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calc.answers_money import MoneyAnswer, money
from calc.answers_time import time_by_card
from calc.market import at_rates_of
from calc.scenario import Money, Scenario, scenario_from_flat
from calc.tables import load_tables
from gpudata.prices import newest_rate

UNPRICED = "Biren BR106 (106M)"


def answer(**fields: Any) -> MoneyAnswer:
    return money(scenario_from_flat(fields), load_tables())


def amounts(found: MoneyAnswer) -> list[float | None]:
    return [found.own_total, found.rent_total, found.break_even_rent_per_gpu_hour, found.own_cost_per_run]


def test_the_rates_of_a_scenario_are_the_newest_of_the_table() -> None:
    rates, terms = load_tables().rates, Money()
    assert terms.usd_cny == newest_rate("USD/CNY", rates)["rate"]
    assert terms.eur_usd == newest_rate("EUR/USD", rates)["rate"]
    assert at_rates_of(terms, load_tables()) is load_tables()


@settings(max_examples=4)
@given(st.floats(1, 50), st.sampled_from(["RTX 4090", "H100-SXM5-80GB"]))
def test_a_changed_rate_scales_what_is_converted_and_nothing_else(usd_cny: float, gpu: str) -> None:
    # The US market has euro parameters too: one dollar is worth the same yuan whichever way they come.
    usual, other = (answer(gpu=gpu, currency="CNY", usd_cny=rate) for rate in (Money().usd_cny, usd_cny))
    factor = usd_cny / Money().usd_cny
    assert amounts(other) == pytest.approx([value * factor for value in amounts(usual) if value is not None], rel=1e-6)
    assert other.crossover_month_cash == pytest.approx(usual.crossover_month_cash)
    assert other.break_even_utilisation == pytest.approx(usual.break_even_utilisation)
    assert other.own_wins_probability == pytest.approx(usual.own_wins_probability, abs=1e-3)


@settings(max_examples=4)
@given(st.floats(1, 50), st.floats(0.1, 10), st.sampled_from(["CNY", "EUR"]))
def test_the_currency_changes_nothing_but_the_unit_at_any_rates(usd_cny: float, eur_usd: float, to: str) -> None:
    rates = {"usd_cny": usd_cny, "eur_usd": eur_usd}
    dollars, other = answer(**rates), answer(currency=to, **rates)
    factor = usd_cny if to == "CNY" else 1 / eur_usd
    assert amounts(other) == pytest.approx(
        [value * factor for value in amounts(dollars) if value is not None], rel=1e-6
    )
    assert other.crossover_month_npv == pytest.approx(dollars.crossover_month_npv)


def test_the_rent_of_a_run_follows_the_rate_too() -> None:
    usual, other = (
        time_by_card(scenario_from_flat({"currency": "CNY", "usd_cny": rate}), load_tables(), ["RTX 4090"])
        for rate in (6.72, 13.44)
    )
    assert other["rent_cost"].iloc[0] == pytest.approx(2 * usual["rent_cost"].iloc[0])


def test_value_today_of_selling_in_each_month() -> None:
    found = answer(discount_rate=0.1)
    frame = found.cumulative_npv
    assert frame["rent"].iloc[-1] - frame["own"].iloc[-1] == pytest.approx(found.result.npv_saving)
    assert frame["own"].iloc[0] == pytest.approx(0, abs=1e-6)  # bought and sold at once
    gap = (frame["own"] - frame["rent"]).to_numpy()
    crossing = found.crossover_month_npv
    assert crossing is not None
    assert np.interp(crossing, frame["month"], gap) == pytest.approx(0, abs=1e-6)
    assert (frame["own_low"] <= frame["own_high"]).all()
    assert found.crossover_npv_low is not None
    assert found.crossover_npv_low <= crossing


def test_without_interest_and_resale_both_views_are_one() -> None:
    found = answer(discount_rate=0.0, own={"resale_fraction": 0.0})
    cash, today = found.cumulative.iloc[1:], found.cumulative_npv.iloc[1:]
    assert today["rent"].to_numpy() == pytest.approx(cash["rent"].to_numpy())
    last = found.cumulative_npv["own"].iloc[-1]
    assert last == pytest.approx(found.cumulative["own"].iloc[-1])


def test_cost_of_a_quality_point() -> None:
    found = answer(quality_points=4.0)
    assert found.own_cost_per_run is not None
    assert found.rent_cost_per_run is not None
    assert found.own_cost_per_point == pytest.approx(found.own_cost_per_run / 4)
    assert found.rent_cost_per_point == pytest.approx(found.rent_cost_per_run / 4)
    assert answer().own_cost_per_point is None


def test_a_card_without_prices_costs_nothing_known() -> None:
    found = answer(gpu=UNPRICED, quality_points=2.0)
    assert not found.priced
    assert (found.own_cost_per_run, found.rent_cost_per_run) == (None, None)
    assert (found.own_cost_per_point, found.rent_cost_per_point) == (None, None)
    assert money(Scenario(), load_tables()).priced


@pytest.mark.parametrize("fields", [{}, {"rent_mode": "spot"}, {"rent": {"price_per_gpu_hour": 7.5}}])
def test_every_page_names_the_same_rent_of_a_run(fields: dict[str, Any]) -> None:
    scenario = scenario_from_flat({"gpu": "H100-SXM5-80GB", "num_gpus": 8, **fields})
    row = time_by_card(scenario, load_tables(), ["H100-SXM5-80GB"]).iloc[0]
    assert row["rent_cost"] == pytest.approx(money(scenario, load_tables()).rent_cost_per_run)


def test_a_reservation_is_beaten_at_low_use_and_single_hours_at_high_use() -> None:
    terms = {"gpu": "H100-SXM5-80GB", "num_gpus": 8, "horizon_months": 60}
    reserved = [
        answer(**terms, rent_mode="reserved", rent={"price_per_gpu_hour": 2.6}, utilisation=use) for use in (20, 60)
    ]
    assert [found.own_wins_below for found in reserved] == [True, True]
    assert reserved[0].result.npv_saving > 0 > reserved[1].result.npv_saving
    assert 0.2 < reserved[0].break_even_utilisation < 0.6
    assert not answer(**terms).own_wins_below
    assert not answer(gpu=UNPRICED).own_wins_below


def test_what_comes_back_at_the_horizon_leads_from_the_cash_paid_to_the_total() -> None:
    for own in ({}, {"loan_rate": 0.06, "loan_months": 48.0}, {"loan_rate": 0.06}):
        found = answer(gpu="H100-SXM5-80GB", num_gpus=8, own=own)
        paid = float(found.cumulative["own"].iloc[-1])
        assert paid - found.back_at_horizon == pytest.approx(found.own_total)


@pytest.mark.parametrize("loan_months", [0.0, 12.0, 60.0])
def test_a_run_costs_its_share_of_the_total_whatever_the_loan(loan_months: float) -> None:
    terms = {"gpu": "H100-SXM5-80GB", "num_gpus": 8}
    found = answer(**terms, own={"loan_rate": 0.06, "loan_months": loan_months})
    assert found.own_cost_per_hour == pytest.approx(found.own_total / (8 * 0.6 * 730 * 36))
    assert found.own_cost_per_run / found.rent_cost_per_run == pytest.approx(found.own_total / found.rent_total)
    without = answer(**terms)
    assert without.own_cost_per_hour == without.result.own_cost_per_useful_gpu_hour
