"""``python -m calc fit``: fits the constants of both models and the 80 % ranges, and writes them beside the tables.

The ranges come from residuals of sources that were left out of the fit whole, never from the fit's own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from calc.accuracy import summary
from calc.case_table import CaseTable
from calc.fit_memory import fit_memory, memory_rows
from calc.fit_memory import leave_one_source_out as memory_left_out
from calc.fit_time import fit_time, speed_rows
from calc.fit_time import leave_one_source_out as time_left_out
from calc.intervals import fit_group_ranges, range_factors

RESIDUALS = {"memory": "memory_residuals.csv", "time": "time_residuals.csv"}


def _write(path: Path, values: dict[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def covered_when_left_out(residuals: pd.DataFrame) -> pd.Series:
    """Whether each measurement lies in the range that the other sources' residuals give."""
    inside = pd.Series(False, index=residuals.index)
    for source, part in residuals.groupby("source"):
        rest = residuals[residuals["source"] != source]
        low, high = range_factors(part["group"].to_numpy(), fit_group_ranges(rest))
        ratio = part["measured"] / part["predicted"]
        inside.loc[part.index] = (ratio >= low) & (ratio <= high)
    return inside


def left_out_summary(residuals: pd.DataFrame) -> dict[str, Any]:
    """Error and coverage on sources the fit never saw: the accuracy to quote."""
    rows = residuals.assign(
        error=residuals["predicted"] / residuals["measured"] - 1, covered=covered_when_left_out(residuals)
    )
    return summary(rows)


def fit_all(frame: pd.DataFrame, table: CaseTable, folder: Path) -> dict[str, dict[str, Any]]:
    """Fits everything on one table and writes constants, ranges and left-out residuals to ``folder``."""
    memory, speed = memory_rows(frame, table), speed_rows(frame, table)
    _write(folder / "memory_constants.json", fit_memory(memory).table())
    _write(folder / "time_constants.json", fit_time(speed).table())
    left_out = {"memory": memory_left_out(memory), "time": time_left_out(speed)}
    for name, residuals in left_out.items():
        residuals["case_id"] = [table.case_ids[position] for position in residuals["position"]]
        residuals.to_csv(folder / RESIDUALS[name], index=False, float_format="%.5g")
    _write(folder / "intervals.json", {name: fit_group_ranges(residuals) for name, residuals in left_out.items()})
    return {name: left_out_summary(residuals) for name, residuals in left_out.items()}
