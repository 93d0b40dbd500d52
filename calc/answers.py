"""Every answer the pages draw: memory, time, money, and the headline that joins them."""

from __future__ import annotations

from dataclasses import dataclass

from calc.answers_memory import fit_by_card, fit_map, memory_sweep, memory_terms
from calc.answers_money import MoneyAnswer, money
from calc.answers_time import scaling, time_by_card, time_terms
from calc.scenario import MODEL_BY_SIZE, MODEL_CUSTOM, Scenario
from calc.tables import Tables

__all__ = [
    "Headline",
    "MoneyAnswer",
    "fit_by_card",
    "fit_map",
    "headline",
    "memory_sweep",
    "memory_terms",
    "money",
    "scaling",
    "time_by_card",
    "time_terms",
]


@dataclass(frozen=True)
class Headline:
    """The answer in one line: memory and time of the chosen card with their 80 % ranges, and the money."""

    model_name: str
    model_size_b: float
    method: str
    gpu: str
    gpu_short: str
    num_gpus: int
    peak_gib: float
    low_gib: float
    high_gib: float
    usable_gib: float
    verdict: str
    hours: float
    hours_low: float
    hours_high: float
    bottleneck: str
    money: MoneyAnswer


def headline(scenario: Scenario, tables: Tables) -> Headline:
    """The answer of a scenario; ``model_name`` is blank for a model given by its size or its own shapes."""
    gpu = scenario.hardware.gpu
    fit, time = fit_by_card(scenario, tables, [gpu]).iloc[0], time_by_card(scenario, tables, [gpu]).iloc[0]
    model = scenario.workload.model
    return Headline(
        model_name="" if model in {MODEL_BY_SIZE, MODEL_CUSTOM} else model,
        model_size_b=scenario.workload.model_size_b,
        method=scenario.workload.method,
        gpu=gpu,
        gpu_short=str(fit["short"]),
        num_gpus=scenario.hardware.num_gpus,
        peak_gib=float(fit["peak_gib"]),
        low_gib=float(fit["low_gib"]),
        high_gib=float(fit["high_gib"]),
        usable_gib=float(fit["usable_gib"]),
        verdict=str(fit["verdict"]),
        hours=float(time["hours"]),
        hours_low=float(time["hours_low"]),
        hours_high=float(time["hours_high"]),
        bottleneck=str(time["bottleneck"]),
        money=money(scenario, tables),
    )
