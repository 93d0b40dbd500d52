"""Aliases of cards and models."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpudata
from gpudata.names import UnknownName, resolve_gpu, resolve_model, short_gpu_name

GPUS = list(gpudata.load_gpus()["gpu"])
MODELS = list(gpudata.load_models()["model"])

CARDS = {
    "4090": "RTX 4090",
    "RTX 4090 24GB": "RTX 4090",
    "rtx4090": "RTX 4090",
    "NVIDIA GeForce RTX 4090": "RTX 4090",
    "RTX 4090 48GB": "RTX 4090 48GB (aftermarket)",
    "RTX 4090 D": "RTX 4090D",
    "A100 80GB": "A100-SXM4-80GB",
    "NVIDIA A100 80GB PCIe": "A100-PCIe-80GB",
    "A100-SXM4-40GB": "A100-SXM4-40GB",
    "NVIDIA H100 80GB HBM3": "H100-SXM5-80GB",
    "H100 SXM": "H100-SXM5-80GB",
    "NVIDIA H100 PCIe": "H100-PCIe-80GB",
    "H100 NVL": "H100-NVL-94GB",
    "Tesla T4": "T4 16GB",
    "L40S": "L40S 48GB",
    "A6000": "RTX A6000 48GB",
    "NVIDIA RTX 6000 Ada Generation": "RTX 6000 Ada 48GB",
    "AMD Instinct MI300X": "MI300X 192GB",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "RTX PRO 6000 Blackwell Server 96GB",
    "DGX Spark": "GB10 (DGX Spark) 128GB",
    "Ascend 910B3": "Ascend 910B3 64GB",
}

PRESETS = {
    "meta-llama/Llama-3.1-8B": "Llama-3.1-8B",
    "meta-llama/Meta-Llama-3-8B-Instruct": "Llama-3-8B",
    "meta-llama/Llama-2-7b-chat-hf": "Llama-2-7B",
    "Qwen/Qwen2.5-7B-Instruct": "Qwen2.5-7B",
    "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4": "Qwen2.5-7B",
    "Qwen/Qwen3-4B-Instruct-2507": "Qwen3-4B",
    "google/gemma-2-9b-it": "Gemma-2-9B",
    "mistralai/Mixtral-8x7B-Instruct-v0.1": "Mixtral-8x7B",
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": "TinyLlama-1.1B",
    "microsoft/Phi-3-mini-4k-instruct": "Phi-3-mini",
    "bigscience/bloom-7b1": "BLOOM-7.1B",
    "gpt2": "GPT-2-124M",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B": "R1-Distill-Qwen-7B",
    "unsloth/Llama-3.2-1B-Instruct-bnb-4bit": "Llama-3.2-1B",
}


@pytest.mark.parametrize("alias", CARDS)
def test_usual_card_names(alias: str) -> None:
    assert resolve_gpu(alias) == CARDS[alias]


@pytest.mark.parametrize("alias", PRESETS)
def test_usual_model_names(alias: str) -> None:
    assert resolve_model(alias) == PRESETS[alias]


@given(st.sampled_from(GPUS), st.sampled_from([str.upper, str.lower, str.title, lambda text: f"  {text} "]))
def test_a_card_of_the_table_means_itself(name: str, change: Callable[[str], str]) -> None:
    assert resolve_gpu(change(name)) == name


@given(st.sampled_from(MODELS), st.sampled_from(["{}", "owner/{}", "{}-Instruct", "owner/{}-AWQ"]))
def test_a_model_of_the_table_means_itself(name: str, pattern: str) -> None:
    assert resolve_model(pattern.format(name)) == name


@pytest.mark.parametrize(
    ("name", "listed"), [("A100", "A100-PCIe-40GB"), ("H100", "H100-NVL-94GB"), ("RTX PRO 6000", "Max-Q")]
)
def test_an_ambiguous_card_lists_what_it_may_mean(name: str, listed: str) -> None:
    with pytest.raises(UnknownName, match="ambiguous") as caught:
        resolve_gpu(name)
    assert listed in str(caught.value)
    assert len(caught.value.nearest) >= 2


def test_unknown_names_list_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"unknown GPU 'RTX 4099'; nearest: RTX 4090"):
        resolve_gpu("RTX 4099")
    with pytest.raises(UnknownName, match=r"unknown model 'Llama-9-8B'; nearest: .*Llama-3-8B"):
        resolve_model("Llama-9-8B")
    with pytest.raises(UnknownName, match="ambiguous"):
        resolve_model("Mistral-7B")


def meant_or_nearest(resolve: Callable[[str], str], text: str) -> list[str]:
    try:
        return [resolve(text)]
    except UnknownName as error:
        return error.nearest


@given(st.text(max_size=20))
def test_any_text_resolves_or_is_refused_in_words(text: str) -> None:
    for resolve, known in ((resolve_gpu, GPUS), (resolve_model, MODELS)):
        assert set(meant_or_nearest(resolve, text)) <= set(known)


def test_short_names_are_short_and_unique() -> None:
    labels = [short_gpu_name(name) for name in GPUS]
    assert len(set(labels)) == len(labels)
    assert max(map(len, labels)) <= 26
    assert short_gpu_name("H100-SXM5-80GB") == "H100 SXM"
    assert short_gpu_name("A100-PCIe-80GB") == "A100 80GB PCIe"
    assert short_gpu_name("RTX 4090") == "RTX 4090"
    assert short_gpu_name("not in the table") == "not in the table"
