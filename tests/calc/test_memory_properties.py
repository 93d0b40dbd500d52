from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calc.architecture import Architecture
from calc.cases import Cases
from calc.memory import peak_memory
from gpudata.constants import load_memory_constants

CONSTANTS = load_memory_constants()
SLACK = 1 + 1e-9

shapes = st.builds(
    lambda layers, heads, ratio, vocab, kv, tied: Architecture(
        layers, heads * 64, heads, max(heads // kv, 1), 64, int(heads * 64 * ratio), True, vocab, tied
    ),
    st.integers(2, 100),
    st.integers(4, 128),
    st.floats(1.5, 5),
    st.integers(1000, 260_000),
    st.sampled_from([1, 4, 8]),
    st.booleans(),
)
cases = st.builds(
    lambda arch, method, ck, attention, loss, batch, seq, rank, precision, optimizer, framework: Cases(
        arch=arch,
        device=None,
        method=method,
        base_weights="nf4" if method == "qlora" else "bf16",
        precision=precision,
        optimizer=optimizer,
        seq_len=seq,
        micro_batch=batch,
        lora_rank=rank,
        activation_checkpointing=ck,
        attention=attention,
        fused_loss=loss,
        framework=framework,
    ),
    shapes,
    st.sampled_from(["qlora", "lora", "dora", "freeze", "full", "pretrain"]),
    st.sampled_from(["none", "selective", "full", "offload"]),
    st.sampled_from(["flash", "sdpa", "eager", "xformers"]),
    st.sampled_from(["no", "partial", "yes"]),
    st.integers(1, 32),
    st.integers(16, 8192),
    st.integers(1, 256),
    st.sampled_from(["bf16-true", "amp-bf16", "fp32"]),
    st.sampled_from(["adamw", "adamw-fused", "adamw-8bit", "sgd", "adafactor"]),
    st.sampled_from(["plain", "tuned", "compiled", "megatron", "native"]),
)


def shown(case):
    return peak_memory(case, CONSTANTS).nvidia_smi_gib


@settings(max_examples=50, deadline=None)
@given(cases, st.sampled_from(["micro_batch", "seq_len", "lora_rank"]), st.floats(1.1, 4))
def test_a_larger_workload_never_needs_less(case, field, factor):
    larger = case.with_(**{field: getattr(case, field) * factor})
    assert shown(larger) * SLACK >= shown(case)


@settings(max_examples=50, deadline=None)
@given(cases, st.sampled_from(["vocab", "layers", "ffn"]), st.floats(1.1, 4))
def test_a_larger_model_never_needs_less(case, field, factor):
    larger = case.with_(arch=replace(case.arch, **{field: getattr(case.arch, field) * factor}))
    assert shown(larger) * SLACK >= shown(case)


@settings(max_examples=50, deadline=None)
@given(cases, st.sampled_from(["zero1", "zero2", "zero3", "fsdp"]), st.integers(2, 8))
def test_more_shards_never_need_more_per_card(case, kind, cards):
    few = case.with_(parallelism=kind, num_gpus=cards)
    many = few.with_(num_gpus=cards * 2)
    assert shown(many) <= shown(few) * SLACK


@settings(max_examples=30, deadline=None)
@given(cases)
def test_stages_of_sharding_save_one_after_the_other(case):
    peaks = [
        peak_memory(case.with_(parallelism=kind, num_gpus=8, method="full"), CONSTANTS).phases["optimizer_step"]
        for kind in ("zero1", "zero2", "zero3")
    ]
    assert peaks[0] * SLACK >= peaks[1]
    assert peaks[1] * SLACK >= peaks[2]


@settings(max_examples=50, deadline=None)
@given(cases)
def test_checkpointing_and_offload_never_cost_allocated_memory(case):
    def allocated(**changes):
        return peak_memory(case.with_(attention="flash", **changes), CONSTANTS).phases["loss"]

    none, full = allocated(activation_checkpointing="none"), allocated(activation_checkpointing="full")
    assert none * SLACK >= full >= allocated(activation_checkpointing="offload") / SLACK


@settings(max_examples=30, deadline=None)
@given(cases)
def test_quantised_weights_need_less_than_16_bit_ones(case):
    tuned = case.with_(framework="tuned", method="qlora", base_weights="nf4")
    small = peak_memory(tuned, CONSTANTS).components["weights"]
    assert small < peak_memory(tuned.with_(method="lora", base_weights="bf16"), CONSTANTS).components["weights"]


@settings(max_examples=30, deadline=None)
@given(cases)
def test_components_always_add_up(case):
    estimate = peak_memory(case, CONSTANTS)
    assert sum(estimate.components.values()) == pytest.approx(estimate.nvidia_smi_gib)
    assert all(value >= 0 for value in estimate.components.values())
