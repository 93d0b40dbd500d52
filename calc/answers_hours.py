"""Hours of a whole run with their range."""

from __future__ import annotations

import numpy as np

from calc.cases import Cases
from calc.intervals import range_factors, time_groups
from calc.scenario import Scenario
from calc.tables import Tables
from calc.throughput import TimeEstimate, run_hours, step_time


def hours_with_range(
    scenario: Scenario, cases: Cases, tables: Tables
) -> tuple[TimeEstimate, np.ndarray, np.ndarray, np.ndarray]:
    """Step estimate, hours of the whole run, and the 80 % range of the hours."""
    estimate = step_time(cases, tables.time_constants)
    work = scenario.workload
    hours = np.asarray(
        run_hours(cases, estimate, samples=work.samples, tokens_per_sample=work.tokens_per_sample, epochs=work.epochs),
        dtype=float,
    )
    low, high = range_factors(time_groups(cases), tables.intervals["time"])
    # The ranges are of speed; a speed at its upper end gives the shortest run.
    return estimate, hours, hours / high, hours / low
