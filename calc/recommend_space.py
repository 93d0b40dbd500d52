"""Every technical configuration of a training, with its memory and time, evaluated as a few dense grids.

Cards of one kind (arithmetic formats and link) x a layout (number of cards and link) x a technique (method, sharding,
checkpointing, offload, FP8) x micro batch form one grid; money plays no part here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from annotated_types import Le
from numpy.typing import NDArray

from calc.answers_hours import hours_with_range
from calc.answers_memory import memory_with_range
from calc.cases import Cases
from calc.recommend_constraints import Constraints
from calc.scenario import Scenario, TrainingSetup
from calc.scenario_cases import grid_cases
from calc.tables import Tables
from calc.throughput import groups
from calc.verdict import FITS, TIGHT, memory_verdict

MICRO_BATCHES = (1, 2, 4, 8, 16, 32)
MOST_ACCUMULATION = float(
    next(rule.le for rule in TrainingSetup.model_fields["grad_accum"].metadata if isinstance(rule, Le))  # type: ignore[arg-type]
)
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

HOST_RAM_GIB = 2048.0
"""Memory of the largest usual host (DGX H100 and DGX H200 system guides): more cannot be offloaded."""
UNSHARDABLE: dict[str, tuple[str, ...]] = {"qlora-4bit": ("tp",), "qlora-8bit": ("tp", "zero3")}
"""bitsandbytes weights are not split by tensor parallelism, and ZeRO-3 gathers its 4-bit ones alone (PEFT
documentation, "DeepSpeed" and "Fully Sharded Data Parallel")."""

TECHNIQUE_FIELDS = ("method", "parallelism", "activation_checkpointing", "cpu_offload", "fp8")


@dataclass(frozen=True)
class Configurations:
    """Configurations that fit or nearly fit, one element each; ``n_searched`` and ``n_fit`` count all evaluated.

    ``card`` indexes ``cards``, ``layout`` ``layouts`` (number of cards, link), ``technique`` ``techniques`` (in the
    order of ``TECHNIQUE_FIELDS``). Memory in GiB a card, ``hours`` of one run without interruptions. ``best`` holds the
    positions that matter to any ranking: the others of their kind are slower and fuller.
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
    host_ram_gib: NDArray[np.float64]  # a machine
    verdict: NDArray[np.int64]  # 0 fits, 1 tight, 2 does not fit
    hours: NDArray[np.float64]
    hours_low: NDArray[np.float64]
    hours_high: NDArray[np.float64]
    best: NDArray[np.int64]  # positions of the fastest and the roomiest of each kind
    n_searched: int
    n_fit: int

    def only_best(self) -> Configurations:
        """The ``best`` alone: a few thousand instead of hundreds of thousands."""
        kept = {f.name: getattr(self, f.name)[self.best] for f in fields(self) if f.name in _EACH}
        return replace(self, **kept, best=np.arange(len(self.best)))


_EACH = frozenset(
    {
        *("card", "layout", "technique", "micro_batch", "grad_accum", "verdict"),
        *("peak_gib", "low_gib", "high_gib", "usable_gib", "host_ram_gib", "hours", "hours_low", "hours_high"),
    }
)


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
        several = (*SHARDINGS, *(("auto",) if method in FULL_METHODS else ()))
        shardings = ("single",) if single else tuple(s for s in several if s not in UNSHARDABLE.get(method, ()))
        eights = (False, True) if with_fp8 and method in SIXTEEN_BIT_BASE else (False,)
        for sharding, fp8 in product(shardings, eights):
            found += [(method, sharding, checkpointing, o, fp8) for o in OFFLOADS.get(sharding, ("none",))]
    return found


def offloads(technique: tuple[str, str, str, str, bool]) -> bool:
    """Whether weights, states or layer inputs of a technique live in main memory."""
    return technique[3] != "none" or technique[2] == "offload"


def sequences_per_step(scenario: Scenario, tables: Tables) -> float:
    """Sequences of one optimizer step as the scenario's own settings give them: what every plan keeps."""
    cases = grid_cases(scenario, tables, scenario.hardware.gpu, scenario.workload.method, {})
    setup = scenario.setup
    return float(setup.micro_batch * setup.grad_accum * groups(cases).data)


def _evaluated(scenario: Scenario, tables: Tables, cases: Cases) -> dict[str, np.ndarray]:
    estimate, peak, low, high = memory_with_range(cases, tables)
    assert cases.device is not None
    usable = np.asarray(cases.device.memory_gib_usable, dtype=float)
    words = memory_verdict(estimate, low / peak, high / peak, usable)
    verdict = np.where(words == FITS, 0, np.where(words == TIGHT, 1, 2))
    _, hours, hours_low, hours_high = hours_with_range(scenario, cases, tables)
    arrays = {"peak_gib": peak, "low_gib": low, "high_gib": high, "usable_gib": usable}
    arrays["host_ram_gib"] = np.asarray(estimate.host_ram_gib, dtype=float)
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

    ``keep_all`` keeps those that do not fit as well. Of the constraints only methods and the most cards count here.
    """
    cards = tuple(gpus) if gpus is not None else tuple(str(name) for name in tables.devices.index)
    technical = Scenario(workload=scenario.workload, setup=scenario.setup, hardware=scenario.hardware)
    return cached_configurations(
        _Technical(technical), tables, cards, constraints.searched_methods, constraints.max_num_gpus, keep_all
    )


class _Technical:
    """A scenario without money, which its memory and hours do not depend on, as a key."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._key = (scenario.workload, scenario.setup, scenario.hardware)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Technical) and self._key == other._key


@lru_cache(maxsize=3)
def cached_configurations(
    technical: _Technical,
    tables: Tables,
    cards: tuple[str, ...],
    methods: tuple[str, ...],
    max_num_gpus: int,
    keep_all: bool,
) -> Configurations:
    """:func:`configurations` by what it depends on; the last few are kept."""
    scenario = technical.scenario
    device = tables.devices.reindex(list(cards))
    kinds = list(
        zip(device["bf16_dense_tflops"].isna(), device["fp8_dense_tflops"].notna(), device["link_kind"], strict=True)
    )
    wanted, per_node = sequences_per_step(scenario, tables), scenario.hardware.gpus_per_node
    layouts: dict[tuple[int, str], int] = {}
    techniques: dict[tuple[str, str, str, str, bool], int] = {}
    parts: list[dict[str, np.ndarray]] = []
    n_searched = 0
    for kind in dict.fromkeys(kinds):
        members = np.array([i for i, other in enumerate(kinds) if other == kind])
        for layout in layouts_of(max_num_gpus, kind[2], per_node):
            ways = techniques_of(methods, kind[1], layout[0] == 1)
            names = [cards[i] for i in members]
            grid, searched = _grid(scenario, tables, names, layout, ways, wanted, keep_all)
            n_searched += searched
            grid["card"] = members[grid["card"]]
            places = np.array([techniques.setdefault(way, len(techniques)) for way in ways])
            grid["technique"] = places[grid["technique"]]
            grid["layout"] = np.full(len(grid["card"]), layouts.setdefault(layout, len(layouts)))
            parts.append(grid)
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    n_fit = int((joined["verdict"] < 2).sum())
    best = _best_of_kind(joined, tuple(techniques), len(layouts))
    return Configurations(
        cards, tuple(layouts), tuple(techniques), **joined, best=best, n_searched=n_searched, n_fit=n_fit
    )


def _best_of_kind(
    found: dict[str, np.ndarray], techniques: tuple[tuple[str, str, str, str, bool], ...], n_layouts: int
) -> NDArray[np.int64]:
    """The fastest and the roomiest configuration of each kind on each card, number of cards and link.

    A kind shares method, FP8, offload and verdict. Inside it costs and every constraint depend on the hours alone and
    grow with them, so nothing left out is cheaper, faster or roomier.
    """
    kinds = [(method, offload != "none", fp8) for method, _, _, offload, fp8 in techniques]
    number = {kind: i for i, kind in enumerate(dict.fromkeys(kinds))}
    kind = np.array([number[k] for k in kinds], dtype=np.int64)[found["technique"]]
    group = ((found["card"] * n_layouts + found["layout"]) * len(number) + kind) * 3 + found["verdict"]
    # of equally fast ones the simpler: layer inputs that go to main memory often cost no time
    moved = np.array([offloads(way) for way in techniques])[found["technique"]]
    picked = []
    for keys in ((moved, found["hours"]), (found["peak_gib"],)):
        order = np.lexsort((*keys, group))
        starts = np.diff(group[order], prepend=-1) != 0
        picked.append(order[starts])
    return np.unique(np.concatenate(picked))


def _grid(
    scenario: Scenario,
    tables: Tables,
    names: list[str],
    layout: tuple[int, str],
    ways: list[tuple[str, str, str, str, bool]],
    wanted: float,
    keep_all: bool,
) -> tuple[dict[str, np.ndarray], int]:
    """Cards of one kind x techniques x micro batches of one layout: what fits, and how many were evaluated."""
    count, link = layout
    batch = np.array([b for b in MICRO_BATCHES if b == 1 or b <= wanted])
    columns: dict[str, Any] = {
        name: np.array([way[i] for way in ways])[:, None] for i, name in enumerate(TECHNIQUE_FIELDS)
    }
    columns["parallelism"] = np.where(columns["parallelism"] == "single", "auto", columns["parallelism"])
    columns |= {"num_gpus": count, "link": link, "micro_batch": batch}
    draft = grid_cases(scenario, tables, np.array(names)[:, None, None], columns.pop("method"), columns)
    ranks = groups(draft).data
    accumulation = np.clip(np.rint(wanted / (batch * ranks)), 1.0, MOST_ACCUMULATION)
    # a larger batch than wanted is another training; where cards outnumber sequences the least batch is the nearest
    kept = np.broadcast_to((batch == 1) | (batch * ranks <= wanted), (len(ways), len(batch)))
    found = _evaluated(scenario, tables, draft.with_(grad_accum=accumulation))
    known = np.isfinite(found["hours"]) & np.isfinite(found["peak_gib"]) & kept
    known &= found["host_ram_gib"] <= HOST_RAM_GIB
    chosen = known if keep_all else known & (found["verdict"] < 2)
    card, technique, place = np.nonzero(chosen)
    accumulation = np.broadcast_to(accumulation, kept.shape)
    grid = {
        "card": card,
        "technique": technique,
        "micro_batch": batch[place],
        "grad_accum": accumulation[technique, place].astype(np.int64),
    }
    return grid | {name: values[chosen] for name, values in found.items()}, int(known.sum())
