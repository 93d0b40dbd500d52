"""Drives the app in Chromium and saves the pictures that the README shows: ``python tests/e2e/take_screenshots.py``."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from steps import ROOT, served

FOLDER = Path(__file__).resolve().parent / "screenshots"
PICTURES = {
    "overview.png": "/",
    "vram_fit.png": "/vram-fit",
    "own_versus_rent.png": "/own-versus-rent",
    "recommend.png": "/what-to-take",
}


def main() -> int:
    """Saves every picture; returns 1 where there is no browser."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        print("no Chromium found; on Debian: apt-get install chromium", file=sys.stderr)
        return 1
    with TemporaryDirectory() as logs, served("app.py", ROOT, Path(logs)) as address, sync_playwright() as play:
        options = ["--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")
        browser = play.chromium.launch(executable_path=browser_path, args=options)
        page = browser.new_page(viewport={"width": 1920, "height": 1080}, locale="en-US", color_scheme="light")
        for name, path in PICTURES.items():
            page.goto(address + path)
            page.wait_for_selector(".js-plotly-plot", timeout=60_000)
            page.wait_for_selector("[data-test-script-state=notRunning]", timeout=60_000)
            page.wait_for_timeout(1_500)  # Plotly draws after the script has ended
            page.screenshot(path=str(FOLDER / name))
        browser.close()
    return 0


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    sys.exit(main())
