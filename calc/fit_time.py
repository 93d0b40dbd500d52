"""The time model's constants fitted to measured training speeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from calc import fit_constants
from calc.accuracy import measured_speed
from calc.case_table import CaseTable, text_of
from calc.cases import Cases, is_one_of
from calc.fit_constants import Fit, MeasuredRows, Model
from calc.intervals import time_groups
from calc.throughput import step_time
from calc.throughput_constants import PRIORS, TimeConstants


def _tokens_per_s_per_gpu(cases: Cases, constants: Any) -> Any:
    return step_time(cases, constants).tokens_per_s_per_gpu


MODEL = Model(
    priors=PRIORS,
    constants=TimeConstants,
    predict=_tokens_per_s_per_gpu,
    groups=time_groups,
    typical_error=0.12,  # between repeats of one published setting (up to 17 %)
    robustness=0.5,
    iterations=14,
    largest_move=0.5,
)
log_errors = MODEL.log_errors


def speed_rows(frame: pd.DataFrame, table: CaseTable, trust: tuple[str, ...] = ("A", "B", "")) -> MeasuredRows:
    """Rows of a table with a published speed [tokens/s a card] and the wanted trust that the model can predict."""
    measured = measured_speed(frame)
    if "grad_accum" in frame.columns and "cpu_offload" in frame.columns:
        # The cost of an optimizer step in host memory cannot be told where its share of the tokens is not given.
        unsaid = frame["grad_accum"].map(text_of) == ""
        on_host = ~np.asarray(is_one_of(frame["cpu_offload"].map(text_of).to_numpy(dtype=str), "none", ""))
        measured = measured.mask(unsaid & on_host)
    return fit_constants.measured_rows(MODEL, frame, table, measured, trust)


def fit_time(rows: MeasuredRows) -> Fit:
    """Fits all constants of the time model."""
    return fit_constants.fit(MODEL, rows)


def leave_one_source_out(rows: MeasuredRows) -> pd.DataFrame:
    """:func:`calc.fit_constants.leave_one_source_out` for tokens a second."""
    return fit_constants.leave_one_source_out(MODEL, rows)
