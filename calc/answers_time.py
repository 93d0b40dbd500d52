"""Answers about training time, as frames that pages draw."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from calc.answers_memory import fit_by_card
from calc.cases import Cases, take
from calc.intervals import range_factors, time_groups
from calc.market import at_rates_of, rental_prices
from calc.scenario import Scenario
from calc.scenario_cases import scenario_cases
from calc.tables import Tables
from calc.throughput import TimeEstimate, run_hours, step_time
from gpudata.names import short_gpu_name

PARTS = ("compute", "memory", "communication", "overhead")


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


def time_by_card(scenario: Scenario, tables: Tables, gpus: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a card, fastest first: hours of the run with range, split by what limits the step, and its rent."""
    names = list(gpus) if gpus is not None else list(tables.devices.index)
    cases = scenario_cases(scenario, tables, gpus=names)
    estimate, hours, low, high = hours_with_range(scenario, cases, tables)
    frame = pd.DataFrame({"gpu": names, "short": [short_gpu_name(name) for name in names]})
    frame["hours"], frame["hours_low"], frame["hours_high"] = hours, low, high
    step = np.asarray(estimate.step_s, dtype=float)
    for part in PARTS:
        frame[f"{part}_h"] = hours * np.asarray(estimate.parts[part], dtype=float) / step
    frame["bottleneck"] = np.broadcast_to(np.asarray(estimate.bottleneck), len(frame))
    frame["tokens_per_s"] = np.asarray(estimate.tokens_per_s_per_gpu, dtype=float) * scenario.hardware.num_gpus
    fit = fit_by_card(scenario, tables, names).set_index("gpu")
    frame["verdict"] = fit["verdict"].reindex(names).to_numpy()
    money = scenario.money
    rent = rental_prices(at_rates_of(money, tables), money.market, money.currency)
    gpu_hours = scenario.hardware.num_gpus
    price = rent[f"{money.rent_mode}_typical"].reindex(names).to_numpy(dtype=float)
    for column, span in (("rent_cost", hours), ("rent_cost_low", low), ("rent_cost_high", high)):
        frame[column] = span * gpu_hours * price
    return frame.sort_values("hours", kind="stable", na_position="last").reset_index(drop=True)


def scaling(scenario: Scenario, tables: Tables, counts: Sequence[int], links: Sequence[str]) -> pd.DataFrame:
    """Long frame link x number of cards: speed-up against one card and efficiency."""
    pairs = list(product(links, counts))
    cases = scenario_cases(scenario, tables, num_gpus=[n for _, n in pairs], link=[link for link, _ in pairs])
    speed = np.asarray(step_time(cases, tables.time_constants).tokens_per_s_per_gpu, dtype=float)
    one = scenario_cases(scenario, tables, num_gpus=[1], link=["auto"])
    alone = float(np.asarray(step_time(one, tables.time_constants).tokens_per_s_per_gpu).ravel()[0])
    frame = pd.DataFrame({"link": [link for link, _ in pairs], "num_gpus": [n for _, n in pairs]})
    frame["efficiency"] = speed / alone
    frame["speedup"] = frame["efficiency"] * frame["num_gpus"]
    return frame


def time_terms(scenario: Scenario, tables: Tables) -> list[dict[str, Any]]:
    """Every term of one step with its formula, numbers filled in, and its source."""
    return step_time(take(scenario_cases(scenario, tables), np.array(0)), tables.time_constants).terms
