"""No combination of the widgets leads to an error: 200 random scenarios over the four pages."""

from __future__ import annotations

from typing import Any

import pytest
from app_driver import assert_no_error, go, opening, scenarios, start, with_fields
from hypothesis import given, settings
from streamlit.testing.v1 import AppTest


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return start()


@pytest.mark.parametrize("page", ["vram_fit", "training_time", "own_versus_rent", "overview"])
def test_any_scenario_gives_an_answer(app: AppTest, page: str) -> None:
    go(app, page)

    @settings(max_examples=50, derandomize=True)
    @given(scenarios())
    def check(fields: dict[str, Any]) -> None:
        with_fields(app, fields)
        assert_no_error(app)
        assert "nan" not in opening(app).lower()

    check()
