"""The camera in a real browser: a large picture on white, from a dark page as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from steps import READY, ROOT, served_page, size_and_first_pixel

SCRIPT = """
import sys
sys.path[:0] = [{root!r}, {tests!r}]
import chart_frames as frames
from calc.scenario import Scenario
from ui.charts.memory import capacity_view
from ui.charts.template import Heading
from ui.export import show_chart
heading = Heading("One RTX 4090 holds it", "LoRA", "Prices of 2026-10")
show_chart(capacity_view(frames.fit(), heading), "vram-fit", frames.fit(), Scenario())
"""


@pytest.fixture(scope="module", name="camera_address")
def _camera_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    text = SCRIPT.format(root=str(ROOT), tests=str(ROOT / "tests" / "ui"))
    with served_page(text, tmp_path_factory.mktemp("camera")) as address:
        yield address


@pytest.mark.e2e
def test_camera_is_white_and_large_in_the_dark_theme(camera_address: str, browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page(color_scheme="dark", viewport={"width": 1280, "height": 900})
    page.goto(camera_address)
    plot = page.locator(".js-plotly-plot")
    plot.locator(".gtitle").wait_for(timeout=60_000)
    page.wait_for_selector(READY)
    ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert ground == "rgb(18, 18, 18)"
    assert "invert" in plot.evaluate("element => getComputedStyle(element).filter")
    _, _, on_screen = size_and_first_pixel(plot.screenshot())
    assert on_screen == (18, 18, 18)
    plot.hover()
    with page.expect_download() as download:
        plot.locator(".modebar-btn[data-title*='ownload']").click()
    download.value.save_as(tmp_path / "chart.png")
    assert download.value.suggested_filename == "vram-fit_llama-3.1-8b_lora_1x-rtx-4090.png"
    page.close()
    width, height, corner = size_and_first_pixel((tmp_path / "chart.png").read_bytes())
    assert width >= 1920
    assert height >= 1080
    assert corner == (255, 255, 255)
