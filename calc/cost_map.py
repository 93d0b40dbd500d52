"""The answer over whole ranges of inputs: who wins at each use and term, what one input moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calc.cost_answers import break_even_price, npv_if_sold_at
from calc.cost_scenario import CostScenario, bounds_of, with_values

Floats = NDArray[np.float64]


def saving_map(scenario: CostScenario, utilisations: Floats, last_month: int) -> Floats:
    """Rent minus own at today's value for every use and term, shape (len(utilisations), last_month + 1).

    Column t: the machine is sold at month t, at the value on the scenario's straight line from capex to its resale at
    its own horizon, continued to zero. Above zero owning wins. ``utilisations`` are shares of 0..1.
    """
    horizon = scenario.horizon_months
    own = scenario.own
    values = {
        "utilisation": np.asarray(utilisations, dtype=np.float64),
        "horizon_months": last_month,
        # the same line of resale values and the same loan, drawn for another number of months
        "own.resale_fraction": 1.0 - (1.0 - own.resale_fraction) * last_month / horizon,
        "own.loan_months": own.loan_months or horizon,
    }
    own_cost, rent_cost = npv_if_sold_at(with_values(scenario, values))
    return (rent_cost - own_cost).T


def break_even_price_curve(scenario: CostScenario, path: str, values: Floats) -> Floats:
    """Break-even rental price at each value of one field (``own.gpu_price``, ``utilisation``, ...)."""
    low, high = bounds_of(path)
    swept = np.clip(np.asarray(values, dtype=np.float64), low, high)
    return break_even_price(with_values(scenario, {path: swept})) * np.ones(swept.shape)
