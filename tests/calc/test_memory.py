import numpy as np
import pytest

from calc.architecture import architecture_from_row, architecture_of_size
from calc.cases import METHODS, Cases
from calc.memory import COMPONENTS, PHASES, peak_memory
from calc.memory_constants import prior_constants
from calc.parameters import parameter_counts
from gpudata.constants import load_memory_constants
from gpudata.loaders import load_models

CONSTANTS = load_memory_constants()
GIB = 2**30


def arch(name):
    return architecture_from_row(load_models().set_index("model").loc[name].to_dict())


def case(name="Llama-3.1-8B", **changes):
    base = {
        "device": None,
        "method": "full",
        "base_weights": "bf16",
        "precision": "bf16-true",
        "optimizer": "adamw",
        "seq_len": 512,
        "micro_batch": 1,
    }
    return Cases(arch=arch(name), **{**base, **changes})


def peak(**changes):
    return peak_memory(case(**changes), CONSTANTS)


def bytes_per_parameter(gib, name="Llama-3.1-8B"):
    return gib * GIB / parameter_counts(arch(name)).total


def test_foreach_adamw_needs_ten_bytes_a_parameter_in_pure_bf16():
    estimate = peak()
    assert estimate.peak_phase == "optimizer_step"
    assert bytes_per_parameter(estimate.allocated_gib) == pytest.approx(10, rel=0.01)
    assert bytes_per_parameter(peak(optimizer="adamw-fused").phases["optimizer_step"]) == pytest.approx(8, rel=0.01)


@pytest.mark.parametrize("cards", [2, 4, 8])
def test_fsdp_with_fp32_shards_needs_twenty_bytes_over_the_cards(cards):
    estimate = peak(num_gpus=cards, parallelism="fsdp", precision="amp-bf16")
    assert bytes_per_parameter(estimate.phases["optimizer_step"]) == pytest.approx(20 / cards, rel=0.02)


def test_accelerate_raises_trained_shards_so_two_cards_need_what_one_did():
    two = peak(num_gpus=2, parallelism="fsdp", precision="amp-bf16", fused_loss="yes").phases["optimizer_step"]
    assert two == pytest.approx(peak(fused_loss="yes").phases["optimizer_step"], rel=0.01)
    assert two == pytest.approx(74.8, rel=0.01)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"framework_name": "own loop", "precision": "fp16", "base_weights": "fp16"}, 14),
        ({"framework_name": "own loop", "method": "qlora", "base_weights": "nf4", "precision": "amp-fp16"}, 16),
        ({"framework_name": "transformers 5.2"}, 12),
        ({"fused_loss": "partial"}, CONSTANTS["logit_bytes_partial"]["value"]),
    ],
)
def test_bytes_per_logit(changes, expected):
    estimate = peak(method=changes.pop("method", "lora"), micro_batch=32, **changes)
    per_logit = estimate.components["logits"] * GIB / (32 * 512 * 128256)
    assert estimate.peak_phase == "loss"
    assert per_logit == pytest.approx(expected, rel=0.01)


def test_a_fused_linear_loss_has_no_logits():
    estimate = peak(method="lora", micro_batch=32, fused_loss="yes")
    assert estimate.phases["loss"] < peak(method="lora", micro_batch=32).phases["loss"] - 20


def test_preparing_a_quantised_base_raises_the_rest_to_fp32():
    usual = peak(name="Qwen2.5-7B", method="qlora", base_weights="nf4").components["weights"]
    tuned = peak(name="Qwen2.5-7B", method="qlora", base_weights="nf4", framework="tuned").components["weights"]
    embeddings = 2 * 152064 * 3584 * 2 / GIB
    assert usual - tuned == pytest.approx(embeddings, rel=0.05)


def test_quantised_weights_are_smaller():
    lora = peak(method="lora").components["weights"]
    nf4 = peak(method="qlora", base_weights="nf4").components["weights"]
    double = peak(method="qlora", base_weights="nf4-dq").components["weights"]
    int8 = peak(method="qlora", base_weights="int8").components["weights"]
    assert double < nf4 < int8 < lora


def test_qlora_without_checkpointing_can_exceed_lora():
    changes = {"micro_batch": 16, "activation_checkpointing": "none", "framework_name": "own loop"}
    lora = peak(name="TinyLlama-1.1B", method="lora", **changes)
    qlora = peak(name="TinyLlama-1.1B", method="qlora", base_weights="nf4", **changes)
    assert qlora.allocated_gib > lora.allocated_gib


def test_fsdp_with_adapters_keeps_layer_inputs_twice():
    def last_layer(**more):
        return np.array(
            [
                peak(method="lora", lora_targets="qkvo", micro_batch=b, seq_len=4096, **more).phases[
                    "backward_last_layer"
                ]
                for b in (4, 8)
            ]
        )

    one, two = last_layer(), last_layer(num_gpus=2, parallelism="fsdp")
    extra = (np.diff(two) - np.diff(one))[0] * GIB / (4 * 4096)
    assert extra == pytest.approx((32 - 2) * 4096 * 2, rel=0.01)


def test_components_add_up_and_the_largest_phase_is_the_peak():
    estimate = peak(method="lora", micro_batch=4, num_gpus=4, parallelism="zero3")
    assert tuple(estimate.components) == COMPONENTS
    assert tuple(estimate.phases) == PHASES
    assert sum(estimate.components.values()) == pytest.approx(estimate.nvidia_smi_gib)
    assert estimate.allocated_gib == pytest.approx(max(estimate.phases.values()))
    assert estimate.allocated_gib < estimate.reserved_gib < estimate.nvidia_smi_gib
    assert estimate.of_kind("nvidia-smi") == estimate.nvidia_smi_gib


def test_terms_explain_every_component():
    terms = peak().terms
    assert [term["name"] for term in terms] == list(COMPONENTS)
    assert all(term["formula"] and term["source"] for term in terms)
    assert sum(term["gib"] for term in terms) == pytest.approx(peak().nvidia_smi_gib)


def test_offload_moves_states_to_the_host():
    here, away = peak(), peak(cpu_offload="optimizer")
    assert away.allocated_gib < here.allocated_gib
    assert away.host_ram_gib > 30
    assert here.host_ram_gib == 0


def test_optimizer_in_backward_frees_gradients():
    assert peak(optimizer_in_backward=True).components["gradients"] < 0.1 * peak().components["gradients"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_a_finite_peak(method):
    estimate = peak(method=method, base_weights="nf4" if method == "qlora" else "bf16")
    assert np.isfinite(list(estimate.components.values())).all()
    assert estimate.allocated_gib > 3


def test_inference_is_weights_and_cache():
    estimate = peak(method="inference", seq_len=8192, micro_batch=4)
    cache = 2 * 2 * 32 * 8 * 128 * 8192 * 4 / GIB
    assert estimate.components["activations"] == pytest.approx(cache)
    assert estimate.components["optimizer"] == 0


def test_a_large_grid_keeps_its_shape():
    grid = Cases(
        arch=architecture_of_size(np.geomspace(0.5, 400, 100).reshape(-1, 1, 1)),
        device=None,
        method=np.array(["qlora", "lora", "full", "pretrain"]).reshape(1, 4, 1),
        base_weights=np.array(["nf4", "bf16", "bf16", "bf16"]).reshape(1, 4, 1),
        precision="bf16-true",
        optimizer="adamw",
        seq_len=np.linspace(128, 8192, 500).reshape(1, 1, -1),
        micro_batch=1,
    )
    estimate = peak_memory(grid, CONSTANTS)
    assert estimate.nvidia_smi_gib.shape == (100, 4, 500)
    assert np.isfinite(estimate.nvidia_smi_gib).all()


def test_constants_file_and_model_agree_on_names():
    assert set(CONSTANTS) == set(vars(prior_constants()))
    for entry in CONSTANTS.values():
        assert entry["rows"] > 500
        assert entry["uncertainty"] > 0
        assert entry["meaning"]
        assert entry["source"]
