"""Several scenarios side by side: memory, time, money and risks of each, what differs between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from calc.answers import headline
from calc.market import at_rates_of
from calc.scenario import ADAPTER_CHOICES, FLAT_FIELDS, MODEL_BY_SIZE, MODEL_CUSTOM, Scenario
from calc.tables import Tables
from gpudata.prices import convert


def _given(value: float | None) -> float:
    return np.nan if value is None else float(value)


def compare_row(scenario: Scenario, tables: Tables, currency: str) -> dict[str, Any]:
    """Everything one column of the comparison says; amounts in ``currency``, whatever the scenario's own.

    Time and cost of a run are NaN where the card does not hold the job: such a run does not happen. ``pay_back_month``:
    months until owning has paid for itself in cash, NaN beyond the horizon. ``memory_width``, ``time_width``: width of
    the 80 % range over the estimate. ``own_offers``, ``rent_offers``: how many offers the prices rest on.
    """
    found = headline(scenario, tables)
    money = found.money
    rates = at_rates_of(scenario.money, tables).rates
    factor = float(convert(1.0, scenario.money.currency, currency, rates))
    holds = found.verdict in ("fits", "tight")
    hours = found.hours if holds else np.nan
    priced = money.priced
    bought, rented = money.costs.own.gpu_price > 0, money.costs.rent.price_per_gpu_hour > 0
    return {
        "gpu": found.gpu,
        "short": found.gpu_short,
        "num_gpus": found.num_gpus,
        "verdict": found.verdict,
        "peak_gib": found.peak_gib,
        "low_gib": found.low_gib,
        "high_gib": found.high_gib,
        "usable_gib": found.usable_gib,
        "spare_gib": found.usable_gib - found.peak_gib,
        "hours": hours,
        "hours_low": found.hours_low if holds else np.nan,
        "hours_high": found.hours_high if holds else np.nan,
        "own_per_run": _given(money.own_cost_per_run) * factor if holds and bought else np.nan,
        "rent_per_run": _given(money.rent_cost_per_run) * factor if holds and rented else np.nan,
        "own_total": money.own_total * factor if bought else np.nan,
        "rent_total": money.rent_total * factor if rented else np.nan,
        "saving": money.saving * factor if priced else np.nan,
        "pay_back_month": _given(money.crossover_month_cash) if priced else np.nan,
        "break_even_share": _given(money.break_even_utilisation) if priced else np.nan,
        "own_wins": money.own_wins_probability if priced else np.nan,
        "memory_width": (found.high_gib - found.low_gib) / found.peak_gib,
        "time_width": (found.hours_high - found.hours_low) / found.hours if holds else np.nan,
        "own_offers": money.own_price.n_offers,
        "own_date": money.own_price.newest_date,
        "rent_offers": money.rent_price.n_offers,
        "rent_date": money.rent_price.newest_date,
        "horizon_months": scenario.money.horizon_months,
    }


def differences(frame: pd.DataFrame) -> pd.DataFrame:
    """Every number of ``compare_row`` less that of the first row; zero in the first."""
    numbers = frame.select_dtypes("number")
    return numbers - numbers.iloc[0]


def _matters(name: str, scenario: Scenario) -> bool:
    """Whether a field has any part in the scenario's answer."""
    work = scenario.workload
    if name.startswith("custom_"):
        return work.model == MODEL_CUSTOM
    if name == "model_size_b":
        return work.model == MODEL_BY_SIZE
    if name.startswith("lora_"):
        return work.method in ADAPTER_CHOICES
    return name != "quantisation" or work.method == "qlora-4bit"


def differing_fields(scenarios: Sequence[Scenario]) -> dict[str, list[Any]]:
    """Fields in which the scenarios are not all alike, each with its value by scenario.

    ``None`` where the field has no part in that scenario, such as the rank where no adapter is trained.
    """
    flats = [scenario.flat() for scenario in scenarios]
    found: dict[str, list[Any]] = {}
    for name in FLAT_FIELDS:
        values = [
            flat[name] if _matters(name, scenario) else None for flat, scenario in zip(flats, scenarios, strict=True)
        ]
        if any(value != values[0] for value in values):
            found[name] = values
    return found
