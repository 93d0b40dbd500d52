"""Fits constants of a model to measured figures, and tests the fit on sources left out whole.

Robust maximum a posteriori in the logarithms of the constants: residuals are ln(predicted / measured), every source
weighs the same (:func:`calc.intervals.source_weights`), and each constant is pulled towards the value counted or
published beforehand, so that what the data cannot tell stays physical. Damped Gauss-Newton; deterministic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from calc.case_table import CaseTable, text_of
from calc.cases import Cases, take
from calc.intervals import source_weights
from calc.throughput_constants import Prior

ROWS_WORTH = 12.0  # independent observations a whole source is counted for
STEP = 0.02  # of a logarithm, for the slopes
ENOUGH = 1e-3  # of a logarithm: the largest move at which the fit ends


@dataclass(frozen=True)
class MeasuredRows:
    """Cases with a measured figure, their sources and the rows of the table they came from."""

    cases: Cases
    measured: np.ndarray
    source: np.ndarray
    positions: np.ndarray

    def some(self, index: np.ndarray) -> MeasuredRows:
        """The rows at ``index``."""
        return MeasuredRows(take(self.cases, index), self.measured[index], self.source[index], self.positions[index])


@dataclass(frozen=True)
class Model:
    """What is fitted: priors of the constants, the constants' type, and the prediction they give.

    ``typical_error``: spread of ln(predicted / measured) of well-described rows; residuals beyond it lose weight as
    (1 + (residual / typical_error)^2)^-``robustness``. ``groups`` names each case's kind of setting.
    """

    priors: Mapping[str, Prior]
    constants: Callable[..., Any]
    predict: Callable[[Cases, Any], Any]
    groups: Callable[[Cases], np.ndarray]
    typical_error: float
    robustness: float
    iterations: int
    largest_move: float

    def from_logarithms(self, logarithms: np.ndarray) -> Any:
        """Constants of the given logarithms, in the priors' order."""
        return self.constants(**dict(zip(self.priors, np.exp(logarithms).tolist(), strict=True)))

    def prior_constants(self) -> Any:
        """Constants before any fit."""
        return self.constants(**{name: prior.value for name, prior in self.priors.items()})

    def log_errors(self, rows: MeasuredRows, constants: Any) -> np.ndarray:
        """ln(predicted / measured) of each row."""
        return np.log(np.asarray(self.predict(rows.cases, constants), dtype=float) / rows.measured)


@dataclass(frozen=True)
class Fit:
    """Fitted constants, standard deviation of each one's logarithm, and the rows used."""

    model: Model
    constants: Any
    spread: dict[str, float]
    rows: int
    sources: int

    def table(self) -> dict[str, dict[str, Any]]:
        """What is written to the file of constants."""
        return {
            name: {
                "value": float(f"{getattr(self.constants, name):.4g}"),
                "uncertainty": float(f"{getattr(self.constants, name) * self.spread[name]:.2g}"),
                "unit": prior.unit,
                "meaning": prior.meaning,
                "before_fit": prior.value,
                "rows": self.rows,
                "source": prior.source,
            }
            for name, prior in self.model.priors.items()
        }


def measured_rows(
    model: Model, frame: pd.DataFrame, table: CaseTable, measured: pd.Series, trust: tuple[str, ...] = ("A", "B", "")
) -> MeasuredRows:
    """Rows of a table with a published figure and the wanted trust that the model can predict.

    Raises ValueError where the table holds no readable row.
    """
    if table.cases is None:
        raise ValueError("no readable rows")
    values = measured.to_numpy(dtype=float)[table.positions]
    kept = values > 0
    if "trust" in frame.columns:
        kept &= frame["trust"].map(text_of).isin(trust).to_numpy()[table.positions]
    kept &= ~np.isnan(np.asarray(model.predict(table.cases, model.prior_constants()), dtype=float))
    names = np.array([table.case_ids[position].split("-")[0] for position in table.positions])
    everything = MeasuredRows(table.cases, values, names, np.asarray(table.positions))
    return everything.some(np.flatnonzero(kept))


def fit(model: Model, rows: MeasuredRows) -> Fit:
    """Fits all constants of a model."""
    start = np.log([prior.value for prior in model.priors.values()])
    precision = np.array([prior.spread for prior in model.priors.values()]) ** -2
    share = source_weights(pd.Series(rows.source)) * ROWS_WORTH / model.typical_error**2
    point, normal = start.copy(), np.diag(precision)
    for _ in range(model.iterations):
        error = model.log_errors(rows, model.from_logarithms(point))
        weight = share / (1 + (error / model.typical_error) ** 2) ** model.robustness
        slopes = np.empty((len(error), len(point)))
        for column in range(len(point)):
            moved = point.copy()
            moved[column] += STEP
            slopes[:, column] = (model.log_errors(rows, model.from_logarithms(moved)) - error) / STEP
        normal = slopes.T @ (weight[:, None] * slopes) + np.diag(precision)
        move = np.linalg.solve(normal, slopes.T @ (weight * error) + precision * (point - start))
        point = point - np.clip(move, -model.largest_move, model.largest_move)
        if np.abs(move).max() < ENOUGH:
            break
    spread = dict(zip(model.priors, np.sqrt(np.diag(np.linalg.inv(normal))).tolist(), strict=True))
    sources = len(set(rows.source.tolist()))
    return Fit(model, model.from_logarithms(point), spread, len(rows.measured), sources)


def leave_one_source_out(model: Model, rows: MeasuredRows) -> pd.DataFrame:
    """Every row predicted by constants fitted without its source.

    Columns: position (row of the input table), source, group, measured, predicted,
    log_ratio = ln(measured / predicted).
    """
    parts = []
    groups = np.broadcast_to(model.groups(rows.cases), rows.measured.shape)
    for source in dict.fromkeys(rows.source.tolist()):
        out = np.flatnonzero(rows.source == source)
        learnt = fit(model, rows.some(np.flatnonzero(rows.source != source))).constants
        left = rows.some(out)
        error = model.log_errors(left, learnt)
        columns = {
            "position": left.positions,
            "source": source,
            "group": groups[out],
            "measured": left.measured,
            "predicted": left.measured * np.exp(error),
            "log_ratio": -error,
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True).sort_values("position", ignore_index=True)
