"""Own versus rent below its main chart: offers, price histories, curves, guides' claims, mix, cost by unit of work."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from app_driver import assert_no_error, go, opening, start, with_fields
from streamlit.testing.v1 import AppTest

from calc.answers_costs import cost_scenario
from calc.answers_money import money
from calc.answers_prices import CURVE_FIELDS, provider_offers
from calc.cost_mix import cheapest_mix
from calc.scenario import Scenario
from gpudata.cost_presets import load_cost_presets
from ui.data import tables
from ui.format import NOTHING, calendar_month, money_number, month_number
from ui.i18n import words
from ui.money_claims import guide_presets, in_words
from ui.money_mix import EXAMPLE_GPU_HOURS, mix_sentence

H100 = {"gpu": "H100-SXM5-80GB", "market": "US", "currency": "USD"}


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return go(start(), "own_versus_rent")


@pytest.fixture(name="market")
def _market(app: AppTest) -> Iterator[AppTest]:
    """The page with the market's prices open."""
    app.session_state["market_prices"] = True
    yield app
    app.session_state["market_prices"] = False


def titles(app: AppTest) -> list[str]:
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return [spec["layout"]["title"]["text"].replace("<br>", " ") for spec in specs]


def texts(app: AppTest) -> str:
    return "\n".join(part.value for kind in ("markdown", "caption") for part in app.get(kind))


def test_offers_of_the_rented_card_beside_the_users_price(market: AppTest) -> None:
    with_fields(market, {**H100, "rent": {"price_per_gpu_hour": 2.22}})
    assert_no_error(market)
    assert "You count on 2.22 USD a card-hour. Market (US, on demand): low" in texts(market)
    shown = next(table.value for table in market.dataframe if "Provider" in table.value)
    assert list(shown["Provider"]) == list(provider_offers(tables(), H100["gpu"], "USD")["provider"])
    assert set(shown["Age"]) == {"stale", "current"}


def test_the_offers_follow_a_different_rented_card(market: AppTest) -> None:
    with_fields(market, {**H100, "rent_gpu": "RTX 4090"})
    assert_no_error(market)
    assert "Who rents out the RTX 4090" in texts(market)


def test_price_histories_say_rose_or_fell(market: AppTest) -> None:
    with_fields(market, H100)
    assert any("H100 SXM rent: rose" in title and "a year" in title for title in titles(market))


def test_a_card_without_history_says_so(market: AppTest) -> None:
    with_fields(market, {"gpu": "RTX 4060 Ti 16GB", "own": {"gpu_price": 500.0}, "rent": {"price_per_gpu_hour": 0.2}})
    assert_no_error(market)
    assert "No series of dated rents" in texts(market)
    assert "No series of dated purchase prices" in texts(market)


def opened(app: AppTest, part: str) -> AppTest:
    """The page with one folded part open."""
    app.session_state[part] = True
    return app.run()


def test_curves_of_the_break_even_price(app: AppTest) -> None:
    with_fields(app, {})
    before = len(titles(app))
    opened(app, "moves_break_even")
    assert_no_error(app)
    assert len(titles(app)) == before + len(CURVE_FIELDS)
    assert any(title.startswith("<b>Resale value:") for title in titles(app))
    assert "Owning and renting cost the same at" in texts(app)


def test_a_guides_claim_beside_our_figure(app: AppTest) -> None:
    app.session_state["moves_break_even"] = False
    opened(app, "guide_claims")
    for name in (row["id"] for row in load_cost_presets()):
        app.selectbox(key="guide_claim").set_value(name).run()
        assert_no_error(app)
        preset = guide_presets()[name]
        shown = in_words(preset.computed(), preset)
        assert f"This model computes  \n**{shown}**" in texts(app)
        assert preset.note in texts(app)
        inputs = next(part.value for part in app.dataframe if "Figure of the guide" in part.value)
        assert len(inputs) == len(preset.given())
        lines = next(part.value for part in app.dataframe if "Line" in part.value)
        totals = lines.loc[lines["Line"] == "Total", f"Amount ({preset.scenario.currency})"]
        assert list(totals) == [money_number(preset.result().own_total), money_number(preset.result().rent_total)]
    app.session_state["guide_claims"] = False


def test_the_words_of_the_claims_are_those_of_the_table() -> None:
    for name, preset in guide_presets().items():
        assert words("en")[f"claims.title.{name}"] == preset.title
        assert words("en")[f"claims.note.{name}"] == preset.note


def test_the_cheapest_mix_for_the_example_demand(app: AppTest) -> None:
    with_fields(app, {})
    opened(app, "demand_mix")
    assert_no_error(app)
    costs, _ = cost_scenario(app.session_state["_scenario"], tables())
    mix = cheapest_mix(costs, EXAMPLE_GPU_HOURS)
    assert f"**{mix_sentence(mix, costs.currency)}**" in texts(app)
    table = next(part.value for part in app.dataframe if "Cards owned" in part.value)
    assert table["More than the cheapest"].iloc[mix.own_gpus] == "0.00 USD"


def test_the_sentence_of_the_mix_names_each_case() -> None:
    costs, _ = cost_scenario(Scenario(), tables())
    assert mix_sentence(cheapest_mix(costs, [1.0]), "USD").startswith("Own none, rent everything")
    assert mix_sentence(cheapest_mix(costs, [730.0]), "USD").startswith("Own 1, rent nothing")
    assert mix_sentence(cheapest_mix(costs, [700.0] * 11 + [1000.0]), "USD").startswith("Own 1, rent the peaks")


def test_cost_of_a_run_and_of_a_billion_tokens(app: AppTest) -> None:
    with_fields(app, {})
    table = next(part.value for part in app.dataframe if "Unit of work" in part.value)
    assert list(table["Unit of work"]) == ["Useful card-hour", "Finished run", "Billion tokens"]
    assert not (table == NOTHING).any(axis=None)
    with_fields(app, {"quality_points": 4.0})
    table = next(part.value for part in app.dataframe if "Unit of work" in part.value).set_index("Unit of work")
    own = table["Own (USD)"].astype(float)
    assert own["Point of quality (a run gains 4)"] == pytest.approx(own["Finished run"] / 4, abs=0.01)


def test_an_old_purchase_price_is_said_to_be_old_until_a_quote_is_typed(app: AppTest) -> None:
    with_fields(app, {})
    assert "the newest offer of a new RTX 4090 is of 2025-08" in texts(app)
    with_fields(app, {"own": {"gpu_price": 2000.0}})
    assert "The purchase price is old" not in texts(app)
    assert any("2,000 USD a card (your figure)" in chart.proto.spec for chart in app.get("plotly_chart"))


def test_a_rent_of_one_offer_is_said_to_be_and_counted_with_a_wide_range(app: AppTest) -> None:
    with_fields(app, {**H100, "market": "China"})
    assert "The rent of the H100 SXM rests on few offers (1, newest 2026-08-22)" in texts(app)
    with_fields(app, {**H100, "market": "China", "rent": {"price_per_gpu_hour": 3.0}})
    assert "rests on few offers" not in texts(app)


def test_the_switch_shows_the_value_today(app: AppTest) -> None:
    with_fields(app, H100 | {"own": {"selling_cost_fraction": 0.2}, "rent": {"price_per_gpu_hour": 6.0}})
    assert any(title.startswith("<b>Buying pays back in month") for title in titles(app))
    answer = money(app.session_state["_scenario"], tables())
    app.session_state["money_view"] = "npv"
    app.run()
    assert_no_error(app)
    assert answer.crossover_month_npv is not None
    month = f"month {month_number(answer.crossover_month_npv)} ({calendar_month(answer.crossover_month_npv)})"
    assert any(f"today's value, buying is ahead from {month}" in title for title in titles(app))
    app.session_state["money_view"] = "cash"


def test_rates_typed_in_the_sidebar_move_converted_amounts(app: AppTest) -> None:
    with_fields(app, {"currency": "CNY"})
    before = opening(app)
    app.number_input(key="usd_cny").set_value(13.44).run()
    assert_no_error(app)
    assert opening(app) != before
    assert app.session_state["_scenario"].money.usd_cny == 13.44


def test_the_parts_speak_chinese() -> None:
    app = go(start(lang="zh"), "own_versus_rent")
    for part in ("moves_break_even", "guide_claims", "demand_mix", "market_prices"):
        app.session_state[part] = True
    app.run()
    assert_no_error(app)
    assert words("zh")["prices.provider"] in {name for table in app.dataframe for name in table.value.columns}


def test_the_sliders_on_the_page_and_in_the_sidebar_move_each_other(app: AppTest) -> None:
    with_fields(app, {"utilisation": 33.0, "horizon_months": 24})
    assert (app.slider(key="money_utilisation").value, app.slider(key="money_horizon_months").value) == (33.0, 24)
    app.slider(key="money_utilisation").set_value(71.0)
    app.slider(key="money_horizon_months").set_value(48).run()
    assert (app.slider(key="utilisation").value, app.slider(key="horizon_months").value) == (71.0, 48)
    assert app.session_state["_scenario"].money.utilisation == 71.0
    app.slider(key="utilisation").set_value(12.0).run()
    assert app.slider(key="money_utilisation").value == 12.0
    assert go(go(app, "overview"), "own_versus_rent").slider(key="money_horizon_months").value == 48
