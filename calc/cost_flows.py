"""Cash flows by month: named lines, cumulative sums, present values.

Month 0 is today; a month's flow falls at its end (the numpy-financial convention). Costs are positive. Arrays have
months on the first axis and, where the inputs were arrays, the draws on the axes after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy_financial as npf
from numpy.typing import NDArray

from calc.cost_scenario import Numeric

Floats = NDArray[np.float64]


def monthly_rate(yearly: Numeric) -> Numeric:
    """Monthly rate of a yearly effective one: (1 + r)^(1/12) - 1."""
    return np.expm1(np.log1p(yearly) / 12.0)


def discount_factors(yearly: Numeric, horizon_months: int) -> Floats:
    """Value today of one unit at the end of month 1..T, shape (T, draws...)."""
    return np.exp(-np.multiply.outer(np.arange(1, horizon_months + 1), np.log1p(yearly) / 12.0))


def annuity_factor(yearly: Numeric, horizon_months: int) -> Floats:
    """Value today of one unit at the end of each month."""
    return discount_factors(yearly, horizon_months).sum(axis=0)


def _wide(by_month: Floats, ndim: int) -> Floats:
    return by_month.reshape(by_month.shape + (1,) * (ndim - by_month.ndim))


def total_of(values: dict[str, Numeric]) -> Numeric:
    """Sum of the lines."""
    result: Numeric = 0.0
    for value in values.values():
        result = result + value
    return result


@dataclass(frozen=True)
class Flows:
    """Named costs of one side: today, the same every month, differing by month (T, draws...), and at the horizon."""

    horizon_months: int
    at_start: dict[str, Numeric]
    each_month: dict[str, Numeric]
    by_month: dict[str, Floats] = field(default_factory=dict)
    at_end: dict[str, Numeric] = field(default_factory=dict)

    def _draw_ndim(self) -> int:
        constants = (*self.at_start.values(), *self.each_month.values(), *self.at_end.values())
        return max([np.ndim(value) for value in constants] + [array.ndim - 1 for array in self.by_month.values()])

    def monthly(self) -> Floats:
        """Cost of month 1..T without the start and the end, shape (T, draws...)."""
        ndim = self._draw_ndim() + 1
        result = np.multiply.outer(np.ones(self.horizon_months), np.asarray(total_of(self.each_month)))
        result = _wide(result, ndim)
        for array in self.by_month.values():
            result = result + _wide(array, ndim)
        return result

    def cumulative(self) -> Floats:
        """Cash paid up to the end of month 0..T, what comes at the horizon not counted; shape (T + 1, draws...)."""
        monthly = self.monthly()
        start = np.broadcast_to(np.asarray(total_of(self.at_start), dtype=np.float64), monthly.shape[1:])
        return np.concatenate([start[None], start + running_sum(monthly)])

    def total(self) -> Numeric:
        """Undiscounted sum of everything, the end included."""
        return total_of(self.at_start) + self.running() + total_of(self.at_end)

    def running(self) -> Numeric:
        """Undiscounted sum of the months, without the start and the end."""
        by_month: Numeric = 0.0
        for array in self.by_month.values():
            by_month = by_month + array.sum(axis=0)
        return total_of(self.each_month) * self.horizon_months + by_month

    def present_value(self, discount_rate: Numeric) -> Numeric:
        """Value today of everything, the end included, at a yearly effective ``discount_rate``."""
        end = total_of(self.at_end)
        if self._draw_ndim() == 0 and np.ndim(discount_rate) == 0:
            flows = np.concatenate([[total_of(self.at_start)], self.monthly()])
            flows[-1] += end
            return float(npf.npv(monthly_rate(discount_rate), flows))
        factors = discount_factors(discount_rate, self.horizon_months)
        paid: Numeric = factors.sum(axis=0) * total_of(self.each_month)
        for array in self.by_month.values():
            ndim = max(factors.ndim, array.ndim)
            paid = paid + (_wide(factors, ndim) * _wide(array, ndim)).sum(axis=0)
        return total_of(self.at_start) + paid + factors[-1] * end

    def discounted_cumulative(self, discount_rate: Numeric) -> Floats:
        """Like ``cumulative`` with each flow at its value today."""
        factors, monthly = discount_factors(discount_rate, self.horizon_months), self.monthly()
        ndim = max(factors.ndim, monthly.ndim)
        paid = running_sum(_wide(factors, ndim) * _wide(monthly, ndim))
        start = np.broadcast_to(np.asarray(total_of(self.at_start), dtype=np.float64), paid.shape[1:])
        return np.concatenate([start[None], start + paid])

    def lines(self) -> dict[str, Floats]:
        """Every line over month 0..T, shape (T + 1, draws...): stacked they give the total, the end included."""
        months = self.horizon_months
        result: dict[str, Floats] = {}

        def add(name: str, values: Floats) -> None:
            result[name] = result[name] + values if name in result else values

        for name, value in self.at_start.items():
            add(name, np.multiply.outer(np.eye(1, months + 1)[0], np.asarray(value)))
        for name, value in self.each_month.items():
            add(name, np.multiply.outer(np.r_[0.0, np.ones(months)], np.asarray(value)))
        for name, array in self.by_month.items():
            add(name, np.concatenate([np.zeros_like(array[:1]), array]))
        for name, value in self.at_end.items():
            add(name, np.multiply.outer(np.eye(1, months + 1, months)[0], np.asarray(value)))
        return result


def running_sum(values: Floats) -> Floats:
    """``np.cumsum(values, axis=0)``, a whole month of draws at a time: ten times faster where there are many draws."""
    sums = np.array(values, dtype=np.float64)
    for month in range(1, len(sums)):
        sums[month] += sums[month - 1]
    return sums


def first_crossing(own: Floats, rent: Floats) -> Floats:
    """First month (fractional, linear inside the month) from which own <= rent; not-a-number where none.

    ``own``, ``rent``: values at month 0..T, shape (T + 1, draws...). 0 when owning is not dearer from the first
    month on; equality at month 0 alone is no crossing.
    """
    gap = own - rent
    # rounding in the sums must not hide a crossing that falls exactly on a month end
    tolerance = 1e-9 * np.maximum(np.abs(own), np.abs(rent))
    reached = gap[1:] <= tolerance[1:]
    index = np.argmax(reached, axis=0)[None]
    before = np.take_along_axis(gap, index, axis=0)[0]
    after = np.take_along_axis(gap, index + 1, axis=0)[0]
    drop = np.where(before > 0, before - np.minimum(after, 0.0), 1.0)
    month = index[0] + np.where(before > 0, before / drop, 0.0)
    return np.where(reached.any(axis=0), month, np.nan)
