"""The house rules: which folder may import which, and where arithmetic may live."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("app", "pages", "ui", "calc", "gpudata")
FORBIDDEN = {
    "gpudata": {"streamlit", "plotly", "calc", "ui", "pages", "app"},
    "calc": {"streamlit", "plotly", "ui", "pages", "app"},
    "ui": {"pages", "app"},
    "pages": {"app", "plotly", "numpy"},
}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_imports_go_one_way(folder: str) -> None:
    assert modules(folder), f"{folder}/ holds no modules"
    wrong = {
        str(path.relative_to(ROOT)): sorted(imported(path) & FORBIDDEN[folder])
        for path in modules(folder)
        if imported(path) & FORBIDDEN[folder]
    }
    assert wrong == {}


def arithmetic(path: Path) -> list[int]:
    operators = (ast.Mult, ast.Div, ast.Sub, ast.Pow, ast.FloorDiv, ast.Mod)
    return [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.BinOp) and isinstance(node.op, operators)
    ]


def test_pages_hold_no_arithmetic() -> None:
    assert {path.name: arithmetic(path) for path in modules("pages") if arithmetic(path)} == {}


def test_files_stay_short() -> None:
    long = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for folder in (*FOLDERS[1:], "tests")
        for path in modules(folder)
    }
    assert {name: lines for name, lines in long.items() if lines > 500} == {}
