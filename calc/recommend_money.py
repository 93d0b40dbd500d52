"""What a machine costs, as a straight line in its use: for every card, number of cards and way of paying.

The lines are the cost model's own (``own_flows``, ``rent_flows``) at no use and at full use; between them every amount
is linear in the utilisation, so thousands of configurations of one machine share one evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from calc.cost_assumptions import Parameters
from calc.cost_defaults import RentMode, default_costs
from calc.cost_own import own_flows, rated_kilowatts
from calc.cost_rent import interruption_stretch, rent_flows
from calc.cost_scenario import CostScenario, with_values
from calc.market import purchase_prices, rental_prices
from calc.recommend_constraints import WEEKS_PER_MONTH, Constraints
from calc.recommend_market import card_facts
from calc.scenario import CURRENCIES, Money, Scenario
from calc.tables import Tables
from gpudata.prices import Market, convert

Mode = Literal["own", "on_demand", "spot", "reserved"]
MODES: tuple[Mode, ...] = ("own", "on_demand", "spot", "reserved")
OF_THE_CARD = frozenset({"gpu_price", "gpu_power_w", "idle_power_w", "num_gpus", "price_per_gpu_hour", "host_price"})
"""Cost lines a person typed for one card; they say nothing about another."""


@dataclass(frozen=True, eq=False)
class _Prices:
    """What the cost model asks for, looked up once a market and currency; rows as plain mappings by card."""

    parameters: Parameters
    rates: dict[str, float]
    gpus: dict[Any, Any]
    purchase: dict[Any, Any]
    rental: dict[Any, Any]
    facts: dict[Any, Any]


@dataclass(frozen=True)
class MoneyTerms:
    """What of a scenario's money the costs of a machine depend on; ``typed`` are the user's own cost lines."""

    market: Market
    currency: str
    hours_per_month: float
    per_node: int
    months: int
    gpu: str
    typed: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class MachineCost:
    """Amounts (at no use, at full use) in the scenario's currency.

    ``once`` is paid at the start, ``month`` the mean bill of a month, ``total`` everything over ``paid_months`` with
    the resale counted; ``stretch`` wall time over working time under interruptions; ``power_w`` rated, with hosts.
    """

    once: tuple[float, float]
    month: tuple[float, float]
    total: tuple[float, float]
    paid_months: int
    stretch: float
    power_w: float


@lru_cache(maxsize=16)
def _prices(tables: Tables, market: Market, currency: str) -> _Prices:
    rates = {code: float(convert(1.0, code, currency, tables.rates)) for code in CURRENCIES}
    return _Prices(
        parameters=Parameters(tables.cost_parameters, currency, rates),
        rates=rates,
        gpus=tables.gpus.set_index("gpu").to_dict("index"),
        purchase=purchase_prices(tables, market, currency).to_dict("index"),
        rental=rental_prices(tables, market, currency).to_dict("index"),
        facts=card_facts(tables, market, currency).to_dict("index"),
    )


def term_months(money: Money, constraints: Constraints) -> int:
    """Months over which costs are counted: the horizon of steady use, or the term of a project, at least one."""
    if constraints.use == "steady":
        return money.horizon_months
    return max(1, math.ceil(constraints.term_weeks / WEEKS_PER_MONTH - 1e-9))


def money_terms(scenario: Scenario, constraints: Constraints) -> MoneyTerms:
    """Terms of a scenario under the constraints' kind of use."""
    money = scenario.money
    typed = {f"own.{name}": value for name, value in money.own.items()}
    typed |= {f"rent.{name}": value for name, value in money.rent.items()}
    return MoneyTerms(
        money.market,
        money.currency,
        money.hours_per_month,
        scenario.hardware.gpus_per_node,
        term_months(money, constraints),
        scenario.hardware.gpu,
        tuple(sorted(typed.items())),
    )


def machine_modes(tables: Tables, terms: MoneyTerms, gpu: str, count: int) -> list[Mode]:
    """Ways of paying that have a price of their own; cards come in multiples of the least that is sold or rented."""
    facts = _prices(tables, terms.market, terms.currency).facts[gpu]
    return [mode for mode in MODES if facts[f"quoted_{mode}"] and count % facts[f"together_{mode}"] == 0]


@lru_cache(maxsize=16384)
def machine_costs(tables: Tables, terms: MoneyTerms, gpu: str, count: int, mode: RentMode, months: int) -> CostScenario:
    """The cost scenario of a machine over ``months``, owned or rented in ``mode``, at no use and at full use.

    Cost lines the user typed replace the defaults; those of a card only on the card they were typed for.
    """
    known = _prices(tables, terms.market, terms.currency)
    defaults = default_costs(
        known.gpus[gpu],
        known.purchase[gpu],
        known.rental[gpu],
        known.parameters,
        terms.market,
        terms.currency,
        known.rates,
        num_gpus=count,
        gpus_per_node=terms.per_node,
        horizon_months=months,
        hours_per_month=terms.hours_per_month,
        discount_rate=0.0,
        rent_mode=mode,
    )
    values: dict[str, Any] = {
        path: value for path, value in terms.typed if gpu == terms.gpu or path.split(".")[1] not in OF_THE_CARD
    }
    return with_values(defaults.scenario, {**values, "utilisation": np.array([0.0, 1.0])})


@lru_cache(maxsize=16384)
def machine_cost(tables: Tables, terms: MoneyTerms, gpu: str, count: int, mode: Mode) -> MachineCost:
    """Amounts of one machine in one way of paying; a reservation is paid for its commitment at least."""
    months = terms.months
    if mode == "reserved":
        months = max(months, int(_prices(tables, terms.market, terms.currency).facts[gpu]["commitment"]))
    # both sides are in every cost scenario: owning shares that of renting on demand
    costs = machine_costs(tables, terms, gpu, count, "on_demand" if mode == "own" else mode, months)
    flows = own_flows(costs) if mode == "own" else rent_flows(costs)
    total, once, end = (
        np.broadcast_to(np.asarray(value, dtype=float), 2)
        for value in (flows.total(), sum(flows.at_start.values()), sum(flows.at_end.values()))
    )
    stretch = float(np.max(interruption_stretch(costs.rent))) if mode in ("on_demand", "spot") else 1.0

    def pair(values: np.ndarray) -> tuple[float, float]:
        return float(values[0]), float(values[1])

    month = (total - once - end) / months
    return MachineCost(
        pair(once), pair(month), pair(total), months, stretch, 1000.0 * float(rated_kilowatts(costs.own))
    )


@dataclass(frozen=True)
class Machines:
    """Machines in every way of paying, one element each; pairs have shape (n, 2): at no use and at full use."""

    card: np.ndarray
    count: np.ndarray
    mode: np.ndarray  # index into MODES
    once: np.ndarray
    cash: np.ndarray  # paid at the start and in all months
    month: np.ndarray
    total: np.ndarray
    stretch: np.ndarray
    power_w: np.ndarray


def machines(tables: Tables, terms: MoneyTerms, cards: tuple[str, ...], pairs: Iterable[tuple[int, int]]) -> Machines:
    """Every way of paying for the given (index of a card, number of cards)."""
    keys: list[tuple[int, int, int]] = []
    costs: list[MachineCost] = []
    for card, count in pairs:
        for mode in machine_modes(tables, terms, cards[card], count):
            keys.append((card, count, MODES.index(mode)))
            costs.append(machine_cost(tables, terms, cards[card], count, mode))
    card_mode = np.array(keys, dtype=np.int64).reshape(-1, 3)
    once = np.array([cost.once for cost in costs]).reshape(-1, 2)
    month = np.array([cost.month for cost in costs]).reshape(-1, 2)
    paid = np.array([cost.paid_months for cost in costs], dtype=float)
    return Machines(
        card=card_mode[:, 0],
        count=card_mode[:, 1],
        mode=card_mode[:, 2],
        once=once,
        cash=once + month * paid[:, None],
        month=month,
        total=np.array([cost.total for cost in costs]).reshape(-1, 2),
        stretch=np.array([cost.stretch for cost in costs]),
        power_w=np.array([cost.power_w for cost in costs]),
    )
