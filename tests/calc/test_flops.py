from __future__ import annotations

import numpy as np
import pytest

from calc.architecture import Architecture
from calc.cases import Cases
from calc.flops import adapters, layer_shape, mean_context, model_flops_per_token, pass_counts, score_flops

LLAMA_7B = Architecture(32, 4096, 32, 32, 128, 11008, True, 32000, False)
MIXTRAL = Architecture(32, 4096, 32, 8, 128, 14336, True, 32000, False, moe_experts=8, moe_top_k=2, moe_ffn=14336)
DEEPSEEK_V2 = Architecture(
    60, 5120, 128, 128, 128, 12288, True, 102400, False, moe_experts=160, moe_top_k=6, moe_shared_experts=2,
    moe_ffn=1536, first_dense_layers=1, mla_kv_lora_rank=512, mla_q_lora_rank=1536, mla_qk_rope_dim=64,
    mla_qk_nope_dim=128, mla_v_dim=128,
)  # fmt: skip


def case(**changes: object) -> Cases:
    given = {
        "arch": LLAMA_7B, "device": None, "method": "full", "base_weights": "bf16", "precision": "bf16-true",
        "optimizer": "adamw", "seq_len": 2048, "micro_batch": 1, "activation_checkpointing": "none",
    }  # fmt: skip
    return Cases(**{**given, **changes})


def test_linear_weights_of_llama_7b() -> None:
    shape = layer_shape(LLAMA_7B)
    assert float(shape.attention) == 4 * 4096**2
    assert float(shape.mlp) == 3 * 4096 * 11008


@pytest.mark.parametrize(
    ("arch", "total_b", "active_b"), [(LLAMA_7B, 6.74, 6.74), (MIXTRAL, 46.7, 12.9), (DEEPSEEK_V2, 235.7, 21.4)]
)
def test_weights_add_up_to_published_counts(arch: Architecture, total_b: float, active_b: float) -> None:
    shape = layer_shape(arch)
    tables = 2 * arch.vocab * arch.hidden
    assert (arch.layers * (shape.attention + shape.mlp_stored) + tables) / 1e9 == pytest.approx(total_b, rel=0.01)
    assert (arch.layers * (shape.attention + shape.mlp) + tables) / 1e9 == pytest.approx(active_b, rel=0.02)


def test_full_training_costs_six_operations_a_weight_and_lora_four() -> None:
    assert float(pass_counts(case()).linear) == 3
    assert float(pass_counts(case(method="lora")).linear) == 2
    assert float(pass_counts(case(activation_checkpointing="full")).linear) == 4
    assert float(pass_counts(case(method="lora", activation_checkpointing="full")).linear) == 3
    assert float(pass_counts(case(method="inference")).linear) == 1


def test_freezing_skips_the_backward_pass_of_lower_layers() -> None:
    assert float(pass_counts(case(method="freeze")).linear) == pytest.approx(1 + 2 * 2 / 32)


def test_model_flops_close_to_six_times_parameters_for_short_sequences() -> None:
    per_token = float(model_flops_per_token(case(seq_len=1)))
    assert per_token == pytest.approx(6 * (6.738e9 - 32000 * 4096), rel=0.005)


def test_causal_kernels_meet_half_the_keys_and_windows_fewer() -> None:
    assert float(mean_context(case())) == 1024
    assert float(mean_context(case(attention="eager"))) == 2048
    windowed = Architecture(32, 4096, 32, 8, 128, 14336, True, 32000, False, sliding_window=512)
    assert float(mean_context(case(arch=windowed))) == pytest.approx(512 * (1 - 512 / 4096))


def test_scores_of_llama_7b() -> None:
    # Two products of 4096-wide queries with 1024 keys on average: 4 x 4096 x 1024.
    assert float(score_flops(case(), layer_shape(LLAMA_7B))) == 4 * 4096 * 1024


def test_lora_parameters_match_the_published_count() -> None:
    # PEFT prints 4,194,304 for r 8 on q_proj and v_proj, 19,988,480 on all linear layers of Llama-2-7B.
    for targets, expected in (("qv", 4_194_304), ("all-linear", 19_988_480)):
        branch = adapters(case(method="lora", lora_rank=8, lora_targets=targets), layer_shape(LLAMA_7B))
        assert float(32 * branch.parameters) == expected


def test_no_adapters_without_an_adapter_method() -> None:
    assert float(adapters(case(), layer_shape(LLAMA_7B)).parameters) == 0


def test_arrays_give_the_same_as_scalars() -> None:
    methods = ["full", "lora", "freeze"]
    together = pass_counts(case(method=np.array(methods))).linear
    assert together.tolist() == [float(pass_counts(case(method=m)).linear) for m in methods]
