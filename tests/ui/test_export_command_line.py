"""``python -m ui.export``: picture files, or one line and status 2."""

from __future__ import annotations

import os
import shutil
import struct
import sys
from pathlib import Path

import pytest

from ui.export.__main__ import main


@pytest.fixture(name="scenario_file")
def _scenario_file(tmp_path: Path) -> Path:
    path = tmp_path / "scenario.json"
    path.write_text("{}", encoding="utf-8")
    return path


def test_a_missing_file_and_a_wrong_field_end_with_one_line_and_status_2(
    scenario_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario_file.write_text('{"num_gpus": 0}', encoding="utf-8")
    for path, says in ((scenario_file.with_name("none.json"), "none.json"), (scenario_file, "num_gpus")):
        assert main([str(path), "--out", str(scenario_file.parent / "out")]) == 2
        said = capsys.readouterr().err
        assert says in said
        assert said.count("\n") == 1
    assert not (scenario_file.parent / "out").exists()


def test_without_kaleido_it_says_how_to_get_it(
    scenario_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "kaleido", None)
    assert main([str(scenario_file), "--out", str(scenario_file.parent)]) == 2
    assert "requirements-export.txt" in capsys.readouterr().err


def test_without_a_browser_it_says_so(
    scenario_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("kaleido", reason="kaleido is optional")
    monkeypatch.setenv("BROWSER_PATH", str(scenario_file.parent / "no-such-browser"))
    assert main([str(scenario_file), "--out", str(scenario_file.parent)]) == 2
    said = capsys.readouterr().err
    assert "Chrome or Chromium" in said
    assert said.count("\n") == 1


@pytest.mark.e2e
def test_it_writes_every_chart_large(scenario_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("kaleido", reason="kaleido is optional")
    if not any(map(shutil.which, ("chromium", "google-chrome", "chrome"))):
        pytest.skip("no browser on this machine") if not os.environ.get("REQUIRE_BROWSER") else pytest.fail(
            "no browser"
        )
    folder = scenario_file.parent / "new" / "folder"
    assert main([str(scenario_file), "--out", str(folder), "--lang", "zh"]) == 0
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(written) == sorted(folder.iterdir())
    assert len(written) == 6
    for path in written:
        data = path.read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", data[16:24]) == (2560, 1440)
