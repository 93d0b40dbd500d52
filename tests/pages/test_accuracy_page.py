"""The accuracy page: sentence, filters, tables, in both languages."""

from __future__ import annotations

import json

import pytest
from app_driver import assert_no_error, go, opening, start
from streamlit.testing.v1 import AppTest

from ui.accuracy_parts import evidence, verdicts
from ui.format import percent


@pytest.fixture(scope="module", name="untouched")
def _untouched() -> AppTest:
    return go(start(), "accuracy")


@pytest.fixture
def app() -> AppTest:
    return go(start(), "accuracy")


def figure(app: AppTest) -> dict:
    return json.loads(app.get("plotly_chart")[0].proto.spec)


def points(app: AppTest) -> int:
    return sum(len(trace["customdata"]) for trace in figure(app)["data"] if trace.get("mode") == "markers")


def titled(app: AppTest) -> str:
    return figure(app)["layout"]["title"]["text"]


def test_the_sentence_says_both_errors(untouched: AppTest) -> None:
    assert_no_error(untouched)
    assert "Half" in titled(untouched)
    assert opening(untouched).startswith("### Memory: half of all runs within **")
    assert "Speed: half within **" in opening(untouched)


def test_the_cards_show_both_wrong_verdicts(untouched: AppTest) -> None:
    shown = {card.label: card.value for card in untouched.metric}
    assert shown["Called “fits”, ran out of memory"] == percent(verdicts().accepted_share)
    assert shown["Called “does not fit”, yet ran"] == percent(verdicts().refused_share)


def test_every_run_is_a_point_with_its_source(untouched: AppTest) -> None:
    rows = evidence().left_out.query("quantity == 'memory'")
    hovers = [
        point[0]
        for trace in figure(untouched)["data"]
        if trace.get("mode") == "markers"
        for point in trace["customdata"]
    ]
    assert len(hovers) == len(rows)
    assert all("<br>http" in hover for hover in hovers)


def test_filters_narrow_the_chart_and_survive_a_visit_elsewhere(app: AppTest) -> None:
    app.multiselect(key="acc_method").set_value(["qlora"])
    app.multiselect(key="acc_gpu").set_value(["T4 16GB"]).run()
    assert_no_error(app)
    kept = evidence().left_out.query("quantity == 'memory' and method == 'qlora' and gpu == 'T4 16GB'")
    assert points(app) == len(kept) > 0
    go(app, "vram_fit")
    go(app, "accuracy")
    assert app.multiselect(key="acc_method").value == ["qlora"]
    assert points(app) == len(kept)


def test_filters_that_leave_nothing_say_so(app: AppTest) -> None:
    app.multiselect(key="acc_method").set_value(["dora"])
    app.multiselect(key="acc_gpu").set_value(["T4 16GB"]).run()
    assert_no_error(app)
    assert [note.value for note in app.info] == ["No published run passes all four filters. Clear one of them."]


def test_speed_has_its_own_rows_and_rule(app: AppTest) -> None:
    app.button_group(key="acc_quantity").set_value("speed").run()
    assert_no_error(app)
    assert points(app) == len(evidence().left_out.query("quantity == 'speed'"))
    rules = next(table.value for table in app.dataframe if "Rule" in table.value.columns)
    assert rules["Rule"].tolist() == ["This model", "6 × parameters × tokens at 40 % of the datasheet"]
    assert rules["Half within (%)"].iloc[0] < rules["Half within (%)"].iloc[1]


def test_it_speaks_chinese() -> None:
    app = start()
    app.session_state["lang"] = "zh"
    go(app, "accuracy")
    assert_no_error(app)
    assert opening(app).startswith("### 显存：一半的运行误差在")
