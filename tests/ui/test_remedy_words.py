"""Remedies in words: what they free, what they cost, and what undoing them brings back."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from calc.remedies import Remedy, remedies
from calc.remedies_room import faster
from calc.remedies_top import top_changes
from calc.scenario import scenario_from_flat
from calc.tables import load_tables
from ui.data import COMMON_GPUS
from ui.i18n import LANGUAGES, words
from ui.remedy_words import (
    change_name,
    cost_effect,
    host_effect,
    memory_effect,
    remedy_name,
    remedy_why,
    speed_gain,
    state_words,
    time_effect,
    verdict_badge,
)
from ui.state import label

SCENARIO = scenario_from_flat({"micro_batch": 4, "grad_accum": 8})
REMEDY = Remedy(
    kinds=("micro_batch", "fused_loss"),
    fields={"micro_batch": 1, "grad_accum": 32, "fused_loss": "yes"},
    touches=0,
    peak_gib=20.0,
    usable_gib=23.6,
    frees_gib=10.4,
    hours=5.0,
    time_factor=1.254,
    verdict="fits",
    host_ram_gib=0.0,
    host_fits=True,
)


def test_a_set_names_all_its_changes_with_their_figures() -> None:
    assert remedy_name(REMEDY, SCENARIO) == "Micro batch 1, 32 accumulation steps + Fused loss"
    assert remedy_why(REMEDY).startswith("the same batch in smaller portions, ")
    four = {"gpu": "H100-SXM5-80GB", "num_gpus": 4}
    assert change_name("more_cards", {"num_gpus": 4}, SCENARIO) == "4 × RTX 4090"
    assert change_name("another_card", four, SCENARIO) == "4 × H100 SXM instead"
    assert change_name("another_card", {"gpu": "H100-SXM5-80GB"}, SCENARIO) == "H100 SXM instead"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "frees 10.4 GiB"),
        ({"frees_gib": -3.0}, "needs 3.0 GiB more"),
        ({"frees_gib": 0.01}, "same memory"),
        ({"usable_gib": 79.65}, "79.7 GiB usable"),
    ],
)
def test_memory_in_words(changes: dict[str, Any], text: str) -> None:
    assert memory_effect(replace(REMEDY, **changes), 23.6) == text


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (1.254, "25 % more time"),
        (1.04, "4 % more time"),
        (1.63, "1.63× the time"),
        (2.56, "2.56× the time"),
        (1.01, "same time"),
        (0.79, "21 % less time"),
        (0.004, "100 % less time"),
        (math.nan, ""),
    ],
)
def test_time_in_words(factor: float, text: str) -> None:
    assert time_effect(factor) == text


def test_rent_speed_and_main_memory_in_words() -> None:
    assert (cost_effect(0.75), cost_effect(1.5)) == ("rent of a run 25 % lower", "rent of a run 50 % higher")
    assert (cost_effect(math.nan), cost_effect(1.0)) == ("", "")
    assert speed_gain(0.5) == "100 % faster"
    assert host_effect(REMEDY) == ""
    assert host_effect(replace(REMEDY, host_ram_gib=45.4)) == "45.4 GiB of main memory"
    assert verdict_badge(REMEDY) == ":green-badge[then it fits]"
    assert verdict_badge(replace(REMEDY, host_fits=False)) == ":gray-badge[too much main memory]"
    assert verdict_badge(replace(REMEDY, verdict="")) == ""
    tight = replace(REMEDY, verdict="tight")
    assert (verdict_badge(tight, "no"), verdict_badge(tight, "tight")) == (
        ":orange-badge[then tight]",
        ":gray-badge[still tight]",
    )


def test_what_was_before_is_told_without_what_merely_followed() -> None:
    assert state_words({"micro_batch": 4, "grad_accum": 8}) == "Micro batch 4"
    assert state_words({"grad_accum": 8}) == f"{label('grad_accum')} 8"
    assert state_words({"gpu": "RTX 4090", "rent_gpu": ""}) == "RTX 4090"
    assert state_words({"method": "full-16bit"}) == "Full 16-bit"
    assert state_words({"fp8": False, "fused_loss": "no"}).endswith("off, Fused loss: Off")
    assert state_words({"cpu_offload": "none", "method": "full-16bit"}) == "Offload to main memory: None, Full 16-bit"
    assert state_words({"model": "Llama-3.1-8B", "model_size_b": 8.0}) == "Llama-3.1-8B"


def test_every_kind_of_change_has_a_name_and_a_reason_in_both_languages() -> None:
    kinds: set[str] = set()
    fields: list[dict[str, Any]] = [
        {"method": "full-mixed", "num_gpus": 4, "activation_checkpointing": "none", "micro_batch": 8},
        {"method": "full-mixed", "num_gpus": 2, "optimizer": "adamw", "attention": "eager", "parallelism": "ddp"},
        {"method": "qlora-4bit", "gpu": "H100-SXM5-80GB", "packed": False, "model": "Llama-2-7B"},
        {"method": "full-16bit", "gpu": "B200-SXM-180GB", "cpu_offload": "optimizer"},
    ]
    for values in fields:
        scenario = scenario_from_flat(values)
        found = remedies(scenario, load_tables(), COMMON_GPUS)
        singles = [*found.singles, *found.without_effect, *found.ways, *faster(scenario, load_tables()).singles]
        singles += [change.remedy for change in top_changes(scenario, load_tables(), COMMON_GPUS)]
        kinds |= {kind for single in singles for kind in single.kinds}
    assert len(kinds) > 18
    for language in LANGUAGES:
        known = words(language)
        assert {kind for kind in kinds if f"remedy.name.{kind}" not in known} == set()
        assert {kind for kind in kinds if f"remedy.why.{kind}" not in known} == set()
