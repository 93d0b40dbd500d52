"""From limits to plans: every card, count, link, method, batch, sharding, offload and way of paying, ranked.

The whole space is evaluated by the same functions that every page uses (``peak_memory``, ``step_time``, the cost
model). Public: :class:`Constraints`, :func:`recommend`, :class:`Recommendation`, :func:`plan_fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from calc.recommend_constraints import Constraints
from calc.recommend_plans import Check, checks, plan_table, representatives
from calc.recommend_space import configurations
from calc.scenario import Scenario
from calc.tables import Tables
from gpudata.names import short_gpu_name

__all__ = ["PLAN_COLUMNS", "Binding", "Constraints", "Recommendation", "WhyNot", "plan_fields", "recommend"]

PLAN_COLUMNS = (
    *("gpu", "short", "vendor", "segment", "num_gpus", "num_nodes", "link", "method", "micro_batch", "grad_accum"),
    *("activation_checkpointing", "parallelism", "cpu_offload", "fp8", "mode", "peak_gib", "low_gib", "high_gib"),
    *("usable_gib", "memory_headroom", "verdict", "hours", "hours_low", "hours_high", "compute_headroom"),
    *("cost_once", "cost_per_month", "cost_per_run", "cost_per_run_low", "cost_per_run_high", "cost_total"),
    *("power_w", "machine_value", "confidence", "reason", "next_step"),
)


@dataclass(frozen=True)
class Binding:
    """One constraint whose change alone would let a plan through.

    ``field``: the name in :class:`Constraints`; ``current`` and ``needed``: its value now and the smallest change that
    helps (numbers, text or bool); ``plan``: the plan (a row with ``PLAN_COLUMNS``) that it would allow.
    """

    field: str
    current: Any
    needed: Any
    plan: dict[str, Any]


@dataclass(frozen=True)
class WhyNot:
    """Why a card is not the first plan.

    ``plan``: its best configuration (a row with ``PLAN_COLUMNS``), None where nothing of it was evaluated; ``failed``:
    fields of :class:`Constraints` that it misses, "memory" where it does not fit, "price" where nobody sells or rents
    it there; ``needed``: the value of each that would let it through; ``behind``: by how much it loses to the first
    plan, as a ratio of the goal's quantity (1.2: 20 % more), None where it fails or leads; ``rank``: its place among
    the cards, 1 first, None where it fails.
    """

    gpu: str
    plan: dict[str, Any] | None
    failed: tuple[str, ...]
    needed: dict[str, Any]
    behind: float | None
    rank: int | None


@dataclass(frozen=True)
class Recommendation:
    """Plans in the order of the goal, and what was searched.

    ``plans``: up to ``top`` rows with ``PLAN_COLUMNS``, one a (gpu, num_gpus, method, mode) and no more than a few a
    card. ``front``: plans that nothing beats in both ``cost_per_run`` and ``hours``, fastest first, same columns.
    ``n_searched`` configurations, ``n_fit`` fit in memory, ``n_feasible`` satisfy every constraint. ``binding`` is
    empty unless nothing is feasible; then the smallest relaxation of each single constraint that helps, best first.

    Columns: ``mode`` own, on_demand, spot or reserved; ``hours*`` wall time of one run with its 80 % range, spot
    interruptions included; ``memory_headroom`` 1 - peak / usable; ``compute_headroom`` allowed over needed hours (NaN:
    no deadline); ``cost_once`` paid at the start (a project's bills included), ``cost_per_month`` the mean bill of a
    month, ``cost_per_run`` the total divided by the runs, ``cost_total`` over the project or horizon, resale counted;
    ``machine_value`` what the cards cost to buy; ``confidence`` high, medium or low; ``reason`` a key of ``REASONS``;
    ``next_step`` the index in ``plans`` of the next plan with more memory headroom, -1 where none.
    """

    scenario: Scenario
    constraints: Constraints
    plans: pd.DataFrame
    front: pd.DataFrame
    n_searched: int
    n_fit: int
    n_feasible: int
    binding: tuple[Binding, ...]

    _tables: Tables
    _every: pd.DataFrame  # all plans with a column "ok"

    def why_not(self, gpu: str) -> WhyNot:
        """Best configuration of a card and what stands against it. KeyError for an unknown card."""
        if gpu not in self._tables.devices.index:
            raise KeyError(gpu)
        own = self._every[self._every["gpu"] == gpu]
        if own.empty:
            return self._nothing_of(gpu)
        order = ranked(own, self.constraints.goal)
        feasible = order[own["ok"].to_numpy()[order]]
        if not len(feasible):
            return self._failing(gpu, own)
        best = own.iloc[feasible[0]]
        leaders = first_of_each(self._every[self._every["ok"]], self.constraints.goal, ["gpu"])
        rank = leaders["gpu"].tolist().index(gpu) + 1
        quantity = GOAL_COLUMN[self.constraints.goal]
        behind = None if rank == 1 else float(best[quantity] / leaders[quantity].iloc[0])
        return WhyNot(gpu, best[list(PLAN_COLUMNS[:-3])].to_dict(), (), {}, behind, rank)

    def _nothing_of(self, gpu: str) -> WhyNot:
        wide = self.constraints.model_copy(update={"allow_tight": True})
        found = configurations(self.scenario, wide, self._tables, [gpu])
        return WhyNot(gpu, None, ("price",) if found.n_fit else ("memory",), {}, None, None)

    def _failing(self, gpu: str, own: pd.DataFrame) -> WhyNot:
        results = checks(own, self.scenario, self.constraints, self._tables)
        failures = np.sum([~check.ok for check in results], axis=0)
        order = ranked(own, self.constraints.goal)
        best = order[np.argmin(failures[order])]
        failed = [check for check in results if not check.ok[best]]
        needed = {check.field: check.needed[best] for check in failed}
        plan = own.iloc[best][list(PLAN_COLUMNS[:-3])].to_dict()
        return WhyNot(gpu, plan, tuple(needed), needed, None, None)


REASONS = ("least", "cheapest_run", "cheapest_total", "fastest", "safest", "alternative")
GOAL_REASON = {
    "least": "least",
    "cheapest-run": "cheapest_run",
    "cheapest-horizon": "cheapest_total",
    "fastest": "fastest",
    "safest": "safest",
}
GOAL_COLUMN = {
    "least": "machine_value",
    "cheapest-run": "cost_per_run",
    "cheapest-horizon": "cost_total",
    "fastest": "hours",
    "safest": "fullest",
}
_ORDERS: dict[str, tuple[str, ...]] = {
    "least": ("tight", "machine_value", "cost_total", "hours"),
    "cheapest-run": ("cost_per_run", "tight", "hours", "fullest"),
    "cheapest-horizon": ("cost_total", "tight", "hours", "fullest"),
    "fastest": ("hours", "tight", "cost_total", "fullest"),
    "safest": ("tight", "spot", "fullest", "cost_total"),
}


def ranked(plans: pd.DataFrame, goal: str) -> np.ndarray:
    """Row positions in the order of a goal, best first."""
    keys = {
        "tight": plans["verdict"] != "fits",
        "spot": plans["mode"] == "spot",
        **{name: plans[name] for name in ("machine_value", "cost_total", "cost_per_run", "hours", "fullest")},
    }
    return np.lexsort([np.asarray(keys[name], dtype=float) for name in reversed(_ORDERS[goal])])


def first_of_each(plans: pd.DataFrame, goal: str, by: list[str]) -> pd.DataFrame:
    """Best plan of each group, in the order of the goal."""
    return plans.iloc[ranked(plans, goal)].drop_duplicates(by)


def pareto(plans: pd.DataFrame) -> pd.DataFrame:
    """Plans that no other beats in both cost of a run and hours, fastest first."""
    ordered = plans.sort_values(["hours", "cost_per_run"], kind="stable")
    cost = ordered["cost_per_run"].to_numpy()
    best_before = np.concatenate([[np.inf], np.minimum.accumulate(cost)[:-1]])
    return ordered[cost < best_before]


def _finished(chosen: pd.DataFrame, feasible: pd.DataFrame, goal: str) -> pd.DataFrame:
    frame = chosen.reset_index(drop=True)
    frame["short"] = [short_gpu_name(str(name)) for name in frame["gpu"]]
    sure = (frame["verdict"] == "fits") & (frame["mode"] != "spot")
    late = frame["compute_headroom"] * frame["hours"] < frame["hours_high"]
    frame["confidence"] = np.where(frame["verdict"] != "fits", "low", np.where(sure & ~late, "high", "medium"))
    reasons = np.full(len(frame), "alternative", dtype=object)
    order = [goal, *(other for other in _ORDERS if other != goal)]
    for other in reversed(order):
        if len(frame):
            reasons[ranked(frame, other)[0]] = GOAL_REASON[other]
    frame["reason"] = reasons
    room = frame["memory_headroom"].to_numpy()
    value = frame["machine_value"].to_numpy()
    steps = []
    for i in range(len(frame)):
        larger = np.nonzero((room > room[i] + 0.02) & (value > value[i]))[0]
        steps.append(int(larger[np.argmin(value[larger])]) if len(larger) else -1)
    frame["next_step"] = steps
    return frame[list(PLAN_COLUMNS)]


def _binding(plans: pd.DataFrame, results: list[Check], constraints: Constraints) -> tuple[Binding, ...]:
    failures = np.sum([~check.ok for check in results], axis=0) if len(plans) else np.zeros(0)
    found: list[Binding] = []
    for check in results:
        alone = np.nonzero((failures == 1) & ~check.ok)[0]
        if not len(alone):
            continue
        if check.needed.dtype == object:
            best = alone[ranked(plans.iloc[alone], constraints.goal)[0]]
        else:
            values = check.needed[alone]
            best = alone[np.argmax(values) if check.field == "runs_per_month" else np.argmin(values)]
        plan = plans.iloc[best][list(PLAN_COLUMNS[:-3])].to_dict()
        needed = check.needed[best]
        found.append(Binding(check.field, getattr(constraints, check.field), needed, plan))

    def effort(binding: Binding) -> float:
        if isinstance(binding.needed, float) and binding.current:
            return abs(np.log(binding.needed / binding.current))
        return 1.0

    return tuple(sorted(found, key=effort))


def recommend(scenario: Scenario, constraints: Constraints, tables: Tables, top: int = 20) -> Recommendation:
    """Searches every configuration for the scenario's training under the constraints."""
    found = configurations(scenario, constraints, tables)
    every = plan_table(found, representatives(found), scenario, constraints, tables)
    every["fullest"] = every["high_gib"] / every["usable_gib"]
    results = checks(every, scenario, constraints, tables)
    every["ok"] = np.logical_and.reduce([check.ok for check in results]) if len(every) else np.zeros(0, dtype=bool)
    feasible = every[every["ok"]]
    binding: tuple[Binding, ...] = ()
    if feasible.empty:
        binding = _binding(every, results, constraints)
    best = first_of_each(feasible, constraints.goal, ["gpu", "num_gpus", "method", "mode"])
    best = best[best.groupby("gpu").cumcount() < PER_CARD].head(top)
    return Recommendation(
        scenario=scenario,
        constraints=constraints,
        plans=_finished(best, feasible, constraints.goal),
        front=_finished(pareto(feasible), feasible, constraints.goal),
        n_searched=found.n_searched,
        n_fit=found.n_fit,
        n_feasible=len(feasible),
        binding=binding,
        _tables=tables,
        _every=every,
    )


PER_CARD = 2


def plan_fields(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Flat scenario fields that turn a scenario into this plan (``scenario_from_flat`` takes them)."""
    rented = {} if plan["mode"] == "own" else {"rent_mode": str(plan["mode"]), "rent_gpu": ""}
    return {
        "gpu": str(plan["gpu"]),
        "num_gpus": int(plan["num_gpus"]),
        "link": str(plan["link"]),
        "method": str(plan["method"]),
        "micro_batch": int(plan["micro_batch"]),
        "grad_accum": int(plan["grad_accum"]),
        "activation_checkpointing": str(plan["activation_checkpointing"]),
        "parallelism": str(plan["parallelism"]),
        "cpu_offload": str(plan["cpu_offload"]),
        "fp8": bool(plan["fp8"]),
        **rented,
    }
