"""Axis ranges that hold everything drawn, and round ticks on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ui.format import money_short, number

_WIDE = 12.0  # ratio of largest to smallest above which a linear axis would hide the small values


def span_is_wide(values: Sequence[float]) -> bool:
    """Whether positive values span more than about one power of ten, so that a logarithmic axis reads better."""
    positive = [float(value) for value in values if np.isfinite(value) and value > 0]
    return bool(positive) and len(positive) == len(list(values)) and max(positive) / min(positive) > _WIDE


def log_range(low: float, high: float, margin: float = 0.06) -> list[float]:
    """Range for a logarithmic Plotly axis (powers of ten) that holds ``low`` to ``high`` with paper on both sides."""
    first, last = np.log10(low), np.log10(high)
    spare = max((last - first) * margin, 0.04)
    return [float(first - spare), float(last + spare)]


def log_ticks(low: float, high: float) -> dict[str, Any]:
    """Ticks 1, 2, 5 a power of ten (only 1 where the axis spans more than three powers)."""
    steps = (1, 2, 5) if np.log10(high / low) <= 3 else (1,)
    powers = range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 2)
    first, last = log_range(low, high)
    values = [step * 10.0**power for power in powers for step in steps]
    shown = [value for value in values if first <= np.log10(value) <= last]
    return {"tickvals": shown, "ticktext": [number(value, 4) for value in shown]}


def padded(low: float, high: float, margin: float = 0.06) -> list[float]:
    """Range for a linear axis that holds ``low`` to ``high``; starts at zero where all values are positive."""
    spare = max(high - min(low, 0.0), 1e-9) * margin
    return [0.0 if low >= 0 else low - spare, high + spare]


def money_ticks(low: float, high: float, count: int = 5) -> dict[str, Any]:
    """About ``count`` round ticks (1, 2, 5 a power of ten) on a linear axis, as short amounts in the language."""
    rough = max(high - low, 1e-9) / count
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    values = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step
    return {"tickvals": values.tolist(), "ticktext": [money_short(float(value)) for value in values]}
