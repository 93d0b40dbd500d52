"""Seconds of arithmetic, memory traffic and kernel launches of one micro-step on one card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calc.cases import Cases, Device, choose, is_one_of
from calc.communication import Groups
from calc.flops import Adapters, LayerShape, PassCounts, score_flops
from calc.throughput_constants import TimeConstants
from calc.throughput_rates import Rates, product_seconds, rates

Numeric = Any

# Kernels of one layer's forward pass, counted in profiler traces of each kind of software.
KERNELS = {"plain": 45.0, "tuned": 30.0, "compiled": 15.0, "megatron": 22.0, "native": 14.0}
KERNELS_PER_ADAPTER, KERNELS_PER_QUANTISED_MATRIX, KERNELS_OF_AUTOCAST = 6.0, 2.0, 8.0
KERNELS_OF_DORA = 14.0  # more per adapter: weight norm, magnitude, rescaling of the base output
# FSDP runs hooks around every layer: gather, wait, release; ZeRO-3's, in Python around every module, are fitted.
KERNELS_OF_FSDP = 20.0
KERNELS_PER_EXPERT = 3.0  # experts run one after another in Hugging Face models
FUSED_KERNEL_PACKAGES = ("unsloth", "liger", "automodel")
MIN_FUSED_LOSS_BYTES = 4.0  # a fused linear and loss writes and reads each logit once, in 16 bit, chunk by chunk
DEQUANT_BYTES = 2.5  # read in 4 bit, written in 16; the product reads it from cache
# Frozen 4-bit models prepared the usual way keep norms and the residual stream in 32 bit.
WIDE_RESIDUAL = 1.5
DORA_BYTES = 12.0  # per adapted weight and pass: read, add the low-rank product, square and sum
CAST_BYTES = 6.0  # per weight: 4 read, 2 written


@dataclass(frozen=True)
class Work:
    """Seconds of one micro-step on one card (all of its layers), by kind of work."""

    linear_s: Numeric
    head_s: Numeric
    attention_s: Numeric
    adapters_s: Numeric
    elementwise_s: Numeric
    loss_s: Numeric
    dequantise_s: Numeric
    cast_s: Numeric
    launch_s: Numeric

    @property
    def arithmetic_s(self) -> Numeric:
        """Matrix products and attention."""
        return self.linear_s + self.head_s + self.attention_s

    @property
    def memory_s(self) -> Numeric:
        """Work limited by memory bandwidth."""
        return self.adapters_s + self.elementwise_s + self.loss_s + self.dequantise_s + self.cast_s


def has_fused_kernels(cases: Cases) -> Numeric:
    """True where Triton kernels replace norms, rotary and activations in Hugging Face models.

    The packages that bring them (Liger, Unsloth, FOAK) bring a fused loss too, which runs report more often.
    """
    names = np.asarray(cases.framework_name, dtype=str)
    named = np.any([np.char.find(names, word) >= 0 for word in FUSED_KERNEL_PACKAGES], axis=0)
    plain = np.asarray(is_one_of(cases.framework, "plain"))
    return named | (plain & np.asarray(is_one_of(cases.fused_loss, "partial", "yes")))


def elementwise_passes(cases: Cases, constants: TimeConstants) -> Numeric:
    """Element-wise traffic over the least a fused layer needs, by kind of software."""
    passes = choose(
        cases.framework,
        {
            "plain": constants.passes_plain,
            "tuned": constants.passes_tuned,
            "compiled": constants.passes_compiled,
            "megatron": constants.passes_megatron,
            "native": constants.passes_native,
        },
        constants.passes_plain,
    )
    passes = np.where(has_fused_kernels(cases), passes * constants.fused_kernels, passes)
    compiled = np.asarray(cases.compile, dtype=bool)
    return np.where(compiled, np.minimum(passes, constants.passes_compiled), passes)


def _attention_s(
    cases: Cases, shape: LayerShape, passes: PassCounts, tokens: Numeric, speed: Rates, constants: TimeConstants
) -> Numeric:
    scores = score_flops(cases, shape) * tokens * passes.scores
    stored = np.asarray(cases.arch.heads, dtype=float) * cases.seq_len * tokens
    eager = scores / speed.sixteen_bit + stored * constants.eager_score_bytes * passes.elementwise / speed.bandwidth
    return np.where(is_one_of(cases.attention, "eager"), eager, scores / speed.attention)


def _logit_bytes(cases: Cases, constants: TimeConstants) -> Numeric:
    table = {"partial": constants.logit_bytes_fused, "yes": MIN_FUSED_LOSS_BYTES}
    traffic = choose(cases.fused_loss, table, constants.logit_bytes_plain)
    # Compiled losses fuse the 32-bit passes that plain ones run one by one.
    traffic = np.where(np.asarray(cases.compile, dtype=bool), np.minimum(traffic, constants.logit_bytes_fused), traffic)
    return np.where(is_one_of(cases.method, "inference"), 0.0, traffic)


def _dequantise_s(cases: Cases, weights: Numeric, speed: Rates, constants: TimeConstants) -> Numeric:
    bitsandbytes, gptq = constants.dequant_ops_nf4, constants.dequant_ops_gptq
    operations = choose(
        cases.base_weights,
        {
            "nf4-dq": bitsandbytes,
            "nf4": bitsandbytes,
            "int8": bitsandbytes,
            "int4-gptq": gptq,
            "int4-awq": gptq,
            "int8-gptq": gptq,
        },
        0.0,
    )
    moved = np.where(np.asarray(cases.quantised), DEQUANT_BYTES, 0.0)
    return weights * (operations / speed.fp32 + moved / speed.bandwidth)


def _launch_s(
    cases: Cases, shape: LayerShape, branch: Adapters, passes: PassCounts, size: Groups, constants: TimeConstants
) -> Numeric:
    """Processor time to launch one layer's kernels, all passes."""
    compiled = np.asarray(cases.compile, dtype=bool)
    kernels = np.asarray(choose(cases.framework, KERNELS, KERNELS["plain"]))
    kernels = np.where(compiled, np.minimum(kernels, KERNELS["compiled"]), kernels)
    native = np.asarray(is_one_of(cases.framework, "native"))
    plain = np.asarray(is_one_of(cases.framework, "plain"))
    one_by_one = np.where((shape.expert_share > 0) & plain, KERNELS_PER_EXPERT * shape.experts / size.expert, 0.0)
    kernels = (
        kernels
        + (KERNELS_PER_ADAPTER + np.where(is_one_of(cases.method, "dora"), KERNELS_OF_DORA, 0.0)) * branch.matrices
        + KERNELS_PER_QUANTISED_MATRIX * (4 + shape.mlp_matrices) * np.asarray(cases.quantised)
        + KERNELS_OF_AUTOCAST * np.asarray(is_one_of(cases.precision, "amp-bf16", "amp-fp16"))
        + constants.zero3_hooks * np.asarray(is_one_of(cases.parallelism, "zero3"))
        + np.where(native, 0.0, KERNELS_OF_FSDP) * np.asarray(is_one_of(cases.parallelism, "fsdp"))
        + one_by_one
    )
    fast = np.asarray(is_one_of(cases.framework, "native", "compiled")) | compiled
    return kernels * np.where(fast, constants.launch_native_us, constants.launch_us) * 1e-6 * passes.elementwise


def micro_step_work(
    cases: Cases,
    device: Device,
    shape: LayerShape,
    branch: Adapters,
    passes: PassCounts,
    size: Groups,
    constants: TimeConstants,
) -> Work:
    """Work of one forward and backward pass over one micro-batch; a card holds layers / pipeline, split by tensor."""
    speed = rates(cases, device, constants)
    layers = np.asarray(cases.arch.layers, dtype=float) / size.pipeline
    hidden, vocab = np.asarray(cases.arch.hidden, dtype=float), np.asarray(cases.arch.vocab, dtype=float)
    tokens = np.asarray(cases.seq_len, dtype=float) * cases.micro_batch / size.context
    split = size.tensor

    def product(weights: Numeric, count: Numeric, rows: Numeric, width: Numeric, rate: Numeric) -> Numeric:
        operations = 2 * weights * tokens * count / split
        return product_seconds(operations, rows, hidden, width, rate, speed.bandwidth, constants.matmul_traffic)

    of_experts = shape.expert_share > 0
    rows_of_expert = tokens * np.where(of_experts, size.expert * shape.top_k / shape.experts, 1.0)
    mlp_width = shape.mlp_width / np.where(of_experts, shape.top_k, 1.0) / split
    attention_linear = product(shape.attention, passes.linear, tokens, shape.q_width / split, speed.linear)
    mlp_linear = product(shape.mlp, passes.linear, rows_of_expert, mlp_width, speed.linear)
    head = product(hidden * vocab, passes.head, tokens, vocab / split, speed.sixteen_bit) / size.pipeline

    over_least = elementwise_passes(cases, constants)
    plain = np.asarray(is_one_of(cases.framework, "plain"))
    autocast = np.asarray(is_one_of(cases.precision, "amp-bf16", "amp-fp16"))
    element = np.where(is_one_of(cases.precision, "fp32"), 2.0, 1.0)
    element = np.where(plain & autocast & np.asarray(cases.quantised), WIDE_RESIDUAL, element)
    # Least traffic of a fused layer, forward, in bytes a token: two norms and residual sums, rotary, gated activation.
    rotary, activation = 4 * (shape.q_width + shape.kv_width / 2), 2 * shape.mlp_matrices * shape.mlp_width
    least = 12 * hidden + (rotary + activation) / split
    elementwise = least * element * over_least * passes.elementwise * tokens / speed.bandwidth

    branch_operations = 2 * branch.parameters * tokens * (passes.linear + 1) / split
    rank = np.asarray(cases.lora_rank, dtype=float)
    adapters = product_seconds(
        branch_operations, tokens, hidden, rank, speed.sixteen_bit, speed.bandwidth, constants.matmul_traffic
    )
    branch_traffic = constants.adapter_bytes * (branch.inputs + branch.outputs) / split * tokens * passes.elementwise
    branch_traffic = branch_traffic * over_least / constants.passes_plain
    dora = np.where(is_one_of(cases.method, "dora"), DORA_BYTES * branch.adapted_weights, 0.0) / split
    adapters = adapters + (branch_traffic + dora * passes.weight_reads) / speed.bandwidth

    stored = (shape.attention + shape.mlp_stored) / split
    sharded = np.asarray(is_one_of(cases.parallelism, "fsdp", "zero3"))
    casts = autocast & np.asarray(is_one_of(cases.base_weights, "fp32"))
    held = stored / np.where(sharded, size.data, 1.0)
    cast = np.where(casts, CAST_BYTES * held * (1 + passes.recompute), 0.0) / speed.bandwidth
    return Work(
        linear_s=layers * (attention_linear + mlp_linear),
        head_s=head,
        attention_s=layers * _attention_s(cases, shape, passes, tokens / split, speed, constants),
        adapters_s=layers * adapters,
        elementwise_s=layers * elementwise,
        loss_s=_logit_bytes(cases, constants) * vocab / split * tokens / size.pipeline / speed.bandwidth,
        dequantise_s=layers * _dequantise_s(cases, stored * passes.weight_reads, speed, constants),
        cast_s=layers * cast,
        launch_s=layers * _launch_s(cases, shape, branch, passes, size, constants),
    )
