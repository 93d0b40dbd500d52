"""What a machine that holds the job could do beside it: the largest batch, sequence and model, and faster settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from calc.architecture import architecture_of_size
from calc.cases import Cases, take
from calc.parameters import parameter_counts
from calc.remedies import Remedy, remedy_of
from calc.remedies_changes import SETTINGS, TRAINING, Change, combined
from calc.remedies_effects import RANK, changed_cases, hours_of, memory_of
from calc.scenario import SIZE_STEPS_B, Scenario
from calc.scenario_cases import scenario_architecture, scenario_cases
from calc.tables import Tables

LARGEST_MICRO_BATCH = 1024
LONGEST_SEQUENCE, SEQUENCE_STEP = 1_048_576, 256
BATCH_AND_PRECISION = {"larger_batch", "fp8", "lora16"}
WORTH = 0.01  # a gain below one per cent is not worth a change


@dataclass(frozen=True)
class Largest:
    """Largest values that still fit, each with the others as they are; None where none does.

    The next step (``micro_batch`` + 1, ``seq_len`` up to the next multiple of 256, the next size of the size slider)
    does not fit; a value at the end of its range has no next step.
    """

    micro_batch: int | None
    seq_len: int | None
    model_size_b: float | None


def largest(scenario: Scenario, tables: Tables) -> Largest:
    """Largest micro batch, sequence length [tokens] and model [billions of parameters] that fit, not only tightly."""
    now = scenario.setup
    cases = take(scenario_cases(scenario, tables), np.array(0))
    batches = np.arange(now.micro_batch, LARGEST_MICRO_BATCH + 1)
    first = (now.seq_len // SEQUENCE_STEP + 1) * SEQUENCE_STEP
    lengths = np.concatenate([[now.seq_len], np.arange(first, LONGEST_SEQUENCE + 1, SEQUENCE_STEP)])
    total = float(parameter_counts(scenario_architecture(scenario.workload, tables.models)).total) / 1e9
    sizes = np.array([size for size in SIZE_STEPS_B if size >= total * 0.999 or size >= SIZE_STEPS_B[-1]])
    batch = _last_fitting(cases.with_(micro_batch=batches.astype(float)), tables)
    length = _last_fitting(cases.with_(seq_len=lengths.astype(float)), tables)
    size = _last_fitting(cases.with_(arch=architecture_of_size(sizes)), tables)
    return Largest(
        micro_batch=None if batch is None else int(batches[batch]),
        seq_len=None if length is None else int(lengths[length]),
        model_size_b=None if size is None else float(sizes[size]),
    )


def _last_fitting(cases: Cases, tables: Tables) -> int | None:
    """Place of the last value before the first that does not fit; None where the first does not."""
    rank = memory_of(cases, tables)["rank"].to_numpy()
    failing = np.flatnonzero(rank < RANK["fits"])
    last = int(failing[0]) - 1 if len(failing) else len(rank) - 1
    return last if last >= 0 else None


@dataclass(frozen=True)
class Faster:
    """Changes that shorten the run and keep the verdict: each alone, and the best of them together.

    ``batch_and_precision``: share of speed that these two alone bring (popular guides promise 10 to 15 %), 0 for none.
    """

    singles: list[Remedy]
    together: Remedy | None
    batch_and_precision: float


def faster(scenario: Scenario, tables: Tables) -> Faster:
    """Settings that shorten the run on the same machine while it fits as well as it does now."""
    axes = _axes(scenario, tables)
    sets = [tuple(change for change in chosen if change is not None) for chosen in product(*axes)]
    sets.sort(key=len)
    cases = changed_cases(scenario, tables, [combined(scenario, chosen) for chosen in sets])
    frame = memory_of(cases, tables)
    held = np.flatnonzero(frame["rank"].to_numpy() >= frame["rank"].iloc[0])
    hours = np.full(len(sets), np.nan)
    hours[held] = hours_of(scenario, cases, tables, held)
    gain = np.nan_to_num(hours[0] / hours - 1, nan=-1.0)

    frame["hours"] = hours

    def remedy(row: int) -> Remedy:
        return remedy_of(scenario, sets[row], frame, row)

    best: dict[str, int] = {}
    for row, chosen in enumerate(sets):
        if len(chosen) == 1 and gain[row] > WORTH:
            kind = chosen[0].kind
            best[kind] = max(best.get(kind, row), row, key=lambda place: gain[place])
    together = next((row for row in range(len(sets)) if gain[row] >= gain.max() - WORTH), 0)
    tuned = [row for row, chosen in enumerate(sets) if {change.kind for change in chosen} <= BATCH_AND_PRECISION]
    return Faster(
        singles=[remedy(row) for row in sorted(best.values(), key=lambda place: -gain[place])],
        together=remedy(together) if len(sets[together]) > 1 else None,
        batch_and_precision=max(0.0, float(max(gain[row] for row in tuned))),
    )


def _axes(scenario: Scenario, tables: Tables) -> list[list[Change | None]]:
    """For each axis: leave it as it is, or one of the changes that may be faster."""
    setup, work = scenario.setup, scenario.workload
    batches = []
    batch = setup.micro_batch * 2
    while batch <= min(setup.micro_batch * setup.grad_accum, LARGEST_MICRO_BATCH) and setup.grad_accum > 1:
        batches.append(("larger_batch", {"micro_batch": batch}, batch / setup.micro_batch))
        batch *= 2
    return [
        _axis("micro_batch", batches),
        _axis("checkpointing", _less_recompute(setup.activation_checkpointing)),
        _axis("precision", [("fp8", {"fp8": True}, 1.0)] if _fp8_helps(scenario, tables) else []),
        _axis("loss", [("fused_loss", {"fused_loss": "yes"}, 1.0)] if setup.fused_loss != "yes" else []),
        _axis("framework", [("tuned", {"framework": "tuned"}, 1.0)] if setup.framework == "plain" else []),
        _axis("attention", [("flash_attention", {"attention": "flash"}, 1.0)] if setup.attention != "flash" else []),
        _axis("packing", [] if setup.packed else [("packing", {"packed": True}, 1.0)]),
        _axis("optimizer", [("fused_optimizer", {"optimizer": "adamw-fused"}, 1.0)] * (setup.optimizer == "adamw")),
        _axis("sharding", _less_sharing(scenario, tables)),
        _axis("offload", [("no_offload", {"cpu_offload": "none"}, 1.0)] * (setup.cpu_offload != "none")),
        _axis("method", [("lora16", {"method": "lora"}, 1.0)] * work.method.startswith("qlora"), TRAINING),
    ]


def _axis(
    name: str, options: Sequence[tuple[str, Mapping[str, Any], float]], touches: int = SETTINGS
) -> list[Change | None]:
    return [None, *(Change(kind, name, touches, fields, tokens) for kind, fields, tokens in options)]


def _less_recompute(now: str) -> list[tuple[str, Mapping[str, Any], float]]:
    lighter = {"full": ("selective", "none"), "offload": ("selective", "none"), "selective": ("none",)}
    kinds = {"selective": "selective_checkpointing", "none": "no_checkpointing"}
    return [(kinds[word], {"activation_checkpointing": word}, 1.0) for word in lighter.get(now, ())]


def _less_sharing(scenario: Scenario, tables: Tables) -> list[tuple[str, Mapping[str, Any], float]]:
    """Cards that share less send less; tensor and pipeline parallel are left alone."""
    now = str(scenario_cases(scenario, tables).parallelism[0])
    lighter = {"zero1": ("ddp",), "zero2": ("ddp", "zero1"), "zero3": ("ddp", "zero1"), "fsdp": ("ddp", "zero1")}
    return [(kind, {"parallelism": kind}, 1.0) for kind in lighter.get(now, ())]


def _fp8_helps(scenario: Scenario, tables: Tables) -> bool:
    if scenario.workload.method not in ("full-16bit", "full-mixed", "pretrain"):
        return False  # adapter libraries multiply in 16 bit
    rate = tables.devices["fp8_dense_tflops"][scenario.hardware.gpu]
    return not scenario.setup.fp8 and bool(rate == rate)
