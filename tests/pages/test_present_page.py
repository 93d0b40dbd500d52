"""The Present page without a browser: every slide of any scenario answers, in order, with the sliders in step."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from app_driver import assert_no_error, go, opening, scenarios, start, with_fields
from hypothesis import given, settings
from streamlit.testing.v1 import AppTest

from calc.scenario import scenario_from_flat_lenient
from calc.tables import load_tables
from ui.charts.enlarged import enlarged
from ui.charts.template import BODY_PX
from ui.slides import slides


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return go(start(), "present")


def charts(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def test_next_goes_through_all_slides_to_the_assumptions(app: AppTest) -> None:
    with_fields(app, {})
    seen = []
    while True:
        assert_no_error(app)
        seen.append(opening(app))
        if app.button(key="present_next").disabled:
            break
        app.button(key="present_next").click().run()
    assert len(seen) == len(set(seen)) == 8
    assert app.get("plotly_chart") == []
    assert len(app.get("arrow_table") or app.table) == 1
    app.button(key="present_previous").click().run()
    (chart,) = charts(app)
    assert chart["layout"]["template"]["layout"]["font"]["size"] > BODY_PX
    assert "height" not in chart["layout"]


def test_fewer_slides_leave_the_last_one_shown(app: AppTest) -> None:
    app.session_state["_present_place"] = 7
    with_fields(app, {"gpu": "Biren BR100 64GB", "market": "Europe", "currency": "EUR"})
    assert_no_error(app)
    assert any("5 of 5" in text.value for text in app.markdown)
    app.button(key="present_previous").click().run()
    assert "No price is known" in opening(app)
    assert app.get("plotly_chart") == []


@settings(max_examples=15, derandomize=True)
@given(scenarios())
def test_any_scenario_gives_slides_without_empty_charts(fields: dict[str, Any]) -> None:
    scenario, _ = scenario_from_flat_lenient(fields)
    for slide in slides(scenario, load_tables()):
        assert slide.sentence.strip()
        assert not re.search(r"\bnan\b", slide.sentence + slide.title + slide.source)
        if slide.figure is not None:
            assert any(len(trace.x if trace.x is not None else trace.y) for trace in slide.figure.data)


def test_enlarging_grows_pixels_and_leaves_the_data() -> None:
    figure = next(slide.figure for slide in slides(scenario_from_flat_lenient({})[0], load_tables()) if slide.figure)
    large = enlarged(figure, 2.0)
    assert [trace["x"] for trace in large.to_dict()["data"]] == [trace["x"] for trace in figure.to_dict()["data"]]
    assert large.layout.xaxis.range == figure.layout.xaxis.range
    assert large.layout.margin.l == 2 * figure.layout.margin.l
    assert large.layout.template.layout.xaxis.tickfont.size == 2 * BODY_PX
    assert large.layout.height is None
    marked = [trace.marker.size for trace in large.data if trace.type == "scatter" and trace.marker.size]
    assert marked == [2 * trace.marker.size for trace in figure.data if trace.type == "scatter" and trace.marker.size]
