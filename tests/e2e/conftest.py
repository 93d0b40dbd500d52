"""The app on a free port and a browser to drive it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
            return bool(answer.read() == b"ok")
    except OSError:
        return False


@pytest.fixture(scope="session", name="address")
def _address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    log = (tmp_path_factory.mktemp("server") / "log").open("w")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    server = subprocess.Popen(
        [*command, "--server.port", str(port), "--server.address", "127.0.0.1"], cwd=ROOT, stdout=log, stderr=log
    )
    try:
        deadline = time.monotonic() + 60
        while not _healthy(address):
            assert server.poll() is None, "the server stopped at once"
            assert time.monotonic() < deadline, "the server did not come up"
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait(10)
        log.close()


@pytest.fixture(scope="session", name="browser")
def _browser() -> Iterator[object]:
    path = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if path is None:
        if os.environ.get("REQUIRE_BROWSER") or os.environ.get("CI"):
            pytest.fail("no browser found, yet one is required here")
        pytest.skip("no Chromium or Chrome on this machine")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield browser
        browser.close()
