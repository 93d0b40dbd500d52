"""The cheapest mix for a demand that changes by month: own the base load, rent the peaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calc.cost_flows import discount_factors
from calc.cost_own import own_flows
from calc.cost_rent import bill_factor, billing_stretch, hours_per_own_hour, interruption_stretch, price_path
from calc.cost_scenario import CostScenario, with_values

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Mix:
    """Value today of the cost of owning 0, 1, 2, ... cards and renting the rest; the cheapest is ``own_gpus``.

    ``all_owned`` owns what the highest month needs. ``owned_hours`` and ``rented_hours`` are the work by month under
    the cheapest mix, in hours of an owned card.
    """

    own_gpus: int
    cost: float
    costs: Floats
    all_rented: float
    all_owned: float
    owned_hours: Floats
    rented_hours: Floats


def cheapest_mix(scenario: CostScenario, demand_gpu_hours: ArrayLike) -> Mix:
    """Tries every number of owned cards from none to what the highest month needs.

    ``demand_gpu_hours``: hours of an owned card wanted in each month; a profile shorter than the horizon repeats. Costs
    are the scenario's: everything for the whole purchase (network, storage, fixed) is paid once any card is owned. The
    rent is on demand: a reservation (``always_on``) is not weighed here. ValueError for an empty or negative profile.
    """
    profile = np.asarray(demand_gpu_hours, dtype=np.float64).ravel()
    if profile.size == 0 or not np.all(profile >= 0) or not np.all(np.isfinite(profile)):
        raise ValueError("demand must hold at least one month and no negative hours")
    horizon, hours = scenario.horizon_months, scenario.hours_per_month
    demand = np.resize(profile, horizon)
    factors = discount_factors(scenario.discount_rate, horizon)
    rent = scenario.rent
    overhead: Any = hours_per_own_hour(scenario) * interruption_stretch(rent) * billing_stretch(rent)
    rented_price = price_path(rent, horizon) * bill_factor(rent) * overhead
    most = int(np.ceil(demand.max() / hours - 1e-9))

    def plan(cards: int) -> tuple[float, Floats]:
        """Value today of the cost, and the hours done on owned cards: as many as are cheaper there than rented."""
        if cards == 0:
            return float((factors * rented_price * demand).sum()), np.zeros(horizon)
        idle = own_flows(with_values(scenario, {"own.num_gpus": cards, "utilisation": 0.0}))
        busy = own_flows(with_values(scenario, {"own.num_gpus": cards, "utilisation": 1.0}))
        # running costs are straight lines in the use, so one more owned hour costs the same at any use
        marginal = (busy.monthly() - idle.monthly()) / (cards * hours)
        owned = np.where(marginal <= rented_price, np.minimum(demand, cards * hours), 0.0)
        used = (factors * (marginal * owned + rented_price * (demand - owned))).sum()
        return float(idle.present_value(scenario.discount_rate)) + float(used), owned

    plans = [plan(cards) for cards in range(most + 1)]
    costs = np.array([cost for cost, _ in plans])
    best = int(np.argmin(costs))
    owned_hours = plans[best][1]
    return Mix(best, float(costs[best]), costs, float(costs[0]), float(costs[-1]), owned_hours, demand - owned_hours)
