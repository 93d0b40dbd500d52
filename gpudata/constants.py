"""Fitted constants of the models, as written by ``python -m calc fit``."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent


def _read(name: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return values


@lru_cache(maxsize=1)
def load_time_constants() -> dict[str, Any]:
    """Constants of the time model: name -> value, uncertainty, unit, meaning, rows used, source."""
    return _read("time_constants.json")


@lru_cache(maxsize=1)
def load_memory_constants() -> dict[str, Any]:
    """Constants of the memory model: name -> value, uncertainty, unit, meaning, rows used, source."""
    return _read("memory_constants.json")


@lru_cache(maxsize=1)
def load_intervals() -> dict[str, dict[str, Any]]:
    """80 % ranges: "memory" and "time" -> kind of setting -> low and high ln(measured / predicted), rows, sources."""
    return _read("intervals.json")
