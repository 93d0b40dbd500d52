"""Checkpoint arithmetic against the published check values and against a simulated machine."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calc.checkpointing import (
    availability_interval,
    daly_interval,
    effective_fraction,
    job_mtbf_hours,
    stretch,
    stretch_without_checkpoints,
    young_interval,
)

TABLE = Path(__file__).resolve().parents[2] / "gpudata" / "checkpoint_reference.csv"
MTBF_MINUTES = {"24h": 24 * 60.0, "6h": 6 * 60.0, "15min": 15.0}
SAVE_MINUTES, RESTART_MINUTES = 5.0, 10.0


def reference(case_id: str, column: str) -> float:
    with TABLE.open(encoding="utf-8") as file:
        return next(float(row[column]) for row in csv.DictReader(file) if row["case_id"] == case_id)


@pytest.mark.parametrize("case", MTBF_MINUTES)
def test_intervals_and_stretch_of_dalys_figures(case: str) -> None:
    mtbf = MTBF_MINUTES[case]
    daly = daly_interval(SAVE_MINUTES, mtbf)
    assert daly == pytest.approx(reference(f"daly-tau-{case}", "computed"), rel=1e-5)
    assert daly == pytest.approx(reference(f"daly-tau-{case}", "published"), rel=0.01)
    assert young_interval(SAVE_MINUTES, mtbf) == pytest.approx(reference(f"young-tau-{case}", "computed"), rel=1e-5)
    computed = stretch(mtbf, SAVE_MINUTES, RESTART_MINUTES)
    assert computed == pytest.approx(reference(f"stretch-{case}", "computed"), rel=1e-4)


@pytest.mark.parametrize("case", ["24h", "6h"])
def test_stretch_agrees_with_the_published_simulation(case: str) -> None:
    computed = stretch(MTBF_MINUTES[case], SAVE_MINUTES, RESTART_MINUTES)
    assert computed == pytest.approx(reference(f"stretch-sim-{case}", "computed"), rel=0.002)


def test_steps_per_checkpoint_of_changlan() -> None:
    steps = (availability_interval(10.0, 6000.0, 600.0) - 10.0) / 15.0
    assert steps == pytest.approx(reference("changlan-steps", "computed"), rel=0.001)
    assert steps == pytest.approx(reference("changlan-steps", "published"), rel=0.02)
    tc = availability_interval(10.0, 6000.0, 600.0)
    assert tc == pytest.approx(reference("saxena-tc", "computed"), rel=1e-6)


def test_job_mtbf_of_large_fleets() -> None:
    llama3 = 54 * 24 * 16_384 / 419
    assert llama3 == pytest.approx(reference("llama3-gpuh", "computed"), rel=1e-4)
    assert job_mtbf_hours(llama3, 16_384) == pytest.approx(reference("llama3-mtbi-h", "computed"), rel=1e-4)
    rsc1 = 1000 / 6.5 * 24 * 8
    assert job_mtbf_hours(rsc1, 16_384) == pytest.approx(reference("rsc1-16k", "computed"), rel=1e-4)
    assert job_mtbf_hours(rsc1, 1024) == pytest.approx(reference("rsc1-1024", "computed"), rel=1e-4)


def test_popular_claim_of_six_and_twenty_four_hours_without_checkpoints() -> None:
    assert stretch_without_checkpoints(24.0, [6.0, 24.0]) == pytest.approx([13.4, 1.72], rel=0.005)


def test_seed_values_of_one_and_eight_cards() -> None:
    lora = effective_fraction(6.0, np.array([1, 8]), 5 / 3600, 5 / 60)
    full = effective_fraction(6.0, np.array([1, 8]), 1 / 60, 10 / 60)
    assert lora == pytest.approx([0.9651, 0.8415], abs=2e-4)
    assert full == pytest.approx([0.9019, 0.6436], abs=2e-4)


@given(st.floats(0.1, 1e4), st.floats(1e-4, 0.05), st.floats(0.0, 1.0))
def test_dalys_interval_is_close_to_the_best_one(mtbf: float, save_share: float, restart: float) -> None:
    save = mtbf * save_share
    taus = daly_interval(save, mtbf) * np.linspace(0.5, 2.0, 301)
    best = stretch(mtbf, save, restart, taus).min()
    assert stretch(mtbf, save, restart) <= best * 1.001
    assert best > 1.0


def test_a_simulated_machine_takes_the_time_the_formula_says() -> None:
    rng = np.random.default_rng(5)
    mtbf, save, restart, tau, segments = 6.0, 0.1, 0.2, 1.0, 20_000
    elapsed, done = 0.0, 0
    while done < segments:
        failure = rng.exponential(mtbf)
        if failure >= tau + save:
            elapsed, done = elapsed + tau + save, done + 1
            continue
        elapsed += failure
        # the restart itself may be interrupted and then starts again
        while (again := rng.exponential(mtbf)) < restart:
            elapsed += again
        elapsed += restart
    assert elapsed / (segments * tau) == pytest.approx(float(stretch(mtbf, save, restart, tau)), rel=0.02)


def test_bad_times_are_named() -> None:
    with pytest.raises(ValueError, match="mtbf"):
        stretch(0.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="save_time"):
        daly_interval(-1.0, 1.0)
