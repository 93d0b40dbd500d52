"""LibreOffice as a judge of our files: it calculates the workbook, and turns the deck into pages."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def require_office() -> str:
    """Path of LibreOffice; skips the test where there is none, or fails it where one is asked for."""
    path = shutil.which("soffice") or shutil.which("libreoffice")
    if path is None:
        if os.environ.get("REQUIRE_OFFICE") or os.environ.get("CI"):
            pytest.fail("no LibreOffice found, yet one is required here")
        pytest.skip("no LibreOffice on this machine")
    return path


def convert(sources: list[Path], kind: str, folder: Path) -> list[Path]:
    """Converts files in one start of LibreOffice (each start takes seconds); returns the new files."""
    office = require_office()
    profile = (folder / "profile").as_uri()
    out = folder / f"as-{kind}"
    command = [office, f"-env:UserInstallation={profile}", "--headless", "--convert-to", kind, "--outdir", str(out)]
    done = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, timeout=240, check=False)
    made = [out / f"{source.stem}.{kind}" for source in sources]
    assert all(path.exists() for path in made), f"LibreOffice did not convert: {done.stdout} {done.stderr}"
    return made
