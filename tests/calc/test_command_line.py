"""``python -m calc`` from outside: what it prints and returns where input or output is no good."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from calc.__main__ import READER_GONE, UNREADABLE, main

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "gpudata" / "measurements.csv"


def test_a_reader_that_leaves_early_gets_no_traceback(tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.json"
    scenario.write_text("{}", encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "calc", "cost", str(scenario)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (READER_GONE, "")


def first_runs(tmp_path: Path, count: int) -> str:
    path = tmp_path / "runs.csv"
    path.write_text("".join(RUNS.read_text(encoding="utf-8").splitlines(keepends=True)[: count + 1]), encoding="utf-8")
    return str(path)


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "nowhere" / "predicted.csv")
    assert main(["predict", first_runs(tmp_path, 2), "-o", target]) == UNREADABLE
    assert capsys.readouterr().err == f"{target} cannot be written: No such file or directory\n"


def test_accuracy_of_no_runs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = first_runs(tmp_path, 0)
    assert main(["accuracy", path]) == UNREADABLE
    assert capsys.readouterr().err == f"{path} has no rows\n"
