"""Sensible costs for a card, a number of cards and a market, each with its range and source."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from calc.checkpointing import effective_fraction
from calc.cost_assumptions import Assumption, Parameters, Sourced, number
from calc.cost_scenario import CostScenario, bounds_of, with_values
from calc.uncertainty import Range

Row: TypeAlias = "Mapping[str, Any] | pd.Series[Any]"
RentMode = Literal["on_demand", "spot", "reserved"]

CARDS_PER_SERVER = 8
SAVE_HOURS, RESTART_HOURS = 1 / 60, 10 / 60
"""A full 7B checkpoint and a restart, as in the table of failure rates (``mtbf_to_stretch.csv``)."""
PLAN_POINTS = 0.1
WORKSTATION_TDP_W = 300.0
"""Card of the workstation whose idle draw at the wall is known (RTX PRO 6000 Max-Q)."""
H200_TDP_W = 700.0
"""Data sheet; the card whose idle draw of 74 W was measured."""
HOST_PC = (
    *(500.0, 2630.0 / 3, 1500.0),
    "PC builds less their cards: RTX 3090 PC and RTX 4090 PC (local-llm.net), 3-card workstation (C. Northcutt, 2019)",
    "https://www.local-llm.net/blog/rtx-3090-best-value-2026",
    "2026-03",
)
RESIDUAL_AGES = (1, 2, 3, 4)
CONSUMER_AGES_OBSERVED = (("residual_fraction_observed_4090", 3.3), ("residual_fraction_observed_3090", 5.8))
HOURS_PER_30_DAYS = 720.0
FEW_OFFERS = 3
OFFERS_APART = (0.57, 1.96)
"""Cheapest and dearest over the median provider: medians over the cards that many providers rent out in the US (a test
recomputes them from the offers). A price of fewer than ``FEW_OFFERS`` offers is taken to be as uncertain."""


@dataclass(frozen=True)
class CostDefaults:
    """A scenario, the sourced value of each of its fields, and fields nobody publishes."""

    scenario: CostScenario
    lines: dict[str, Sourced]
    missing: tuple[str, ...]

    @cached_property
    def ranges(self) -> dict[str, Range]:
        """The ranges of the fields for the simulation."""
        # both sides fail alike by default, so the fraction is no source of difference and is not drawn
        varied = {path: line for path, line in self.lines.items() if "useful_fraction" not in path}
        return {
            path: Range(*(_inside(path, value) for value in (line.low, line.typical, line.high)))
            for path, line in varied.items()
            if line.low < line.high
        }

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What each value rests on."""
        return tuple(line.as_assumption(path) for path, line in self.lines.items())


@dataclass(frozen=True)
class _Machine:
    """What the lines below need to know of card and place."""

    tdp_w: float
    in_data_centre: bool
    with_switch: bool
    num_gpus: int
    per_node: int
    market: str

    @property
    def num_nodes(self) -> int:
        return math.ceil(self.num_gpus / self.per_node)


def _machine(gpu: Row, num_gpus: int, gpus_per_node: int, market: str) -> _Machine:
    segment, form = str(gpu["segment"]), str(gpu.get("form_factor", ""))
    tdp = number(gpu.get("tdp_w"))
    return _Machine(
        tdp_w=0.0 if math.isnan(tdp) else tdp,
        in_data_centre=segment == "datacenter",
        with_switch=segment == "datacenter" and ("SXM" in form or "OAM" in form),
        num_gpus=num_gpus,
        per_node=min(gpus_per_node, num_gpus),
        market=market,
    )


def _prices(row: Row, names: tuple[str, str, str], unit: str, basis: str) -> Sourced | None:
    low, typical, high = (number(row.get(name)) for name in names)
    if math.isnan(typical):
        return None
    low, high = typical if math.isnan(low) else low, typical if math.isnan(high) else high
    source = str(row.get(basis) or "price tables")
    return Sourced(low, typical, high, unit, source, "", str(row.get("newest_date") or ""))


def _purchase(gpu: Row, row: Row, p: Parameters) -> Sourced | None:
    unit = f"{p.currency}/card"
    found = _prices(row, ("low", "typical", "high"), unit, "basis")
    launch = number(gpu.get("launch_price_usd"))
    if found is None and not math.isnan(launch):
        price = p.money(launch, "USD")
        source, url = f"list price at launch; {gpu.get('source', '')}", str(gpu.get("source_url", ""))
        return Sourced(price, price, price, unit, source, url, str(gpu.get("release_date", "")))
    return found


def _host_price(machine: _Machine, price: Sourced, p: Parameters) -> Sourced:
    if machine.in_data_centre:
        multiple = p.get("server_cost_multiplier_over_gpu")
        return multiple.map(lambda value: (value - 1.0) * price.typical, price.unit)
    low, typical, high, source, url, date = HOST_PC
    pc = Sourced(low, typical, high, price.unit, source, url, date).times(p.money(1.0, "USD"))
    return pc


def _host_power(machine: _Machine, p: Parameters) -> Sourced:
    if machine.with_switch:
        rated = p.get("server_to_gpu_power_multiplier", "8xH100")
        rated = rated.between(high=p.get("server_to_gpu_power_multiplier", "8xA100"))
        return rated.map(lambda value: (value - 1.0) * machine.tdp_w, "W/card")
    return p.get("host_power_per_gpu", "desktop")


def _idle_power(machine: _Machine, host: Sourced, p: Parameters) -> Sourced:
    """Card and host share on and unused: the 15 % rule, plus the host's own draw."""
    rule, least = p.get("idle_power_fraction"), p.get("idle_power_h200")
    low_share = least.typical / H200_TDP_W
    if machine.in_data_centre:
        context = p.get("idle_power_with_cuda_context_extra")
        rated = machine.tdp_w + host.typical
        values = (low_share * rated, rule.typical * rated + context.typical, rule.typical * rated + context.high)
        extra = context
    else:
        extra = p.get("idle_power_workstation_whole")
        machine_w = extra.typical - rule.typical * WORKSTATION_TDP_W
        card = rule.typical * machine.tdp_w
        values = (low_share * machine.tdp_w, card + machine_w / machine.per_node, card + extra.typical)
    source = "; ".join(part.source for part in (rule, extra, least))
    return Sourced(*values, "W/card", source, rule.url, rule.date)


def _load_factor(machine: _Machine, p: Parameters) -> Sourced:
    if machine.in_data_centre:
        mean = p.get("node_power_mean_training_fraction")
        return mean.between(p.get("server_power_training_fraction"), p.get("node_power_peak_training_fraction"))
    return p.get("gpu_power_load_factor_consumer", "3090").between(p.get("gpu_power_load_factor_consumer", "RTX class"))


def _pue(machine: _Machine, p: Parameters) -> Sourced:
    if not machine.in_data_centre:
        return p.get("pue_home_office")
    small_room = p.get("pue_small_server_room")
    return p.get("pue_industry_average").between(
        p.get("pue_non_hyperscale_ai"), replace(small_room, high=small_room.typical)
    )


def _electricity(machine: _Machine, p: Parameters) -> Sourced:
    wide = p.get("electricity_dc_range")
    if machine.market == "China":
        return p.get("electricity_industrial", "China")
    if machine.market == "Europe":
        return p.get("electricity_industrial", "EU").between(p.get("electricity_industrial", "Germany"), wide)
    if machine.in_data_centre:
        return p.get("electricity_industrial", "US").between(wide, wide)
    return p.get("electricity_residential", "US").between(p.get("electricity_industrial", "US"), wide)


def _resale(machine: _Machine, years: float, p: Parameters) -> Sourced:
    """Share of the purchase recovered after ``years``: published ages joined by lines, then Epoch's decline.

    A card sold before the first published age fetches that age's share: out of the box it is a used card.
    """
    ages = [p.get(f"residual_fraction_age{age}") for age in RESIDUAL_AGES]
    decline = p.get("economic_depreciation_rate")

    def at(values: list[float], points: list[float]) -> float:
        inside = float(np.interp(years, points, values))
        return inside * (1.0 - decline.typical) ** max(years - points[-1], 0.0)

    points = [float(age) for age in RESIDUAL_AGES]
    low, typical, high = (at([getattr(age, end) for age in ages], points) for end in ("low", "typical", "high"))
    curve = Sourced(low, typical, high, "of purchase", ages[2].source, ages[2].url, ages[2].date)
    if machine.in_data_centre:
        return curve
    seen = [p.get(name) for name, _ in CONSUMER_AGES_OBSERVED]
    observed = at([row.typical for row in seen], [age for _, age in CONSUMER_AGES_OBSERVED])
    source = "; ".join([curve.source, *(row.source for row in seen)])
    # used gaming cards kept more of their price than the curves of data-centre cards: their high is the typical here
    return replace(curve, typical=curve.high, high=max(observed, curve.high), source=source)


def _staff(machine: _Machine, p: Parameters) -> Sourced:
    year = p.get("ops_cost_person_year")
    people = p.get("ops_gpus_per_fte").map(lambda cards: machine.num_gpus / cards)
    cost = people.times(year.typical / 12.0, f"{p.currency}/month")
    named = replace(cost, source=f"{people.source}; {year.source}")
    # a few cards under a desk are looked after beside other work
    return named if machine.in_data_centre else replace(named, low=0.0, typical=0.0, high=0.0)


def _sales_tax(machine: _Machine, p: Parameters) -> Sourced:
    if machine.market == "US":
        return p.get("sales_tax", "US")
    vat = p.get("vat_rate", "China" if machine.market == "China" else "EU")
    return replace(vat, low=0.0, typical=0.0, high=vat.typical, source=f"{vat.source}; firms recover it, others pay it")


def _colocation(p: Parameters) -> Sourced:
    cage, wide = p.get("colo_wholesale_per_kw_month"), p.get("colo_cage_per_kw_month")
    return cage.between(wide, wide)


def _own_lines(machine: _Machine, price: Sourced | None, years: float, p: Parameters) -> dict[str, Sourced]:
    host_w, tdp = _host_power(machine, p), machine.tdp_w
    lines = {
        "own.gpu_power_w": Sourced(tdp, tdp, tdp, "W/card", "data sheet (gpus.csv)", "", ""),
        "own.host_power_w": host_w,
        "own.idle_power_w": _idle_power(machine, host_w, p),
        "own.load_factor": _load_factor(machine, p),
        "own.pue": _pue(machine, p),
        "own.electricity_price": _electricity(machine, p),
        "own.resale_fraction": _resale(machine, years, p),
        "own.sales_tax_rate": _sales_tax(machine, p),
    }
    upkeep = "maintenance_pct_capex_year" if machine.in_data_centre else "overhead_pct_purchase_year"
    lines["own.maintenance_rate"] = p.get(upkeep)
    if price is not None:
        lines["own.gpu_price"] = price
        lines["own.host_price"] = _host_price(machine, price, p)
    if machine.market != "China":
        lines["own.staff_per_month"] = _staff(machine, p)
        if machine.in_data_centre:
            lines["own.colocation_per_kw_month"] = _colocation(p)
    if machine.in_data_centre:
        servers, total = machine.num_gpus / CARDS_PER_SERVER, f"{p.currency}, whole purchase"
        lines["own.storage_price"] = p.get("sa_storage_cost").times(servers, total)
        lines["own.installation_price"] = p.get("sa_installation").times(servers, total)
    if machine.num_nodes > 1:
        total = f"{p.currency}, whole purchase"
        lines["own.network_price"] = p.get("infiniband_cost_per_node").times(machine.num_nodes, total)
        lines["own.spares_fraction"] = p.get("spares_fraction", "global")
    return lines


def _rent_price(row: Row, mode: RentMode, unit: str) -> Sourced | None:
    """Market range of one kind of rental, as wide as those of other cards where it rests on few offers."""
    found = _prices(row, (f"{mode}_low", f"{mode}_typical", f"{mode}_high"), unit, f"{mode}_basis")
    offers = row.get(f"{mode}_n", FEW_OFFERS)
    if found is None:
        return None
    found = replace(found, date=str(row.get(f"{mode}_date") or found.date))
    if offers >= FEW_OFFERS:
        return found
    low, high = (share * found.typical for share in OFFERS_APART)
    source = f"{found.source}; so few ({offers:.0f}) that the range is taken from other cards"
    return replace(found, low=min(found.low, low), high=max(found.high, high), source=source)


def _rent_lines(machine: _Machine, row: Row, mode: RentMode, p: Parameters) -> dict[str, Sourced]:
    unit = f"{p.currency}/GPU-hour"
    listed = _rent_price(row, mode, unit)
    if listed is None and mode != "on_demand":
        on_demand = _rent_price(row, "on_demand", unit)
        if on_demand is not None:
            off = p.get("spot_discount" if mode == "spot" else "commit_discount_1y")
            listed = off.map(lambda share: (1.0 - share) * on_demand.typical, unit)
            listed = replace(listed, source=f"{on_demand.source}; discount: {off.source}", date=on_demand.date)
    change = p.get("rental_price_change_per_year")
    lines = {
        # sources disagree even on the sign: today's price is kept, the range is theirs
        "rent.annual_price_change": replace(change, typical=0.0),
        "rent.storage_price_per_gb_month": p.get("object_storage_price"),
        "rent.egress_price_per_gb": p.get("egress_price"),
    }
    if listed is not None:
        lines["rent.price_per_gpu_hour"] = listed
    if mode == "spot":
        hourly, worst = p.get("spot_interruption_rate_h100"), p.get("spot_interruption_rate_generic")
        month = p.get("spot_interruption_band_monthly").map(lambda share: HOURS_PER_30_DAYS / share)
        mean = replace(hourly, low=1 / worst.typical, typical=1 / hourly.typical, high=month.typical, unit="h")
        source = "; ".join([hourly.source, worst.source, month.source])
        lines["rent.interruption_mtbf_hours"] = replace(mean, source=source).times(1 / machine.num_nodes)
    return lines


def _useful_fraction(machine: _Machine, p: Parameters) -> Sourced:
    """Share of hours left after failures, saves and restarts, from published failure rates of data-centre cards."""
    rows = [p.get("failure_rate_nodes_rsc1"), p.get("mtbf_gpu_all_unexpected"), p.get("failure_rate_nodes_rsc2")]
    node_hours = 24.0 * 1000.0 * CARDS_PER_SERVER
    card_hours = [node_hours / rows[0].typical, rows[1].typical, node_hours / rows[2].typical]
    low, typical, high = effective_fraction(card_hours, machine.num_gpus, SAVE_HOURS, RESTART_HOURS)
    source = "; ".join(row.source for row in rows)
    return Sourced(float(low), float(typical), float(high), "share of hours", source, rows[1].url, rows[1].date)


def default_costs(
    gpu: Row,
    purchase: Row,
    rental: Row,
    parameters: pd.DataFrame | Parameters,
    market: str,
    currency: str,
    rates: Mapping[str, float],
    *,
    num_gpus: int = 1,
    gpus_per_node: int = CARDS_PER_SERVER,
    horizon_months: int = 36,
    utilisation: float = 0.6,
    hours_per_month: float = 730.0,
    discount_rate: float | None = None,
    rent_mode: RentMode = "on_demand",
) -> CostDefaults:
    """Costs of ``num_gpus`` of a card in a market (China, US, Europe), in ``currency``.

    ``gpu``: a row of ``gpus.csv``; ``purchase``: the card's row of ``purchase_summary`` (low, typical, high, basis,
    newest_date); ``rental``: the rented card's row of ``rental_summary`` (on_demand_*, spot_*, reserved_*), both
    already in ``currency``; ``parameters``: ``cost_parameters.csv``, or read with these rates; ``rates``: units of
    ``currency`` for one USD, EUR and CNY. Without ``discount_rate`` the published typical one is taken. A figure nobody
    publishes stays 0 and is listed in ``missing``. KeyError where the parameter table lacks a row, ValueError for an
    unknown market.
    """
    if market not in ("China", "US", "Europe"):
        raise ValueError(f"unknown market '{market}'; known are China, US, Europe")
    p = parameters if isinstance(parameters, Parameters) else Parameters(parameters, currency, rates)
    machine = _machine(gpu, num_gpus, gpus_per_node, market)
    price = _purchase(gpu, purchase, p)
    discount = p.get("discount_rate")
    wanted = discount.typical if discount_rate is None else discount_rate
    lines = _own_lines(machine, price, horizon_months / 12.0, p) | _rent_lines(machine, rental, rent_mode, p)
    useful = _useful_fraction(machine, p)
    lines |= {"own.useful_fraction": useful, "rent.useful_fraction": useful}
    lines["discount_rate"] = replace(
        discount, low=min(discount.low, wanted), typical=wanted, high=max(discount.high, wanted)
    )
    plan = "your plan, ten points either way"
    low, high = max(utilisation - PLAN_POINTS, 0.0), min(utilisation + PLAN_POINTS, 1.0)
    lines["utilisation"] = Sourced(low, utilisation, high, "share of hours", plan, "", "")

    values = {path: _inside(path, line.typical) for path, line in lines.items()}
    base = CostScenario(currency=currency, horizon_months=horizon_months, hours_per_month=hours_per_month)
    values |= {"own.num_gpus": num_gpus, "rent.always_on": rent_mode == "reserved"}
    if "rent.price_per_gpu_hour" not in lines:
        values["rent.price_per_gpu_hour"] = 0.0
    expected = ["own.gpu_price", "rent.price_per_gpu_hour", "own.staff_per_month"]
    expected += ["own.colocation_per_kw_month"] if machine.in_data_centre else []
    return CostDefaults(
        scenario=CostScenario.model_validate(with_values(base, values).model_dump()),
        lines=lines,
        missing=tuple(path for path in expected if path not in lines),
    )


def _inside(path: str, value: float) -> float:
    low, high = bounds_of(path)
    return float(min(max(value, low), high))
