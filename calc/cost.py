"""Own or rent: one scenario of costs in, every answer out.

The parts: ``cost_scenario`` the inputs, ``cost_own`` and ``cost_rent`` the two cash flows, ``cost_flows`` months and
present values, ``cost_answers`` the answers, ``uncertainty`` ranges, ``cost_mix`` own and rent together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calc import cost_answers as answers
from calc.cost_own import capex, monthly_payment, own_flows
from calc.cost_rent import rent_flows
from calc.cost_scenario import CostScenario, OwnCost, RentCost

__all__ = ["CostResult", "CostScenario", "OwnCost", "RentCost", "evaluate"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CostResult:
    """Answers for one scenario, in its currency. ``None``: no such point.

    ``own_total`` counts the resale (and a debt left) at the horizon; ``cumulative_own`` is cash paid and does not.
    ``own_lines`` and ``rent_lines`` hold each named line over month 0..T; stacked they sum to the totals.
    """

    currency: str
    capex: float
    own_total: float
    rent_total: float
    saving: float
    crossover_month_cash: float | None
    crossover_month_npv: float | None
    break_even_utilisation: float | None
    break_even_hours: float | None
    break_even_price_per_gpu_hour: float | None
    own_cost_per_useful_gpu_hour: float | None
    rent_cost_per_useful_gpu_hour: float | None
    npv_saving: float
    monthly_payment: float
    cumulative_own: Floats
    cumulative_rent: Floats
    own_lines: dict[str, Floats]
    rent_lines: dict[str, Floats]

    def cumulative(self) -> list[dict[str, float]]:
        """Cash paid up to each month end, month 0 (today) first."""
        pairs = zip(self.cumulative_own.tolist(), self.cumulative_rent.tolist(), strict=True)
        return [{"month": month, "own": own, "rent": rent} for month, (own, rent) in enumerate(pairs)]

    def as_json(self) -> dict[str, Any]:
        """The answers as plain numbers, lists and nulls; the lines as month lists by name."""
        plain = {
            name: value
            for name, value in vars(self).items()
            if name not in ("cumulative_own", "cumulative_rent", "own_lines", "rent_lines")
        }
        own_lines = {name: line.tolist() for name, line in self.own_lines.items() if line.any()}
        rent_lines = {name: line.tolist() for name, line in self.rent_lines.items() if line.any()}
        return {**plain, "cumulative": self.cumulative(), "own_lines": own_lines, "rent_lines": rent_lines}


def _number(value: Any) -> float | None:
    number = float(value)
    return number if np.isfinite(number) else None


def evaluate(scenario: CostScenario) -> CostResult:
    """Every answer of one scenario of plain numbers (draws and sweeps use the functions of ``cost_answers``)."""
    own, rent = own_flows(scenario), rent_flows(scenario)
    own_total, rent_total = float(own.total()), float(rent.total())
    return CostResult(
        currency=scenario.currency,
        capex=float(capex(scenario.own)),
        own_total=own_total,
        rent_total=rent_total,
        saving=rent_total - own_total,
        crossover_month_cash=_number(answers.crossover_cash(scenario)),
        crossover_month_npv=_number(answers.crossover_npv(scenario)),
        break_even_utilisation=_number(answers.break_even_utilisation(scenario)),
        break_even_hours=_number(answers.break_even_hours(scenario)),
        break_even_price_per_gpu_hour=_number(answers.break_even_price(scenario)),
        own_cost_per_useful_gpu_hour=_number(answers.own_cost_per_useful_gpu_hour(scenario)),
        rent_cost_per_useful_gpu_hour=_number(answers.rent_cost_per_useful_gpu_hour(scenario)),
        npv_saving=float(answers.npv_saving(scenario)),
        monthly_payment=float(monthly_payment(scenario)),
        cumulative_own=own.cumulative(),
        cumulative_rent=rent.cumulative(),
        own_lines=own.lines(),
        rent_lines=rent.lines(),
    )
