"""The largest values fit and the next ones do not; faster settings are faster and keep the verdict."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from test_remedies import CARDS, SCENARIOS, applied

from calc.answers_memory import fit_by_card
from calc.answers_time import time_by_card
from calc.remedies_changes import combined
from calc.remedies_effects import RANK, changed_cases, memory_of
from calc.remedies_room import LARGEST_MICRO_BATCH, LONGEST_SEQUENCE, SEQUENCE_STEP, faster, largest
from calc.remedies_top import top_changes
from calc.scenario import MODEL_BY_SIZE, SIZE_STEPS_B, Scenario, scenario_from_flat
from calc.tables import load_tables

ROOMY = {"model": "by-size", "model_size_b": 3.0, "gpu": "H100-SXM5-80GB"}


def verdict(scenario: Scenario) -> str:
    return str(fit_by_card(scenario, load_tables(), [scenario.hardware.gpu])["verdict"].iloc[0])


@settings(max_examples=8)
@given(SCENARIOS)
def test_the_largest_values_fit_and_the_next_do_not(fields: dict) -> None:
    scenario = scenario_from_flat({**fields, "model_size_b": min(fields["model_size_b"], 7.0)})
    assume(verdict(scenario) == "fits")
    most = largest(scenario, load_tables())
    assert most.micro_batch is not None
    assert most.seq_len is not None
    steps: dict[str, tuple[float, float | None]] = {
        "micro_batch": (most.micro_batch, most.micro_batch + 1),
        "seq_len": (most.seq_len, (most.seq_len // SEQUENCE_STEP + 1) * SEQUENCE_STEP),
    }
    if most.model_size_b is not None:
        place = SIZE_STEPS_B.index(most.model_size_b)
        steps["model_size_b"] = (most.model_size_b, (*SIZE_STEPS_B, None)[place + 1])
    ends = {"micro_batch": LARGEST_MICRO_BATCH, "seq_len": LONGEST_SEQUENCE, "model_size_b": SIZE_STEPS_B[-1]}
    for name, (last, following) in steps.items():
        model = {"model": MODEL_BY_SIZE} if name == "model_size_b" else {}
        assert verdict(applied(scenario, {**model, name: last})) == "fits"
        if last < ends[name]:
            assert verdict(applied(scenario, {**model, name: following})) != "fits"


def test_the_ends_of_the_ranges_are_given_where_everything_fits() -> None:
    scenario = scenario_from_flat({**ROOMY, "model_size_b": 0.5, "gpu": "B300-SXM-288GB", "fused_loss": "yes"})
    short = applied(scenario, {"seq_len": 64, "method": "qlora-4bit"})
    assert largest(short, load_tables()).micro_batch == LARGEST_MICRO_BATCH


def test_a_job_that_does_not_fit_has_no_largest_value() -> None:
    most = largest(scenario_from_flat({"method": "full-mixed"}), load_tables())
    assert (most.micro_batch, most.seq_len, most.model_size_b) == (None, None, None)


@settings(max_examples=4)
@given(SCENARIOS)
def test_faster_settings_save_what_they_promise_and_keep_the_verdict(fields: dict) -> None:
    scenario = scenario_from_flat(fields)
    before = time_by_card(scenario, load_tables(), [scenario.hardware.gpu])["hours"].iloc[0]
    found = faster(scenario, load_tables())
    for change in (*found.singles[:2], *([found.together] if found.together else [])):
        after = applied(scenario, change.fields)
        hours = time_by_card(after, load_tables(), [scenario.hardware.gpu])["hours"].iloc[0]
        assert hours / before == pytest.approx(change.time_factor)
        assert hours < before
        assert RANK[verdict(after)] >= RANK[verdict(scenario)]
    if found.together:
        assert found.together.time_factor <= min((single.time_factor for single in found.singles), default=1.0) + 0.01


def test_what_batch_and_precision_bring_is_told_apart() -> None:
    full = scenario_from_flat({**ROOMY, "method": "full-16bit", "micro_batch": 1})
    found = faster(full, load_tables())
    assert {"fp8", "larger_batch", "no_checkpointing", "fused_loss"} <= {single.kinds[0] for single in found.singles}
    assert found.together is not None
    assert 0.05 < found.batch_and_precision < 1 / found.together.time_factor - 1
    no_fp8 = faster(applied(full, {"gpu": "A100-SXM4-80GB"}), load_tables())
    assert "fp8" not in {single.kinds[0] for single in no_fp8.singles}
    assert no_fp8.batch_and_precision < found.batch_and_precision


@settings(max_examples=8)
@given(SCENARIOS, st.sampled_from(["US", "China", "Europe"]))
@example(
    {
        **{"model": "by-size", "model_size_b": 7.0, "method": "qlora-4bit", "gpu": "RTX 4060 Ti 16GB", "num_gpus": 1},
        **{"packed": False, "activation_checkpointing": "none", "fused_loss": "partial", "cpu_offload": "optimizer"},
        **{"grad_accum": 1, "optimizer": "adamw"},
    },
    "US",
)
def test_the_top_changes_help(fields: dict, market: str) -> None:
    scenario = scenario_from_flat({**fields, "market": market})
    now = verdict(scenario)
    changes = top_changes(scenario, load_tables(), CARDS)
    assert len(changes) <= 3
    assert len({change.remedy.kinds for change in changes}) == len(changes)
    for change in changes:
        after = RANK[verdict(applied(scenario, change.remedy.fields))]
        if change.aim == "fit":
            assert change.remedy.frees_gib > 0 or after > RANK[now]
        else:
            assert after >= RANK[now]
            assert min(change.remedy.time_factor, change.cost_factor) < 1


def test_the_cheapest_run_is_named_with_its_saving() -> None:
    scenario = scenario_from_flat({**ROOMY, "method": "qlora-4bit"})
    change = next(found for found in top_changes(scenario, load_tables(), CARDS) if found.aim == "money")
    frame = time_by_card(scenario, load_tables(), CARDS).set_index("gpu")
    rent = frame.loc[frame["verdict"] == "fits", "rent_cost"]
    assert change.remedy.fields["gpu"] == rent.idxmin()
    assert change.cost_factor == pytest.approx(rent.min() / rent["H100-SXM5-80GB"])


def test_a_typed_rent_is_not_compared_with_market_prices() -> None:
    scenario = scenario_from_flat({**ROOMY, "rent": {"price_per_gpu_hour": 9.0}})
    assert [found for found in top_changes(scenario, load_tables(), CARDS) if found.aim == "money"] == []


def test_changes_together_set_their_fields_together() -> None:
    scenario = scenario_from_flat({"micro_batch": 4, "grad_accum": 2})
    found = faster(scenario, load_tables())
    for single in found.singles:
        frame = memory_of(changed_cases(scenario, load_tables(), [single.fields]), load_tables())
        assert frame["peak_gib"][0] == pytest.approx(single.peak_gib)
    assert combined(scenario, []) == {}
