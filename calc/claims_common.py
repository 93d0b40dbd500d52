"""Tools to answer the claims of popular guides: memory, time and agreement of figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from calc.answers_hours import hours_with_range
from calc.answers_memory import memory_with_range
from calc.cases import Cases, take
from calc.memory import MemoryEstimate
from calc.scenario import Scenario, scenario_from_flat
from calc.scenario_cases import scenario_cases
from calc.tables import Tables
from calc.verdict import memory_verdict

Verdict = Literal["confirmed", "depends", "contradicted"]
NEAR = 0.1
"""Figures within a tenth of each other agree: guides round, and published repeats of one run differ by more."""
GB_PER_GIB = 2**30 / 1e9
EXAMPLE_RUN = {"model": "Llama-3.1-8B", "method": "lora", "samples": 20_000, "tokens_per_sample": 600, "epochs": 3.0}
"""The run by which cards are compared where a guide names none."""


@dataclass(frozen=True)
class Answer:
    """Verdict on one claim and the figures behind it.

    ``values``: named by quantity and unit, such as ``peak_gib``, ``low_gib`` or ``price_cny``; texts are card names,
    dates and verdicts ("fits", "tight", "no"). ``sources``: addresses of the figures; empty where they come from the
    fitted models alone.
    """

    claim_id: str
    verdict: Verdict
    values: dict[str, float | str]
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """Tables that the answers draw on: those of the app, the claims, and published failure rates."""

    tables: Tables
    claims: pd.DataFrame
    failures: pd.DataFrame

    def claimed(self, claim_id: str) -> tuple[float, float]:
        """Lower and upper figure of a claim; NaN where it states none."""
        row = self.claims.loc[self.claims["claim_id"] == claim_id].iloc[0]
        return float(row["value_low"]), float(row["value_high"])


Answerer = Callable[[Evidence], Answer]


@dataclass(frozen=True)
class Need:
    """Memory of one run on one card, GiB: allocated peak, what the driver shows with its 80 % range, verdict."""

    allocated_gib: float
    peak_gib: float
    low_gib: float
    high_gib: float
    usable_gib: float
    verdict: str

    def named(self, name: str) -> dict[str, float | str]:
        """Figures for the words, each with ``name`` in front."""
        return {
            f"{name}_gib": self.peak_gib,
            f"{name}_low_gib": self.low_gib,
            f"{name}_high_gib": self.high_gib,
            f"{name}_verdict": self.verdict,
        }

    @property
    def holds(self) -> bool:
        """True where the card fits the run, if only just."""
        return self.verdict in ("fits", "tight")


def scenario_of(**choices: Any) -> Scenario:
    """Scenario with the product's defaults but for ``choices`` (fields of ``calc.scenario``)."""
    return scenario_from_flat(choices)


def _single(scenario: Scenario, tables: Tables) -> tuple[Cases, MemoryEstimate, float, float]:
    cases = take(scenario_cases(scenario, tables), np.array(0))
    estimate, peak, low, high = memory_with_range(cases, tables)
    return cases, estimate, float(low / peak), float(high / peak)


def need(tables: Tables, **choices: Any) -> Need:
    """Memory per card of one scenario."""
    cases, estimate, low, high = _single(scenario_of(**choices), tables)
    assert cases.device is not None
    usable = float(cases.device.memory_gib_usable)
    peak = float(estimate.nvidia_smi_gib)
    verdict = str(memory_verdict(estimate, low, high, usable))
    return Need(float(estimate.allocated_gib), peak, peak * low, peak * high, usable, verdict)


@dataclass(frozen=True)
class Speed:
    """Time of one scenario with its 80 % range: one optimizer step, and the whole run."""

    step_s: float
    step_low_s: float
    step_high_s: float
    hours: float
    tokens_per_s: float  # of all cards
    communication_share: float
    mfu: float  # share of the datasheet rate, counting 6 operations a parameter and token

    def named(self, name: str) -> dict[str, float | str]:
        """Figures of the step for the words, each with ``name`` in front."""
        return {f"{name}_s": self.step_s, f"{name}_low_s": self.step_low_s, f"{name}_high_s": self.step_high_s}


def speed(tables: Tables, **choices: Any) -> Speed:
    """Time of one scenario."""
    scenario = scenario_of(**choices)
    cases = scenario_cases(scenario, tables)
    estimate, hours, low, high = hours_with_range(scenario, cases, tables)
    step, whole = float(np.ravel(estimate.step_s)[0]), float(np.ravel(hours)[0])
    return Speed(
        step_s=step,
        step_low_s=step * float(np.ravel(low)[0]) / whole,
        step_high_s=step * float(np.ravel(high)[0]) / whole,
        hours=whole,
        tokens_per_s=float(np.ravel(estimate.tokens_per_s_per_gpu)[0]) * scenario.hardware.num_gpus,
        communication_share=float(np.ravel(estimate.parts["communication"])[0]) / step,
        mfu=float(np.ravel(estimate.mfu)[0]),
    )


def agrees(value: float, low: float, high: float) -> bool:
    """True where ``value`` lies between two claimed figures, or within a tenth outside them."""
    return low * (1 - NEAR) <= value <= high * (1 + NEAR)


def overlaps(low: float, high: float, claimed_low: float, claimed_high: float) -> bool:
    """True where two ranges have a value in common, within a tenth."""
    return low <= claimed_high * (1 + NEAR) and high >= claimed_low * (1 - NEAR)


def judge(value: float, low: float, high: float, claimed: tuple[float, float]) -> Verdict:
    """``confirmed`` where the typical figure agrees, ``depends`` where only its range does, else ``contradicted``."""
    if agrees(value, *claimed):
        return "confirmed"
    return "depends" if overlaps(low, high, *claimed) else "contradicted"
