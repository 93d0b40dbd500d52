"""Single changes of a scenario that save memory: what each sets, what it touches, and how changes combine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calc.scenario import METHOD_CHOICES, Scenario, TrainingSetup

SETTINGS, TRAINING, MACHINE = 0, 1, 2  # what a change touches, the lesser first
LIGHTER_METHODS = ("lora", "qlora-4bit")
COUNTS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
CARDS_OF_ONE_SERVER = 8
SHORTEST_SEQUENCE = 256
_MOST_ACCUMULATION = 65_536


@dataclass(frozen=True)
class Change:
    """One change: fields to set, and what it does to the tokens of one micro-step of the whole machine.

    Of one ``axis`` only one change can hold. ``touches``: 0 how a step is run, 1 what is trained, 2 the machine.
    """

    kind: str
    axis: str
    touches: int
    fields: Mapping[str, Any] = field(hash=False)
    tokens: float = 1.0


def combined(scenario: Scenario, changes: Iterable[Change]) -> dict[str, Any]:
    """Flat fields of several changes together; accumulation makes up for smaller or larger micro-steps.

    The tokens of one optimizer step stay what they were, as near as a whole number of micro-steps comes.
    """
    fields: dict[str, Any] = {}
    tokens = 1.0
    for change in changes:
        fields |= change.fields
        tokens *= change.tokens
    if tokens != 1.0:
        fields["grad_accum"] = min(max(round(scenario.setup.grad_accum / tokens), 1), _MOST_ACCUMULATION)
    return fields


def _settings(setup: TrainingSetup) -> list[Change]:
    found = []
    if setup.activation_checkpointing in ("none", "selective"):
        found.append(Change("checkpointing", "checkpointing", SETTINGS, {"activation_checkpointing": "full"}))
    if setup.activation_checkpointing != "offload":
        found.append(Change("activation_offload", "checkpointing", SETTINGS, {"activation_checkpointing": "offload"}))
    if setup.fused_loss != "yes":
        found.append(Change("fused_loss", "loss", SETTINGS, {"fused_loss": "yes"}))
    if setup.attention == "eager":
        found.append(Change("flash_attention", "attention", SETTINGS, {"attention": "flash"}))
    if setup.micro_batch > 1:
        found.append(Change("micro_batch", "micro_batch", SETTINGS, {"micro_batch": 1}, 1 / setup.micro_batch))
    if setup.optimizer == "adamw":
        found.append(Change("fused_optimizer", "optimizer", SETTINGS, {"optimizer": "adamw-fused"}))
    if setup.optimizer in ("adamw", "adamw-fused", "paged-adamw-32bit"):
        found.append(Change("optimizer_8bit", "optimizer", SETTINGS, {"optimizer": "adamw-8bit"}))
    if setup.cpu_offload == "none":
        found.append(Change("offload_optimizer", "offload", SETTINGS, {"cpu_offload": "optimizer"}))
    if setup.cpu_offload != "params+optimizer":
        found.append(Change("offload_all", "offload", SETTINGS, {"cpu_offload": "params+optimizer"}))
    return found


def _sequences(scenario: Scenario) -> list[Change]:
    """Half and a quarter of the sequence length; packed text then needs as many more sequences a step."""
    now, per_sample = scenario.setup.seq_len, scenario.workload.tokens_per_sample
    found = []
    for part in (2, 4):
        shorter = now // part
        if shorter >= SHORTEST_SEQUENCE:
            # a sample that no longer fits into one sequence is trained on in another way
            touches = SETTINGS if shorter >= per_sample else TRAINING
            tokens = shorter / now if scenario.setup.packed else 1.0
            found.append(Change("sequence", "sequence", touches, {"seq_len": shorter}, tokens))
    return found


def _methods(scenario: Scenario) -> list[Change]:
    now = scenario.workload.method
    if now == "pretrain":  # nothing to adapt yet
        return []
    lighter = [name for name in LIGHTER_METHODS if METHOD_CHOICES.index(name) < METHOD_CHOICES.index(now)]
    kinds = {"lora": "lora", "qlora-4bit": "qlora"}
    return [Change(kinds[name], "method", TRAINING, {"method": name}) for name in lighter]


def _sharding(scenario: Scenario) -> list[Change]:
    if scenario.hardware.num_gpus == 1:
        return []
    now = scenario.setup.parallelism
    return [
        Change(kind, "sharding", SETTINGS, {"parallelism": kind}) for kind in ("zero1", "zero2", "zero3") if kind != now
    ]


def small_changes(scenario: Scenario) -> list[Change]:
    """Changes that keep the machine."""
    return [
        *_settings(scenario.setup),
        *_sharding(scenario),
        *_sequences(scenario),
        *_methods(scenario),
    ]


def _shared(scenario: Scenario, count: int) -> dict[str, Any]:
    """More cards save memory only where they share the weights."""
    setup, method = scenario.setup, scenario.workload.method
    shares = setup.parallelism in ("zero1", "zero2", "zero3", "tp", "pp")
    shares = shares or (setup.parallelism == "auto" and method in ("full-16bit", "full-mixed", "pretrain"))
    return {"num_gpus": count} if shares else {"num_gpus": count, "parallelism": "zero3"}


def _step_tokens(scenario: Scenario, count: int) -> float:
    return 1.0 if scenario.setup.parallelism in ("tp", "pp") else count / scenario.hardware.num_gpus


def more_cards(scenario: Scenario) -> list[Change]:
    """The same card two, four, ... times, sharing what it holds."""
    counts = [count for count in COUNTS if count > scenario.hardware.num_gpus]
    return [
        Change("more_cards", "machine", MACHINE, _shared(scenario, count), _step_tokens(scenario, count))
        for count in counts
    ]


def other_cards(scenario: Scenario, cards: Sequence[str]) -> list[Change]:
    """As many of each other card."""
    return [Change("another_card", "machine", MACHINE, {"gpu": name}) for name in cards]


def other_machines(scenario: Scenario, cards: Sequence[str]) -> list[Change]:
    """Two, four, ... of each other card, where that is more than now."""
    counts = [count for count in COUNTS if count > scenario.hardware.num_gpus]
    return [
        Change(
            "another_machine",
            "machine",
            MACHINE,
            {"gpu": name, **_shared(scenario, count)},
            _step_tokens(scenario, count),
        )
        for count in counts
        for name in cards
    ]
