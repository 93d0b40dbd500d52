"""Provider table, price histories and break-even curves against the tables they come from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from calc.answers_money import money
from calc.answers_prices import (
    CURVE_FIELDS,
    break_even_curves,
    cost_per_billion_tokens,
    price_history,
    provider_offers,
)
from calc.scenario import Scenario
from calc.tables import Tables, load_tables
from gpudata.prices import RECENT_DAYS, convert, dates_of

CARD = "H100-SXM5-80GB"


@pytest.fixture(scope="module", name="tables")
def _tables() -> Tables:
    return load_tables()


def offers_table(tables: Tables, *rows: dict[str, object]) -> Tables:
    """Tables whose only offers are ``rows``, completed from a real one."""
    blank = tables.rental[tables.rental["in_summary"]].iloc[0].copy()
    blank[[name for name in blank.index if name.endswith(("_hour", "_per_gpu"))]] = np.nan
    blank[["note", "instance_type"]] = ""
    rental = pd.DataFrame([{**blank.to_dict(), "gpu": "card", "currency": "USD", **row} for row in rows])
    return replace(tables, rental=rental)


def test_every_provider_once_cheapest_first(tables: Tables) -> None:
    offers = provider_offers(tables, CARD, "USD")
    wanted = tables.rental[(tables.rental["gpu"] == CARD) & tables.rental["in_summary"]]
    assert sorted(offers["provider"]) == sorted(wanted["provider"].unique())
    assert offers["on_demand"].dropna().is_monotonic_increasing
    assert offers["source_url"].str.startswith("http").all()


def test_the_newest_offer_counts_and_old_providers_are_stale(tables: Tables) -> None:
    own = offers_table(
        tables,
        {"provider": "A", "date": "2026-10-05", "on_demand_per_gpu_hour": 3.0},
        {"provider": "A", "date": "2026-10-05", "on_demand_per_gpu_hour": 2.5, "region": "north"},
        {"provider": "A", "date": "2026-01-05", "on_demand_per_gpu_hour": 1.0},
        {"provider": "B", "date": "2025-10", "on_demand_per_gpu_hour": 2.0, "spot_per_gpu_hour": 0.5},
        {"provider": "C", "date": "2026-10-01", "monthly_per_gpu": 1460.0},
        {"provider": "D", "date": "2026-10-01", "on_demand_per_gpu_hour": 9.0, "in_summary": False},
    )
    offers = provider_offers(own, "card", "USD").set_index("provider")
    assert list(offers.index) == ["B", "A", "C"]
    assert offers["on_demand"].iloc[:2].tolist() == [2.0, 2.5]
    assert offers.loc["A", "region"] == "north"
    assert offers.loc["C", "reserved"] == pytest.approx(2.0)
    assert offers["stale"].to_dict() == {"A": False, "B": True, "C": False}
    assert provider_offers(own, "card", "USD", "spot")["provider"].iloc[0] == "B"
    assert (dates_of(pd.Series(["2026-10-05", "2025-10"])).diff().abs().iloc[1]).days > RECENT_DAYS


def test_offers_are_converted(tables: Tables) -> None:
    usd, cny = provider_offers(tables, CARD, "USD"), provider_offers(tables, CARD, "CNY")
    rate = convert(1.0, "USD", "CNY", tables.rates)
    assert list(usd["provider"]) == list(cny["provider"])
    np.testing.assert_allclose(cny["on_demand"], usd["on_demand"] * rate)


def test_a_card_that_nobody_rents_out_has_no_rows(tables: Tables) -> None:
    assert provider_offers(tables, "no such card", "USD").empty


def priced(tables: Tables, prices: list[float], series: list[str] | None = None) -> Tables:
    row = tables.price_history.iloc[0].to_dict()
    rows = [
        {**row, "gpu": "card", "kind": "rental", "date": f"2026-{month:02d}", "price": price, "currency": "USD"}
        for month, price in enumerate(prices, start=1)
    ]
    frame = pd.DataFrame(rows)
    return replace(tables, price_history=frame.assign(series=series or "one"))


@pytest.mark.parametrize(
    ("prices", "direction"),
    [([2.0, 2.1, 2.2, 2.3, 2.4], "rose"), ([2.4, 2.3, 2.2, 2.1, 2.0], "fell"), ([2.0, 2.4, 1.9, 2.3, 2.0], "unclear")],
)
def test_the_trend_says_what_its_width_allows(tables: Tables, prices: list[float], direction: str) -> None:
    history = price_history(priced(tables, prices), "card", "rent", "USD")
    assert history is not None
    assert history.trend is not None
    assert history.direction == direction
    assert history.trend.low < history.trend.annual_change < history.trend.high


def test_series_of_different_sellers_are_not_mixed(tables: Tables) -> None:
    mixed = priced(tables, [2.0, 2.0, 2.0, 2.0, 9.0, 9.0], ["one"] * 4 + ["two"] * 2)
    history = price_history(mixed, "card", "rent", "USD")
    assert history is not None
    assert history.points["high"].max() == 2.0
    assert len(history.points) == 4


def test_too_few_points_give_no_trend_and_one_gives_no_history(tables: Tables) -> None:
    short = price_history(priced(tables, [2.0, 3.0, 4.0]), "card", "rent", "USD")
    assert short is not None
    assert short.trend is None
    assert short.direction == "unclear"
    assert price_history(priced(tables, [2.0]), "card", "rent", "USD") is None
    assert price_history(tables, "no such card", "own", "USD") is None


def test_h100_rents_rose_in_the_last_year_of_the_table(tables: Tables) -> None:
    history = price_history(tables, CARD, "rent", "USD")
    assert history is not None
    assert history.trend is not None
    assert history.trend.annual_change > 0


def test_the_curves_pass_through_the_scenario(tables: Tables) -> None:
    scenario = Scenario()
    answer = money(scenario, tables)
    curves = {curve.field: curve for curve in break_even_curves(scenario, tables, answer)}
    assert tuple(curves) == CURVE_FIELDS
    for curve in curves.values():
        assert curve.price == pytest.approx(answer.break_even_rent_per_gpu_hour)
    # A dearer card needs a dearer rent to be worth it; more use and more resale make owning cheaper an hour.
    assert curves["own.gpu_price"].points["price"].is_monotonic_increasing
    assert curves["own.electricity_price"].points["price"].is_monotonic_increasing
    assert curves["utilisation"].points["price"].is_monotonic_decreasing
    assert curves["own.resale_fraction"].points["price"].is_monotonic_decreasing


def test_a_typed_value_outside_its_range_is_still_on_the_curve(tables: Tables) -> None:
    plain = Scenario()
    terms = plain.money.model_copy(update={"own": {"gpu_price": 99_000.0}})
    scenario = plain.model_copy(update={"money": terms})
    curves = break_even_curves(scenario, tables, money(scenario, tables))
    card = next(curve for curve in curves if curve.field == "own.gpu_price")
    assert card.value == card.points["value"].max() == 99_000.0


def test_cost_per_billion_tokens_is_the_runs_cost_over_its_tokens() -> None:
    plain = Scenario()
    work = plain.workload.model_copy(update={"samples": 1000, "tokens_per_sample": 500, "epochs": 2.0})
    scenario = plain.model_copy(update={"workload": work})
    assert cost_per_billion_tokens(scenario, 3.0) == pytest.approx(3000.0)
    assert cost_per_billion_tokens(scenario, None) is None
