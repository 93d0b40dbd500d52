"""Answers about owning against renting, as frames that pages draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from calc.answers_costs import cost_defaults, cost_scenario
from calc.answers_hours import hours_with_range
from calc.cost import CostResult, CostScenario, evaluate
from calc.cost_answers import (
    cost_per_quality_point,
    cost_per_run,
    npv_if_sold_at,
    npv_saving,
    own_cost_of_gpu_hour,
)
from calc.cost_assumptions import Assumption
from calc.cost_flows import Floats
from calc.cost_map import saving_map
from calc.cost_rent import billed_hours
from calc.cost_scenario import with_values
from calc.market import at_rates_of, purchase_prices, rental_prices
from calc.scenario import Scenario
from calc.scenario_cases import scenario_cases
from calc.tables import Tables
from calc.uncertainty import simulate, tornado

MAP_UTILISATIONS = np.arange(0.0, 1.0001, 0.05)
MAP_MONTHS = 60


@dataclass(frozen=True)
class PriceRange:
    """Market range of one price, with what it rests on; NaN where nobody quotes it."""

    low: float
    typical: float
    high: float
    n_offers: int
    newest_date: str
    basis: str
    stale: bool
    condition: str = "new"  # of a purchase


@dataclass(frozen=True)
class MoneyAnswer:
    """Own against rent over the horizon, in the scenario's currency. ``None``: no such point.

    ``cumulative`` has month, own, rent and their 80 % bands in cash paid; ``cumulative_npv`` the same at its value
    today, the cards sold in that month. Costs per run and per quality point are ``None`` where a price they rest on is
    not known (or no points are given). ``probability`` the chance that owning is the cheaper side
    by each month; ``win_map`` the saving of owning by utilisation (0..1) and horizon; ``tornado`` the saving with one
    input at its low and its high.
    """

    priced: bool
    result: CostResult
    costs: CostScenario
    own_total: float
    rent_total: float
    saving: float
    crossover_month_cash: float | None
    crossover_month_npv: float | None
    crossover_low: float | None
    crossover_high: float | None
    crossover_npv_low: float | None
    crossover_npv_high: float | None
    break_even_utilisation: float | None
    break_even_rent_per_gpu_hour: float | None
    own_cost_per_hour: float | None
    own_cost_per_run: float | None
    rent_cost_per_run: float | None
    own_cost_per_point: float | None
    rent_cost_per_point: float | None
    billed_gpu_hours: float
    own_wins_probability: float
    resale: float
    cumulative: pd.DataFrame
    cumulative_npv: pd.DataFrame
    probability: pd.DataFrame
    own_lines: dict[str, float]
    rent_lines: dict[str, float]
    tornado: pd.DataFrame
    win_map: pd.DataFrame
    assumptions: list[Assumption]
    missing: list[str]
    own_price: PriceRange
    rent_price: PriceRange

    @property
    def back_at_horizon(self) -> float:
        """What the sale brings at the horizon less a debt still owed: cash paid by then less ``own_total``."""
        return self.resale - self.own_lines.get("loan_balance", 0.0)

    @property
    def own_wins_below(self) -> bool:
        """Whether owning wins below the break-even utilisation rather than above it, as against a reservation."""
        if not self.break_even_utilisation:
            return False
        return bool(npv_saving(with_values(self.costs, {"utilisation": 0.0})) > 0)


def _price_range(row: Mapping[str, Any], prefix: str = "", date: str = "newest_date") -> PriceRange:
    return PriceRange(
        low=float(row[f"{prefix}low"]),
        typical=float(row[f"{prefix}typical"]),
        high=float(row[f"{prefix}high"]),
        n_offers=int(row[f"{prefix}n"]),
        newest_date=str(row[date]),
        basis=str(row[f"{prefix}basis"]),
        stale=bool(row["stale"]),
        condition=str(row.get("condition", "new")),
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _run_hours(scenario: Scenario, tables: Tables) -> float:
    return float(hours_with_range(scenario, scenario_cases(scenario, tables), tables)[1][0])


def _with_bands(sides: tuple[Floats, Floats], bands: tuple[Floats, Floats]) -> pd.DataFrame:
    """Own and rent by month with the ends of their bands."""
    frame = pd.DataFrame({"month": np.arange(len(sides[0])), "own": sides[0], "rent": sides[1]})
    for side, band in zip(("own", "rent"), bands, strict=True):
        frame[f"{side}_low"], frame[f"{side}_high"] = band[0], band[2]
    return frame


def _per_point(cost: float | None, points: float) -> float | None:
    return None if cost is None else _finite(float(cost_per_quality_point(cost, points)))


def _win_map(costs: CostScenario) -> pd.DataFrame:
    saving = saving_map(costs, MAP_UTILISATIONS, MAP_MONTHS)[:, 1:]
    months = np.arange(1, MAP_MONTHS + 1)
    return pd.DataFrame(
        {
            "utilisation": np.repeat(MAP_UTILISATIONS, len(months)),
            "horizon_months": np.tile(months, len(MAP_UTILISATIONS)),
            "saving": saving.ravel(),
        }
    )


def money(scenario: Scenario, tables: Tables) -> MoneyAnswer:
    """Everything the money pages say. ``priced`` is False where the card has no purchase or no rental price.

    Raises pydantic.ValidationError where an overridden cost line is out of its range.
    """
    costs, ranges = cost_scenario(scenario, tables)
    defaults = cost_defaults(scenario, tables)
    result, spread = evaluate(costs), simulate(costs, ranges)
    hours = _run_hours(scenario, tables)
    own_known, rent_known = costs.own.gpu_price > 0, costs.rent.price_per_gpu_hour > 0

    def per_run(cost_per_hour: float | None, known: bool) -> float | None:
        if cost_per_hour is None or not known or not np.isfinite(hours):
            return None
        return float(cost_per_run(cost_per_hour, costs.own.num_gpus, hours))

    own_hour = _finite(float(own_cost_of_gpu_hour(costs)))
    own_run = per_run(own_hour, own_known)
    rent_run = per_run(result.rent_cost_per_useful_gpu_hour, rent_known)
    swings = [
        (swing.field, swing.low, swing.high, swing.saving_at_low, swing.saving_at_high)
        for swing in tornado(costs, ranges)
    ]
    local = scenario.money
    priced = at_rates_of(local, tables)
    purchase = purchase_prices(priced, local.market, local.currency).loc[scenario.hardware.gpu]
    rental = rental_prices(priced, local.market, local.currency).loc[local.rent_gpu or scenario.hardware.gpu]
    own_lines = {name: float(line.sum()) for name, line in result.own_lines.items() if line.any()}
    return MoneyAnswer(
        priced=own_known and rent_known,
        result=result,
        costs=costs,
        own_total=result.own_total,
        rent_total=result.rent_total,
        saving=result.saving,
        crossover_month_cash=result.crossover_month_cash,
        crossover_month_npv=result.crossover_month_npv,
        crossover_low=_finite(spread.crossover_cash[0]),
        crossover_high=_finite(spread.crossover_cash[2]),
        crossover_npv_low=_finite(spread.crossover_npv[0]),
        crossover_npv_high=_finite(spread.crossover_npv[2]),
        break_even_utilisation=result.break_even_utilisation,
        break_even_rent_per_gpu_hour=result.break_even_price_per_gpu_hour,
        own_cost_per_hour=own_hour,
        own_cost_per_run=own_run,
        rent_cost_per_run=rent_run,
        own_cost_per_point=_per_point(own_run, local.quality_points),
        rent_cost_per_point=_per_point(rent_run, local.quality_points),
        billed_gpu_hours=float(billed_hours(costs)) * costs.horizon_months,
        own_wins_probability=spread.own_wins_at_horizon,
        resale=-own_lines.get("resale", 0.0),
        cumulative=_with_bands((result.cumulative_own, result.cumulative_rent), (spread.own_cash, spread.rent_cash)),
        cumulative_npv=_with_bands(npv_if_sold_at(costs), (spread.own_npv, spread.rent_npv)),
        probability=pd.DataFrame({"month": spread.months[1:], "own_wins": spread.own_wins_npv[1:]}),
        own_lines=own_lines,
        rent_lines={name: float(line.sum()) for name, line in result.rent_lines.items() if line.any()},
        tornado=pd.DataFrame(swings, columns=["field", "low_value", "high_value", "saving_low", "saving_high"]),
        win_map=_win_map(costs),
        assumptions=list(defaults.assumptions),
        missing=list(defaults.missing),
        own_price=_price_range(purchase),
        rent_price=_price_range(rental, f"{local.rent_mode}_", f"{local.rent_mode}_date"),
    )
