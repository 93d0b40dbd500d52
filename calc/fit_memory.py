"""Fits the constants of the memory model to measured peaks, and tests them on sources left out whole.

Robust maximum a posteriori in the logarithms of the constants, as for the time model: every source weighs the same
(:func:`calc.intervals.source_weights`) and each constant is pulled towards what was known before
(``calc.memory_constants.PRIORS``). Nothing that shapes and formats decide is fitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from calc.accuracy import measured_memory_gib
from calc.case_table import CaseTable, text_of
from calc.cases import Cases
from calc.fit_time import take
from calc.intervals import memory_groups, source_weights
from calc.memory import peak_memory
from calc.memory_constants import PRIORS, MemoryConstants, prior_constants

NAMES = tuple(PRIORS)
TYPICAL_ERROR = 0.05  # spread of ln(predicted / measured) where the settings are fully stated
ROWS_WORTH = 12.0  # independent observations a whole source is counted for
ITERATIONS = 10
STEP = 0.02  # of a logarithm, for the slopes
LARGEST_MOVE = 0.4  # of a logarithm, in one iteration


@dataclass(frozen=True)
class MemoryRows:
    """Cases with a measured peak [GiB], their sources and the rows of the table they came from."""

    cases: Cases
    measured: np.ndarray
    source: np.ndarray
    positions: np.ndarray

    def some(self, index: np.ndarray) -> MemoryRows:
        """The rows at ``index``."""
        return MemoryRows(take(self.cases, index), self.measured[index], self.source[index], self.positions[index])


def memory_rows(frame: pd.DataFrame, table: CaseTable, trust: tuple[str, ...] = ("A", "B", "")) -> MemoryRows:
    """Rows of a table with a published peak and the wanted trust that the model can predict."""
    if table.cases is None:
        raise ValueError("no readable rows")
    measured = measured_memory_gib(frame).to_numpy(dtype=float)[table.positions]
    kept = measured > 0
    if "trust" in frame.columns:
        kept &= frame["trust"].map(text_of).isin(trust).to_numpy()[table.positions]
    predicted = peak_memory(table.cases, prior_constants()).of_kind(table.cases.mem_kind)
    kept &= ~np.isnan(np.asarray(predicted, dtype=float))
    names = np.array([table.case_ids[position].split("-")[0] for position in table.positions])
    everything = MemoryRows(table.cases, measured, names, np.asarray(table.positions))
    return everything.some(np.flatnonzero(kept))


def log_errors(rows: MemoryRows, constants: MemoryConstants) -> np.ndarray:
    """ln(predicted / measured peak) of each row."""
    predicted = peak_memory(rows.cases, constants).of_kind(rows.cases.mem_kind)
    return np.log(np.asarray(predicted, dtype=float) / rows.measured)


def _constants(logarithms: np.ndarray) -> MemoryConstants:
    return MemoryConstants(**dict(zip(NAMES, np.exp(logarithms).tolist(), strict=True)))


@dataclass(frozen=True)
class MemoryFit:
    """Fitted constants, standard deviation of each one's logarithm, and the rows used."""

    constants: MemoryConstants
    spread: dict[str, float]
    rows: int
    sources: int

    def table(self) -> dict[str, dict[str, Any]]:
        """What is written to ``gpudata/memory_constants.json``."""
        return {
            name: {
                "value": float(f"{getattr(self.constants, name):.4g}"),
                "uncertainty": float(f"{getattr(self.constants, name) * self.spread[name]:.2g}"),
                "unit": PRIORS[name].unit,
                "meaning": PRIORS[name].meaning,
                "before_fit": PRIORS[name].value,
                "rows": self.rows,
                "source": PRIORS[name].source,
            }
            for name in NAMES
        }


def fit_memory(rows: MemoryRows) -> MemoryFit:
    """Fits all constants by damped Gauss-Newton with robust weights; deterministic."""
    start = np.log([PRIORS[name].value for name in NAMES])
    precision = np.array([PRIORS[name].spread for name in NAMES]) ** -2
    share = source_weights(pd.Series(rows.source)) * ROWS_WORTH / TYPICAL_ERROR**2
    point = start.copy()
    normal = np.diag(precision)
    for _ in range(ITERATIONS):
        error = log_errors(rows, _constants(point))
        weight = share / (1 + (error / TYPICAL_ERROR) ** 2)
        slopes = np.empty((len(error), len(point)))
        for column in range(len(point)):
            moved = point.copy()
            moved[column] += STEP
            slopes[:, column] = (log_errors(rows, _constants(moved)) - error) / STEP
        normal = slopes.T @ (weight[:, None] * slopes) + np.diag(precision)
        gradient = slopes.T @ (weight * error) + precision * (point - start)
        move = np.linalg.solve(normal, gradient)
        point = point - np.clip(move, -LARGEST_MOVE, LARGEST_MOVE)
        if np.abs(move).max() < 1e-3:
            break
    spread = np.sqrt(np.diag(np.linalg.inv(normal)))
    names = dict(zip(NAMES, spread.tolist(), strict=True))
    return MemoryFit(_constants(point), names, len(rows.measured), len(set(rows.source.tolist())))


def leave_one_source_out(rows: MemoryRows) -> pd.DataFrame:
    """Every row predicted by constants fitted without its source.

    Columns: position (row of the input table), source, group, measured, predicted,
    log_ratio = ln(measured / predicted).
    """
    parts = []
    groups = np.broadcast_to(memory_groups(rows.cases), rows.measured.shape)
    for source in dict.fromkeys(rows.source.tolist()):
        out = np.flatnonzero(rows.source == source)
        fitted = fit_memory(rows.some(np.flatnonzero(rows.source != source))).constants
        left = rows.some(out)
        error = log_errors(left, fitted)
        parts.append(
            pd.DataFrame(
                {
                    "position": left.positions,
                    "source": source,
                    "group": groups[out],
                    "measured": left.measured,
                    "predicted": left.measured * np.exp(error),
                    "log_ratio": -error,
                }
            )
        )
    return pd.concat(parts, ignore_index=True).sort_values("position", ignore_index=True)
