"""What the browser tests share: a server of Streamlit, waiting for a page, reading a picture."""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
START_SECONDS = 60


def _healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
            return bool(answer.read() == b"ok")
    except OSError:
        return False


@contextmanager
def served(script: str, folder: Path, log_folder: Path) -> Iterator[str]:
    """Address of ``script``, run by Streamlit in ``folder`` on a free port until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.headless", "true"]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1"]
    with (log_folder / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + START_SECONDS
            while not _healthy(address):
                assert server.poll() is None, "the server stopped at once"
                assert time.monotonic() < deadline, "the server did not come up"
                time.sleep(0.2)
            yield address
        finally:
            server.terminate()
            server.wait(10)


@contextmanager
def served_page(text: str, folder: Path) -> Iterator[str]:
    """Address of a page made of ``text``, with the app's own theme."""
    (folder / "page.py").write_text(text)
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit", ignore=shutil.ignore_patterns("secrets.toml"))
    with served("page.py", folder, folder) as address:
        yield address


def settle(page: Any) -> None:
    """Waits until the script of the page has ended and its charts had time to draw."""
    page.wait_for_timeout(300)
    page.wait_for_selector(READY)
    page.wait_for_timeout(200)


def size_and_first_pixel(data: bytes) -> tuple[int, int, tuple[int, ...]]:
    """Width, height and upper left pixel (red, green, blue) of a picture."""
    with Image.open(io.BytesIO(data)) as picture:
        return *picture.size, picture.convert("RGB").getpixel((0, 0))
