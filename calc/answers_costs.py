"""The costs of a scenario: defaults of its card and market, with what the user typed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from calc.answers_hours import hours_with_range
from calc.cost import CostScenario
from calc.cost_defaults import CostDefaults, default_costs
from calc.cost_scenario import with_values
from calc.market import at_rates_of, purchase_prices, rental_prices
from calc.scenario import CURRENCIES, Hardware, Scenario
from calc.scenario_cases import scenario_cases
from calc.tables import Tables
from calc.uncertainty import Range
from gpudata.prices import Market, convert


class _Terms(NamedTuple):
    market: Market
    currency: str
    rent_gpu: str
    rent_mode: Literal["on_demand", "spot", "reserved"]
    horizon_months: int
    utilisation_share: float
    hours_per_month: float
    discount_rate: float


def relative_speed(scenario: Scenario, tables: Tables) -> float:
    """Speed of the rented card over the owned one on this work, so that both sides deliver the same training."""
    rented = scenario.money.rent_gpu
    if not rented or rented == scenario.hardware.gpu:
        return 1.0
    cases = scenario_cases(scenario, tables, gpus=[scenario.hardware.gpu, rented])
    _, hours, _, _ = hours_with_range(scenario, cases, tables)
    ratio = float(hours[0] / hours[1])
    return ratio if np.isfinite(ratio) and ratio > 0 else 1.0


@lru_cache(maxsize=256)
def _defaults(tables: Tables, hardware: Hardware, money: _Terms) -> CostDefaults:
    purchase = purchase_prices(tables, money.market, money.currency)
    rental = rental_prices(tables, money.market, money.currency)
    return default_costs(
        tables.gpus.set_index("gpu").loc[hardware.gpu].to_dict(),
        purchase.loc[hardware.gpu].to_dict(),
        rental.loc[money.rent_gpu or hardware.gpu].to_dict(),
        tables.cost_parameters,
        money.market,
        money.currency,
        {code: float(convert(1.0, code, money.currency, tables.rates)) for code in CURRENCIES},
        num_gpus=hardware.num_gpus,
        gpus_per_node=hardware.gpus_per_node,
        horizon_months=money.horizon_months,
        utilisation=money.utilisation_share,
        hours_per_month=money.hours_per_month,
        discount_rate=money.discount_rate,
        rent_mode=money.rent_mode,
    )


def cost_defaults(scenario: Scenario, tables: Tables) -> CostDefaults:
    """Costs of the scenario's card and market before anything is overridden, with ranges and sources."""
    money = scenario.money
    terms = _Terms(
        money.market,
        money.currency,
        money.rent_gpu,
        money.rent_mode,
        money.horizon_months,
        money.utilisation / 100,
        money.hours_per_month,
        money.discount_rate,
    )
    return _defaults(at_rates_of(money, tables), scenario.hardware, terms)


def cost_scenario(scenario: Scenario, tables: Tables) -> tuple[CostScenario, dict[str, Range]]:
    """The costs of a scenario with what the user overrode, and the ranges of the fields left as they were."""
    defaults = cost_defaults(scenario, tables)
    typed = {f"own.{name}": value for name, value in scenario.money.own.items()}
    typed |= {f"rent.{name}": value for name, value in scenario.money.rent.items()}
    values: dict[str, Any] = {"rent.relative_speed": relative_speed(scenario, tables), **typed}
    checked = CostScenario.model_validate(with_values(defaults.scenario, values).model_dump(warnings=False))
    return checked, {path: span for path, span in defaults.ranges.items() if path not in typed}
