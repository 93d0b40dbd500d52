"""All tables and fitted constants the answers need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd

import gpudata
from calc.devices import device_table
from gpudata.constants import load_intervals, load_memory_constants, load_time_constants


@dataclass(frozen=True, eq=False)
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


@lru_cache(maxsize=1)
def load_tables() -> Tables:
    """All committed tables, read and checked once a process. Raises gpudata.TableError naming a bad row."""
    gpus = gpudata.load_gpus()
    return Tables(
        gpus=gpus,
        devices=device_table(gpus, gpudata.load_achievable_matmul()),
        models=gpudata.load_models(),
        frameworks=gpudata.load_frameworks(),
        rental=gpudata.load_rental_prices(),
        purchase=gpudata.load_purchase_prices(),
        price_history=gpudata.load_price_history(),
        price_trends=gpudata.load_price_trends(),
        rates=gpudata.load_exchange_rates(),
        cost_parameters=gpudata.load_cost_parameters(),
        memory_constants=load_memory_constants(),
        time_constants=load_time_constants(),
        intervals=load_intervals(),
    )
