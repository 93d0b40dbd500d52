"""Conversion laws and the price summaries, on the real tables and on small ones with known answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpudata
from gpudata.prices import (
    YEARLY_MOVE,
    conversion,
    convert,
    dates_of,
    purchase_summary,
    rental_summary,
    with_rate,
)

RATES = gpudata.load_exchange_rates()
RENTAL = gpudata.load_rental_prices()
PURCHASE = gpudata.load_purchase_prices()
CURRENCIES = ["USD", "CNY", "EUR"]
MARKETS = {"US": "USD", "China": "CNY", "Europe": "EUR"}

amounts = st.floats(0.01, 1e6)
currencies = st.sampled_from(CURRENCIES)


@given(amounts, currencies, currencies, currencies)
def test_conversion_by_way_of_a_third_currency_is_the_same(amount: float, a: str, b: str, c: str) -> None:
    assert convert(convert(amount, a, b, RATES), b, c, RATES) == pytest.approx(convert(amount, a, c, RATES))


@given(amounts, currencies, currencies)
def test_conversion_there_and_back(amount: float, a: str, b: str) -> None:
    assert convert(convert(amount, a, b, RATES), b, a, RATES) == pytest.approx(amount)


def test_conversion_uses_the_latest_or_the_dated_rate() -> None:
    assert convert(100, "USD", "CNY", RATES) == pytest.approx(672.0)
    assert convert(100, "USD", "CNY", RATES, date="2024-06") == pytest.approx(718.0)
    assert convert(100, "USD", "CNY", RATES, date="2020") == pytest.approx(718.0)
    np.testing.assert_allclose(convert(np.array([1.0, 2.0]), "EUR", "USD", RATES), [1.1699, 2.3398])
    with pytest.raises(ValueError, match="unknown currency 'GBP'"):
        convert(1, "GBP", "USD", RATES)
    with pytest.raises(ValueError, match="unknown currency 'GBP'"):
        convert(1, "GBP", "GBP", RATES)


def test_dates_of_any_precision() -> None:
    assert list(dates_of(pd.Series(["2026", "2026-03", "2026-03-09"])).dt.strftime("%Y%m%d")) == [
        "20260101",
        "20260301",
        "20260309",
    ]


def offer(**cells: Any) -> dict[str, Any]:
    usual = {"gpu": "RTX 4090", "provider": "P", "currency": "USD", "market": "global", "date": "2026-09"}
    return dict.fromkeys(RENTAL.columns) | usual | {"in_summary": True} | cells


def rentals(*offers: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame([offer(**cells) for cells in offers], columns=RENTAL.columns)
    numbers = [column for column in RENTAL.columns if "_per_gpu" in column]
    frame[numbers] = frame[numbers].astype(float)
    return frame


def card(frame: pd.DataFrame, gpu: str = "RTX 4090") -> pd.Series:
    return frame.set_index("gpu").loc[gpu]


def test_rental_range_is_over_providers() -> None:
    frame = rentals(
        {"provider": "A", "on_demand_per_gpu_hour": 0.3},
        {"provider": "A", "on_demand_per_gpu_hour": 0.5},
        {"provider": "B", "on_demand_per_gpu_hour": 0.6},
        {"provider": "C", "on_demand_per_gpu_hour": 2.0},
        {"provider": "C", "on_demand_per_gpu_hour": 9.0, "date": "2026-07"},
        {"provider": "D", "on_demand_per_gpu_hour": 50.0, "in_summary": False},
        {"provider": "E", "on_demand_per_gpu_hour": 70.0, "date": "2025-01"},
    )
    row = card(rental_summary(frame, RATES, "US", "USD"))
    assert (row["on_demand_low"], row["on_demand_typical"], row["on_demand_high"]) == pytest.approx((0.4, 0.6, 2.0))
    assert (row["n_offers"], row["n_providers"], row["newest_date"]) == (5, 3, "2026-09")
    assert (row["on_demand_n"], row["on_demand_date"]) == (4, "2026-09")
    assert (row["spot_n"], row["spot_date"]) == (0, "")
    assert row["basis"] == "offers worldwide"
    assert np.isnan(row["spot_typical"])


def test_a_market_without_offers_takes_another_converted() -> None:
    frame = rentals({"on_demand_per_gpu_hour": 0.5})
    row = card(rental_summary(frame, RATES, "China", "CNY"))
    assert row["on_demand_typical"] == pytest.approx(0.5 * 6.72)
    assert row["basis"] == "offers worldwide, converted at USD/CNY 6.72 (2026-10-04)"


def test_a_market_with_offers_keeps_to_them() -> None:
    frame = rentals(
        {"on_demand_per_gpu_hour": 0.5},
        {"provider": "Q", "on_demand_per_gpu_hour": 2.0, "currency": "CNY", "market": "China"},
    )
    assert card(rental_summary(frame, RATES, "China", "CNY"))["on_demand_high"] == 2.0
    assert card(rental_summary(frame, RATES, "US", "USD"))["on_demand_high"] == 0.5


def test_a_monthly_contract_counts_as_reserved() -> None:
    frame = rentals({"monthly_per_gpu": 730.0, "on_demand_per_gpu_hour": 1.1, "instance_type": "bare metal, monthly"})
    row = card(rental_summary(frame, RATES, "US", "USD"))
    assert row["reserved_typical"] == pytest.approx(1.0)
    assert np.isnan(row["on_demand_typical"])


def test_an_old_price_is_flagged() -> None:
    frame = rentals(
        {"on_demand_per_gpu_hour": 0.5, "date": "2025-09"},
        {"gpu": "RTX 5090", "on_demand_per_gpu_hour": 0.9, "date": "2026-10"},
    )
    summary = rental_summary(frame, RATES, "US", "USD")
    assert card(summary)["stale"]
    assert not card(summary, "RTX 5090")["stale"]


@pytest.mark.parametrize("market", MARKETS)
def test_rental_summary_of_the_real_table(market: str) -> None:
    summary = rental_summary(RENTAL, RATES, market, MARKETS[market])  # type: ignore[arg-type]
    assert list(summary["gpu"]) == list(gpudata.load_gpus()["gpu"])
    for mode in ("on_demand", "spot", "reserved"):
        known = summary.dropna(subset=[f"{mode}_typical"])
        assert len(known) > 10
        assert (known[f"{mode}_low"] <= known[f"{mode}_typical"]).all()
        assert (known[f"{mode}_typical"] <= known[f"{mode}_high"]).all()
        assert (known[f"{mode}_basis"] != "").all()
    assert ((summary["n_offers"] == 0) == (summary["basis"] == "")).all()


@pytest.mark.parametrize("target", CURRENCIES)
def test_a_summary_scales_with_the_currency(target: str) -> None:
    usd, other = (rental_summary(RENTAL, RATES, "US", c).set_index("gpu") for c in ("USD", target))
    for column in ("on_demand_low", "on_demand_typical", "spot_high"):
        np.testing.assert_allclose(convert(usd[column], "USD", target, RATES), other[column])


def test_known_orders_of_price() -> None:
    usd = rental_summary(RENTAL, RATES, "US", "USD").set_index("gpu")["on_demand_typical"]
    assert usd["RTX 3090"] < usd["RTX 4090"] < usd["A100-SXM4-80GB"] < usd["H100-SXM5-80GB"] < usd["B200-SXM-180GB"]
    assert 2.0 < usd["H100-SXM5-80GB"] < 5.0
    assert np.isnan(usd["Biren BR106 (106M)"])
    with pytest.raises(ValueError, match="unknown market 'Mars'"):
        rental_summary(RENTAL, RATES, "Mars", "USD")  # type: ignore[arg-type]


def price(**cells: Any) -> dict[str, Any]:
    usual = {"gpu": "RTX 4090", "condition": "new", "currency": "USD", "market": "US", "date": "2026-09"}
    return dict.fromkeys(PURCHASE.columns) | usual | {"price_kind": "market"} | cells


def purchases(*prices: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame([price(**cells) for cells in prices], columns=PURCHASE.columns)
    numbers = ["price_low", "price_typical", "price_high"]
    frame[numbers] = frame[numbers].astype(float)
    return frame


def test_purchase_prefers_new_then_used_then_elsewhere_then_list() -> None:
    new, used = {"price_typical": 2000.0}, {"price_typical": 1000.0, "condition": "used"}
    china = {"price_typical": 13440.0, "currency": "CNY", "market": "China"}
    listed = {"price_typical": 1599.0, "price_kind": "list"}
    made_up = {"price_typical": 1.0, "price_kind": "placeholder"}

    def typical(*prices: dict[str, Any], condition: str = "new") -> tuple[float, str]:
        row = card(purchase_summary(purchases(*prices), RATES, "US", "USD", condition))  # type: ignore[arg-type]
        return row["typical"], row["basis"]

    assert typical(new, used, china, listed, made_up) == (2000.0, "market prices in US")
    assert typical(new, used, china, condition="used")[0] == 1000.0
    assert typical(used, china, listed)[0] == 1000.0
    assert typical(china, listed) == (
        pytest.approx(2000.0),
        "market prices in China, converted at USD/CNY 6.72 (2026-10-04)",
    )
    assert typical(listed, made_up) == (1599.0, "list prices in US")
    assert np.isnan(typical(made_up)[0])


def test_purchase_range() -> None:
    frame = purchases(
        {"price_low": 100.0, "price_high": 300.0},
        {"price_typical": 400.0},
        {"price_typical": 9000.0, "date": "2024-01"},
    )
    row = card(purchase_summary(frame, RATES, "US", "USD"))
    assert (row["low"], row["typical"], row["high"], row["n"]) == (100.0, 300.0, 400.0, 2)


@pytest.mark.parametrize("market", MARKETS)
def test_purchase_summary_of_the_real_table(market: str) -> None:
    summary = purchase_summary(PURCHASE, RATES, market, MARKETS[market])  # type: ignore[arg-type]
    known = summary.dropna(subset=["typical"])
    assert list(summary["gpu"]) == list(gpudata.load_gpus()["gpu"])
    assert len(known) > 40
    assert ((known["low"] <= known["typical"]) & (known["typical"] <= known["high"])).all()
    assert known["condition"].isin(["new", "used"]).all()
    assert (summary.loc[summary["typical"].isna(), "basis"] == "").all()
    usd = convert(known.set_index("gpu")["typical"], MARKETS[market], "USD", RATES)
    assert 500 < usd["RTX 3090"] < usd["RTX 5090"] < usd["A100-SXM4-80GB"] < usd["H100-SXM5-80GB"] < 60_000


def test_the_range_of_a_stale_price_takes_its_age_and_newer_used_prices_in() -> None:
    fresh = {"price_typical": 500.0, "gpu": "RTX 3090"}
    old = {"price_typical": 1000.0, "date": "2024-09"}
    used = {"price_low": 400.0, "price_high": 450.0, "condition": "used", "date": "2026-04"}
    alone = card(purchase_summary(purchases(fresh, old), RATES, "US", "USD"))
    factor = YEARLY_MOVE["new"] ** (730 / 365.25)
    assert (alone["low"], alone["typical"], alone["high"]) == pytest.approx((1000 / factor, 1000, 1000 * factor))
    both = card(purchase_summary(purchases(fresh, old, used), RATES, "US", "USD"))
    assert (both["low"], both["typical"], both["high"]) == pytest.approx((400, 1000, 1000 * factor))
    assert both["basis"].endswith("range widened for its age and to used prices of 2026-04")
    older = card(purchase_summary(purchases(fresh, old, used | {"date": "2024-01"}), RATES, "US", "USD"))
    assert older["low"] == alone["low"]
    now = card(purchase_summary(purchases(old, used), RATES, "US", "USD", "used"))
    assert (now["low"], now["high"]) == (400.0, 450.0)


@pytest.mark.parametrize("condition", ["new", "used"])
def test_the_yearly_move_is_that_of_the_price_series(condition: str) -> None:
    trends = gpudata.load_price_trends()
    moves = np.log1p(trends.loc[trends["kind"] == f"purchase-{condition}", "annual_change_pct"] / 100).abs()
    assert pytest.approx(np.exp(moves.median()), abs=0.005) == YEARLY_MOVE[condition]


def test_a_typed_rate_replaces_its_pair_and_says_so() -> None:
    rates = with_rate("USD/CNY", 8.0, RATES)
    assert convert(100, "USD", "CNY", rates) == pytest.approx(800.0)
    assert convert(100, "USD", "CNY", rates, date="2024-06") == pytest.approx(800.0)
    assert convert(100, "EUR", "USD", rates) == convert(100, "EUR", "USD", RATES)
    assert conversion("USD", "CNY", rates)[1] == "USD/CNY 8 (your rate)"
    with pytest.raises(ValueError, match="no exchange rate for GBP/USD"):
        with_rate("GBP/USD", 1.3, RATES)
