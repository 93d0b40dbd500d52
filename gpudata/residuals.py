"""Measured figures beside predictions made by a fit that never saw their source; written by ``python -m calc fit``."""

from __future__ import annotations

from functools import cache

import pandas as pd
from pydantic import Field

from gpudata.row_types import Positive, Row, Text
from gpudata.tables import FOLDER, read_table


class ResidualRow(Row):
    """One measurement: GiB per card (memory) or tokens a second per card (speed).

    ``position`` is the row in ``measurements.csv`` counted from 0, ``group`` the kind of setting that shares a range,
    ``log_ratio`` = ln(measured / predicted).
    """

    position: int = Field(ge=0)
    source: Text
    group: Text
    measured: Positive
    predicted: Positive
    log_ratio: float
    case_id: Text


@cache
def _cached(name: str) -> pd.DataFrame:
    return read_table(FOLDER / name, ResidualRow, ("case_id",))


def load_memory_residuals() -> pd.DataFrame:
    """Peak memory in GiB per card, key ``case_id``. Raises TableError for a bad row."""
    return _cached("memory_residuals.csv").copy()


def load_time_residuals() -> pd.DataFrame:
    """Tokens a second per card, key ``case_id``. Raises TableError for a bad row."""
    return _cached("time_residuals.csv").copy()
