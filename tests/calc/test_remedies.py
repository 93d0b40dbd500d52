"""Remedies keep their promises: what they free is freed, the least set is enough and nothing less is."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calc import remedies_effects
from calc.answers_memory import fit_by_card
from calc.answers_time import time_by_card
from calc.remedies import Remedies, Remedy, cards_for_sale, remedies
from calc.remedies_changes import (
    MACHINE,
    SETTINGS,
    TRAINING,
    combined,
    more_cards,
    other_cards,
    other_machines,
    small_changes,
)
from calc.remedies_effects import RANK, changed_cases, memory_of
from calc.scenario import Scenario, scenario_from_flat
from calc.tables import load_tables

CARDS = ("RTX 4060 Ti 16GB", "RTX 4090", "L40S 48GB", "A100-SXM4-80GB", "H100-SXM5-80GB", "H200-SXM-141GB")

SCENARIOS = st.fixed_dictionaries(
    {
        "model": st.just("by-size"),
        "model_size_b": st.sampled_from([1.5, 7.0, 13.0, 32.0, 70.0]),
        "method": st.sampled_from(["qlora-4bit", "lora", "dora", "freeze", "full-16bit", "full-mixed", "pretrain"]),
        "gpu": st.sampled_from(CARDS),
        "num_gpus": st.sampled_from([1, 2, 4, 8]),
        "seq_len": st.sampled_from([512, 2048, 4096, 8192]),
        "micro_batch": st.sampled_from([1, 2, 3, 8]),
        "grad_accum": st.sampled_from([1, 5, 16]),
        "packed": st.booleans(),
        "activation_checkpointing": st.sampled_from(["none", "selective", "full", "offload"]),
        "attention": st.sampled_from(["flash", "eager"]),
        "fused_loss": st.sampled_from(["no", "partial", "yes"]),
        "optimizer": st.sampled_from(["adamw", "adamw-fused", "adamw-8bit", "adafactor"]),
        "parallelism": st.sampled_from(["auto", "ddp", "zero1", "zero3", "tp"]),
        "cpu_offload": st.sampled_from(["none", "optimizer"]),
    }
)


def applied(scenario: Scenario, fields: dict[str, Any]) -> Scenario:
    """The scenario as the page has it after a click."""
    return scenario_from_flat({**scenario.flat(), **fields})


def promised(scenario: Scenario, found: Remedies, remedy: Remedy) -> None:
    after = applied(scenario, remedy.fields)
    gpu = after.hardware.gpu
    row = fit_by_card(after, load_tables(), [gpu]).iloc[0]
    hours = time_by_card(after, load_tables(), [gpu]).iloc[0]["hours"]
    assert found.peak_gib - row["peak_gib"] == pytest.approx(remedy.frees_gib, abs=1e-9, rel=1e-9)
    assert row["usable_gib"] == remedy.usable_gib
    assert row["verdict"] == remedy.verdict
    assert hours / found.hours == pytest.approx(remedy.time_factor, nan_ok=True)


@settings(max_examples=6)
@given(SCENARIOS)
def test_what_is_promised_is_what_applying_brings(fields: dict[str, Any]) -> None:
    scenario = scenario_from_flat(fields)
    found = remedies(scenario, load_tables(), CARDS)
    for remedy in (*found.singles[:2], *found.singles[-2:], *found.ways):
        promised(scenario, found, remedy)


@settings(max_examples=25)
@given(SCENARIOS)
def test_the_least_set_is_enough_and_no_part_of_it_is(fields: dict[str, Any]) -> None:
    scenario = scenario_from_flat(fields)
    found = remedies(scenario, load_tables(), CARDS)
    machines = (more_cards(scenario), other_cards(scenario, CARDS), other_machines(scenario, CARDS))
    changes = [*small_changes(scenario), *chain(*machines)]
    for way in found.ways:
        assert RANK[way.verdict] > RANK[found.verdict]
        chosen = [
            next(change for change in changes if change.kind == kind and change.fields.items() <= way.fields.items())
            for kind in way.kinds
        ]
        parts = [part for size in range(len(chosen)) for part in combinations(chosen, size)]
        cases = changed_cases(scenario, load_tables(), [combined(scenario, part) for part in parts])
        assert (memory_of(cases, load_tables())["rank"] < RANK[way.verdict]).all()


@settings(max_examples=25)
@given(SCENARIOS)
def test_the_tokens_of_a_step_stay(fields: dict[str, Any]) -> None:
    scenario = scenario_from_flat({**fields, "grad_accum": 1024, "packed": True, "parallelism": "zero3"})
    changes = (*small_changes(scenario), *more_cards(scenario)[:3])

    def tokens(of: Scenario) -> int:
        return of.setup.seq_len * of.setup.micro_batch * of.setup.grad_accum * of.hardware.num_gpus

    for change in changes:
        after = applied(scenario, combined(scenario, [change]))
        assert tokens(after) == pytest.approx(tokens(scenario), rel=0.01)


def kinds(found: Remedies) -> set[str]:
    return {single.kinds[0] for single in found.singles}


def test_four_cards_that_train_a_whole_7b_model_are_told_to_share_or_to_train_less() -> None:
    fields = {"model": "Llama-2-7B", "method": "full-16bit", "num_gpus": 4, "parallelism": "ddp"}
    found = remedies(scenario_from_flat(fields), load_tables(), CARDS)
    assert found.verdict == "no"
    assert {"zero1", "zero2", "zero3", "offload_all", "optimizer_8bit", "fused_loss", "lora", "qlora"} <= kinds(found)
    freed = {single.kinds[0]: single.frees_gib for single in found.singles}
    assert freed["zero3"] > freed["zero2"] > freed["zero1"] > freed["optimizer_8bit"] > 0
    assert found.least is not None
    assert {way.touches for way in found.ways} == {SETTINGS, TRAINING, MACHINE}


def test_a_large_batch_without_checkpointing_needs_only_settings() -> None:
    fields = {"micro_batch": 8, "activation_checkpointing": "none", "seq_len": 4096}
    found = remedies(scenario_from_flat(fields), load_tables(), CARDS)
    assert found.least is not None
    assert set(found.least.kinds) == {"checkpointing", "fused_loss", "micro_batch"}
    assert found.least.fields["grad_accum"] == 8 * 16


def test_another_card_is_the_smallest_that_holds_the_job() -> None:
    scenario = scenario_from_flat({"model": "by-size", "model_size_b": 32.0, "method": "qlora-4bit", "seq_len": 8192})
    found = remedies(scenario, load_tables(), CARDS)
    chosen = next(single for single in found.singles if single.kinds == ("another_card",))
    frame = fit_by_card(scenario, load_tables(), CARDS)
    assert chosen.fields["gpu"] == frame.loc[frame["verdict"] == "fits", "gpu"].iloc[0]


def test_nothing_is_moved_into_more_main_memory_than_a_machine_has() -> None:
    scenario = scenario_from_flat({"model": "by-size", "model_size_b": 405.0, "method": "pretrain"})
    found = remedies(scenario, load_tables(), CARDS)
    assert found.ways
    assert all(way.host_fits and way.host_ram_gib <= 2048 for way in found.ways)
    assert not next(single for single in found.singles if single.kinds == ("offload_all",)).host_fits
    offload = changed_cases(scenario, load_tables(), [{"cpu_offload": "params+optimizer"}])
    assert memory_of(offload, load_tables())["host_ram_gib"][0] > 2048


def test_pretraining_is_not_replaced_by_adapters() -> None:
    scenario = scenario_from_flat({"model": "by-size", "model_size_b": 13.0, "method": "pretrain"})
    assert not {"lora", "qlora"} & kinds(remedies(scenario, load_tables(), CARDS))


def test_only_cards_with_a_price_in_the_market_are_offered() -> None:
    for_sale = set(cards_for_sale(Scenario(), load_tables()))
    assert {"RTX 4090", "H100-SXM5-80GB"} <= for_sale
    assert not any(load_tables().devices["vendor"][name] != "NVIDIA" for name in for_sale)
    found = remedies(scenario_from_flat({"method": "full-mixed"}), load_tables())
    offered = {single.fields["gpu"] for single in found.singles if "gpu" in single.fields}
    assert offered
    assert offered <= for_sale


def test_both_models_are_asked_once_for_all_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"memory": 0, "time": 0}

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            asked[name] += 1
            return function(*args)

        return call

    monkeypatch.setattr(remedies_effects, "memory_with_range", counted("memory", remedies_effects.memory_with_range))
    monkeypatch.setattr(remedies_effects, "hours_with_range", counted("time", remedies_effects.hours_with_range))
    assert remedies(scenario_from_flat({"method": "full-mixed"}), load_tables(), CARDS).ways
    assert asked == {"memory": 1, "time": 1}
