"""The committed constants come from the committed fit, and the fit does what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gpudata
from calc.case_table import cases_from_frame
from calc.devices import device_table
from calc.fit_constants import Fit, MeasuredRows
from calc.fit_time import fit_time, leave_one_source_out, log_errors, speed_rows
from calc.intervals import source_weights, weighted_quantile
from calc.throughput import step_time
from calc.throughput_constants import prior_constants
from gpudata.constants import load_time_constants
from gpudata.names import resolve_gpu, resolve_model


@pytest.fixture(scope="module")
def rows() -> MeasuredRows:
    path = Path(gpudata.__file__).parent / "measurements.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    devices = device_table(gpudata.load_gpus(), gpudata.load_achievable_matmul())
    models, frameworks = gpudata.load_models(), gpudata.load_frameworks()
    return speed_rows(frame, cases_from_frame(frame, devices, models, frameworks, resolve_gpu, resolve_model))


@pytest.fixture(scope="module")
def fitted(rows: MeasuredRows) -> Fit:
    return fit_time(rows)


def test_rows_are_the_trusted_ones_with_a_speed(rows: MeasuredRows) -> None:
    assert len(rows.measured) > 500
    assert "swift" not in set(rows.source)  # trust C: real lengths unknown
    assert np.isfinite(log_errors(rows, prior_constants())).all()


def test_committed_constants_are_what_the_fit_gives(fitted: Fit) -> None:
    committed = load_time_constants()
    for name, entry in fitted.table().items():
        assert committed[name]["value"] == pytest.approx(entry["value"], rel=0.02), name


def test_fit_recovers_constants_it_was_not_told(rows: MeasuredRows) -> None:
    truth = prior_constants().with_(matmul_share=0.85, passes_plain=5.0, launch_us=20.0)
    made = np.asarray(step_time(rows.cases, truth).tokens_per_s_per_gpu, dtype=float)
    fitted = fit_time(MeasuredRows(rows.cases, made, rows.source, rows.positions))
    assert fitted.constants.launch_us == pytest.approx(20.0, rel=0.05)
    assert fitted.constants.passes_plain == pytest.approx(5.0, rel=0.1)
    assert np.abs(log_errors(MeasuredRows(rows.cases, made, rows.source, rows.positions), fitted.constants)).max() < 0.1


def test_left_out_rows_do_not_touch_their_own_prediction(rows: MeasuredRows) -> None:
    few = rows.some(np.flatnonzero(np.isin(rows.source, ["litgpt", "peft"])))
    spoiled = few.measured.copy()
    spoiled[few.source == "peft"] *= 10
    honest = leave_one_source_out(few)
    changed = leave_one_source_out(MeasuredRows(few.cases, spoiled, few.source, few.positions))
    of_peft = (honest["source"] == "peft").to_numpy()
    assert changed["predicted"][of_peft].to_numpy() == pytest.approx(honest["predicted"][of_peft].to_numpy())
    assert (changed["predicted"][~of_peft] > honest["predicted"][~of_peft]).mean() > 0.5


def test_fitted_errors_are_within_the_goal(rows: MeasuredRows, fitted: Fit) -> None:
    error = np.abs(np.expm1(log_errors(rows, fitted.constants)))
    weights = source_weights(pd.Series(rows.source))
    assert weighted_quantile(error, weights, 0.5) < 0.12
    assert weighted_quantile(error, weights, 0.9) < 0.40
