"""Configurations joined with ways of paying: what each costs and which constraints it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from calc.market import purchase_prices, rental_prices
from calc.recommend_constraints import HOURS_PER_WEEK, Constraints
from calc.recommend_money import MODES, MachineCost, machine_cost, money_terms, term_months
from calc.recommend_space import TECHNIQUE_FIELDS, Configurations
from calc.scenario import Scenario
from calc.tables import Tables

LOCAL_MARKETS = {"China": ("China",), "US": ("US", "global"), "Europe": ("Europe", "global")}
"""Markets whose offers count as local, as in the price summaries: worldwide providers serve the US and Europe."""
CONTROLLED_TPP = 4800.0
"""Total processing performance (dense TOPS x bits) from which export to China needs a licence: 15 CFR part 774,
supplement 1, ECCN 3A090.a."""


@dataclass(frozen=True)
class Check:
    """One constraint over many plans: where it holds, and the value of its field that each plan needs."""

    field: str
    ok: NDArray[np.bool_]
    needed: NDArray[Any]


@lru_cache(maxsize=8)
def card_facts(tables: Tables, market: str, currency: str) -> pd.DataFrame:
    """Facts of every card that constraints ask for, indexed by card.

    ``value``: what one card costs to buy; where nobody quotes it, its hourly rent times the median ratio of the two.
    """
    gpus = tables.gpus.set_index("gpu")
    out = pd.DataFrame(index=gpus.index)
    out["short"] = gpus.index
    out["vendor"], out["segment"] = gpus["vendor"].astype(str), gpus["segment"].astype(str)
    out["ecc"] = gpus["ecc"].isin(["yes", "optional"])
    out["duty"] = out["segment"].isin(["datacenter", "workstation"])
    out["cooled"] = out["segment"].isin(["consumer", "workstation"])
    bits = {
        "fp16_dense_tflops": 16,
        "fp16_accumulate_fp16_dense_tflops": 16,
        "fp8_dense_tflops": 8,
        "int8_dense_tops": 8,
    }
    performance = pd.concat([pd.to_numeric(gpus[name], errors="coerce") * bit for name, bit in bits.items()], axis=1)
    originals = set(gpus["export_restricted_variant_of"].dropna())
    western = gpus["vendor"].isin(["NVIDIA", "AMD", "Intel"])
    out["restricted"] = gpus.index.isin(originals) | ((performance.max(axis=1) >= CONTROLLED_TPP) & western)
    local = LOCAL_MARKETS[market]
    bought = tables.purchase[tables.purchase["market"].isin(local)]["gpu"]
    rented = tables.rental[tables.rental["market"].isin(local) & tables.rental["in_summary"].astype(bool)]["gpu"]
    out["sold_locally"], out["rented_locally"] = gpus.index.isin(set(bought)), gpus.index.isin(set(rented))
    price = purchase_prices(tables, market, currency)["typical"].reindex(out.index).astype(float)  # type: ignore[arg-type]
    rent = rental_prices(tables, market, currency)["on_demand_typical"].reindex(out.index).astype(float)  # type: ignore[arg-type]
    out["value"] = price.fillna(rent * float((price / rent).median()))
    return out


def representatives(found: Configurations) -> NDArray[np.int64]:
    """The fastest and the roomiest of each (card, layout, method, verdict).

    Memory and money depend on the rest only through the hours, and every constraint grows with them, so nothing
    left out is better in cost, time or room.
    """
    if not len(found.hours):
        return np.zeros(0, dtype=np.int64)
    methods = np.array([way[0] for way in found.techniques])
    _, method = np.unique(methods, return_inverse=True)
    group = found.card * len(found.layouts) + found.layout
    group = (group * (int(method.max()) + 1) + method[found.technique]) * 2 + found.fits
    picked = []
    for quantity in (found.hours, found.peak_gib):
        order = np.lexsort((found.micro_batch, quantity))
        picked.append(order[np.unique(group[order], return_index=True)[1]])
    return np.unique(np.concatenate(picked))


def _line(
    pairs: list[tuple[float, float]], use: NDArray[np.float64], machine: NDArray[np.int64]
) -> NDArray[np.float64]:
    ends = np.array(pairs, dtype=float).reshape(-1, 2)[machine]
    return ends[:, 0] + (ends[:, 1] - ends[:, 0]) * use


def plan_table(
    found: Configurations, picked: NDArray[np.int64], scenario: Scenario, constraints: Constraints, tables: Tables
) -> pd.DataFrame:
    """Every picked configuration in every way of paying that has a price, with hours and costs."""
    months, terms = term_months(scenario, constraints), money_terms(scenario.money)
    per_node = scenario.hardware.gpus_per_node
    config = np.tile(picked, len(MODES))
    mode = np.repeat(np.arange(len(MODES)), len(picked))
    count = np.array([n for n, _ in found.layouts], dtype=np.int64)[found.layout[config]]
    keys, machine = np.unique(np.stack([found.card[config], count, mode]), axis=1, return_inverse=True)
    costs: list[MachineCost] = [
        machine_cost(tables, found.cards[c], int(n), per_node, MODES[m], months, terms) for c, n, m in keys.T
    ]
    compute_hours = found.hours[config]
    hours_a_month = scenario.money.hours_per_month
    if constraints.use == "project":
        use, runs = constraints.runs * compute_hours / (hours_a_month * months), float(constraints.runs)
    elif constraints.runs_per_month > 0:
        use, runs = constraints.runs_per_month * compute_hours / hours_a_month, constraints.runs_per_month * months
    else:
        use = np.full(len(config), scenario.money.utilisation / 100)
        runs = use * hours_a_month * months / compute_hours
    stretch = np.array([cost.stretch for cost in costs])[machine]
    once = _line([cost.once for cost in costs], use, machine)
    month = _line([cost.month for cost in costs], use, machine)
    total = _line([cost.total for cost in costs], use, machine)
    facts = card_facts(tables, scenario.money.market, scenario.money.currency)
    names = np.array(found.cards)[found.card[config]]
    own = facts.loc[list(found.cards)]
    ways = pd.DataFrame(found.techniques, columns=list(TECHNIQUE_FIELDS))
    frame = pd.DataFrame({"config": config, "gpu": names})
    for column in ("short", "vendor", "segment"):
        frame[column] = own[column].to_numpy()[found.card[config]]
    frame["num_gpus"] = count
    frame["num_nodes"] = np.ceil(count / per_node).astype(int)
    frame["link"] = np.array([link for _, link in found.layouts])[found.layout[config]]
    for column in TECHNIQUE_FIELDS:
        frame[column] = ways[column].to_numpy()[found.technique[config]]
    frame["parallelism"] = frame["parallelism"].replace("single", "auto")
    frame["micro_batch"], frame["grad_accum"] = found.micro_batch[config], found.grad_accum[config]
    frame["mode"] = np.array(MODES)[mode]
    for column in ("peak_gib", "low_gib", "high_gib", "usable_gib"):
        frame[column] = getattr(found, column)[config]
    frame["memory_headroom"] = 1.0 - frame["peak_gib"] / frame["usable_gib"]
    frame["verdict"] = np.where(found.fits[config], "fits", "tight")
    frame["hours"], frame["hours_low"] = compute_hours * stretch, found.hours_low[config] * stretch
    frame["hours_high"] = found.hours_high[config] * stretch
    limit = allowed_hours(constraints, hours_a_month)
    frame["compute_headroom"] = limit / frame["hours"] if np.isfinite(limit) else np.nan
    project = constraints.use == "project"
    frame["cost_once"] = once + np.where(
        project, month * np.where(frame["mode"] == "reserved", max(months, 12), months), 0
    )
    frame["cost_per_month"], frame["cost_total"] = month, total
    frame["cost_per_run"] = np.where(np.asarray(runs) > 0, total / np.where(np.asarray(runs) > 0, runs, 1.0), np.nan)
    for end in ("low", "high"):
        share = (frame[f"hours_{end}"] / frame["hours"]).to_numpy()
        fixed = _line([(c.total[0], c.total[0]) for c in costs], use, machine)
        frame[f"cost_per_run_{end}"] = frame["cost_per_run"] * (fixed + (total - fixed) * share) / total
    frame["power_w"] = np.array([cost.power_w for cost in costs])[machine]
    frame["machine_value"] = own["value"].to_numpy()[found.card[config]] * count
    frame["use"] = use * stretch
    return frame[np.isfinite(total)].reset_index(drop=True)


def allowed_hours(constraints: Constraints, hours_per_month: float) -> float:
    """Longest run that deadline and term allow [h]; infinite without either."""
    limits = [constraints.deadline_hours or np.inf]
    if constraints.use == "project":
        limits.append(constraints.term_weeks * HOURS_PER_WEEK / constraints.runs)
    elif constraints.runs_per_month > 0:
        limits.append(hours_per_month / constraints.runs_per_month)
    return float(min(limits))


def checks(plans: pd.DataFrame, scenario: Scenario, constraints: Constraints, tables: Tables) -> list[Check]:
    """Every constraint over all rows of ``plan_table``."""
    c, money = constraints, scenario.money
    facts = card_facts(tables, money.market, money.currency).loc[plans["gpu"].tolist()]
    rented = (plans["mode"] != "own").to_numpy()
    everything = np.ones(len(plans), dtype=bool)
    hours = plans["hours_high" if c.sure_of_deadline else "hours"].to_numpy()
    found: list[Check] = []

    def wish(field: str, wanted: bool, ok: NDArray[np.bool_], needed: Any = False) -> None:
        found.append(Check(field, ok if wanted else everything, np.full(len(plans), needed, dtype=object)))

    def limit(field: str, value: float, needed: Any, applies: Any = True) -> None:
        least = np.asarray(needed, dtype=float)
        ok = (least <= value * (1 + 1e-9)) if value > 0 else everything
        found.append(Check(field, ok | ~np.broadcast_to(applies, len(plans)), least))

    searched = plans["method"].isin(c.searched_methods).to_numpy()
    found.append(Check("methods", searched, plans["method"].to_numpy(dtype=object)))
    wish("sides", c.sides != "either", rented == (c.sides == "rent"), "either")
    wish("allow_tight", not c.allow_tight, (plans["verdict"] == "fits").to_numpy(), True)
    wish("allow_spot", not c.allow_spot, (plans["mode"] != "spot").to_numpy(), True)
    wish("needs_ecc", c.needs_ecc, facts["ecc"].to_numpy())
    wish("continuous_duty", c.continuous_duty, facts["duty"].to_numpy())
    wish("quiet_home", c.quiet_home, rented | facts["cooled"].to_numpy())
    local = np.where(rented, facts["rented_locally"], facts["sold_locally"])
    wish("availability", c.availability == "local", local.astype(bool), "anywhere")
    closed = ~rented & facts["restricted"].to_numpy() & (money.market == "China")
    wish("allow_restricted", not c.allow_restricted, ~closed, True)
    limit("max_power_w", c.max_power_w, plans["power_w"], ~rented)
    limit("max_num_gpus", c.max_num_gpus, plans["num_gpus"])
    limit("budget_once", c.budget_once, plans["cost_once"])
    limit("budget_per_month", c.budget_per_month, plans["cost_per_month"])
    limit("deadline_hours", c.deadline_hours, hours)
    if c.use == "project":
        limit("term_weeks", c.term_weeks, hours * c.runs / HOURS_PER_WEEK)
    elif c.runs_per_month > 0:
        most = money.hours_per_month / hours
        found.append(Check("runs_per_month", most >= c.runs_per_month, most))
    return found
