"""Configurations joined with ways of paying: what each costs and which constraints it keeps, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from calc.recommend_constraints import HOURS_PER_WEEK, Constraints
from calc.recommend_market import card_facts
from calc.recommend_money import MODES, Machines, machines, money_terms, term_months
from calc.recommend_space import TECHNIQUE_FIELDS, Configurations, offloads
from calc.scenario import Scenario
from calc.tables import Tables
from gpudata.names import short_gpu_name

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Plans:
    """One element a configuration and way of paying; ``config`` and ``machine`` index what they are made of.

    Hours are wall time of one run, spot interruptions included. Amounts are in the scenario's currency: ``cost_once``
    at the start (in a project its bills too), ``cost_per_month`` the mean bill, ``cost_total`` all of it with the
    resale, ``cost_per_run`` the same a run (NaN where nothing is run); ``cost_idle`` what of ``cost_total`` is paid
    without a single run.
    """

    config: Integers
    machine: Integers
    hours: Floats
    hours_low: Floats
    hours_high: Floats
    cost_once: Floats
    cost_per_month: Floats
    cost_total: Floats
    cost_idle: Floats
    cost_per_run: Floats

    def __len__(self) -> int:
        return len(self.config)

    def at(self, rows: NDArray[Any]) -> Plans:
        """Some of the plans, by position or mask."""
        return Plans(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})


@dataclass(frozen=True)
class Check:
    """One constraint over many plans: where it holds, and the value of its field that each plan needs."""

    field: str
    ok: NDArray[np.bool_]
    needed: NDArray[Any]


def machines_for(found: Configurations, scenario: Scenario, constraints: Constraints, tables: Tables) -> Machines:
    """Every way of paying for every card and number of cards that some configuration runs on."""
    counts = np.array([n for n, _ in found.layouts], dtype=np.int64)
    seen = np.zeros((len(found.cards), len(counts)), dtype=bool)
    seen[found.card, found.layout] = True
    pairs = sorted({(int(card), int(counts[layout])) for card, layout in np.argwhere(seen)})
    return machines(tables, money_terms(scenario, constraints), found.cards, pairs)


def priced(
    found: Configurations, picked: Integers, bought: Machines, scenario: Scenario, constraints: Constraints
) -> Plans:
    """The picked configurations in every way of paying that ``bought`` has."""
    counts = np.array([n for n, _ in found.layouts], dtype=np.int64)[found.layout[picked]]
    place = np.full((len(found.cards), int(counts.max(initial=0)) + 1, len(MODES)), -1)
    inside = bought.count < place.shape[1]
    place[bought.card[inside], bought.count[inside], bought.mode[inside]] = np.nonzero(inside)[0]
    by_mode = place[found.card[picked], counts]
    row, mode = np.nonzero(by_mode >= 0)
    config, machine = picked[row], by_mode[row, mode]
    hours, money = found.hours[config], scenario.money
    months = float(term_months(money, constraints))
    if constraints.use == "project":
        runs: Floats | float = float(constraints.runs)
        use = runs * hours / (money.hours_per_month * months)
    elif constraints.runs_per_month > 0:
        runs, use = constraints.runs_per_month * months, constraints.runs_per_month * hours / money.hours_per_month
    else:
        use = np.full(len(config), money.utilisation / 100)
        runs = use * money.hours_per_month * months / hours

    def amount(pairs: Floats) -> Floats:
        idle, full = pairs[machine, 0], pairs[machine, 1]
        return idle + (full - idle) * use

    total, stretch = amount(bought.total), bought.stretch[machine]
    with np.errstate(divide="ignore", invalid="ignore"):
        per_run = np.where(np.asarray(runs) > 0, total / runs, np.nan)
    return Plans(
        config=config,
        machine=machine,
        hours=hours * stretch,
        hours_low=found.hours_low[config] * stretch,
        hours_high=found.hours_high[config] * stretch,
        cost_once=amount(bought.cash if constraints.use == "project" else bought.once),
        cost_per_month=amount(bought.month),
        cost_total=total,
        cost_idle=bought.total[machine, 0],
        cost_per_run=per_run,
    )


def allowed_hours(scenario: Scenario, constraints: Constraints) -> float:
    """Longest run that deadline, term and capacity allow [h]; infinite without any of them."""
    limits = [constraints.deadline_hours or np.inf]
    if constraints.use == "project":
        limits.append(constraints.term_weeks * HOURS_PER_WEEK / constraints.runs)
    elif constraints.runs_per_month > 0:
        limits.append(scenario.money.hours_per_month / constraints.runs_per_month)
    return float(min(limits))


def checks(
    plans: Plans, found: Configurations, bought: Machines, scenario: Scenario, constraints: Constraints, tables: Tables
) -> list[Check]:
    """Every constraint over all plans."""
    c, money = constraints, scenario.money
    facts = card_facts(tables, money.market, money.currency).loc[list(found.cards)]
    ways = list(zip(*found.techniques, strict=True)) if found.techniques else [(), (), (), (), ()]
    card, technique = found.card[plans.config], found.technique[plans.config]
    mode = bought.mode[plans.machine]
    rented = mode != MODES.index("own")
    hours = plans.hours_high if c.sure_of_deadline else plans.hours
    result: list[Check] = []

    def of_card(name: str) -> NDArray[np.bool_]:
        return facts[name].to_numpy(dtype=bool)[card]

    def of_technique(values: list[bool]) -> NDArray[np.bool_]:
        return np.array(values, dtype=bool)[technique]

    def wish(field: str, wanted: bool, ok: NDArray[np.bool_], needed: Any) -> None:
        held = ok if wanted else np.ones(len(plans), dtype=bool)
        values = needed if isinstance(needed, np.ndarray) else np.array(needed, dtype=object)
        result.append(Check(field, held, np.broadcast_to(values, len(plans))))

    def limit(field: str, value: float, needed: NDArray[Any]) -> None:
        least = np.asarray(needed, dtype=float)
        # a billionth: what is needed exactly is enough in spite of rounding
        held = least <= value * (1 + 1e-9) if value > 0 else np.ones(len(plans), dtype=bool)
        result.append(Check(field, held, least))

    methods = np.array(ways[0], dtype=object)[technique]
    searched = c.searched_methods
    wish("methods", True, of_technique([method in searched for method in ways[0]]), methods)
    wish("sides", c.sides != "either", rented == (c.sides == "rent"), "either")
    wish("allow_tight", not c.allow_tight, found.verdict[plans.config] == 0, True)
    wish("allow_spot", not c.allow_spot, mode != MODES.index("spot"), True)
    wish("allow_offload", not c.allow_offload, of_technique([offload == "none" for offload in ways[3]]), True)
    wish("allow_fp8", not c.allow_fp8, of_technique([not fp8 for fp8 in ways[4]]), True)
    wish("any_vendor", not c.any_vendor, of_card("cuda"), True)
    wish("needs_ecc", c.needs_ecc, of_card("ecc"), False)
    wish("continuous_duty", c.continuous_duty, of_card("duty"), False)
    wish("quiet_home", c.quiet_home, rented | of_card("fans"), False)
    local = np.stack([of_card(f"local_{name}") for name in MODES], axis=1)[np.arange(len(plans)), mode]
    wish("availability", c.availability == "local", local, "anywhere")
    closed = ~rented & of_card("restricted") & (money.market == "China")
    wish("allow_restricted", not c.allow_restricted, ~closed, True)
    limit("max_power_w", c.max_power_w, np.where(rented, 0.0, bought.power_w[plans.machine]))
    limit("max_num_gpus", c.max_num_gpus, bought.count[plans.machine])
    limit("budget_once", c.budget_once, plans.cost_once)
    limit("budget_per_month", c.budget_per_month, plans.cost_per_month)
    limit("deadline_hours", c.deadline_hours, hours)
    if c.use == "project":
        limit("term_weeks", c.term_weeks, hours * c.runs / HOURS_PER_WEEK)
    elif c.runs_per_month > 0:
        most = money.hours_per_month / hours
        result.append(Check("runs_per_month", most * (1 + 1e-9) >= c.runs_per_month, most))
    return result


def all_kept(results: list[Check]) -> NDArray[np.bool_]:
    """Where every constraint holds."""
    held = results[0].ok.copy()
    for check in results[1:]:
        held &= check.ok
    return held


def described(
    plans: Plans, found: Configurations, bought: Machines, scenario: Scenario, constraints: Constraints, tables: Tables
) -> pd.DataFrame:
    """Plans in words and numbers, one row each: what a page shows and ``plan_fields`` applies."""
    facts = card_facts(tables, scenario.money.market, scenario.money.currency).loc[list(found.cards)]
    config, machine = plans.config, plans.machine
    card, technique = found.card[config], found.technique[config]
    frame = pd.DataFrame({"gpu": np.array(found.cards, dtype=object)[card]})
    frame["short"] = [short_gpu_name(str(name)) for name in frame["gpu"]]
    frame["vendor"], frame["segment"] = facts["vendor"].to_numpy()[card], facts["segment"].to_numpy()[card]
    frame["num_gpus"] = bought.count[machine]
    frame["num_nodes"] = np.ceil(frame["num_gpus"] / scenario.hardware.gpus_per_node).astype(int)
    frame["link"] = np.array([link for _, link in found.layouts], dtype=object)[found.layout[config]]
    for i, name in enumerate(TECHNIQUE_FIELDS):
        frame[name] = [found.techniques[t][i] for t in technique]
    frame["offloaded"] = [offloads(found.techniques[t]) for t in technique]
    frame["parallelism"] = frame["parallelism"].replace("single", "auto")
    frame["micro_batch"], frame["grad_accum"] = found.micro_batch[config], found.grad_accum[config]
    frame["mode"] = np.array(MODES, dtype=object)[bought.mode[machine]]
    for name in ("peak_gib", "low_gib", "high_gib", "usable_gib", "host_ram_gib"):
        frame[name] = getattr(found, name)[config]
    frame["memory_headroom"] = 1.0 - frame["peak_gib"] / frame["usable_gib"]
    frame["verdict"] = np.array(["fits", "tight", "no"], dtype=object)[found.verdict[config]]
    for name in ("hours", "hours_low", "hours_high", "cost_once", "cost_per_month", "cost_total", "cost_per_run"):
        frame[name] = getattr(plans, name)
    limit = allowed_hours(scenario, constraints)
    frame["compute_headroom"] = limit / frame["hours"] if np.isfinite(limit) else np.nan
    for end in ("low", "high"):
        share = plans.cost_idle + (plans.cost_total - plans.cost_idle) * getattr(plans, f"hours_{end}") / plans.hours
        # nothing to scale where a plan costs nothing
        relative = np.divide(share, plans.cost_total, out=np.ones_like(share), where=plans.cost_total != 0)
        frame[f"cost_per_run_{end}"] = plans.cost_per_run * relative
    if constraints.use == "steady" and constraints.runs_per_month == 0:
        # the bill is fixed by the utilisation: a longer run is a larger share of it
        for end in ("low", "high"):
            frame[f"cost_per_run_{end}"] = plans.cost_per_run * getattr(plans, f"hours_{end}") / plans.hours
    frame["power_w"] = bought.power_w[machine]
    frame["machine_gb"] = facts["memory_gb"].to_numpy()[card] * frame["num_gpus"]
    frame["ecc"] = facts["ecc"].to_numpy()[card]
    late = plans.hours_high > limit
    frame["risks"] = risks(plans, found, bought, late)
    fits = frame["verdict"] == "fits"
    quotes = np.stack([facts[f"single_{name}"].to_numpy(dtype=bool)[card] for name in MODES], axis=1)
    single = quotes[np.arange(len(frame)), bought.mode[machine]]
    unsure = (frame["mode"] == "spot") | late | single
    frame["confidence"] = np.where(~fits, "low", np.where(unsure, "medium", "high"))
    return frame


def risks(plans: Plans, found: Configurations, bought: Machines, late: NDArray[np.bool_]) -> Integers:
    """How many things may go wrong: memory tight, memory range up to the last tenth, late, interrupted, offloaded."""
    config = plans.config
    full = found.high_gib[config] > 0.9 * found.usable_gib[config]
    spot = bought.mode[plans.machine] == MODES.index("spot")
    host = np.array([way[3] != "none" for way in found.techniques] or [False])[found.technique[config]]
    return np.sum([found.verdict[config] > 0, full, late, spot, host], axis=0)
