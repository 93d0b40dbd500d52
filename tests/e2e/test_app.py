"""A newcomer's minute in a real browser: load, move each slider, switch pages, reload, take a picture."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
SLIDERS = ("model_size_b", "method", "utilisation", "horizon_months")
PATHS = ("/", "/vram-fit", "/training-time", "/own-versus-rent")
SECOND = 1_000

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module", name="address")
def _address() -> Iterator[str]:
    if BROWSER is None:
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail("no Chromium found although REQUIRE_BROWSER is set")
        pytest.skip("no Chromium found")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
            try:
                if urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).read() == b"ok":
                    break
            except OSError:
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(name="page")
def _page(address: str) -> Iterator[Page]:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=list(OPTIONS))
        page = browser.new_page(viewport={"width": 1920, "height": 1080}, locale="en-US")
        page.set_default_timeout(60 * SECOND)
        page.goto(address)
        settled(page)
        yield page
        browser.close()


def settled(page: Page) -> None:
    """Waits until the script has run and charts are drawn."""
    page.wait_for_selector(".js-plotly-plot")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(SECOND)


def shown(page: Page, key: str) -> str:
    return page.locator(f".st-key-{key}").inner_text()


def move(page: Page, key: str) -> None:
    page.locator(f".st-key-{key} input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(SECOND)
    settled(page)


def test_every_slider_moves_and_is_kept_over_pages_and_a_reload(page: Page, address: str) -> None:
    before = {key: shown(page, key) for key in SLIDERS}
    for key in SLIDERS:
        move(page, key)
    after = {key: shown(page, key) for key in SLIDERS}
    assert all(after[key] != before[key] for key in SLIDERS)
    for link in ("VRAM fit", "Training time", "Own versus rent", "Overview"):
        page.get_by_role("link", name=link, exact=True).first.click()
        page.wait_for_timeout(SECOND)
        settled(page)
        assert {key: shown(page, key) for key in SLIDERS} == after
    page.reload()
    settled(page)
    assert {key: shown(page, key) for key in SLIDERS} == after


@pytest.mark.parametrize("path", PATHS)
def test_every_page_opens_from_its_address_without_an_error(page: Page, address: str, path: str) -> None:
    page.goto(address + path)
    settled(page)
    expect(page.locator("[data-testid=stException]")).to_have_count(0)
    assert re.search(r"RTX 4090", page.locator(".st-key-opening").inner_text())


def test_the_camera_saves_a_large_png(page: Page) -> None:
    chart = page.locator(".js-plotly-plot").first
    chart.hover()
    with page.expect_download() as download:
        chart.locator("[data-title*='ownload'], [data-attr=imageProperty]").first.click(force=True)
    data = Path(str(download.value.path())).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    assert width >= 1920
    assert height >= 1080
    assert "llama-3.1-8b" in download.value.suggested_filename.lower()
