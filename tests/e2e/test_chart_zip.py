"""All charts in one zip, drawn by a real browser: real files, large, on white, in both languages and themes, fast."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from steps import ROOT, served_page, size_and_first_pixel

SCRIPT = """
import sys
sys.path[:0] = [{root!r}]
import streamlit as st
from calc.scenario import Scenario
from calc.tables import load_tables
from ui.chart_zip import chart_zip
from ui.i18n import use_language
from ui.slides import slides
with use_language(st.query_params.get("lang", "en")):
    chart_zip(slides(Scenario(), load_tables()), "planner")
"""
NAMES = ["vram-fit", "training-time", "own-versus-rent", "who-wins", "cost-of-owning", "what-matters"]
SECONDS = 3.0


@pytest.fixture(scope="module", name="zip_address")
def _zip_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served_page(SCRIPT.format(root=str(ROOT)), tmp_path_factory.mktemp("zip")) as address:
        yield address


def opened(browser: Browser, address: str, language: str, theme: str) -> Page:
    page = browser.new_page(color_scheme=theme, viewport={"width": 1280, "height": 800})
    page.goto(f"{address}/?lang={language}")
    page.wait_for_function("window.Plotly !== undefined", timeout=60_000)
    return page


def saved(page: Page, picture_format: str, folder: Path) -> zipfile.ZipFile:
    with page.expect_download(timeout=60_000) as download:
        page.get_by_test_id(f"chart-zip-{picture_format}").click()
    assert download.value.suggested_filename == f"planner_{picture_format}.zip"
    download.value.save_as(folder / "charts.zip")
    return zipfile.ZipFile(folder / "charts.zip")


def seconds(page: Page) -> float:
    """How long the last zip took, by the page's own clock."""
    status = page.get_by_test_id("chart-zip-status")
    status.get_by_text("6").wait_for()
    return float(status.get_attribute("data-seconds") or "inf")


@pytest.mark.e2e
@pytest.mark.parametrize(("language", "theme"), [("en", "dark"), ("zh", "light")])
def test_the_zip_holds_every_chart_large_and_on_white(
    browser: Browser, zip_address: str, tmp_path: Path, language: str, theme: str
) -> None:
    page = opened(browser, zip_address, language, theme)
    with saved(page, "png", tmp_path) as found:
        assert found.testzip() is None
        assert found.namelist() == [f"{place:02d}_{name}.png" for place, name in enumerate(NAMES, start=1)]
        for name in found.namelist():
            assert size_and_first_pixel(found.read(name)) == (2560, 1440, (255, 255, 255))
    if (taken := seconds(page)) > SECONDS:  # once more, since other tests keep the machine busy
        saved(page, "png", tmp_path).close()
        taken = min(taken, seconds(page))
    assert taken < SECONDS

    with saved(page, "svg", tmp_path) as found:
        picture = found.read("01_vram-fit.svg").decode("utf-8")
    assert picture.startswith("<svg")
    assert {"en": "GiB per card", "zh": "每卡显存"}[language] in picture
    assert "rgb(18, 18, 18)" not in picture

    page.evaluate("window.Plotly = undefined")
    page.get_by_test_id("chart-zip-png").click()
    page.get_by_text({"en": "The camera button over each chart", "zh": "相机按钮"}[language]).wait_for(timeout=20_000)
    assert page.get_by_test_id("chart-zip-png").is_enabled()
    page.close()
