"""Every technical configuration of a training, with its memory and time, evaluated as a few dense grids.

Cards of one kind (arithmetic formats and link) x a layout (number of cards and link) x a technique (method, sharding,
checkpointing, offload, FP8) x micro batch form one grid; money plays no part here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calc.answers_memory import memory_with_range
from calc.answers_time import hours_with_range
from calc.cases import Cases
from calc.recommend_constraints import Constraints
from calc.scenario import Scenario
from calc.scenario_cases import grid_cases
from calc.tables import Tables
from calc.throughput import groups
from calc.verdict import FITS, TIGHT, memory_verdict

MICRO_BATCHES = (1, 2, 4, 8, 16, 32)
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
CHECKPOINTINGS = ("none", "selective", "full", "offload")
FULL_METHODS = ("full-16bit", "full-mixed", "pretrain")
SIXTEEN_BIT_BASE = ("lora", "dora", "freeze", *FULL_METHODS)
SHARDINGS = ("ddp", "zero1", "zero2", "zero3", "tp", "pp")
"""What the sidebar offers; "auto" adds FSDP where all parameters are trained."""
OFFLOADS: dict[str, tuple[str, ...]] = {
    "single": ("none", "optimizer", "params+optimizer"),
    "auto": ("none", "params+optimizer"),
    "zero1": ("none", "optimizer"),
    "zero2": ("none", "optimizer"),
    "zero3": ("none", "optimizer", "params+optimizer"),
}
"""Offload comes with DeepSpeed's ZeRO and FSDP: states from stage 1 on, weights from stage 3 on; else none."""

TECHNIQUE_FIELDS = ("method", "parallelism", "activation_checkpointing", "cpu_offload", "fp8")


@dataclass(frozen=True)
class Configurations:
    """Configurations that fit or nearly fit, one element each; ``n_searched`` and ``n_fit`` count all evaluated.

    ``card`` indexes ``cards``, ``layout`` ``layouts`` (number of cards, link), ``technique`` ``techniques`` (in the
    order of ``TECHNIQUE_FIELDS``). Memory in GiB a card, ``hours`` of one run without interruptions.
    """

    cards: tuple[str, ...]
    layouts: tuple[tuple[int, str], ...]
    techniques: tuple[tuple[str, str, str, str, bool], ...]
    card: NDArray[np.int64]
    layout: NDArray[np.int64]
    technique: NDArray[np.int64]
    micro_batch: NDArray[np.int64]
    grad_accum: NDArray[np.int64]
    peak_gib: NDArray[np.float64]
    low_gib: NDArray[np.float64]
    high_gib: NDArray[np.float64]
    usable_gib: NDArray[np.float64]
    verdict: NDArray[np.int64]  # 0 fits, 1 tight, 2 does not fit
    hours: NDArray[np.float64]
    hours_low: NDArray[np.float64]
    hours_high: NDArray[np.float64]
    n_searched: int
    n_fit: int


def layouts_of(max_num_gpus: int, link_kind: str, per_node: int) -> list[tuple[int, str]]:
    """Numbers of cards and the links between them that such a card can be built with.

    A bridge joins two cards; cards without a fabric of their own get Ethernet between machines, or InfiniBand.
    """
    found: list[tuple[int, str]] = []
    for count in COUNTS:
        if count > max_num_gpus:
            break
        found.append((count, "auto"))
        if count == 2 and link_kind == "bridge":
            found.append((count, "nvlink"))
        if count > per_node and link_kind != "nvlink":
            found.append((count, "pcie+infiniband"))
    return found


def techniques_of(methods: Sequence[str], with_fp8: bool, single: bool) -> list[tuple[str, str, str, str, bool]]:
    """Ways to run one step, in the order of ``TECHNIQUE_FIELDS``."""
    found = []
    for method, checkpointing in product(methods, CHECKPOINTINGS):
        shardings = ("single",) if single else (*SHARDINGS, *(("auto",) if method in FULL_METHODS else ()))
        eights = (False, True) if with_fp8 and method in SIXTEEN_BIT_BASE else (False,)
        for sharding, fp8 in product(shardings, eights):
            found += [(method, sharding, checkpointing, o, fp8) for o in OFFLOADS.get(sharding, ("none",))]
    return found


def sequences_per_step(scenario: Scenario, tables: Tables) -> float:
    """Sequences of one optimizer step as the scenario's own settings give them: what every plan keeps."""
    cases = grid_cases(scenario, tables, scenario.hardware.gpu, scenario.workload.method, {})
    setup = scenario.setup
    return float(setup.micro_batch * setup.grad_accum * groups(cases).data)


def _batches(wanted: float, count: int) -> list[int]:
    return [b for b in MICRO_BATCHES if b == 1 or b <= wanted * (1 if count == 1 else count)]


def _evaluated(scenario: Scenario, tables: Tables, cases: Cases) -> dict[str, np.ndarray]:
    estimate, peak, low, high = memory_with_range(cases, tables)
    assert cases.device is not None
    usable = np.asarray(cases.device.memory_gib_usable, dtype=float)
    words = memory_verdict(estimate, low / peak, high / peak, usable)
    verdict = np.where(words == FITS, 0, np.where(words == TIGHT, 1, 2))
    _, hours, hours_low, hours_high = hours_with_range(scenario, cases, tables)
    arrays = {"peak_gib": peak, "low_gib": low, "high_gib": high, "usable_gib": usable}
    arrays |= {"verdict": verdict, "hours": hours, "hours_low": hours_low, "hours_high": hours_high}
    shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
    return {name: np.broadcast_to(a, shape) for name, a in arrays.items()}


def configurations(
    scenario: Scenario,
    constraints: Constraints,
    tables: Tables,
    gpus: Sequence[str] | None = None,
    keep_all: bool = False,
) -> Configurations:
    """All configurations of the given cards (default: every card of the table) for the scenario's training.

    ``keep_all`` keeps those that do not fit as well.
    """
    cards = tuple(gpus) if gpus is not None else tuple(str(name) for name in tables.devices.index)
    device = tables.devices.reindex(list(cards))
    kinds = list(
        zip(device["bf16_dense_tflops"].isna(), device["fp8_dense_tflops"].notna(), device["link_kind"], strict=True)
    )
    wanted = sequences_per_step(scenario, tables)
    per_node = scenario.hardware.gpus_per_node
    layouts: list[tuple[int, str]] = []
    techniques: list[tuple[str, str, str, str, bool]] = []
    parts: list[dict[str, np.ndarray]] = []
    n_searched = n_fit = 0
    for kind in dict.fromkeys(kinds):
        members = np.array([i for i, other in enumerate(kinds) if other == kind])
        for layout in layouts_of(constraints.max_num_gpus, kind[2], per_node):
            if layout not in layouts:
                layouts.append(layout)
            count, link = layout
            ways = techniques_of(constraints.searched_methods, kind[1], count == 1)
            first, names = len(techniques), np.array(cards)[members]
            techniques += ways
            batch = np.array(_batches(wanted, count))
            columns: dict[str, Any] = {
                name: np.array([way[i] for way in ways])[:, None] for i, name in enumerate(TECHNIQUE_FIELDS)
            }
            columns["parallelism"] = np.where(columns["parallelism"] == "single", "auto", columns["parallelism"])
            columns |= {"num_gpus": count, "link": link, "micro_batch": batch}
            draft = grid_cases(scenario, tables, names[:, None, None], columns.pop("method"), columns)
            ranks = groups(draft).data
            accumulation = np.maximum(np.rint(wanted / (batch * ranks)), 1.0)
            kept = np.broadcast_to((batch == 1) | (batch * ranks <= wanted), (len(ways), len(batch)))
            cases = draft.with_(grad_accum=accumulation)
            found = _evaluated(scenario, tables, cases)
            shape = found["hours"].shape
            known = np.isfinite(found["hours"]) & np.isfinite(found["peak_gib"]) & kept
            n_searched += int(known.sum())
            verdict = found["verdict"]
            chosen = known & (verdict < 2)
            n_fit += int(chosen.sum())
            chosen = known if keep_all else chosen
            g, t, b = np.nonzero(chosen)
            part = {
                "card": members[g],
                "layout": np.full(len(g), layouts.index(layout)),
                "technique": first + t,
                "micro_batch": batch[b],
                "grad_accum": np.broadcast_to(accumulation, shape[1:])[t, b].astype(np.int64),
            }
            parts.append(part | {name: values[chosen] for name, values in found.items()})
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Configurations(cards, tuple(layouts), tuple(techniques), **joined, n_searched=n_searched, n_fit=n_fit)
