from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calc import cases as c
from calc.throughput import PARTS, TimeEstimate, padding_factor, run_hours, step_time
from calc.throughput_constants import PRIORS, TimeConstants
from gpudata.constants import load_time_constants
from tests.calc.time_cases import case, devices

CONSTANTS = TimeConstants.from_mapping(load_time_constants())


def estimate(**changes: object) -> TimeEstimate:
    return step_time(case(**changes), CONSTANTS)


def speed(**changes: object) -> float:
    return float(estimate(**changes).tokens_per_s_per_gpu)


settings_of_runs = st.fixed_dictionaries(
    {
        "model_name": st.sampled_from(["Qwen2.5-0.5B", "Llama-3.1-8B", "Mixtral-8x7B", "Llama-3-70B"]),
        "gpu": st.sampled_from(["RTX 4090", "RTX 3090", "A100-SXM4-80GB", "H100-SXM5-80GB", "T4 16GB", "MI300X 192GB"]),
        "method": st.sampled_from(c.METHODS),
        "base_weights": st.sampled_from(c.BASE_WEIGHTS),
        "precision": st.sampled_from(c.PRECISIONS),
        "optimizer": st.sampled_from(c.OPTIMIZERS),
        "parallelism": st.sampled_from(c.PARALLELISMS),
        "cpu_offload": st.sampled_from(c.CPU_OFFLOADS),
        "activation_checkpointing": st.sampled_from(c.CHECKPOINTINGS),
        "attention": st.sampled_from(c.ATTENTIONS),
        "fused_loss": st.sampled_from(c.FUSED_LOSSES),
        "framework": st.sampled_from(c.FRAMEWORK_CLASSES),
        "compile": st.booleans(),
        "seq_len": st.sampled_from([128, 512, 2048, 8192, 65536]),
        "micro_batch": st.sampled_from([1, 3, 16]),
        "grad_accum": st.sampled_from([1, 8]),
        "num_gpus": st.sampled_from([1, 2, 8]),
    }
)


@given(settings_of_runs)
@settings(max_examples=50, deadline=None)
def test_parts_add_up_to_a_positive_step(run: dict[str, object]) -> None:
    result = estimate(**run)
    assert tuple(result.parts) == PARTS
    parts = np.array([float(result.parts[name]) for name in PARTS])
    assert (parts >= 0).all()
    assert parts.sum() == pytest.approx(float(result.step_s))
    assert str(result.bottleneck) == PARTS[int(parts.argmax())]
    # Over the 16-bit rate, which 8-bit products exceed.
    assert 0 < float(result.mfu) < (2.5 if run["precision"] == "fp8" else 1.3)
    explained = sum(term["seconds"] for term in result.terms)
    assert explained <= float(result.step_s) * 1.001


@given(settings_of_runs, st.sampled_from(["rates", "bandwidth", "link", "power"]), st.floats(0.2, 0.95))
@settings(max_examples=50, deadline=None)
def test_a_slower_card_never_takes_less_time(run: dict[str, object], what: str, factor: float) -> None:
    before = case(**run)
    device = before.device
    assert device is not None
    slower = {
        "rates": {
            name: getattr(device, name) * factor
            for name in ("fp32_tflops", "fp16_dense_tflops", "bf16_dense_tflops", "fp8_dense_tflops")
        },
        "bandwidth": {"memory_bandwidth_gb_s": device.memory_bandwidth_gb_s * factor},
        "link": {
            "interconnect_gb_s": device.interconnect_gb_s * factor,
            "pcie_lanes": device.pcie_lanes * factor,
        },
        "power": {"tdp_w": device.tdp_w * factor},
    }[what]
    # The measured share of the datasheet's rate is kept: a guess from TFLOPS per watt would change with both.
    known = device if np.isfinite(device.achieved_bf16) else replace(device, achieved_bf16=0.7)
    fast = step_time(before.with_(device=known), CONSTANTS)
    slow = step_time(before.with_(device=replace(known, **slower)), CONSTANTS)
    assert float(slow.step_s) >= float(fast.step_s) * (1 - 1e-9)


@given(settings_of_runs, st.sampled_from(["seq_len", "micro_batch", "grad_accum"]), st.integers(2, 5))
@settings(max_examples=50, deadline=None)
def test_more_tokens_never_take_less_time(run: dict[str, object], what: str, times: int) -> None:
    more = {**run, what: int(run[what]) * times}
    assert float(estimate(**more).step_s) >= float(estimate(**run).step_s) * (1 - 1e-9)


@given(settings_of_runs)
@settings(max_examples=30, deadline=None)
def test_recomputing_never_saves_time(run: dict[str, object]) -> None:
    times = [
        float(estimate(**{**run, "activation_checkpointing": kind}).step_s) for kind in ("none", "selective", "full")
    ]
    assert times == sorted(times)


def test_seven_b_full_step_by_hand() -> None:
    # One 8B step of 16,384 tokens without recomputation: 6 x 7.5e9 weights x 16384 = 7.4e14 operations on linear layers
    # and head alone, at most 265e12 a second on an A100: no faster than 2.8 s, and not twice as slow.
    step = float(estimate(method="full", micro_batch=8, activation_checkpointing="none", framework="megatron").step_s)
    assert 2.8 < step < 5.0


def test_missing_card_or_rate_gives_nan() -> None:
    assert np.isnan(step_time(case().with_(device=None), CONSTANTS).step_s).all()
    unknown = estimate(gpu="Cambricon MLU590")
    assert np.isnan(unknown.step_s)
    assert str(unknown.bottleneck) == ""


def test_every_card_with_a_tensor_rate_gets_a_speed() -> None:
    table = devices()
    known = table.index[table["bf16_dense_tflops"].notna() | table["fp16_dense_tflops"].notna()]
    assert len(known) > 100
    assert [name for name in known if not speed(gpu=name, precision="fp16") > 0] == []


def test_loaded_constants_carry_meaning_and_rows() -> None:
    loaded = load_time_constants()
    assert set(loaded) == set(PRIORS)
    for entry in loaded.values():
        assert entry["value"] > 0
        assert entry["uncertainty"] > 0
        assert entry["meaning"]
        assert entry["rows"] >= 500


def test_a_large_grid_equals_single_cases() -> None:
    seq = np.geomspace(128, 32768, 400)[:, None]
    batch = np.arange(1, 501)[None, :]
    grid = case(seq_len=seq, micro_batch=batch)
    speeds = step_time(grid, CONSTANTS).tokens_per_s_per_gpu
    assert speeds.shape == (400, 500)
    assert speeds[7, 11] == pytest.approx(speed(seq_len=float(seq[7, 0]), micro_batch=12))


def test_terms_explain_a_single_case_with_numbers_and_sources() -> None:
    terms = estimate(method="qlora", base_weights="nf4").terms
    names = {term["name"] for term in terms}
    assert {"Linear layers", "Attention scores", "Unpacking quantised weights"} <= names
    assert all(term["source"] and "ms" in term["formula"] and term["seconds"] > 0 for term in terms)
    assert estimate(micro_batch=np.array([1, 2])).terms == []


def test_hours_of_a_run() -> None:
    cases = case(packed=True, num_gpus=2)
    result = TimeEstimate(1.0, 1000.0, {}, "", 0.3)
    hours = run_hours(cases, result, samples=7200, tokens_per_sample=1000, epochs=1, overhead_share=0.0)
    assert float(hours) == pytest.approx(1.0)
    assert float(run_hours(cases, result, 7200, 1000, 1, overhead_share=0.1)) == pytest.approx(1.1)
    padded = run_hours(cases.with_(packed=False), result, 7200, 1000, 1, overhead_share=0.0)
    assert 1.2 < float(padded) < 1.6
    cut = run_hours(cases.with_(packed=False, seq_len=500), result, 7200, 1000, 1, overhead_share=0.0)
    assert float(cut) == pytest.approx(0.5)


def test_padding_grows_with_the_batch() -> None:
    factors = padding_factor(np.array([1, 2, 4, 8, 64]))
    assert factors[0] == 1
    assert (np.diff(factors) > 0).all()
    # Two exponential lengths: the longer is 1.5 times the mean.
    assert float(padding_factor(2)) == pytest.approx(1 + 0.79 * 0.5, abs=0.02)


def test_old_cards_train_in_fp16() -> None:
    assert speed(gpu="V100-SXM2-32GB", precision="fp16", base_weights="fp16") > 4 * speed(gpu="V100-SXM2-32GB")


def test_eight_bit_is_faster_where_the_card_has_it() -> None:
    fast = speed(gpu="H100-SXM5-80GB", method="full", precision="fp8", framework="megatron", micro_batch=8)
    plain = speed(gpu="H100-SXM5-80GB", method="full", framework="megatron", micro_batch=8)
    assert 1.2 < fast / plain < 1.9
    assert speed(gpu="RTX 3090", precision="fp8") == pytest.approx(speed(gpu="RTX 3090"))


def test_small_models_stay_far_below_the_peak() -> None:
    assert float(estimate(model_name="SmolLM2-135M", seq_len=256, micro_batch=1).mfu) < 0.05
