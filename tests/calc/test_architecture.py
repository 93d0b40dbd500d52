import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calc.architecture import Architecture, architecture_of_size, architectures_from_frame
from calc.parameters import lora_parameters, parameter_counts
from gpudata.loaders import load_models

LLAMA_8B = Architecture(32, 4096, 32, 8, 128, 14336, True, 128256, False)


def test_every_preset_is_counted_within_half_a_percent():
    models = load_models()
    counted = np.asarray(parameter_counts(architectures_from_frame(models)).total)
    error = np.abs(counted / models["params_total"].to_numpy(dtype=float) - 1)
    assert len(models) >= 200
    assert error.max() < 0.005, models["model"][int(error.argmax())]


def test_active_parameters_of_mixtures():
    models = load_models()
    known = models["params_active"].to_numpy(dtype=float)
    active = np.asarray(parameter_counts(architectures_from_frame(models)).active)
    kept = ~np.isnan(known)
    assert kept.sum() > 20
    assert np.abs(active[kept] / known[kept] - 1).max() < 0.01


def test_llama_8b_by_hand():
    counts = parameter_counts(LLAMA_8B)
    assert counts.total == 8030261248
    assert counts.mlp_per_layer == 3 * 4096 * 14336
    assert counts.head_matmul == 128256 * 4096


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ("qv", 32 * 8 * (4096 + 4096 + 4096 + 1024)),
        ("qkvo", 32 * 8 * (2 * (4096 + 4096) + 2 * (4096 + 1024))),
        ("mlp", 32 * 8 * 3 * (4096 + 14336)),
        ("all-linear", 32 * 8 * (2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14336))),
    ],
)
def test_adapter_parameters(targets, expected):
    assert lora_parameters(LLAMA_8B, 8, targets) == expected


def test_adapters_reach_every_expert():
    mixture = Architecture(2, 64, 4, 4, 16, 128, True, 100, True, moe_experts=8, moe_top_k=2, moe_ffn=32)
    attention = lora_parameters(mixture, 4, "qkvo")
    assert lora_parameters(mixture, 4, "all-linear") - attention == 4 * 2 * 8 * 3 * (64 + 32)


@given(st.floats(0.1, 1000))
def test_a_model_of_any_size_has_that_size(size):
    arch = architecture_of_size(size)
    assert parameter_counts(arch).total == pytest.approx(size * 1e9, rel=0.01)
    assert arch.ffn > 0


def test_models_of_growing_size_grow():
    sizes = np.geomspace(0.1, 1000, 300)
    arch = architecture_of_size(sizes)
    for shape in (arch.layers, arch.hidden, arch.vocab):
        assert (np.diff(shape) >= -1e-9).all()


@pytest.mark.parametrize("size", [0.05, 2000, float("nan")])
def test_sizes_out_of_range_are_refused(size):
    with pytest.raises(ValueError, match=r"0\.1 to 1000"):
        architecture_of_size(size)
