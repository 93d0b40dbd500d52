"""What a person sets about money: owning, renting, and the terms both share. Bounds live here and nowhere else.

Every amount is in the scenario's ``currency``. The same models carry arrays of random draws (``with_values``), so that
one set of formulas serves a single answer, a sweep and a simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

Numeric = float | NDArray[np.float64]
MOST = 1e12
"""Largest amount of money or of gigabytes: beyond any machine, and far from where sums lose their digits."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class OwnCost(_Part):
    """Buying: once, monthly and end lines. Powers are watts a card; amounts a month are for the whole purchase."""

    num_gpus: int = Field(1, ge=1, le=1_000_000)
    gpu_price: float = Field(0.0, ge=0, le=MOST)  # per card
    other_capex: float = Field(0.0, ge=0, le=MOST)
    sales_tax_rate: float = Field(0.0, ge=0, le=1)  # share that cannot be recovered
    gpu_power_w: float = Field(0.0, ge=0, le=100_000)
    host_power_w: float = Field(0.0, ge=0, le=100_000)  # the host's share, per card
    idle_power_w: float = Field(0.0, ge=0, le=100_000)  # one card with its host share, on and unused
    load_factor: float = Field(1.0, ge=0, le=1.5)  # measured over rated power; some cards exceed their rating
    pue: float = Field(1.0, ge=1, le=5)
    electricity_price: float = Field(0.0, ge=0, le=MOST)  # per kWh
    cost_per_hour_on: float = Field(0.0, ge=0, le=MOST)  # further cost per hour the whole machine works
    fixed_per_month: float = Field(0.0, ge=0, le=MOST)
    colocation_per_kw_month: float = Field(0.0, ge=0, le=MOST)
    maintenance_rate: float = Field(0.0, ge=0, le=1)  # share of capex a year
    resale_fraction: float = Field(0.0, ge=0, le=1)  # share of capex recovered at the horizon
    relative_speed: float = Field(1.0, gt=0, le=1000)
    useful_fraction: float = Field(1.0, gt=0, le=1)
    loan_rate: float = Field(0.0, ge=0, le=1)  # a year; 0: not borrowed
    loan_months: int = Field(0, ge=0, le=600)  # 0: the horizon

    host_price: float = Field(0.0, ge=0, le=MOST)  # per card
    spares_fraction: float = Field(0.0, ge=0, le=1)  # spare cards as a share of the cards
    network_price: float = Field(0.0, ge=0, le=MOST)
    storage_price: float = Field(0.0, ge=0, le=MOST)
    installation_price: float = Field(0.0, ge=0, le=MOST)
    staff_per_month: float = Field(0.0, ge=0, le=MOST)
    insurance_rate: float = Field(0.0, ge=0, le=1)  # share of capex a year
    replacement_rate: float = Field(0.0, ge=0, le=1)  # share of the cards bought again each year
    throttle_factor: float = Field(1.0, gt=0, le=1)  # speed kept under heat and power limits
    availability: float = Field(1.0, gt=0, le=1)  # share of hours the machine is not broken
    refresh_every_months: int = Field(0, ge=0, le=600)  # 0: never bought anew
    refresh_fraction: float = Field(1.0, ge=0, le=1)  # share of capex spent at each refresh
    selling_cost_fraction: float = Field(0.0, ge=0, le=1)  # of the resale value


class RentCost(_Part):
    """Renting the same number of cards for the same work."""

    price_per_gpu_hour: float = Field(3.0, ge=0, le=MOST)
    annual_price_change: float = Field(0.0, gt=-1, le=10)  # may be positive
    fixed_per_month: float = Field(0.0, ge=0, le=MOST)
    upfront: float = Field(0.0, ge=0, le=MOST)
    always_on: bool = False  # a reservation: every hour is billed
    relative_speed: float = Field(1.0, gt=0, le=1000)
    useful_fraction: float = Field(1.0, gt=0, le=1)

    price_floor_per_gpu_hour: float = Field(0.0, ge=0, le=MOST)  # falling prices stop at an operator's cost
    spot_discount: float = Field(0.0, ge=0, lt=1)  # off the price
    interruption_mtbf_hours: float = Field(0.0, ge=0)  # of the whole rented job; 0: never interrupted
    save_hours: float = Field(1 / 60, gt=0, le=24)  # one checkpoint
    restart_hours: float = Field(10 / 60, ge=0, le=48)
    hours_per_run: float = Field(0.0, ge=0)  # 0: one endless run, no rounding and no start-up
    startup_hours: float = Field(0.0, ge=0, le=100)  # per run: boot, images, data staging
    forgotten_hours: float = Field(0.0, ge=0, le=1000)  # per run: left on after the work
    billing_increment_hours: float = Field(0.0, ge=0, le=744)  # 0: by the second
    storage_gb: float = Field(0.0, ge=0, le=MOST)
    storage_price_per_gb_month: float = Field(0.0, ge=0, le=MOST)
    egress_gb_per_month: float = Field(0.0, ge=0, le=MOST)
    egress_price_per_gb: float = Field(0.0, ge=0, le=MOST)
    support_rate: float = Field(0.0, ge=0, le=1)  # share of the bill
    sales_tax_rate: float = Field(0.0, ge=0, le=1)


class CostScenario(_Part):
    """One comparison of owning with renting over ``horizon_months``."""

    currency: str = Field("USD", pattern=r"^[A-Z]{3}$")
    horizon_months: int = Field(36, ge=1, le=600)
    hours_per_month: float = Field(730.0, gt=0, le=744)
    utilisation: float = Field(0.6, ge=0, le=1)  # hours used / hours owned
    discount_rate: float = Field(0.0, ge=0, le=1)  # a year, effective
    own: OwnCost = Field(default_factory=lambda: OwnCost.model_validate({}))
    rent: RentCost = Field(default_factory=lambda: RentCost.model_validate({}))


MONEY_FIELDS: dict[str, tuple[str, ...]] = {
    "own": (
        *("gpu_price", "other_capex", "electricity_price", "cost_per_hour_on", "fixed_per_month"),
        *("colocation_per_kw_month", "host_price", "network_price", "storage_price", "installation_price"),
        "staff_per_month",
    ),
    "rent": (
        *("price_per_gpu_hour", "fixed_per_month", "upfront", "price_floor_per_gpu_hour"),
        *("storage_price_per_gb_month", "egress_price_per_gb"),
    ),
}
_MODELS: dict[str, type[BaseModel]] = {"own": OwnCost, "rent": RentCost, "": CostScenario}


def _split(path: str) -> tuple[str, str]:
    part, _, name = path.rpartition(".")
    if part not in _MODELS or name not in _MODELS[part].model_fields or name in ("own", "rent"):
        raise ValueError(f"{path} is not a field of the cost scenario")
    return part, name


def value_of(scenario: CostScenario, path: str) -> Any:
    """Value of a field by its path, such as ``own.gpu_price`` or ``utilisation``; ValueError for an unknown path."""
    part, name = _split(path)
    return getattr(getattr(scenario, part) if part else scenario, name)


def with_values(scenario: CostScenario, values: Mapping[str, Any]) -> CostScenario:
    """Copy of the scenario with fields replaced by path; values may be numpy arrays (draws or a sweep).

    The values are taken as they are: the caller keeps them inside the bounds (``bounds_of``).
    """
    changes: dict[str, dict[str, Any]] = {"own": {}, "rent": {}, "": {}}
    for path, value in values.items():
        part, name = _split(path)
        changes[part][name] = value
    own, rent = (
        scenario.own.model_copy(update=changes["own"]),
        scenario.rent.model_copy(update=changes["rent"]),
    )
    return scenario.model_copy(update={**changes[""], "own": own, "rent": rent})


@lru_cache(maxsize=256)
def bounds_of(path: str) -> tuple[float, float]:
    """Lowest and highest allowed value of a numeric field (infinite where open)."""
    part, name = _split(path)
    low, high = -np.inf, np.inf
    for rule in _MODELS[part].model_fields[name].metadata:
        if isinstance(rule, Ge):
            low = float(rule.ge)  # type: ignore[arg-type]
        elif isinstance(rule, Gt):
            low = float(np.nextafter(float(rule.gt), np.inf))  # type: ignore[arg-type]
        elif isinstance(rule, Le):
            high = float(rule.le)  # type: ignore[arg-type]
        elif isinstance(rule, Lt):
            high = float(np.nextafter(float(rule.lt), -np.inf))  # type: ignore[arg-type]
    return low, high


def _allowed(path: str) -> str:
    low, high = bounds_of(path)
    if np.isfinite(low) and np.isfinite(high):
        return f"; allowed: {low:.6g} to {high:.6g}"
    return f"; allowed: {low:.6g} or more" if np.isfinite(low) else ""


def problems_of_cost(error: ValidationError) -> list[str]:
    """One plain line a field: its path, what is wrong, what was given, the allowed range."""
    lines = []
    for entry in error.errors():
        path = ".".join(str(part) for part in entry["loc"]) or "scenario"
        if entry["type"] == "extra_forbidden":
            lines.append(f"{path}: not a field of the cost scenario")
            continue
        try:
            allowed = _allowed(path)
        except ValueError:
            allowed = ""
        lines.append(f"{path}: {entry['msg'][0].lower()}{entry['msg'][1:]} (got {entry['input']!r:.60}{allowed})")
    return lines


def in_currency(scenario: CostScenario, currency: str, rate: float) -> CostScenario:
    """The same scenario in another currency: every amount of money times ``rate``, nothing else changes.

    ``rate``: units of ``currency`` for one unit of the scenario's. ValueError when it is not above zero.
    """
    if not rate > 0:
        raise ValueError("rate must be above zero")
    money = {f"{part}.{name}" for part, names in MONEY_FIELDS.items() for name in names}
    values: dict[str, Any] = {path: value_of(scenario, path) * rate for path in money}
    return with_values(scenario, {**values, "currency": currency})
