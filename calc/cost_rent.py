"""Renting: billed hours for equal work, price drift, spot interruptions, increments, storage, egress, support, tax."""

from __future__ import annotations

import numpy as np

from calc.checkpointing import stretch
from calc.cost_flows import Floats, Flows
from calc.cost_own import MONTHS_PER_YEAR, effective_speed
from calc.cost_scenario import CostScenario, Numeric, RentCost

BRIEF_HOURS = 1e-9
"""A run or a billing increment of at most this (4 microseconds) counts as none; dividing by it could overflow."""


def price_path(rent: RentCost, horizon_months: int) -> Floats:
    """Price of a GPU-hour in month 1..T, shape (T, draws...): p (1 + g)^(t/12), not below the floor, spot taken off."""
    price, change, floor, spot = np.broadcast_arrays(
        rent.price_per_gpu_hour, rent.annual_price_change, rent.price_floor_per_gpu_hour, rent.spot_discount
    )
    if not np.any(price) or not (np.any(change) or np.any(floor)):
        return np.broadcast_to(price * (1.0 - spot), (horizon_months, *price.shape))
    months = np.arange(1, horizon_months + 1)
    path = price * np.exp(np.multiply.outer(months / MONTHS_PER_YEAR, np.log1p(change)))
    # a floor above today's price must not raise the bill: prices only stop falling at it
    return np.maximum(path, np.minimum(floor, price)) * (1.0 - spot)


def interruption_stretch(rent: RentCost) -> Numeric:
    """Wall time over compute time under interruptions (Daly's complete model at his optimum); 1 without any."""
    mtbf = np.asarray(rent.interruption_mtbf_hours, dtype=np.float64)
    if not np.any(mtbf > 0):
        return 1.0
    some = np.where(mtbf > 0, mtbf, 1.0)
    return np.where(mtbf > 0, stretch(some, rent.save_hours, rent.restart_hours), 1.0)


def billing_stretch(rent: RentCost) -> Numeric:
    """Billed over worked hours of one run: ceil((work + start-up + forgotten) / increment) x increment / work."""
    work = np.asarray(rent.hours_per_run, dtype=np.float64)
    if not np.any(work > BRIEF_HOURS):
        return 1.0
    increment = np.asarray(rent.billing_increment_hours, dtype=np.float64)
    held = work + rent.startup_hours + rent.forgotten_hours
    step = np.where(increment > BRIEF_HOURS, increment, 1.0)
    # 1e-9: a run of exactly one increment is one increment in spite of rounding
    billed = np.where(increment > BRIEF_HOURS, np.ceil(held / step - 1e-9) * step, held)
    some = work > BRIEF_HOURS
    return np.where(some, billed / np.where(some, work, 1.0), 1.0)


def hours_per_own_hour(scenario: CostScenario) -> Numeric:
    """Rented hours that do the work of one owned hour, before overheads: s x phi_own / phi_rent."""
    return effective_speed(scenario.own) / (scenario.rent.relative_speed * scenario.rent.useful_fraction)


def working_hours(scenario: CostScenario) -> Numeric:
    """GPU-hours a month that the work itself takes on the rented cards."""
    used = scenario.own.num_gpus * scenario.utilisation * scenario.hours_per_month
    return used * hours_per_own_hour(scenario)


def billed_hours(scenario: CostScenario) -> Numeric:
    """GPU-hours a month on the bill: all hours of a reservation, otherwise the working hours with their overheads."""
    if scenario.rent.always_on:
        return scenario.own.num_gpus * scenario.hours_per_month
    return working_hours(scenario) * interruption_stretch(scenario.rent) * billing_stretch(scenario.rent)


def rent_per_machine_hour(scenario: CostScenario) -> Numeric:
    """Rent, at today's price, of the work one hour of the whole owned machine does."""
    rent = scenario.rent
    overhead = 1.0 if rent.always_on else interruption_stretch(rent) * billing_stretch(rent)
    price = rent.price_per_gpu_hour * (1.0 - rent.spot_discount) * bill_factor(rent)
    return scenario.own.num_gpus * price * hours_per_own_hour(scenario) * overhead


def bill_factor(rent: RentCost) -> Numeric:
    """What one unit of compute costs with support and tax on top."""
    return (1.0 + rent.support_rate) * (1.0 + rent.sales_tax_rate)


def rent_flows(scenario: CostScenario) -> Flows:
    """All cash flows of renting."""
    rent, horizon = scenario.rent, scenario.horizon_months
    billed = billed_hours(scenario)
    working = np.minimum(billed, working_hours(scenario))
    path = price_path(rent, horizon)
    tax = 1.0 + rent.sales_tax_rate
    storage = rent.storage_gb * rent.storage_price_per_gb_month
    egress = rent.egress_gb_per_month * rent.egress_price_per_gb
    extras = storage + egress + rent.fixed_per_month

    def priced(hours: Numeric) -> Floats:
        amount = np.asarray(hours)
        wide = path.reshape(path.shape + (1,) * (amount.ndim - path.ndim + 1))
        return wide * amount

    by_month = {"compute": priced(working)}
    # lines that are nothing for every draw are left out of the sums over months
    for name, hours in {
        "unused_hours": billed - working,
        "support": billed * rent.support_rate,
        "sales_tax": billed * (1.0 + rent.support_rate) * rent.sales_tax_rate,
    }.items():
        if np.any(hours):
            by_month[name] = priced(hours)
    return Flows(
        horizon,
        {"upfront": rent.upfront * tax},
        {
            "fixed": rent.fixed_per_month,
            "storage": storage,
            "egress": egress,
            "sales_tax_on_extras": extras * rent.sales_tax_rate,
        },
        by_month,
    )
