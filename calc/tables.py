"""All tables and fitted constants the answers need, handed in by whoever reads files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Tables:
    """Frames as the loaders of ``gpudata`` return them, plus the fitted constants.

    ``devices`` is :func:`calc.devices.device_table`'s frame, indexed by GPU name.
    """

    gpus: pd.DataFrame
    devices: pd.DataFrame
    models: pd.DataFrame
    frameworks: pd.DataFrame
    rental: pd.DataFrame
    purchase: pd.DataFrame
    price_history: pd.DataFrame
    price_trends: pd.DataFrame
    rates: pd.DataFrame
    cost_parameters: pd.DataFrame
    memory_constants: Any
    time_constants: Any
    intervals: dict[str, Any]
