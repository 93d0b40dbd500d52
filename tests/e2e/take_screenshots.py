"""Drives the app in Chromium and saves the pictures that the README shows: ``python tests/e2e/take_screenshots.py``."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "screenshots"
PICTURES = {
    "overview.png": "/",
    "vram_fit.png": "/vram-fit",
    "own_versus_rent.png": "/own-versus-rent",
    "recommend.png": "/what-to-take",
}
START_SECONDS = 60


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str) -> None:
    last = time.monotonic() + START_SECONDS
    while time.monotonic() < last:
        try:
            if urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).read() == b"ok":
                return
        except OSError:
            time.sleep(0.3)
    raise TimeoutError(f"the app did not answer within {START_SECONDS} s")


def main() -> int:
    """Saves every picture; returns 1 where there is no browser."""
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        print("no Chromium found; on Debian: apt-get install chromium", file=sys.stderr)
        return 1
    address = f"http://127.0.0.1:{(port := _free_port())}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", "--server.headless=true"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(address)
        with sync_playwright() as play:
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
    finally:
        server.terminate()
        server.wait(timeout=20)
    return 0


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    sys.exit(main())
