"""Predictions for a table of training runs: one output row for each input row, in the same order."""

from __future__ import annotations

import numpy as np
import pandas as pd

from calc.case_table import CaseTable, cases_from_frame
from calc.intervals import memory_groups, range_factors, time_groups
from calc.memory import peak_memory
from calc.tables import Tables
from calc.throughput import step_time
from calc.verdict import FITS, memory_verdict
from gpudata.names import resolve_gpu, resolve_model

OUTPUT_COLUMNS = (
    "case_id",
    "peak_mem_gib",
    "peak_mem_gib_low",
    "peak_mem_gib_high",
    "tokens_per_s_per_gpu",
    "tokens_per_s_per_gpu_low",
    "tokens_per_s_per_gpu_high",
    "step_s",
    "fits",
    "bottleneck",
    "error",
)


def read_cases(frame: pd.DataFrame, tables: Tables) -> CaseTable:
    """Cases of a table in the format of ``gpudata/measurements.csv``; ValueError where required columns are missing."""
    return cases_from_frame(frame, tables.devices, tables.models, tables.frameworks, resolve_gpu, resolve_model)


def predict_table(table: CaseTable, tables: Tables) -> pd.DataFrame:
    """Memory (of the kind asked), speed, verdict and bottleneck of every readable row; the reason for the others."""
    out = pd.DataFrame({name: [np.nan] * len(table.case_ids) for name in OUTPUT_COLUMNS})
    out["case_id"] = table.case_ids
    for name in ("fits", "bottleneck", "error"):
        out[name] = pd.Series([""] * len(out), dtype=object)
    for position, reason in table.errors.items():
        out.loc[position, "error"] = reason
    cases = table.cases
    if cases is None:
        return out
    memory, speed = peak_memory(cases, tables.memory_constants), step_time(cases, tables.time_constants)
    peak = np.asarray(memory.of_kind(cases.mem_kind), dtype=float)
    low, high = range_factors(memory_groups(cases), tables.intervals["memory"])
    rate = np.asarray(speed.tokens_per_s_per_gpu, dtype=float)
    rate_low, rate_high = range_factors(time_groups(cases), tables.intervals["time"])
    assert cases.device is not None
    verdict = memory_verdict(memory, low, high, cases.device.memory_gib_usable)
    rows = table.positions
    values = {
        "peak_mem_gib": peak,
        "peak_mem_gib_low": peak * low,
        "peak_mem_gib_high": peak * high,
        "tokens_per_s_per_gpu": rate,
        "tokens_per_s_per_gpu_low": rate * rate_low,
        "tokens_per_s_per_gpu_high": rate * rate_high,
        "step_s": np.asarray(speed.step_s, dtype=float),
    }
    for name, column in values.items():
        out.loc[rows, name] = np.broadcast_to(column, len(rows))
    words = np.where(verdict == FITS, "yes", verdict)
    out.loc[rows, "fits"] = words.astype(object)
    bottleneck = np.where(np.isnan(rate), "", np.asarray(speed.bottleneck))
    out.loc[rows, "bottleneck"] = bottleneck.astype(object)
    out.loc[rows[np.isnan(peak)], "error"] = "memory cannot be predicted from these settings"
    return out


def predict_frame(frame: pd.DataFrame, tables: Tables) -> pd.DataFrame:
    """:func:`read_cases` then :func:`predict_table`."""
    return predict_table(read_cases(frame, tables), tables)
