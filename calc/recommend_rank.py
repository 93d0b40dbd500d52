"""Order, variety and reasons of plans that satisfy the constraints."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from calc.recommend_constraints import Goal

GOAL_COLUMN: dict[Goal, str] = {
    "least": "machine_gb",
    "cheapest-run": "cost_per_run",
    "cheapest-horizon": "cost_total",
    "fastest": "hours",
    "safest": "risks",
}
"""The quantity that each goal makes small."""
GOAL_REASON: dict[Goal, str] = {
    "least": "least",
    "cheapest-run": "cheapest_run",
    "cheapest-horizon": "cheapest_total",
    "fastest": "fastest",
    "safest": "safest",
}
REASONS = (*GOAL_REASON.values(), "frontier", "alternative")
ORDERS: dict[Goal, tuple[str, ...]] = {
    "least": ("machine_gb", "num_gpus", "cost_total", "hours", "offloaded", "peak_gib"),
    "cheapest-run": ("cost_per_run", "hours", "offloaded", "risks", "machine_gb"),
    "cheapest-horizon": ("cost_total", "hours", "offloaded", "risks", "machine_gb"),
    "fastest": ("hours", "cost_total", "offloaded", "risks", "machine_gb"),
    "safest": ("risks", "cost_total", "hours", "machine_gb"),
}
ROOMIER = 0.02  # of the card's memory; less is no step up


def ranked(plans: pd.DataFrame, goal: Goal) -> NDArray[np.int64]:
    """Row positions in the order of a goal, best first.

    least: the smallest memory of all cards, then the fewest cards, then the lower cost (the guides' rule: the least
    configuration that meets the need), plans that another outclasses after all others. safest: the fewest risks, then
    the lower cost. The others as named. Of equals the one that keeps everything on the card leads: it is simpler.
    """
    order = ("outclassed", *ORDERS[goal]) if goal == "least" else ORDERS[goal]
    return np.lexsort([plans[name].to_numpy(dtype=float) for name in reversed(order)])


def outclassed(plans: pd.DataFrame) -> NDArray[np.bool_]:
    """Plans that nobody would take: another of no more cards is surely faster, by both ranges, and nowhere dearer.

    Its payments at the start, a month and in all are no higher: every budget for the one is a budget for the other.
    """
    no_more = ["num_gpus", "cost_once", "cost_per_month", "cost_total"]
    # of one machine the fastest plan is in no payment dearer than its slower ones
    best = plans.sort_values("hours_high").drop_duplicates(["gpu", "num_gpus", "mode"])
    beaten = best["hours_high"].to_numpy()[None, :] < plans["hours_low"].to_numpy()[:, None]
    for name in no_more:
        beaten &= best[name].to_numpy()[None, :] <= plans[name].to_numpy()[:, None]
    return beaten.any(axis=1)


def varied(plans: pd.DataFrame, goal: Goal, top: int) -> pd.DataFrame:
    """The first plans of a goal: each card's best, and its best of the other side (owned or rented).

    Where that leaves room in ``top``, further numbers of cards and ways of paying of the same cards fill it.
    """
    ordered = plans.iloc[ranked(plans, goal)].drop_duplicates(["gpu", "num_gpus", "method", "mode"])
    main = ordered.assign(own=ordered["mode"].eq("own")).drop_duplicates(["gpu", "own"]).index
    kinds = ordered.drop_duplicates(["gpu", "num_gpus", "mode"]).index
    chosen = main[:top].union(kinds.difference(main, sort=False)[: max(top - len(main), 0)])
    return ordered[ordered.index.isin(chosen)]


def pareto(cost: NDArray[np.float64], hours: NDArray[np.float64]) -> NDArray[np.int64]:
    """Positions of the points that no other beats in both cost and hours, fastest first; NaN is never one."""
    order = np.lexsort((cost, hours))
    order = order[np.isfinite(cost[order]) & np.isfinite(hours[order])]
    best_before = np.concatenate([[np.inf], np.minimum.accumulate(cost[order])])[: len(order)]
    return order[cost[order] < best_before]


def with_reasons(plans: pd.DataFrame, goal: Goal) -> pd.DataFrame:
    """Adds ``reason`` (a key of ``REASONS``), ``next_step`` and the ratios to the first plan.

    A plan that leads the list in some goal says so, the chosen goal before the others; else it may lie on the frontier
    of cost against time; else it is an alternative.
    """
    frame = plans.reset_index(drop=True)
    reasons = np.full(len(frame), "alternative", dtype=object)
    if len(frame):
        reasons[pareto(frame["cost_per_run"].to_numpy(dtype=float), frame["hours"].to_numpy(dtype=float))] = "frontier"
        for other in (*(name for name in reversed(GOAL_REASON) if name != goal), goal):
            reasons[ranked(frame, other)[0]] = GOAL_REASON[other]
    frame["reason"] = reasons
    frame["next_step"] = next_steps(frame)
    for name in ("cost_per_run", "cost_total", "hours"):
        first = frame[name].iloc[0] if len(frame) else np.nan
        frame[f"{name}_ratio"] = frame[name] / first
    return frame


def next_steps(frame: pd.DataFrame) -> list[int]:
    """For each plan the position of the next larger machine of the same way of paying with more free memory, or -1."""
    room, size = frame["memory_headroom"].to_numpy(), frame["machine_gb"].to_numpy()
    own = (frame["mode"] == "own").to_numpy()
    steps = []
    for i in range(len(frame)):
        larger = np.nonzero((room > room[i] + ROOMIER) & (size > size[i]) & (own == own[i]))[0]
        steps.append(int(larger[np.argmin(size[larger])]) if len(larger) else -1)
    return steps
