"""The memory model's constants fitted to measured peaks. Nothing that shapes and formats decide is fitted."""

from __future__ import annotations

from typing import Any

import pandas as pd

from calc import fit_constants
from calc.accuracy import measured_memory_gib
from calc.case_table import CaseTable
from calc.cases import Cases
from calc.fit_constants import Fit, MeasuredRows, Model
from calc.intervals import memory_groups
from calc.memory import peak_memory
from calc.memory_constants import PRIORS, MemoryConstants


def _peak_gib(cases: Cases, constants: Any) -> Any:
    return peak_memory(cases, constants).of_kind(cases.mem_kind)


MODEL = Model(
    priors=PRIORS,
    constants=MemoryConstants,
    predict=_peak_gib,
    groups=memory_groups,
    typical_error=0.05,  # where the settings are fully stated
    robustness=1.0,
    iterations=10,
    largest_move=0.4,
)
log_errors = MODEL.log_errors


def memory_rows(frame: pd.DataFrame, table: CaseTable, trust: tuple[str, ...] = ("A", "B", "")) -> MeasuredRows:
    """Rows of a table with a published peak [GiB] and the wanted trust that the model can predict."""
    return fit_constants.measured_rows(MODEL, frame, table, measured_memory_gib(frame), trust)


def fit_memory(rows: MeasuredRows) -> Fit:
    """Fits all constants of the memory model."""
    return fit_constants.fit(MODEL, rows)


def leave_one_source_out(rows: MeasuredRows) -> pd.DataFrame:
    """:func:`calc.fit_constants.leave_one_source_out` for peaks in GiB."""
    return fit_constants.leave_one_source_out(MODEL, rows)
