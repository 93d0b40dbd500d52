"""One click applies a remedy, the page's verdict follows, and one more click takes it back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from app_driver import assert_no_error, go, opening, start, with_fields
from streamlit.testing.v1 import AppTest

FULL = {"method": "full-16bit"}


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return start()


def click(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    assert_no_error(app)


def keys(app: AppTest) -> list[str]:
    return [button.key for button in app.button if button.key]


def texts(app: AppTest) -> list[str]:
    return [text.value for text in app.markdown]


def gib(text: str) -> float:
    """First amount of memory in a text."""
    found = re.search(r"([\d.]+) GiB", text)
    assert found is not None
    return float(found.group(1))


def values(app: AppTest, *names: str) -> list[Any]:
    return [app.session_state[name] for name in names]


def test_a_way_that_is_applied_makes_the_job_fit_and_undo_brings_it_back(app: AppTest) -> None:
    with_fields(go(app, "vram_fit"), FULL)
    before = opening(app)
    assert "does not hold" in before
    assert "#### Three ways to make it fit" in texts(app)
    assert sum("least change" in text for text in texts(app)) == 2  # on its card and in the list
    needed = gib(app.metric[0].value)
    freed = next(gib(text) for text in texts(app) if text.startswith("**QLoRA 4-bit**") and "frees" in text)
    click(app, "apply_way_1")
    assert gib(app.metric[0].value) == pytest.approx(needed - freed, abs=0.11)  # each rounded to a tenth
    assert values(app, "method") == ["qlora-4bit"]
    assert "holds it" in opening(app)
    assert "apply_way_0" not in keys(app)
    assert app.button(key="undo").label == "Undo: back to Full 16-bit"
    click(app, "undo")
    assert opening(app) == before
    assert "undo" not in keys(app)


def test_the_full_list_applies_one_change_at_a_time(app: AppTest) -> None:
    with_fields(go(app, "vram_fit"), FULL)
    first = opening(app)
    click(app, "apply_single_fused_loss")
    assert values(app, "fused_loss") == ["yes"]
    assert opening(app) != first
    click(app, "apply_single_optimizer_8bit")
    assert values(app, "fused_loss", "optimizer") == ["yes", "adamw-8bit"]
    assert "undo" in keys(app)
    click(app, "undo")
    click(app, "undo")
    assert opening(app) == first


def test_undo_goes_once_the_scenario_has_moved_on(app: AppTest) -> None:
    with_fields(go(app, "vram_fit"), FULL)
    click(app, "apply_single_fused_loss")
    with_fields(app, {**FULL, "fused_loss": "partial"})
    assert "undo" not in keys(app)


def test_a_fitting_job_shows_its_room_and_takes_the_largest_model(app: AppTest) -> None:
    with_fields(go(app, "vram_fit"), {"method": "qlora-4bit"})
    assert "#### Room to spare" in texts(app)
    assert any("promise 10 % to 15 %" in caption.value for caption in app.caption)
    assert "apply_faster_fused_loss" in keys(app)
    click(app, "apply_largest_model_size_b")
    assert values(app, "model") == ["by-size"]
    assert values(app, "model_size_b")[0] > 8
    assert "holds it" in opening(app)
    click(app, "undo")
    assert values(app, "model", "model_size_b") == ["Llama-3.1-8B", 8.0]


def test_the_overview_offers_three_changes_of_one_click(app: AppTest) -> None:
    with_fields(go(app, "overview"), {})
    assert "#### Change one thing" in texts(app)
    assert [key for key in keys(app) if key.startswith("apply_")] == ["apply_top_0", "apply_top_1", "apply_top_2"]
    tight = opening(app)
    assert "tightly" in tight
    click(app, "apply_top_0")
    assert "tightly" not in opening(app)
    click(app, "undo")
    assert opening(app) == tight
    with_fields(app, FULL)
    assert "#### Three ways to make it fit" in texts(app)
