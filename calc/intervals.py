"""80 % ranges of the estimates, from residuals of measurements whose whole source was left out of the fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from calc.cases import Cases, is_one_of

LOW_QUANTILE, HIGH_QUANTILE = 0.1, 0.9
FULL_WEIGHT_ROWS = 8
MIN_SOURCES, MIN_ROWS = 2, 12
UNMEASURED_WIDENING = 1.5


def source_weights(sources: pd.Series) -> np.ndarray:
    """Row weights under which every source counts the same, one with fewer than 8 rows in proportion."""
    counts = sources.map(sources.value_counts()).to_numpy(dtype=float)
    return np.minimum(1.0, counts / FULL_WEIGHT_ROWS) / counts


def weighted_quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """Quantile of weighted values (midpoint rule); NaN for none."""
    if len(values) == 0:
        return float("nan")
    order = np.argsort(values)
    ranked, weight = np.asarray(values, dtype=float)[order], np.asarray(weights, dtype=float)[order]
    position = (np.cumsum(weight) - weight / 2) / weight.sum()
    return float(np.interp(share, position, ranked))


def memory_groups(cases: Cases) -> np.ndarray:
    """Kind of setting by which memory residuals are grouped: what is trained, and one card or several."""
    base = np.where(cases.trains_all, "full", np.where(np.asarray(cases.quantised), "quantised", "frozen-16bit"))
    several = np.where(np.asarray(cases.num_gpus) > 1, "several", "one")
    return np.char.add(np.char.add(base.astype(str), " "), several.astype(str))


def time_groups(cases: Cases) -> np.ndarray:
    """Kind of setting by which speed residuals are grouped: software class, and one card or several."""
    plain = np.where(is_one_of(cases.framework, "plain"), "plain", "optimised")
    several = np.where(np.asarray(cases.num_gpus) > 1, "several", "one")
    return np.char.add(np.char.add(plain.astype(str), " "), several.astype(str))


def fit_group_ranges(residuals: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Quantiles of ln(measured / predicted) by group.

    ``residuals`` has columns source, group, log_ratio. A group with few sources takes the overall range, widened.
    """

    def one(part: pd.DataFrame) -> dict[str, float]:
        weights, values = source_weights(part["source"]), part["log_ratio"].to_numpy()
        return {
            "low": weighted_quantile(values, weights, LOW_QUANTILE),
            "high": weighted_quantile(values, weights, HIGH_QUANTILE),
            "rows": float(len(part)),
            "sources": float(part["source"].nunique()),
        }

    overall = one(residuals)
    ranges = {"overall": overall}
    for name, part in residuals.groupby("group"):
        found = one(part)
        if found["sources"] < MIN_SOURCES or found["rows"] < MIN_ROWS:
            found = {
                **found,
                "low": min(found["low"], overall["low"]),
                "high": max(found["high"], overall["high"]),
            }
        ranges[str(name)] = found
    return ranges


def range_factors(groups: np.ndarray, ranges: Mapping[str, Mapping[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers (low, high) for estimates of the groups; one never measured gets the overall range, widened."""
    overall = ranges["overall"]
    wide = {
        "low": overall["low"] * UNMEASURED_WIDENING,
        "high": overall["high"] * UNMEASURED_WIDENING,
    }
    names = np.asarray(groups)
    low = np.array([ranges.get(str(name), wide)["low"] for name in names.ravel()]).reshape(names.shape)
    high = np.array([ranges.get(str(name), wide)["high"] for name in names.ravel()]).reshape(names.shape)
    # The estimate itself always lies inside its own range.
    return np.exp(np.minimum(low, -0.01)), np.exp(np.maximum(high, 0.01))
