"""Answers about memory, as frames that pages draw."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from calc.cases import Cases, take
from calc.intervals import memory_groups, range_factors
from calc.memory import MemoryEstimate, peak_memory
from calc.scenario import Scenario
from calc.scenario_cases import scenario_cases
from calc.tables import Tables
from calc.verdict import memory_verdict
from gpudata.names import short_gpu_name


def memory_with_range(cases: Cases, tables: Tables) -> tuple[MemoryEstimate, np.ndarray, np.ndarray, np.ndarray]:
    """Estimate, its peak in GiB as the driver shows it, and the 80 % range around that."""
    estimate = peak_memory(cases, tables.memory_constants)
    peak = np.asarray(estimate.nvidia_smi_gib, dtype=float)
    low, high = range_factors(memory_groups(cases), tables.intervals["memory"])
    return estimate, peak, peak * low, peak * high


def _verdict_frame(cases: Cases, tables: Tables) -> tuple[pd.DataFrame, MemoryEstimate]:
    estimate, peak, low, high = memory_with_range(cases, tables)
    assert cases.device is not None
    usable = np.asarray(cases.device.memory_gib_usable, dtype=float)
    frame = pd.DataFrame(
        {
            "gpu": cases.device.name,
            "usable_gib": usable,
            "peak_gib": peak,
            "low_gib": low,
            "high_gib": high,
            "share": peak / usable,
            "verdict": memory_verdict(estimate, low / peak, high / peak, usable),
        }
    )
    frame.insert(1, "short", [short_gpu_name(str(name)) for name in frame["gpu"]])
    return frame, estimate


def fit_by_card(scenario: Scenario, tables: Tables, gpus: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a card in memory order: peak with range, verdict and components in GiB per GPU.

    ``host_ram_gib``: what offload keeps in the main memory of each machine.
    """
    names = list(gpus) if gpus is not None else list(tables.devices.index)
    frame, estimate = _verdict_frame(scenario_cases(scenario, tables, gpus=names), tables)
    for name, values in estimate.components.items():
        frame[name] = np.broadcast_to(np.asarray(values, dtype=float), len(frame))
    frame["host_ram_gib"] = np.broadcast_to(np.asarray(estimate.host_ram_gib, dtype=float), len(frame))
    return frame.sort_values(["usable_gib", "gpu"], kind="stable").reset_index(drop=True)


def fit_map(scenario: Scenario, tables: Tables, gpus: Sequence[str], methods: Sequence[str]) -> pd.DataFrame:
    """Long frame card x method: share of usable memory and verdict."""
    pairs = list(product(gpus, methods))
    cases = scenario_cases(scenario, tables, gpus=[g for g, _ in pairs], methods=[m for _, m in pairs])
    frame, _ = _verdict_frame(cases, tables)
    frame.insert(2, "method", [m for _, m in pairs])
    return frame[["gpu", "short", "method", "share", "verdict", "peak_gib", "low_gib", "high_gib", "usable_gib"]]


def memory_sweep(
    scenario: Scenario, tables: Tables, seq_lens: Sequence[int], micro_batches: Sequence[int]
) -> pd.DataFrame:
    """Long frame sequence length x micro batch: peak GiB on the chosen card."""
    pairs = list(product(micro_batches, seq_lens))
    cases = scenario_cases(scenario, tables, micro_batch=[b for b, _ in pairs], seq_len=[s for _, s in pairs])
    _, peak, low, high = memory_with_range(cases, tables)
    columns = {"seq_len": [s for _, s in pairs], "micro_batch": [b for b, _ in pairs]}
    return pd.DataFrame({**columns, "peak_gib": peak, "low_gib": low, "high_gib": high})


def memory_terms(scenario: Scenario, tables: Tables) -> list[dict[str, Any]]:
    """Every term of the chosen scenario's peak with its formula, numbers filled in, and its source."""
    return peak_memory(take(scenario_cases(scenario, tables), np.array(0)), tables.memory_constants).terms
