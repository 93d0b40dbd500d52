"""Default costs of every card and market: sourced, in bounds, and sensible."""

from __future__ import annotations

from functools import lru_cache
from itertools import cycle
from typing import Any

import pandas as pd
import pytest

from calc.cost import evaluate
from calc.cost_defaults import FEW_OFFERS, OFFERS_APART, CostDefaults, RentMode, default_costs
from calc.cost_scenario import CostScenario, bounds_of, value_of
from calc.uncertainty import tornado
from gpudata import (
    load_cost_parameters,
    load_exchange_rates,
    load_gpus,
    load_purchase_prices,
    load_rental_prices,
)
from gpudata.prices import conversion, purchase_summary, rental_summary

MARKETS = {"China": "CNY", "US": "USD", "Europe": "EUR"}
GPUS = load_gpus().set_index("gpu", drop=False)
PARAMETERS = load_cost_parameters()


@lru_cache
def prices(market: Any) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, float]]:
    rates, currency = load_exchange_rates(), MARKETS[market]
    purchase = purchase_summary(load_purchase_prices(), rates, market, currency).set_index("gpu")
    rental = rental_summary(load_rental_prices(), rates, market, currency).set_index("gpu")
    return purchase, rental, {known: conversion(known, currency, rates)[0] for known in ("USD", "EUR", "CNY")}


def defaults(gpu: str, market: str, rent_mode: RentMode = "on_demand", **terms: Any) -> CostDefaults:
    purchase, rental, rates = prices(market)
    card, buy, rent = GPUS.loc[gpu], purchase.loc[gpu], rental.loc[gpu]
    currency = MARKETS[market]
    return default_costs(card, buy, rent, PARAMETERS, market, currency, rates, rent_mode=rent_mode, **terms)


@pytest.mark.parametrize("market", MARKETS)
def test_every_card_has_valid_costs(market: str) -> None:
    kinds: list[tuple[int, RentMode]] = [(1, "on_demand"), (8, "spot"), (32, "reserved"), (4, "on_demand")]
    for gpu, (cards, mode) in zip(GPUS.index, cycle(kinds), strict=False):
        found = defaults(gpu, market, mode, num_gpus=cards)
        scenario = CostScenario.model_validate(found.scenario.model_dump())
        evaluate(scenario)
        assert tornado(scenario, found.ranges)[0].width > 0
        for path, span in found.ranges.items():
            low, high = bounds_of(path)
            assert low <= span.low <= value_of(scenario, path) <= span.high <= high, (gpu, path)


@pytest.mark.parametrize("market", MARKETS)
@pytest.mark.parametrize("gpu", ["RTX 4090", "H100-SXM5-80GB"])
def test_every_field_that_is_set_names_its_source(gpu: str, market: str) -> None:
    found = defaults(gpu, market, num_gpus=16)
    stated = {assumption.field for assumption in found.assumptions}
    plain = CostScenario()
    terms = {"horizon_months", "hours_per_month", "currency", "own.num_gpus", "rent.always_on"}
    paths = [name for name in CostScenario.model_fields if name not in ("own", "rent")]
    paths += [f"{part}.{name}" for part in ("own", "rent") for name in type(getattr(plain, part)).model_fields]
    changed = {path for path in paths if value_of(found.scenario, path) != value_of(plain, path)}
    assert changed - terms <= stated
    assert set(found.ranges) <= stated
    for assumption in found.assumptions:
        assert assumption.source
        assert assumption.unit
        assert assumption.low <= assumption.typical <= assumption.high


def test_home_and_data_centre_differ() -> None:
    home, centre = defaults("RTX 4090", "US").scenario.own, defaults("H100-SXM5-80GB", "US", num_gpus=8).scenario.own
    assert home.pue < 1.2 < 1.5 < centre.pue
    assert home.electricity_price > centre.electricity_price
    assert centre.host_power_w > home.host_power_w
    assert centre.colocation_per_kw_month > 0 == home.colocation_per_kw_month
    assert centre.network_price == 0 < defaults("H100-SXM5-80GB", "US", num_gpus=16).scenario.own.network_price


def test_rated_power_of_an_eight_card_node_is_the_published_one() -> None:
    own = defaults("H100-SXM5-80GB", "US", num_gpus=8).scenario.own
    assert 8 * (own.gpu_power_w + own.host_power_w) == pytest.approx(10_200, rel=0.01)


def test_tax_that_firms_recover_is_only_the_upper_end() -> None:
    assert defaults("RTX 4090", "China").scenario.own.sales_tax_rate == 0
    assert defaults("RTX 4090", "China").ranges["own.sales_tax_rate"].high == 0.13
    assert defaults("RTX 4090", "US").scenario.own.sales_tax_rate == 0.07


def test_figures_nobody_publishes_are_listed_and_left_at_zero() -> None:
    found = defaults("H100-SXM5-80GB", "China", num_gpus=8)
    assert set(found.missing) >= {"own.staff_per_month", "own.colocation_per_kw_month"}
    assert all(value_of(found.scenario, path) == 0 for path in found.missing)


def test_resale_falls_with_the_term() -> None:
    resale = [
        defaults("A100-SXM4-80GB", "US", horizon_months=m).scenario.own.resale_fraction for m in (12, 36, 72, 120)
    ]
    assert resale == sorted(resale, reverse=True)
    assert resale[:2] == pytest.approx([0.7, 0.3])
    assert resale[3] > 0


def test_a_card_sold_within_weeks_fetches_no_more_than_a_year_old_one() -> None:
    weeks = defaults("A100-SXM4-80GB", "US", horizon_months=1).scenario.own.resale_fraction
    assert weeks == pytest.approx(0.7)


def test_modes_of_renting() -> None:
    on_demand, spot = defaults("H100-SXM5-80GB", "US"), defaults("H100-SXM5-80GB", "US", "spot")
    reserved = defaults("H100-SXM5-80GB", "US", "reserved")
    assert spot.scenario.rent.price_per_gpu_hour < on_demand.scenario.rent.price_per_gpu_hour
    assert spot.scenario.rent.interruption_mtbf_hours > 0 == on_demand.scenario.rent.interruption_mtbf_hours
    assert reserved.scenario.rent.always_on
    assert not on_demand.scenario.rent.always_on


def test_currency_of_one_market_changes_only_the_unit() -> None:
    purchase = {"low": 1000.0, "typical": 2000.0, "high": 3000.0, "basis": "x", "newest_date": "2026-01"}
    rental = {"on_demand_low": 0.2, "on_demand_typical": 0.4, "on_demand_high": 0.6, "on_demand_basis": "x"}
    card = GPUS.loc["RTX 4090"]
    rates = {"USD": 1.0, "EUR": 1.2, "CNY": 0.14}
    dollars = default_costs(card, purchase, rental, PARAMETERS, "US", "USD", rates)
    sevenfold = {name: value * 7 for name, value in rates.items()}
    times = {name: value * 7 if isinstance(value, float) else value for name, value in purchase.items()}
    rent_times = {name: value * 7 if isinstance(value, float) else value for name, value in rental.items()}
    other = default_costs(card, times, rent_times, PARAMETERS, "US", "CNY", sevenfold)
    first, second = evaluate(dollars.scenario), evaluate(other.scenario)
    assert second.own_total == pytest.approx(7 * first.own_total)
    assert second.break_even_utilisation == pytest.approx(first.break_even_utilisation)


def test_an_unknown_market_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown market"):
        default_costs(GPUS.loc["RTX 4090"], {}, {}, PARAMETERS, "Mars", "USD", {"USD": 1.0})


def test_offers_of_cards_that_many_rent_out_lie_so_far_apart() -> None:
    _, rental, _ = prices("US")
    many = rental[rental["on_demand_n"] > FEW_OFFERS]
    shares = [(many[f"on_demand_{end}"] / many["on_demand_typical"]).median() for end in ("low", "high")]
    assert pytest.approx(shares, abs=0.005) == list(OFFERS_APART)


def test_a_rent_of_few_offers_is_as_uncertain_as_those_of_other_cards() -> None:
    _, rental, _ = prices("China")
    row = rental.loc["H100-SXM5-80GB"]
    assert row["on_demand_n"] < FEW_OFFERS
    span = defaults("H100-SXM5-80GB", "China").ranges["rent.price_per_gpu_hour"]
    typical = row["on_demand_typical"]
    assert (span.low, span.typical, span.high) == pytest.approx((0.57 * typical, typical, 1.96 * typical))
