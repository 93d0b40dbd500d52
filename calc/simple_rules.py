"""The rules of thumb people use instead of a model, so that both can be held against the same measurements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calc.architecture import Numeric
from calc.cases import Cases, choose, is_one_of
from calc.parameters import lora_parameters, parameter_counts

GIB = 2.0**30
BYTES_PER_TRAINED = 16.0
# 4-bit formats without their block scales: the rule of thumb counts half a byte.
STORED_BYTES = {
    "nf4": 0.5,
    "nf4-dq": 0.5,
    "int4-gptq": 0.5,
    "int4-awq": 0.5,
    "int8": 1.0,
    "int8-gptq": 1.0,
    "fp8": 1.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp32": 4.0,
}
TABLE_SIZES_B = (7.0, 14.0, 30.0, 70.0)
TABLE_GB = {
    "full-32": (120.0, 240.0, 600.0, 1200.0),
    "full-16": (60.0, 120.0, 300.0, 600.0),
    "lora": (16.0, 32.0, 64.0, 160.0),
    "qlora-8": (10.0, 20.0, 40.0, 80.0),
    "qlora-4": (6.0, 12.0, 24.0, 48.0),
}
FLOPS_PER_PARAMETER_TOKEN = 6.0
USUAL_MFU = 0.4


@dataclass(frozen=True)
class Rule:
    """A rule of thumb: its code, the quantity it estimates (memory or speed) and where it is written."""

    code: str
    quantity: str
    source_url: str


RULES = (
    Rule("sixteen-bytes", "memory", "https://arxiv.org/abs/1910.02054"),
    Rule("llama-factory", "memory", "https://github.com/hiyouga/LLaMA-Factory#hardware-requirement"),
    Rule("bytes-times-parameters", "memory", "https://huggingface.co/docs/transformers/llm_tutorial_optimization"),
    Rule("6nd", "speed", "https://arxiv.org/abs/2001.08361"),
)


def _shares(cases: Cases) -> Numeric:
    """Over how many cards a rule spreads the total: all where weights are split, one where each card has a copy."""
    split = is_one_of(cases.parallelism, "fsdp", "zero3", "tp", "pp", "mixed")
    return np.where(split, cases.num_gpus, 1)


def _trained(cases: Cases) -> Numeric:
    total = parameter_counts(cases.arch).total
    return np.where(cases.trains_all, total, lora_parameters(cases.arch, cases.lora_rank, cases.lora_targets))


def sixteen_bytes_gib(cases: Cases) -> np.ndarray:
    """GiB per card: 16 bytes a trained parameter (weights, gradients and Adam in mixed precision) and the frozen base.

    Rajbhandari et al. 2020, ZeRO, section 3.1.
    """
    frozen = np.where(
        cases.trains_all, 0.0, parameter_counts(cases.arch).total * choose(cases.base_weights, STORED_BYTES)
    )
    return np.asarray((BYTES_PER_TRAINED * _trained(cases) + frozen) / _shares(cases) / GIB, dtype=float)


def bytes_times_parameters_gib(cases: Cases) -> np.ndarray:
    """GiB per card: parameters times the bytes of their stored format, nothing else."""
    stored = parameter_counts(cases.arch).total * choose(cases.base_weights, STORED_BYTES)
    return np.asarray(stored / _shares(cases) / GIB, dtype=float)


def llama_factory_gib(cases: Cases) -> np.ndarray:
    """GiB per card by the table of the LLaMA-Factory README (GB for all cards together, by method and model size).

    Between the table's sizes in proportion on logarithmic scales, beyond them in proportion to the size.
    """
    size_b = np.asarray(parameter_counts(cases.arch).total, dtype=float) / 1e9
    whole = np.where(is_one_of(cases.base_weights, "fp32"), "full-32", "full-16")
    quantised = np.where(is_one_of(cases.base_weights, "int8", "int8-gptq"), "qlora-8", "qlora-4")
    line = np.where(cases.trains_all, whole, np.where(cases.quantised, quantised, "lora"))
    line, size_b = np.broadcast_arrays(line, size_b)
    total = np.full(size_b.shape, np.nan)
    for name, figures in TABLE_GB.items():
        inside = np.clip(size_b, TABLE_SIZES_B[0], TABLE_SIZES_B[-1])
        table = np.exp(np.interp(np.log(inside), np.log(TABLE_SIZES_B), np.log(figures))) * size_b / inside
        total = np.where(line == name, table, total)
    return np.asarray(total * 1e9 / _shares(cases) / GIB, dtype=float)


def six_nd_tokens_per_s(cases: Cases) -> np.ndarray:
    """Tokens a second per card: 6 operations a parameter and token at 40 % of the card's dense 16-bit datasheet rate.

    Kaplan et al. 2020, section 2.1, for the 6; NaN without a known card.
    """
    device = cases.device
    if device is None:
        return np.full(np.shape(cases.micro_batch), np.nan)
    bf16 = np.asarray(device.bf16_dense_tflops, dtype=float)
    peak = np.where(np.isnan(bf16), device.fp16_dense_tflops, bf16) * 1e12
    active = parameter_counts(cases.arch).active
    return np.asarray(USUAL_MFU * peak / (FLOPS_PER_PARAMETER_TOKEN * active), dtype=float)


def rule_values(cases: Cases) -> dict[str, np.ndarray]:
    """Every rule's estimate of every case, by rule code: GiB per card, or tokens a second per card."""
    shape = np.broadcast_shapes(np.shape(cases.micro_batch), np.shape(cases.method), np.shape(cases.num_gpus))
    values = {
        "sixteen-bytes": sixteen_bytes_gib(cases),
        "llama-factory": llama_factory_gib(cases),
        "bytes-times-parameters": bytes_times_parameters_gib(cases),
        "6nd": six_nd_tokens_per_s(cases),
    }
    return {name: np.broadcast_to(value, shape) for name, value in values.items()}
