"""No combination of the widgets leads to an error: 200 random scenarios over all pages that answer one."""

from __future__ import annotations

import re
from itertools import cycle
from typing import Any

import pytest
from app_driver import assert_no_error, go, opening, scenarios, start, with_fields
from hypothesis import given, settings
from streamlit.testing.v1 import AppTest


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return start()


# The slower pages to draw take fewer of the 200 scenarios; the overview asks all three models at once.
@pytest.mark.parametrize(
    ("page", "scenarios_tried"),
    [
        *(("vram_fit", 45), ("training_time", 45), ("own_versus_rent", 25), ("overview", 32), ("recommend", 2)),
        *(("compare", 14), ("present", 20), ("export_all", 4), ("gpu_table", 13)),
    ],
)
def test_any_scenario_gives_an_answer(app: AppTest, page: str, scenarios_tried: int) -> None:
    go(app, page)
    slide = cycle(range(8))

    @settings(max_examples=scenarios_tried, derandomize=True)
    @given(scenarios())
    def check(fields: dict[str, Any]) -> None:
        app.session_state["_present_place"] = next(slide)
        app.session_state["_saved"] = []
        with_fields(app, fields)
        if page == "compare":
            app.button(key="add_to_compare").click().run()
        assert_no_error(app)
        assert not re.search(r"\bnan\b", opening(app).lower())

    check()
