"""From limits to plans: every card, count, link, method, batch, sharding, offload and way of paying, ranked.

The whole space is evaluated by the functions that every page uses (``peak_memory``, ``step_time``, the cost model).
Public: :class:`Constraints`, :func:`recommend`, :class:`Recommendation`, :func:`plan_fields`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from calc.market import at_rates_of
from calc.recommend_constraints import WHATEVER_WORKS, Constraints
from calc.recommend_money import Machines
from calc.recommend_plans import (
    Check,
    Plans,
    all_kept,
    checks,
    described,
    machines_for,
    priced,
)
from calc.recommend_rank import GOAL_COLUMN, ORDERS, REASONS, outclassed, pareto, ranked, varied, with_reasons
from calc.recommend_space import Configurations, configurations
from calc.scenario import Scenario
from calc.tables import Tables

__all__ = ["PLAN_COLUMNS", "REASONS", "Binding", "Constraints", "Recommendation", "WhyNot", "plan_fields", "recommend"]

PLAN_COLUMNS = (
    *("gpu", "short", "vendor", "segment", "num_gpus", "num_nodes", "link", "method", "parallelism"),
    *("activation_checkpointing", "cpu_offload", "fp8", "micro_batch", "grad_accum", "mode"),
    *("peak_gib", "low_gib", "high_gib", "usable_gib", "memory_headroom", "verdict"),
    *("hours", "hours_low", "hours_high", "compute_headroom"),
    *("cost_once", "cost_per_month", "cost_total", "cost_per_run", "cost_per_run_low", "cost_per_run_high"),
    *("power_w", "host_ram_gib", "machine_gb", "ecc", "risks", "confidence"),
)
LISTED_COLUMNS = (*PLAN_COLUMNS, "reason", "next_step", "cost_per_run_ratio", "cost_total_ratio", "hours_ratio")
WIDER = 4  # times as many cards are searched for what a relaxation would allow


@dataclass(frozen=True)
class Binding:
    """One constraint whose change alone would let a plan through.

    ``field``: the name in :class:`Constraints`; ``current`` and ``needed``: its value now and the smallest change that
    helps (numbers, text or bool); ``plan``: the plan (``PLAN_COLUMNS``) that it would allow.
    """

    field: str
    current: Any
    needed: Any
    plan: dict[str, Any]


@dataclass(frozen=True)
class WhyNot:
    """Why a card is not the first plan.

    ``plan``: its best configuration (``PLAN_COLUMNS``), None where its speed or memory is unknown or it has no price;
    ``failed``: fields of :class:`Constraints` that it misses, "memory" where it does not fit, "price" where nobody
    quotes one, "figures" where the table lacks its speed; ``needed``: the value of each that would let it through (for
    "memory" the GiB a card it needs); ``rank``: its place among the cards, 1 first, None where it fails; ``quantity``:
    the column in which it first loses to the first plan in the goal's order, ``behind``: its value over the first
    plan's (1.2: 20 % more), None where the first plan's is 0 or the card fails.
    """

    gpu: str
    plan: dict[str, Any] | None
    failed: tuple[str, ...]
    needed: dict[str, Any]
    behind: float | None
    rank: int | None
    quantity: str = ""


@dataclass(frozen=True)
class _Search:
    """Everything one search evaluated, its best representatives priced and checked."""

    found: Configurations
    bought: Machines
    plans: Plans
    results: list[Check]
    kept: np.ndarray
    n_priced: int
    n_feasible: int


@dataclass(frozen=True)
class Recommendation:
    """Plans in the order of the goal, and what was searched.

    ``plans``: up to ``top`` rows with ``LISTED_COLUMNS``, at most two a card. ``front``: plans that nothing beats in
    both ``cost_per_run`` and ``hours``, fastest first, same columns. ``n_searched`` technical configurations, ``n_fit``
    of them fit in memory (tight ones counted), ``n_priced`` configurations that fit in every way of paying,
    ``n_feasible`` of those satisfy every constraint. ``binding`` is empty unless nothing is feasible; then the smallest
    relaxation of each single constraint that helps, least effort first. ``closest``: without any plan and without a
    single relaxation that helps, the plan that misses the fewest constraints.

    Columns: ``mode`` own, on_demand, spot or reserved; ``hours*`` wall time of one run with its 80 % range, spot
    interruptions included; ``memory_headroom`` 1 - peak / usable; ``compute_headroom`` allowed over needed hours (NaN:
    no deadline); ``cost_once`` paid at the start (a project's bills included), ``cost_per_month`` the mean bill of a
    month, ``cost_total`` over the project's term or the horizon, resale counted, ``cost_per_run`` the same a run with
    the range of the hours; ``machine_gb`` memory of all cards; ``host_ram_gib`` what offload puts into the memory of
    each machine; ``risks`` how many of: memory tight, nearly full, late at the upper end, interrupted, offloaded;
    ``confidence`` low where the memory's range reaches beyond the card, medium on spot, where late at the upper end or
    where one quote alone gives the price, else high; ``reason`` a key of ``REASONS``; ``next_step`` the position of
    the next larger machine with more free memory, -1 where none; ``*_ratio`` against the first plan.
    """

    scenario: Scenario
    constraints: Constraints
    plans: pd.DataFrame
    front: pd.DataFrame
    n_searched: int
    n_fit: int
    n_priced: int
    n_feasible: int
    binding: tuple[Binding, ...]
    closest: WhyNot | None
    _tables: Tables
    _search: _Search

    def why_not(self, gpu: str) -> WhyNot:
        """Best configuration of a card and what stands against it. KeyError for an unknown card."""
        if gpu not in self._tables.devices.index:
            raise KeyError(gpu)
        search, goal = self._search, self.constraints.goal
        card = np.array(search.found.cards)[search.found.card[search.plans.config]]
        feasible = _table(search, np.nonzero(search.kept)[0], self.scenario, self.constraints, self._tables)
        if gpu not in set(card[search.kept]):
            own = _searched(self.scenario, self.constraints, self._tables, [gpu], keep_all=True)
            return _failing(gpu, own, self.scenario, self.constraints, self._tables)
        leaders = feasible.iloc[ranked(feasible, goal)].drop_duplicates("gpu").reset_index(drop=True)
        place = leaders["gpu"].tolist().index(gpu)
        best, first = leaders.iloc[place], leaders.iloc[0]
        differing = [name for name in ORDERS[goal] if float(best[name]) > float(first[name])]
        quantity = differing[0] if differing else GOAL_COLUMN[goal]
        behind = 1.0 if place == 0 else None
        if place and float(first[quantity]):
            behind = float(best[quantity]) / float(first[quantity])
        return WhyNot(gpu, _plain(best), (), {}, behind, place + 1, quantity)


def recommend(scenario: Scenario, constraints: Constraints, tables: Tables, top: int = 20) -> Recommendation:
    """Searches every configuration for the scenario's training under the constraints.

    The number of sequences of an optimizer step stays that of the scenario: accumulation follows batch and cards.
    """
    tables = at_rates_of(scenario.money, tables)
    search = _searched(scenario, constraints, tables)
    table = _table(search, np.nonzero(search.kept)[0], scenario, constraints, tables)
    binding: tuple[Binding, ...] = ()
    closest: WhyNot | None = None
    if table.empty:
        wide = constraints.model_copy(
            update={
                "max_num_gpus": min(constraints.max_num_gpus * WIDER, 1024),
                "methods": (*constraints.methods, *WHATEVER_WORKS),
            }
        )
        around = _searched(scenario, constraints, tables, wide=wide)
        binding = _bindings(around, scenario, constraints, tables)
        if not binding:
            closest = _failing("", around, scenario, constraints, tables)
    best = with_reasons(varied(table, constraints.goal, top), constraints.goal)
    edge = pareto(table["cost_per_run"].to_numpy(dtype=float), table["hours"].to_numpy(dtype=float))
    return Recommendation(
        scenario=scenario,
        constraints=constraints,
        plans=best[list(LISTED_COLUMNS)],
        front=with_reasons(table.iloc[edge], constraints.goal)[list(LISTED_COLUMNS)],
        n_searched=search.found.n_searched,
        n_fit=search.found.n_fit,
        n_priced=search.n_priced,
        n_feasible=search.n_feasible,
        binding=binding,
        closest=closest,
        _tables=tables,
        _search=search,
    )


def plan_fields(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Flat scenario fields that turn the searched scenario into this plan (``scenario_from_flat`` takes them)."""
    fields = {
        **{name: str(plan[name]) for name in ("gpu", "link", "method", "parallelism")},
        **{name: str(plan[name]) for name in ("activation_checkpointing", "cpu_offload")},
        **{name: int(plan[name]) for name in ("num_gpus", "micro_batch", "grad_accum")},
        "fp8": bool(plan["fp8"]),
        "rent_gpu": "",
    }
    return fields if plan["mode"] == "own" else {**fields, "rent_mode": str(plan["mode"])}


def _searched(
    scenario: Scenario,
    constraints: Constraints,
    tables: Tables,
    gpus: list[str] | None = None,
    keep_all: bool = False,
    wide: Constraints | None = None,
) -> _Search:
    """Searches under ``wide`` (default: the constraints) and checks the constraints."""
    everything = configurations(scenario, wide or constraints, tables, gpus, keep_all)
    found = everything.only_best()
    bought = machines_for(found, scenario, constraints, tables)
    plans = priced(found, found.best, bought, scenario, constraints)
    results = checks(plans, found, bought, scenario, constraints, tables)
    if keep_all:
        results.append(Check("memory", found.verdict[plans.config] < 2, found.low_gib[plans.config]))
    every = priced(everything, np.arange(len(everything.hours)), bought, scenario, constraints)
    kept = all_kept(checks(every, everything, bought, scenario, constraints, tables))
    return _Search(found, bought, plans, results, all_kept(results), len(every), int(kept.sum()))


def _table(
    search: _Search, rows: np.ndarray, scenario: Scenario, constraints: Constraints, tables: Tables
) -> pd.DataFrame:
    plans = described(search.plans.at(rows), search.found, search.bought, scenario, constraints, tables)
    return plans.assign(outclassed=outclassed(plans))


def _plain(row: pd.Series[Any]) -> dict[str, Any]:
    return {name: row[name] for name in PLAN_COLUMNS}


def _failing(gpu: str, search: _Search, scenario: Scenario, constraints: Constraints, tables: Tables) -> WhyNot:
    """The plan of a search that misses the fewest constraints; the goal decides among several."""
    if not len(search.plans):
        return WhyNot(gpu, None, ("price",) if search.found.n_searched else ("figures",), {}, None, None)
    missed = np.sum([~check.ok for check in search.results], axis=0)
    fewest = np.nonzero(missed == missed.min())[0]
    table = _table(search, fewest, scenario, constraints, tables)
    place = ranked(table, constraints.goal)[0]
    missing = [check for check in search.results if not check.ok[fewest[place]]]
    needed = {check.field: _needed(check, int(fewest[place]), constraints) for check in missing}
    plan = _plain(table.iloc[place])
    return WhyNot(str(plan["gpu"]), plan, tuple(needed), needed, None, None)


def _needed(check: Check, place: int, constraints: Constraints) -> Any:
    """What one plan needs of a constraint, whole numbers as such."""
    value = check.needed[place]
    plain = value.item() if isinstance(value, np.generic) else value
    return math.ceil(plain) if type(getattr(constraints, check.field, None)) is int else plain


def _bindings(search: _Search, scenario: Scenario, constraints: Constraints, tables: Tables) -> tuple[Binding, ...]:
    """For each constraint that alone stands in the way of some plan, the least change that helps."""
    if not len(search.plans):
        return ()
    missed = np.sum([~check.ok for check in search.results], axis=0)
    found: list[tuple[float, Binding]] = []
    for check in search.results:
        alone = np.nonzero((missed == 1) & ~check.ok)[0]
        if not len(alone):
            continue
        effort = 1.0
        if check.needed.dtype != object:
            change = np.abs(np.log(check.needed[alone].astype(float) / getattr(constraints, check.field)))
            effort = float(change.min())
            alone = alone[change <= effort + 1e-12]
        table = _table(search, alone, scenario, constraints, tables)
        place = ranked(table, constraints.goal)[0]
        needed = _needed(check, int(alone[place]), constraints)
        found.append(
            (effort, Binding(check.field, getattr(constraints, check.field), needed, _plain(table.iloc[place])))
        )
    return tuple(binding for _, binding in sorted(found, key=lambda pair: pair[0]))
