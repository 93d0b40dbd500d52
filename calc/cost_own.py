"""Owning: purchase, energy, upkeep, financing, resale, as named lines.

Loaded energy counts the rated power of card and host times the load factor (Epoch AI training-cost-trends; Newkirk
et al., arXiv 2506.14551 measured 0.76 of an 8-GPU node's rating); idle watts are paid in every hour owned and unused.
"""

from __future__ import annotations

import numpy as np
import numpy_financial as npf

from calc.cost_flows import Floats, Flows, total_of
from calc.cost_scenario import CostScenario, Numeric, OwnCost

MONTHS_PER_YEAR = 12.0
WATTS_PER_KILOWATT = 1000.0
SMALLEST_RATE = 1e-9
"""Rates below it are none: (1 + r)^n - 1 of the level payment would be lost in rounding."""


def capex_lines(own: OwnCost) -> dict[str, Numeric]:
    """What is paid once, by name; the sum is ``capex``."""
    cards = own.num_gpus * own.gpu_price
    lines: dict[str, Numeric] = {
        "cards": cards,
        "spares": cards * own.spares_fraction,
        "host": own.num_gpus * own.host_price,
        "network": own.network_price,
        "storage": own.storage_price,
        "installation": own.installation_price,
        "other_capex": own.other_capex,
    }
    return {**lines, "sales_tax": total_of(lines) * own.sales_tax_rate}


def capex(own: OwnCost) -> Numeric:
    """Purchase with the sales tax that cannot be recovered: (cards + everything else) x (1 + rate)."""
    return total_of(capex_lines(own))


def rated_kilowatts(own: OwnCost) -> Numeric:
    """Rated power of all cards with their hosts [kW], as a colocation contract commits it."""
    return own.num_gpus * (own.gpu_power_w + own.host_power_w) / WATTS_PER_KILOWATT


def energy_per_hour_loaded(own: OwnCost) -> Numeric:
    """Electricity of one hour of work of the whole machine [currency]."""
    return rated_kilowatts(own) * own.load_factor * own.pue * own.electricity_price


def energy_per_hour_idle(own: OwnCost) -> Numeric:
    """Electricity of one hour on and unused of the whole machine [currency]."""
    return own.num_gpus * own.idle_power_w / WATTS_PER_KILOWATT * own.pue * own.electricity_price


def running_cost_per_hour(own: OwnCost) -> Numeric:
    """Own running cost of one machine-hour of work: electricity under load and ``cost_per_hour_on``."""
    return energy_per_hour_loaded(own) + own.cost_per_hour_on


def marginal_cost_per_hour(own: OwnCost) -> Numeric:
    """What one more hour of use costs: running cost less the idle electricity it replaces."""
    return running_cost_per_hour(own) - energy_per_hour_idle(own)


def effective_speed(own: OwnCost) -> Numeric:
    """Useful work in an hour of use: speed x throttling x useful share x availability."""
    return own.relative_speed * own.throttle_factor * own.useful_fraction * own.availability


def has_loan(own: OwnCost) -> bool:
    """Whether any draw is financed by a loan."""
    return bool(np.any(np.asarray(own.loan_rate) > 0))


def payment_months(scenario: CostScenario) -> Numeric:
    """Months over which the purchase is repaid: the loan's, or the horizon."""
    months = scenario.own.loan_months
    return np.where(np.asarray(months) > 0, months, scenario.horizon_months)


def payment_rate(scenario: CostScenario) -> Numeric:
    """Yearly rate of the level payment: the loan's, or the discount rate."""
    rate = np.where(np.asarray(scenario.own.loan_rate) > 0, scenario.own.loan_rate, scenario.discount_rate)
    return np.where(rate < SMALLEST_RATE, 0.0, rate)


def monthly_payment(scenario: CostScenario) -> Numeric:
    """Level end-of-month payment that repays capex, compounded monthly at a twelfth of the yearly rate (npf.pmt)."""
    rate = np.asarray(payment_rate(scenario)) / MONTHS_PER_YEAR
    return -npf.pmt(rate, payment_months(scenario), capex(scenario.own))


def loan_balance(scenario: CostScenario, months: Floats) -> Floats:
    """Debt left after the payment of each month, shape (len(months), draws...); 0 once repaid (npf.fv)."""
    rate, term, amount, payment = np.broadcast_arrays(
        np.asarray(payment_rate(scenario)) / MONTHS_PER_YEAR,
        payment_months(scenario),
        capex(scenario.own),
        monthly_payment(scenario),
    )
    at = months.reshape(months.shape + (1,) * rate.ndim)
    # npf.fv divides by the rate even where it then takes the zero-rate branch
    with np.errstate(divide="ignore", invalid="ignore"):
        owed = -npf.fv(np.broadcast_to(rate, np.broadcast_shapes(at.shape, rate.shape)), at, -payment, amount)
    return np.where(at < term, owed, 0.0)


def sale_value(scenario: CostScenario, months: Floats) -> Floats:
    """What a sale at each month brings: straight line from capex at month 0 to ``resale_fraction`` at the horizon.

    Shape (len(months), draws...). Beyond the horizon the line continues down to zero. The cost of selling is taken off.
    """
    own = scenario.own
    fraction = 1.0 - np.multiply.outer(months / scenario.horizon_months, 1.0 - np.asarray(own.resale_fraction))
    net = np.asarray(capex(own)) * (1.0 - np.asarray(own.selling_cost_fraction))
    return np.maximum(fraction.reshape(fraction.shape + (1,) * (net.ndim - fraction.ndim + 1)), 0.0) * net


def running_lines(scenario: CostScenario) -> dict[str, Numeric]:
    """What every month costs, by name."""
    own = scenario.own
    hours_used = scenario.utilisation * scenario.hours_per_month
    invested = capex(own)
    return {
        "energy_loaded": energy_per_hour_loaded(own) * hours_used,
        "energy_idle": energy_per_hour_idle(own) * (scenario.hours_per_month - hours_used),
        "use": own.cost_per_hour_on * hours_used,
        "fixed": own.fixed_per_month,
        "colocation": rated_kilowatts(own) * own.colocation_per_kw_month,
        "staff": own.staff_per_month,
        "maintenance": invested * own.maintenance_rate / MONTHS_PER_YEAR,
        "insurance": invested * own.insurance_rate / MONTHS_PER_YEAR,
        "replacements": own.num_gpus * own.gpu_price * own.replacement_rate / MONTHS_PER_YEAR,
    }


def own_flows(scenario: CostScenario) -> Flows:
    """All cash flows of owning. A loan's payments stand for the purchase; a debt left is paid at the horizon."""
    own, horizon = scenario.own, scenario.horizon_months
    months = np.arange(1, horizon + 1)
    at_start: dict[str, Numeric] = capex_lines(own)
    by_month: dict[str, Floats] = {}
    end = np.array([float(horizon)])
    at_end: dict[str, Numeric] = {"resale": -own.resale_fraction * (1.0 - own.selling_cost_fraction) * capex(own)}
    if has_loan(own):
        financed = np.where(np.asarray(own.loan_rate) > 0, 1.0, 0.0)
        at_start = {name: value * (1.0 - financed) for name, value in at_start.items()}
        payment, term = np.broadcast_arrays(monthly_payment(scenario) * financed, payment_months(scenario))
        by_month["loan_payments"] = np.less_equal.outer(months, term) * payment
        at_end["loan_balance"] = loan_balance(scenario, end)[0] * financed
    every = own.refresh_every_months
    if every:
        bought = ((months % every == 0) & (months < horizon)).astype(float)
        by_month["refresh"] = np.multiply.outer(bought, np.asarray(capex(own) * own.refresh_fraction))
    return Flows(horizon, at_start, running_lines(scenario), by_month, at_end)
