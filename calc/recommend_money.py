"""What a machine costs, as a straight line in the hours it works: for every card, number of cards and way of paying.

The lines are the cost model's own (``own_flows``, ``rent_flows``) at no use and at full use; between them every amount
is linear in the utilisation, so a thousand configurations of one machine share one evaluation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from calc.cost_defaults import CostDefaults, default_costs
from calc.cost_own import own_flows, rated_kilowatts
from calc.cost_rent import interruption_stretch, rent_flows
from calc.cost_scenario import with_values
from calc.market import purchase_prices, rental_prices
from calc.recommend_constraints import WEEKS_PER_MONTH, Constraints
from calc.scenario import CURRENCIES, Money, Scenario
from calc.tables import Tables
from gpudata.prices import Market, convert

Mode = Literal["own", "on_demand", "spot", "reserved"]
MODES: tuple[Mode, ...] = ("own", "on_demand", "spot", "reserved")
COMMITMENT_MONTHS = 12
"""Reserved prices are those of contracts over a year or more: a shorter need pays the year."""


@dataclass(frozen=True)
class MachineCost:
    """Amounts at no use and at full use, each a pair; NaN where the card has no price in this mode.

    ``once`` is paid at the start, ``month`` the mean bill of a month, ``total`` all of it over ``months`` with the
    resale counted; ``stretch`` wall time over working time under interruptions.
    """

    months: int
    once: tuple[float, float]
    month: tuple[float, float]
    total: tuple[float, float]
    stretch: float
    power_w: float


def term_months(scenario: Scenario, constraints: Constraints) -> int:
    """Months over which costs are counted: the horizon of steady use, or the term of a project, at least one."""
    if constraints.use == "steady":
        return scenario.money.horizon_months
    return max(1, math.ceil(constraints.term_weeks / WEEKS_PER_MONTH - 1e-9))


@lru_cache(maxsize=32)
def _rates(tables: Tables, currency: str) -> dict[str, float]:
    return {code: float(convert(1.0, code, currency, tables.rates)) for code in CURRENCIES}


@lru_cache(maxsize=8192)
def _defaults(
    tables: Tables,
    gpu: str,
    count: int,
    per_node: int,
    market: Market,
    currency: str,
    months: int,
    hours: float,
    mode: Any,
) -> CostDefaults:
    return default_costs(
        tables.gpus.set_index("gpu").loc[gpu].to_dict(),
        purchase_prices(tables, market, currency).loc[gpu].to_dict(),
        rental_prices(tables, market, currency).loc[gpu].to_dict(),
        tables.cost_parameters,
        market,
        currency,
        _rates(tables, currency),
        num_gpus=count,
        gpus_per_node=per_node,
        horizon_months=months,
        hours_per_month=hours,
        discount_rate=0.0,
        rent_mode=mode,
    )


@lru_cache(maxsize=8192)
def machine_cost(
    tables: Tables, gpu: str, count: int, per_node: int, mode: Mode, months: int, money: tuple[Any, ...]
) -> MachineCost:
    """Cost of one machine; ``money`` is ``money_terms`` of the scenario."""
    market, currency, hours = money
    paid = max(months, COMMITMENT_MONTHS) if mode == "reserved" else months
    kind = "on_demand" if mode == "own" else mode
    defaults = _defaults(tables, gpu, count, per_node, market, currency, paid, hours, kind)
    costs = with_values(defaults.scenario, {"utilisation": np.array([0.0, 1.0])})
    missing = "own.gpu_price" if mode == "own" else "rent.price_per_gpu_hour"
    power = 1000.0 * float(rated_kilowatts(costs.own))
    if missing in defaults.missing:
        nothing = (math.nan, math.nan)
        return MachineCost(months, nothing, nothing, nothing, 1.0, power)
    flows = own_flows(costs) if mode == "own" else rent_flows(costs)
    total = np.broadcast_to(np.asarray(flows.total(), dtype=float), 2)
    once = np.broadcast_to(np.asarray(sum(flows.at_start.values()), dtype=float), 2)
    end = np.broadcast_to(np.asarray(sum(flows.at_end.values()), dtype=float), 2)
    month = (total - once - end) / paid
    stretch = 1.0 if mode == "own" or costs.rent.always_on else float(np.max(interruption_stretch(costs.rent)))

    def pair(values: np.ndarray) -> tuple[float, float]:
        return float(values[0]), float(values[1])

    return MachineCost(months, pair(once), pair(month), pair(total), stretch, power)


def money_terms(money: Money) -> tuple[Any, ...]:
    """What of a scenario's money a machine's cost depends on."""
    return money.market, money.currency, money.hours_per_month
