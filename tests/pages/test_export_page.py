"""The export page: a button for every file, in both languages."""

from __future__ import annotations

import pytest
from app_driver import assert_no_error, go, opening, start

from ui.i18n import use_language, words

BUTTONS = {f"download_{name}" for name in ("deck", "workbook", "report", "tables", "scenario")}


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_file_has_its_button(code: str) -> None:
    app = go(start(lang=code), "export_all")
    assert_no_error(app)
    assert opening(app) == f"### {words(code)['export.opening']}"
    assert {button.key for button in app.get("download_button")} == BUTTONS
    charts = app.get("plotly_chart")
    assert len(charts) == 2  # the preview, and the one that makes Streamlit load Plotly for the zip


def test_files_are_made_in_the_language_of_the_page() -> None:
    from ui.export_parts import _in_language
    from ui.i18n import language

    with use_language("zh"):
        make = _in_language(lambda: language().encode())
    assert make() == b"zh"
