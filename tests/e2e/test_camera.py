"""The camera in a real browser: a large picture on white, from a dark page as well."""

from __future__ import annotations

import shutil
import socket
import struct
import subprocess
import sys
import time
import urllib.request
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
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
    folder = tmp_path_factory.mktemp("camera")
    (folder / "page.py").write_text(SCRIPT.format(root=str(ROOT), tests=str(ROOT / "tests" / "ui")))
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit", ignore=shutil.ignore_patterns("secrets.toml"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "page.py", "--server.headless", "true"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, "--server.port", str(port), "--server.address", "127.0.0.1"],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(10)


def wait_until_healthy(address: str) -> None:
    for _ in range(120):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.5)
    raise AssertionError("the page did not come up")


def png_size_and_first_pixel(data: bytes) -> tuple[int, int, tuple[int, ...]]:
    """Width, height and upper left pixel of an 8-bit PNG with three or four channels."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    assert depth == 8
    channels = {2: 3, 6: 4}[colour]
    body, place = b"", 8
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        if data[place + 4 : place + 8] == b"IDAT":
            body += data[place + 8 : place + 8 + length]
        place += 12 + length
    # The first pixel of the first row is its own value under every PNG filter.
    return width, height, tuple(zlib.decompress(body)[1 : 1 + channels][:3])


@pytest.mark.e2e
def test_camera_is_white_and_large_in_the_dark_theme(camera_address: str, browser: Browser, tmp_path: Path) -> None:
    wait_until_healthy(camera_address)
    page = browser.new_page(color_scheme="dark", viewport={"width": 1280, "height": 900})
    page.goto(camera_address)
    plot = page.locator(".js-plotly-plot")
    plot.locator(".gtitle").wait_for(timeout=60_000)
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert ground == "rgb(18, 18, 18)"
    assert "invert" in plot.evaluate("element => getComputedStyle(element).filter")
    _, _, on_screen = png_size_and_first_pixel(plot.screenshot())
    assert on_screen == (18, 18, 18)
    plot.hover()
    with page.expect_download() as download:
        plot.locator(".modebar-btn[data-title*='ownload']").click()
    download.value.save_as(tmp_path / "chart.png")
    assert download.value.suggested_filename == "vram-fit_llama-3.1-8b_lora_1x-rtx-4090.png"
    page.close()
    width, height, corner = png_size_and_first_pixel((tmp_path / "chart.png").read_bytes())
    assert width >= 1920
    assert height >= 1080
    assert corner == (255, 255, 255)
