"""Own versus rent below its main chart: offers, price histories, curves, guides' claims, mix, cost by unit of work."""

from __future__ import annotations

import json

import pytest
from app_driver import assert_no_error, go, start, with_fields
from streamlit.testing.v1 import AppTest

from calc.answers_prices import provider_offers
from ui.data import tables
from ui.i18n import words

H100 = {"gpu": "H100-SXM5-80GB", "market": "US", "currency": "USD"}


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return go(start(), "own_versus_rent")


def titles(app: AppTest) -> list[str]:
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return [spec["layout"]["title"]["text"].replace("<br>", " ") for spec in specs]


def texts(app: AppTest) -> str:
    return "\n".join(part.value for kind in ("markdown", "caption") for part in app.get(kind))


def test_offers_of_the_rented_card_beside_the_users_price(app: AppTest) -> None:
    with_fields(app, {**H100, "rent": {"price_per_gpu_hour": 2.22}})
    assert_no_error(app)
    assert "You count on 2.22 USD a card-hour. Market (US, on demand): low" in texts(app)
    shown = next(table.value for table in app.dataframe if "Provider" in table.value)
    assert list(shown["Provider"]) == list(provider_offers(tables(), H100["gpu"], "USD")["provider"])
    assert set(shown["Age"]) == {"stale", "current"}


def test_the_offers_follow_a_different_rented_card(app: AppTest) -> None:
    with_fields(app, {**H100, "rent_gpu": "RTX 4090"})
    assert_no_error(app)
    assert "Who rents out the RTX 4090" in texts(app)


def test_price_histories_say_rose_or_fell(app: AppTest) -> None:
    with_fields(app, H100)
    assert any("H100 SXM rent: rose" in title and "a year" in title for title in titles(app))


def test_a_card_without_history_says_so(app: AppTest) -> None:
    with_fields(app, {"gpu": "RTX 4060 Ti 16GB", "own": {"gpu_price": 500.0}, "rent": {"price_per_gpu_hour": 0.2}})
    assert_no_error(app)
    assert "No series of dated rents" in texts(app)
    assert "No series of dated purchase prices" in texts(app)


def test_the_parts_speak_chinese() -> None:
    app = go(start(lang="zh"), "own_versus_rent")
    assert_no_error(app)
    assert words("zh")["prices.provider"] in {name for table in app.dataframe for name in table.value.columns}
