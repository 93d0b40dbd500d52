"""The app on a free port and a browser to drive it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from steps import ROOT, served

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


@pytest.fixture(scope="session", name="address")
def _address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served("app.py", ROOT, tmp_path_factory.mktemp("server")) as address:
        yield address


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
