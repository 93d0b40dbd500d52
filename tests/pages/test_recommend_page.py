"""The recommender as a newcomer uses it: limits in, plan out, applied, explained; and where nothing fits."""

from __future__ import annotations

import json

import pytest
from app_driver import assert_no_error, go, opening, start
from streamlit.testing.v1 import AppTest

from calc.cost_scenario import MONEY_FIELDS
from calc.recommend import Constraints
from ui.links import encode
from ui.recommend_state import encode_limits
from ui.state import DEFAULTS


def said(app: AppTest) -> str:
    return " ".join(text.value for text in (*app.markdown, *app.caption))


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return go(start(), "recommend")


def test_a_newcomer_finds_a_plan_and_takes_it(app: AppTest) -> None:
    """Llama-3.1-8B, 20,000 samples, 3 weeks, 10,000 CNY: everything asked for stands on the page."""
    app.selectbox(key="recommend_market").set_value("China")
    app.selectbox(key="recommend_currency").set_value("CNY").run()
    app.selectbox(key="recommend_model").set_value("Llama-3.1-8B")
    app.number_input(key="recommend_samples").set_value(20_000)
    app.number_input(key="limit_term_weeks").set_value(3.0)
    app.number_input(key="limit_budget_once").set_value(10_000.0).run()
    assert_no_error(app)
    assert opening(app).startswith("### For Llama-3.1-8B, 20,000 samples × 3 epochs: take **")
    assert " CNY** in all" in opening(app)
    assert (app.session_state["market"], app.session_state["currency"]) == ("China", "CNY")
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert "speed costs" in figure["layout"]["title"]["text"].replace("<br>", " ")
    app.button(key="use_plan_1").click().run()
    assert_no_error(app)
    assert "The sidebar now holds" in said(app)
    chosen = app.session_state["_plan_note"]
    assert (app.session_state["gpu"], app.session_state["method"]) == (chosen["gpu"], chosen["method"])
    app.button(key="plan_note_close").click().run()
    assert "The sidebar now holds" not in said(app)


def test_every_card_has_an_answer_to_why_not(app: AppTest) -> None:
    answers = set()
    for gpu in ("RTX 4090", "T4 16GB", "H100-SXM5-80GB", "Cambricon MLU590"):
        app.selectbox(key="why_not_gpu").set_value(gpu).run()
        assert_no_error(app)
        answers.add(app.main.markdown[-1].value)
    assert len(answers) == 4
    # a card with more memory says what it costs and takes, not its memory alone
    larger = next(text for text in answers if text.startswith("The H100 SXM would do"))
    assert "Against the first plan it costs" in larger
    assert "less time" in larger


def test_limits_persist_over_pages_and_travel_in_the_link() -> None:
    wanted = Constraints(use="steady", budget_per_month=900.0, needs_ecc=True, methods=("qlora-4bit",))
    app = go(start(r=encode_limits(wanted), lang="zh"), "recommend")
    assert_no_error(app)
    assert app.number_input(key="limit_budget_per_month").value == 900.0
    assert "更多要求（已设 1 项）" in [part.label for part in app.expander]
    go(app, "vram_fit")
    go(app, "recommend")
    assert app.number_input(key="limit_budget_per_month").value == 900.0
    assert app.multiselect(key="limit_methods").value == ["qlora-4bit"]
    app.button(key="recommend_reset").click().run()
    assert app.session_state["limit_needs_ecc"] is False
    assert_no_error(app)


def test_where_nothing_fits_one_click_loosens_the_limit_that_binds() -> None:
    app = go(start(r=encode_limits(Constraints(budget_once=0.05)), lang="en"), "recommend")
    assert_no_error(app)
    assert "no plan keeps all your limits" in opening(app)
    assert "**Budget** stands in the way: it is set to 0.05 USD" in said(app)
    app.button(key="relax_0").click().run()
    assert_no_error(app)
    assert "take **" in opening(app)
    assert app.session_state["limit_budget_once"] > 0.05


def test_limits_that_clash_name_the_closest_plan() -> None:
    tight = Constraints(budget_once=0.01, deadline_hours=0.01, sides="own", needs_ecc=True)
    app = go(start(r=encode_limits(tight)), "recommend")
    assert_no_error(app)
    assert "Closest comes" in said(app)


def test_damaged_limits_are_said_and_a_change_of_currency_keeps_their_worth() -> None:
    app = go(start(r=encode_limits(Constraints(budget_once=1_000.0))[:-6]), "recommend")
    assert app.warning[0].value.startswith("The link's limits could not all be read")
    app.number_input(key="limit_budget_once").set_value(1_000.0).run()
    app.button_group(key="currency").set_value("CNY").run()
    assert app.session_state["limit_budget_once"] == pytest.approx(6_720)


def test_a_budget_converts_at_the_typed_rate_and_stays_in_its_range() -> None:
    limits = encode_limits(Constraints(budget_once=1_000.0, budget_per_month=1e12, use="steady"))
    app = go(start(s=encode({**DEFAULTS, "usd_cny": 10.0}), r=limits), "recommend")
    app.selectbox(key="recommend_currency").set_value("CNY").run()
    assert_no_error(app)
    assert app.session_state["limit_budget_once"] == 10_000.0
    assert app.session_state["limit_budget_per_month"] == 1e12


def test_cards_that_cost_nothing_have_plans() -> None:
    free = {"own": {name: 0.0 for name in MONEY_FIELDS["own"]}, "rent": {name: 0.0 for name in MONEY_FIELDS["rent"]}}
    limits = encode_limits(Constraints(goal="cheapest-run", sides="rent", max_num_gpus=1))
    app = go(start(s=encode({**DEFAULTS, **free}), r=limits), "recommend")
    assert_no_error(app)
    assert "one RTX 4090, rented on demand**. It costs **0.00 USD** in all" in opening(app)


def test_steady_use_of_no_hours_recommends_nothing() -> None:
    app = go(start(s=encode({**DEFAULTS, "utilisation": 0.0}), r=encode_limits(Constraints(use="steady"))), "recommend")
    assert_no_error(app)
    assert opening(app) == "### At 0 % utilisation **nothing is trained**, so no plan is better than another."
    app.number_input(key="limit_runs_per_month").set_value(2.0).run()
    assert_no_error(app)
    assert "take **" in opening(app)
