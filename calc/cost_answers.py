"""Answers drawn from the two cash flows: crossings, break-even points, cost per unit of work.

Numbers or arrays of draws alike; not-a-number stands for "no such point".
"""

from __future__ import annotations

import numpy as np

from calc.cost_flows import Floats, annuity_factor, discount_factors, first_crossing
from calc.cost_own import (
    capex,
    has_loan,
    loan_balance,
    marginal_cost_per_hour,
    monthly_payment,
    own_flows,
    payment_rate,
    running_cost_per_hour,
    sale_value,
)
from calc.cost_rent import (
    bill_factor,
    billed_hours,
    price_path,
    rent_flows,
    rent_per_machine_hour,
)
from calc.cost_scenario import CostScenario, Numeric, with_values

BISECTIONS = 60


def cash_paid(scenario: CostScenario) -> tuple[Floats, Floats]:
    """Cumulative cash of owning and of renting at month 0..T, resale not counted; both of one shape."""
    return _same_shape(own_flows(scenario).cumulative(), rent_flows(scenario).cumulative())


def crossover_cash(scenario: CostScenario) -> Floats:
    """First month at which cumulative own cash <= cumulative rent cash; resale not counted."""
    return first_crossing(*cash_paid(scenario))


def npv_if_sold_at(scenario: CostScenario) -> tuple[Floats, Floats]:
    """Discounted cost of owning, were the machine sold at month 0..T (a debt settled), and of renting till then."""
    horizon, rate = scenario.horizon_months, scenario.discount_rate
    months = np.arange(horizon + 1, dtype=np.float64)
    sold = sale_value(scenario, months)
    if has_loan(scenario.own):
        financed = np.where(np.asarray(scenario.own.loan_rate) > 0, 1.0, 0.0)
        owed = loan_balance(scenario, months) * financed
        sold, owed = _same_shape(sold, owed)
        sold = sold - owed
    factors = np.concatenate([np.ones((1, *np.shape(rate))), discount_factors(rate, horizon)])
    factors, sold = _same_shape(factors, sold)
    own, worth = _same_shape(own_flows(scenario).discounted_cumulative(rate), factors * sold)
    return _same_shape(own - worth, rent_flows(scenario).discounted_cumulative(rate))


def crossover_npv(scenario: CostScenario) -> Floats:
    """First month at which owning, sold then, is not dearer than renting, both discounted."""
    return first_crossing(*npv_if_sold_at(scenario))


def _same_shape(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    ndim = max(first.ndim, second.ndim)
    first = first.reshape(first.shape + (1,) * (ndim - first.ndim))
    second = second.reshape(second.shape + (1,) * (ndim - second.ndim))
    shape = np.broadcast_shapes(first.shape, second.shape)
    return np.broadcast_to(first, shape), np.broadcast_to(second, shape)


def npv_saving(scenario: CostScenario) -> Numeric:
    """Discounted rent minus discounted own over the horizon, resale counted."""
    rate = scenario.discount_rate
    return rent_flows(scenario).present_value(rate) - own_flows(scenario).present_value(rate)


def _price_value(scenario: CostScenario) -> Numeric:
    """Value today of paying the price of one GPU-hour each month, support and tax on top."""
    path, factors = _same_shape(
        price_path(scenario.rent, scenario.horizon_months),
        discount_factors(scenario.discount_rate, scenario.horizon_months),
    )
    return (path * factors).sum(axis=0) * bill_factor(scenario.rent)


def break_even_utilisation(scenario: CostScenario) -> Floats:
    """Share of hours used from which owning is not dearer over the horizon; not-a-number where it never is.

    U* = F / [h (p s phi_own / phi_rent - w)] with everything at its value today: F what owning costs unused less what
    renting costs unused, h hours a month, p rent, w the further cost of an hour of use. Both sides are straight
    lines in the utilisation. Under a reservation the rent does not depend on use: owning then wins below the crossing.
    """
    unused = with_values(scenario, {"utilisation": 0.0})
    hours = scenario.hours_per_month
    own_slope = (
        annuity_factor(scenario.discount_rate, scenario.horizon_months) * hours * marginal_cost_per_hour(scenario.own)
    )
    rent_slope: Numeric = 0.0
    if not scenario.rent.always_on:
        rent_slope = _price_value(scenario) * billed_hours(with_values(scenario, {"utilisation": 1.0}))
    slope = np.asarray(rent_slope - own_slope, dtype=np.float64)
    gap = -np.asarray(npv_saving(unused), dtype=np.float64)
    slope, gap = np.broadcast_arrays(slope, gap)
    # amounts below a billionth of the purchase are rounding, not money
    tiny = 1e-9 * np.maximum(1.0, np.abs(capex(scenario.own)))
    crossing = np.divide(gap, slope, out=np.full(slope.shape, np.nan), where=slope != 0)
    inside = (crossing >= 0) & (crossing <= 1.0 + 1e-12)
    always = (gap <= tiny) & (gap - slope <= tiny)
    never = (gap > tiny) & (gap - slope > tiny)
    return np.where(always, 0.0, np.where(never | ~inside, np.nan, np.minimum(crossing, 1.0)))


def break_even_hours(scenario: CostScenario) -> Floats:
    """Hours the whole machine works until it has paid for itself: capex / (rent - own running cost per machine-hour).

    Fixed monthly costs are left out (Lenovo LP2225, LP2368). Not-a-number where renting costs no more than running.
    """
    gain = np.asarray(rent_per_machine_hour(scenario) - running_cost_per_hour(scenario.own), dtype=np.float64)
    paid, gain = np.broadcast_arrays(np.asarray(capex(scenario.own), dtype=np.float64), gain)
    return np.divide(paid, gain, out=np.full(gain.shape, np.nan), where=gain > 0)


def break_even_price(scenario: CostScenario) -> Floats:
    """Quoted price per rented GPU-hour above which buying is cheaper over the horizon (values today, resale counted).

    0 where owning is cheaper even than free cards with the other rental costs; not-a-number where nothing is billed.
    """
    own = own_flows(scenario).present_value(scenario.discount_rate)
    other = rent_flows(with_values(scenario, {"rent.price_per_gpu_hour": 0.0})).present_value(scenario.discount_rate)
    wanted = np.asarray(own - other, dtype=np.float64)
    hours = np.asarray(billed_hours(scenario), dtype=np.float64)
    unit = _price_value(with_values(scenario, {"rent.price_per_gpu_hour": 1.0, "rent.price_floor_per_gpu_hour": 0.0}))
    price = np.maximum(_per_unit(wanted, unit * hours), 0.0)
    if not np.any(np.asarray(scenario.rent.price_floor_per_gpu_hour) > 0):
        return price
    # with a floor the bill bends with the price but still only rises: halve the bracket between 0 and the price without
    # a floor, which lets the path fall furthest and so lies above
    low, high = np.zeros_like(price), price
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        dearer = _price_value(with_values(scenario, {"rent.price_per_gpu_hour": middle})) * hours > wanted
        low, high = np.where(dearer, low, middle), np.where(dearer, middle, high)
    return np.where(np.isnan(price), np.nan, (low + high) / 2.0)


def useful_gpu_hours(scenario: CostScenario) -> Numeric:
    """Hours used of all cards over the horizon."""
    return scenario.own.num_gpus * scenario.utilisation * scenario.hours_per_month * scenario.horizon_months


def own_cost_per_useful_gpu_hour(scenario: CostScenario) -> Floats:
    """(Capital charge + running cost - resale) / hours used.

    The capital charge is the monthly payment in every month of the horizon when a discount or loan rate is set,
    otherwise capex. Not-a-number at zero use.
    """
    flows, own = own_flows(scenario), scenario.own
    running = flows.running()
    if has_loan(own):
        running = running - flows.by_month["loan_payments"].sum(axis=0)
    with_rate = np.asarray(payment_rate(scenario)) > 0
    capital = np.where(with_rate, monthly_payment(scenario) * scenario.horizon_months, capex(own))
    return _per_unit(capital + running + flows.at_end["resale"], useful_gpu_hours(scenario))


def own_cost_of_gpu_hour(scenario: CostScenario) -> Floats:
    """Like ``own_cost_per_useful_gpu_hour``; with a loan the payments inside the horizon and the debt left at its end.

    The two differ where the loan is shorter or longer than the horizon: a payment in every month would count months
    after the last one, or leave the debt out. Not-a-number at zero use.
    """
    paid = _per_unit(own_flows(scenario).total(), useful_gpu_hours(scenario))
    return np.where(np.asarray(scenario.own.loan_rate) > 0, paid, own_cost_per_useful_gpu_hour(scenario))


def rent_cost_per_useful_gpu_hour(scenario: CostScenario) -> Floats:
    """Total rent / hours the owned machine would be used for the same work. Not-a-number at zero use."""
    return _per_unit(rent_flows(scenario).total(), useful_gpu_hours(scenario))


def _per_unit(amount: Numeric, units: Numeric) -> Floats:
    amount, units = np.broadcast_arrays(np.asarray(amount, dtype=np.float64), np.asarray(units, dtype=np.float64))
    with np.errstate(over="ignore"):
        return np.divide(amount, units, out=np.full(amount.shape, np.nan), where=units > 0)


def cost_per_run(cost_per_useful_gpu_hour: Numeric, num_gpus: Numeric, hours_per_run: Numeric) -> Numeric:
    """Cost of one finished run of ``hours_per_run`` hours on ``num_gpus`` owned cards."""
    return cost_per_useful_gpu_hour * num_gpus * hours_per_run


def cost_per_billion_tokens(cost_per_useful_gpu_hour: Numeric, tokens_per_s_per_gpu: Numeric) -> Floats:
    """Cost of training on a billion tokens at the owned card's speed [tokens/s]. Not-a-number at speed 0."""
    hours = _per_unit(1e9 / 3600.0, tokens_per_s_per_gpu)
    return np.asarray(cost_per_useful_gpu_hour * hours, dtype=np.float64)


def cost_per_quality_point(total: Numeric, points_gained: Numeric) -> Floats:
    """Total cost over the gain in quality that a person expects (for example points of F1)."""
    return _per_unit(total, points_gained)
