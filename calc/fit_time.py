"""Fits the constants of the time model to measured training speeds, and tests them on sources left out whole.

Robust maximum a posteriori in the logarithms of the constants: residuals are ln(predicted / measured), every source
weighs the same (:func:`calc.intervals.source_weights`), and each constant is pulled towards the value counted or
published beforehand (``calc.throughput_constants.PRIORS``), so that what the data cannot tell stays physical.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from calc.accuracy import measured_speed
from calc.case_table import CaseTable, text_of
from calc.cases import Cases, is_one_of
from calc.intervals import source_weights, time_groups
from calc.throughput import step_time
from calc.throughput_constants import PRIORS, TimeConstants, prior_constants

NAMES = tuple(PRIORS)
TYPICAL_ERROR = 0.12  # spread of ln(predicted / measured) between repeats of one published setting (up to 17 %)
ROWS_WORTH = 12.0  # independent observations a whole source is counted for
ITERATIONS = 14
STEP = 0.02  # of a logarithm, for the slopes
LARGEST_MOVE = 0.5  # of a logarithm, in one iteration


@dataclass(frozen=True)
class SpeedRows:
    """Cases with a measured speed [tokens/s a card], their sources and the rows of the table they came from."""

    cases: Cases
    measured: np.ndarray
    source: np.ndarray
    positions: np.ndarray


def take(cases: Cases, rows: np.ndarray) -> Cases:
    """Some of an array of cases."""

    def pick(value: Any) -> Any:
        if hasattr(value, "__dataclass_fields__"):
            return replace(value, **{f.name: pick(getattr(value, f.name)) for f in fields(value)})
        array = np.asarray(value)
        return array[rows] if array.ndim else value

    return replace(cases, **{f.name: pick(getattr(cases, f.name)) for f in fields(cases)})


def speed_rows(frame: pd.DataFrame, table: CaseTable, trust: tuple[str, ...] = ("A", "B", "")) -> SpeedRows:
    """Rows of a table with a published speed and the wanted trust that the model can predict."""
    if table.cases is None:
        raise ValueError("no readable rows")
    measured = measured_speed(frame).to_numpy(dtype=float)[table.positions]
    kept = measured > 0
    if "trust" in frame.columns:
        kept &= frame["trust"].map(text_of).isin(trust).to_numpy()[table.positions]
    kept &= ~np.isnan(np.asarray(step_time(table.cases, prior_constants()).step_s, dtype=float))
    if "grad_accum" in frame.columns:
        # The cost of an optimizer step in host memory cannot be told where its share of the tokens is not given.
        unsaid = (frame["grad_accum"].map(text_of) == "").to_numpy()[table.positions]
        kept &= ~(unsaid & ~np.asarray(is_one_of(table.cases.cpu_offload, "none")))
    index = np.flatnonzero(kept)
    names = np.array([table.case_ids[position].split("-")[0] for position in table.positions])
    return SpeedRows(take(table.cases, index), measured[index], names[index], table.positions[index])


def log_errors(rows: SpeedRows, constants: TimeConstants) -> np.ndarray:
    """ln(predicted / measured speed) of each row."""
    return np.log(np.asarray(step_time(rows.cases, constants).tokens_per_s_per_gpu, dtype=float) / rows.measured)


def _constants(logarithms: np.ndarray) -> TimeConstants:
    return TimeConstants(**dict(zip(NAMES, np.exp(logarithms).tolist(), strict=True)))


@dataclass(frozen=True)
class TimeFit:
    """Fitted constants, standard deviation of each one's logarithm, and the rows used."""

    constants: TimeConstants
    spread: dict[str, float]
    rows: int
    sources: int

    def table(self) -> dict[str, dict[str, Any]]:
        """What is written to ``gpudata/time_constants.json``."""
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


def fit_time(rows: SpeedRows) -> TimeFit:
    """Fits all constants by damped Gauss-Newton with robust weights; deterministic."""
    start = np.log([PRIORS[name].value for name in NAMES])
    precision = np.array([PRIORS[name].spread for name in NAMES]) ** -2
    share = source_weights(pd.Series(rows.source)) * ROWS_WORTH / TYPICAL_ERROR**2
    point = start.copy()
    normal = np.diag(precision)
    for _ in range(ITERATIONS):
        error = log_errors(rows, _constants(point))
        weight = share / np.sqrt(1 + (error / TYPICAL_ERROR) ** 2)
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
    return TimeFit(_constants(point), names, len(rows.measured), len(set(rows.source)))


def leave_one_source_out(rows: SpeedRows) -> pd.DataFrame:
    """Every row predicted by constants fitted without its source.

    Columns: position (row of the input table), source, group, measured, predicted and
    log_ratio = ln(measured / predicted).
    """
    parts = []
    groups = np.broadcast_to(time_groups(rows.cases), rows.measured.shape)
    for source in dict.fromkeys(rows.source.tolist()):
        out = np.flatnonzero(rows.source == source)
        rest = np.flatnonzero(rows.source != source)
        learnt = SpeedRows(take(rows.cases, rest), rows.measured[rest], rows.source[rest], rows.positions[rest])
        fitted = fit_time(learnt).constants
        left = SpeedRows(take(rows.cases, out), rows.measured[out], rows.source[out], rows.positions[out])
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
