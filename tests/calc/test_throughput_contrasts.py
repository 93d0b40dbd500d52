"""Known contrasts between published runs that the time model must reproduce (gpudata/multi_gpu_scaling.csv)."""

from __future__ import annotations

import pytest

from calc.throughput import step_time
from calc.throughput_constants import TimeConstants
from gpudata.constants import load_time_constants
from tests.calc.time_cases import case

CONSTANTS = TimeConstants.from_mapping(load_time_constants())
PAIR = {"attention": "sdpa", "lora_rank": 64, "num_gpus": 2, "interconnect": "pcie", "framework": "tuned"}
PRETRAIN = {"method": "pretrain", "framework": "tuned", "activation_checkpointing": "none"}


def speed(model: str, gpu: str, **changes: object) -> float:
    return float(step_time(case(model, gpu, **changes), CONSTANTS).tokens_per_s_per_gpu)


@pytest.mark.parametrize("gpu", ["RTX 3090", "RTX 4090"])
def test_sharding_over_pcie_costs_16_bit_weights_more_than_4_bit(gpu: str) -> None:
    # Measured per-card speed of FSDP over DDP on two cards: 0.73 and 0.94 (3090), 0.91 and 0.97 (4090).
    lora = speed("Llama-2-7B", gpu, parallelism="fsdp", micro_batch=6, **PAIR) / speed(
        "Llama-2-7B", gpu, parallelism="ddp", micro_batch=4, **PAIR
    )
    four_bit = {**PAIR, "method": "qlora", "base_weights": "nf4"}
    qlora = speed("Llama-2-7B", gpu, parallelism="fsdp", micro_batch=10, **four_bit) / speed(
        "Llama-2-7B", gpu, parallelism="ddp", micro_batch=8, **four_bit
    )
    assert 0.80 < lora < 0.97
    assert lora + 0.02 < qlora <= 1.01


def test_fsdp_on_pcie_pairs_scales_badly_and_a_bridge_mends_it() -> None:
    full = {"method": "full", "num_gpus": 2, "parallelism": "fsdp", "micro_batch": 1}
    bridge = speed("Llama-2-7B", "A100-PCIe-80GB", interconnect="nvlink", **full)
    pcie = speed("Llama-2-7B", "A100-PCIe-80GB", interconnect="pcie", **full)
    # Two rented A100 without NVLink "trained hardly faster than one": below 1.3 of one card's worth.
    assert 2 * pcie / bridge < 1.3
    assert pcie < 0.65 * bridge


def test_lora_with_ddp_scales_over_pcie() -> None:
    alone = speed("Llama-3.1-8B", "RTX PRO 4500 Blackwell 32GB")
    four = speed("Llama-3.1-8B", "RTX PRO 4500 Blackwell 32GB", num_gpus=4, parallelism="ddp", interconnect="pcie")
    assert 0.93 < four / alone <= 1.0  # measured 0.965


@pytest.mark.parametrize(("nodes", "measured"), [(2, 0.946), (16, 0.879)])
def test_zero1_over_roce(nodes: int, measured: float) -> None:
    run = {**PRETRAIN, "parallelism": "zero1", "micro_batch": 8, "interconnect": "nvlink+roce"}
    one = speed("Llama-1-7B", "A100-SXM4-80GB", num_gpus=8, **run)
    many = speed("Llama-1-7B", "A100-SXM4-80GB", num_gpus=8 * nodes, num_nodes=nodes, **run)
    assert many / one == pytest.approx(measured, abs=0.11)
    assert many < one


def test_fsdp_scales_over_infiniband() -> None:
    run = {**PRETRAIN, "framework": "compiled", "parallelism": "fsdp", "seq_len": 8192, "micro_batch": 1}
    run["interconnect"] = "nvlink+infiniband"
    one = speed("Llama-3.1-8B", "H100-SXM5-80GB", num_gpus=8, **run)
    sixteen = speed("Llama-3.1-8B", "H100-SXM5-80GB", num_gpus=128, num_nodes=16, **run)
    assert sixteen / one == pytest.approx(0.975, abs=0.06)


def test_offloaded_full_training_on_eight_4090_is_far_behind_eight_a800() -> None:
    run = {"method": "full", "num_gpus": 8, "parallelism": "fsdp", "micro_batch": 4}
    a800 = speed("Llama-3.1-8B", "A800-SXM4-80GB", **run)
    stock = speed("Llama-3.1-8B", "RTX 4090", cpu_offload="params+optimizer", **run)
    pipelined = speed(
        "Llama-3.1-8B", "RTX 4090", **{
            **run, "parallelism": "pp", "framework": "native", "activation_checkpointing": "none", "grad_accum": 8,
            "cpu_offload": "params+optimizer",
        }
    )  # fmt: skip
    assert 0.08 < stock / a800 < 0.30  # measured 0.14
    assert 0.5 < pipelined / a800 < 1.0  # measured 0.83: software decides more than links


def test_tuned_70b_lora_beats_hugging_face_on_the_same_cards() -> None:
    run = {"lora_rank": 16, "lora_targets": "qkvo", "num_gpus": 8, "seq_len": 8192, "micro_batch": 1}
    tuned = speed(
        "Llama-2-70B", "H100-SXM5-80GB", framework="megatron", precision="fp8", parallelism="mixed",
        tensor_parallel=4, activation_checkpointing="none", **run,
    )  # fmt: skip
    plain = speed("Llama-2-70B", "H100-SXM5-80GB", framework="plain", parallelism="zero3", **run)
    assert tuned == pytest.approx(2205, rel=0.25)
    # 28 minutes against 116, evaluation, saving and a different number of steps included.
    assert tuned / plain > 2.0


def test_tensor_parallel_over_pcie_is_slow() -> None:
    run = {"lora_rank": 16, "lora_targets": "qkvo", "seq_len": 8192, "micro_batch": 1, "framework": "megatron"}
    run |= {"precision": "fp8", "parallelism": "mixed", "tensor_parallel": 4, "activation_checkpointing": "none"}
    l40s = speed(
        "Llama-2-70B", "L40S 48GB", num_gpus=64, num_nodes=8, context_parallel=2, interconnect="pcie+ethernet", **run
    )
    h100 = speed("Llama-2-70B", "H100-SXM5-80GB", num_gpus=8, **run)
    assert 0.05 < l40s / h100 < 0.25  # measured 348 / 2205 = 0.16


def test_packing_alone_speeds_training_up_several_times() -> None:
    # Unpacked Alpaca at batch 2 holds some 340 real tokens a step, packed 8,192: 2,091 against 7,075 tokens/s measured.
    run = {"method": "full", "framework": "tuned", "attention": "sdpa", "activation_checkpointing": "none"}
    packed = speed("Llama-3.2-3B", "A100-SXM4-80GB", seq_len=4096, **run)
    unpacked = speed("Llama-3.2-3B", "A100-SXM4-80GB", seq_len=170, **run)
    assert 2.5 < packed / unpacked < 5.0
    assert packed == pytest.approx(7075, rel=0.2)


@pytest.mark.parametrize("gpu", ["RTX 4090", "A100-SXM4-80GB", "L40S 48GB"])
def test_qlora_is_somewhat_slower_than_lora(gpu: str) -> None:
    four_bit = speed("Llama-3.1-8B", gpu, method="qlora", base_weights="nf4", precision="amp-bf16")
    assert 0.6 < four_bit / speed("Llama-3.1-8B", gpu) < 1.0


def test_compiling_helps() -> None:
    run = {**PRETRAIN, "precision": "bf16-true", "micro_batch": 4, "attention": "sdpa"}
    eager = speed("TinyLlama-1.1B", "A100-SXM4-40GB", **run)
    compiled = speed("TinyLlama-1.1B", "A100-SXM4-40GB", compile=True, **run)
    assert 1.15 < compiled / eager < 1.7  # measured 1.37 to 1.39


def test_dora_is_slower_than_lora() -> None:
    run = {"lora_rank": 32, "lora_targets": "qv", "seq_len": 210, "micro_batch": 4, "attention": "sdpa"}
    run["activation_checkpointing"] = "none"
    dora = speed("Llama-3.2-3B", "L40S 48GB", method="dora", **run) / speed("Llama-3.2-3B", "L40S 48GB", **run)
    assert 0.7 < dora < 0.97  # measured 0.83
