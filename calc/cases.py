"""Training cases as a struct of arrays: what the memory and time models take as input.

Every field is a scalar or a numpy array; all fields broadcast together, so one object can hold one scenario, a
thousand published runs, or a grid of cards x methods x batches (each axis varying along its own dimension).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from calc.architecture import Architecture

Numeric = Any
Text = Any  # str or numpy array of str

METHODS = ("qlora", "lora", "dora", "freeze", "full", "pretrain", "inference")
BASE_WEIGHTS = ("nf4-dq", "nf4", "int4-gptq", "int4-awq", "int8", "int8-gptq", "fp8", "bf16", "fp16", "fp32")
QUANTISED = ("nf4-dq", "nf4", "int4-gptq", "int4-awq", "int8", "int8-gptq")
PRECISIONS = ("bf16-true", "amp-bf16", "amp-fp16", "fp16", "fp32", "fp8")
OPTIMIZERS = (
    "adamw",
    "adamw-fused",
    "adamw-8bit",
    "paged-adamw-32bit",
    "paged-adamw-8bit",
    "adafactor",
    "sgd",
    "lion",
    "muon",
)
PARALLELISMS = ("single", "ddp", "zero1", "zero2", "zero3", "fsdp", "tp", "pp", "mixed")
CPU_OFFLOADS = ("none", "optimizer", "params+optimizer")
CHECKPOINTINGS = ("none", "selective", "full", "offload")
ATTENTIONS = ("flash", "sdpa", "xformers", "eager")
FUSED_LOSSES = ("no", "partial", "yes")
LORA_TARGETS = ("qv", "qkv", "qkvo", "attn", "mlp", "all-linear", "all-linear+head")
FRAMEWORK_CLASSES = ("plain", "tuned", "compiled", "megatron", "native")
MEM_KINDS = ("allocated", "reserved", "nvidia-smi")


@dataclass(frozen=True)
class Device:
    """Accelerator figures per GPU; NaN where unknown.

    ``achieved_bf16`` is the measured share of the datasheet's dense BF16/FP16 rate that a large matrix product
    reaches on this card (gpudata/achievable_matmul.csv), NaN where never measured.
    ``link_kind`` is one of: none (PCIe only), bridge (NVLink bridge of two), nvlink (NVLink or NVSwitch or an
    equivalent fabric of the whole node).
    """

    name: Text
    vendor: Text
    segment: Text
    memory_gb: Numeric
    memory_gib_usable: Numeric
    memory_bandwidth_gb_s: Numeric
    fp32_tflops: Numeric
    fp16_dense_tflops: Numeric
    bf16_dense_tflops: Numeric
    fp8_dense_tflops: Numeric
    achieved_bf16: Numeric
    link_kind: Text
    interconnect_gb_s: Numeric
    pcie_gen: Numeric
    pcie_lanes: Numeric
    tdp_w: Numeric
    architecture: Text = ""


@dataclass(frozen=True)
class Cases:
    """One or many training cases; text fields hold the values listed at the top of this module."""

    arch: Architecture
    device: Device | None
    method: Text
    base_weights: Text
    precision: Text
    optimizer: Text
    seq_len: Numeric
    micro_batch: Numeric
    lora_rank: Numeric = 8
    lora_targets: Text = "all-linear"
    optimizer_in_backward: Numeric = False
    num_gpus: Numeric = 1
    num_nodes: Numeric = 1
    interconnect: Text = ""  # nvlink | pcie | nvlink+infiniband | nvlink+roce | hccs | "" = the card's own best link
    parallelism: Text = "single"
    tensor_parallel: Numeric = 1
    pipeline_parallel: Numeric = 1
    context_parallel: Numeric = 1
    expert_parallel: Numeric = 1
    cpu_offload: Text = "none"
    grad_accum: Numeric = 1
    packed: Numeric = True
    activation_checkpointing: Text = "full"
    attention: Text = "flash"
    fused_loss: Text = "no"
    compile: Numeric = False
    framework: Text = "plain"  # class, one of FRAMEWORK_CLASSES
    framework_name: Text = ""  # as published, lower case; only for traits a class cannot express
    mem_kind: Text = "reserved"

    @property
    def trains_all(self) -> Numeric:
        """True where every parameter is trained."""
        return is_one_of(self.method, "full", "pretrain")

    @property
    def uses_adapters(self) -> Numeric:
        """True where low-rank adapters are trained on a frozen base."""
        return is_one_of(self.method, "lora", "qlora", "dora")

    @property
    def quantised(self) -> Numeric:
        """True where the base weights are stored in 4 or 8 bit and dequantised for each product."""
        return is_one_of(self.base_weights, *QUANTISED)

    def with_(self, **changes: Any) -> Cases:
        """Copy with some fields replaced."""
        return replace(self, **changes)


def is_one_of(values: Text, *options: str) -> Numeric:
    """Element-wise membership, for a str or an array of str alike."""
    if isinstance(values, str):
        return values in options
    return np.isin(np.asarray(values), options)


def choose(values: Text, table: dict[str, float], default: float = np.nan) -> Numeric:
    """Element-wise look-up of a number by text, for a str or an array of str alike."""
    if isinstance(values, str):
        return table.get(values, default)
    texts = np.asarray(values)
    result = np.full(texts.shape, default, dtype=float)
    for key, number in table.items():
        result[texts == key] = number
    return result


def take(cases: Cases, rows: np.ndarray) -> Cases:
    """Some of an array of cases; one index (a 0-dimensional array) gives a single case of plain values."""

    def pick(value: Any) -> Any:
        if hasattr(value, "__dataclass_fields__"):
            return replace(value, **{f.name: pick(getattr(value, f.name)) for f in fields(value)})
        array = np.asarray(value)
        return array[rows] if array.ndim else value

    return replace(cases, **{f.name: pick(getattr(cases, f.name)) for f in fields(cases)})
