"""Answers about training time, as frames that pages draw."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from calc.answers_costs import cost_scenario
from calc.answers_hours import hours_with_range
from calc.answers_memory import fit_by_card
from calc.cases import take
from calc.cost_rent import interruption_stretch
from calc.market import at_rates_of, rental_prices
from calc.scenario import Scenario
from calc.scenario_cases import scenario_cases
from calc.tables import Tables
from calc.throughput import step_time
from gpudata.names import short_gpu_name

PARTS = ("compute", "memory", "communication", "overhead")


def time_by_card(scenario: Scenario, tables: Tables, gpus: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a card, fastest first: hours of the run with range, split by what limits the step, and its rent.

    The rent counts the work that spot interruptions repeat, and a typed price a card-hour for the card it belongs to.
    """
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
    price = _rent_per_hour(scenario, tables, names)
    for column, span in (("rent_cost", hours), ("rent_cost_low", low), ("rent_cost_high", high)):
        frame[column] = span * price
    return frame.sort_values("hours", kind="stable", na_position="last").reset_index(drop=True)


def _rent_per_hour(scenario: Scenario, tables: Tables, names: Sequence[str]) -> np.ndarray:
    """Rent of the scenario's number of cards for an hour of work, a value for each name; NaN without a price."""
    money = scenario.money
    rental = rental_prices(at_rates_of(money, tables), money.market, money.currency)
    price = rental[f"{money.rent_mode}_typical"].reindex(names).to_numpy(dtype=float, copy=True)
    rent = cost_scenario(scenario, tables)[0].rent
    if "price_per_gpu_hour" in money.rent:
        price[np.array(names) == (money.rent_gpu or scenario.hardware.gpu)] = money.rent["price_per_gpu_hour"]
    return price * scenario.hardware.num_gpus * np.asarray(interruption_stretch(rent), dtype=float)


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
