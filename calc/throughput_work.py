"""Seconds of arithmetic, memory traffic and kernel launches of one micro-step on one card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calc.cases import Cases, Device, choose, is_one_of
from calc.communication import Groups
from calc.flops import Adapters, LayerShape, PassCounts, score_flops
from calc.throughput_constants import TimeConstants

Numeric = Any

BANDWIDTH_SHARE = 0.85  # of datasheet bandwidth that streaming kernels reach (STREAM-like tests on HBM and GDDR cards)
LEAST_POWER_SHARE = 0.5  # of its power limit that a card leaves to arithmetic, however small
POWER_SHARPNESS = 4.0  # exponent of the smooth minimum of clock-limited and power-limited rate
NODE_12NM = ("Volta", "Turing", "Pascal")
NODE_7NM = ("Ampere", "CDNA2", "Da Vinci", "DCU", "DCU (GCN-derived)", "CoreX", "Gaudi2", "BR10X", "MXN", "MLUarch03")
FP32_SHARE = 0.85  # of datasheet FP32 rate that cuBLAS SGEMM reaches
EMULATED_BF16 = 0.5  # BF16 products on cards without BF16 units run in FP32 with conversions (7 of 13.4 TFLOPS measured)
# Kernels of one layer's forward pass, counted in profiler traces of each kind of software.
KERNELS = {"plain": 45.0, "tuned": 30.0, "compiled": 15.0, "megatron": 22.0, "native": 14.0}
BEFORE_FLASH, WARP_GROUP = ("Volta", "Turing", "Pascal"), ("Hopper", "Blackwell", "Blackwell Ultra")
MEMORY_EFFICIENT_FACTOR, AMPERE_INSTRUCTIONS = 0.4, 0.62
DEQUANT_BYTES = 2.5  # read in 4 bit, written in 16; the product reads it from cache
# Frozen 4-bit models prepared the usual way keep norms and the residual stream in 32 bit.
WIDE_RESIDUAL = 1.5
# FSDP runs hooks around every layer: gather, wait, release; ZeRO-3's, in Python around every module, are fitted.
KERNELS_OF_FSDP = 20.0
KERNELS_PER_ADAPTER, KERNELS_PER_QUANTISED_MATRIX, KERNELS_OF_AUTOCAST = 6.0, 2.0, 8.0
MIN_FUSED_LOSS_BYTES = 4.0  # a fused linear and loss writes and reads each logit once, in 16 bit, chunk by chunk


def achieved_share(device: Device, constants: TimeConstants) -> Numeric:
    """Measured over datasheet rate of large 16-bit products; where never measured, from TFLOPS per watt.

    A power limit lowers clocks under full tensor load, so the share falls as the datasheet promises more per watt.
    """
    rate = sixteen_bit_tflops(device)
    per_watt = rate / np.asarray(device.tdp_w, dtype=float)
    line = constants.share_at_one - constants.share_slope * np.log(np.where(per_watt > 0, per_watt, np.nan))
    line = np.where(np.isnan(line), constants.share_at_one, line)
    other = ~np.asarray(is_one_of(device.vendor, "NVIDIA"))
    guess = np.clip(line * np.where(other, constants.share_amd, 1.0), 0.3, 1.12)
    known = np.asarray(device.achieved_bf16, dtype=float)
    return np.where(np.isnan(known), guess, known)


def sixteen_bit_tflops(device: Device) -> Numeric:
    """Dense tensor rate in BF16, or FP16 where the card has no BF16 [TFLOPS]."""
    bf16 = np.asarray(device.bf16_dense_tflops, dtype=float)
    return np.where(np.isnan(bf16), np.asarray(device.fp16_dense_tflops, dtype=float), bf16)


def sustained(burst_tflops: Numeric, device: Device, constants: TimeConstants, per_joule: Numeric = 1.0) -> Numeric:
    """Rate a card keeps up for minutes [TFLOPS]: the lesser of its short-run rate and what its power limit feeds.

    Energy of an operation falls with the manufacturing process, so TFLOPS per watt has a ceiling by generation;
    ``per_joule`` raises it for operands narrower than 16 bit. Memory, fans and leakage draw ``other_w`` first.
    """
    per_watt = np.where(
        is_one_of(device.architecture, *NODE_12NM),
        constants.tflops_per_w_12nm,
        np.where(is_one_of(device.architecture, *NODE_7NM), constants.tflops_per_w_7nm, constants.tflops_per_w_4nm),
    )
    limit = np.asarray(device.tdp_w, dtype=float)
    fed = per_watt * per_joule * np.maximum(limit - constants.other_w, LEAST_POWER_SHARE * limit)
    fed = np.where(np.isnan(fed), np.inf, fed)
    p = POWER_SHARPNESS
    return burst_tflops / (1 + (burst_tflops / fed) ** p) ** (1 / p)


@dataclass(frozen=True)
class Rates:
    """Rates a card reaches on large products [FLOP/s], and streaming bandwidth [bytes/s]."""

    linear: Numeric
    sixteen_bit: Numeric
    bandwidth: Numeric


def rates(cases: Cases, device: Device, constants: TimeConstants) -> Rates:
    """Arithmetic rates by precision; NaN where the table has no rate."""
    tensor = sixteen_bit_tflops(device)
    burst = tensor * achieved_share(device, constants) * constants.matmul_share
    fp32 = np.asarray(device.fp32_tflops, dtype=float)
    bf16_native = ~np.isnan(np.asarray(device.bf16_dense_tflops, dtype=float))
    wants_bf16 = np.asarray(is_one_of(cases.precision, "bf16-true", "amp-bf16", "fp8"))
    emulated = wants_bf16 & ~bf16_native & ~np.isnan(fp32)
    sixteen = np.where(emulated, fp32 * EMULATED_BF16, sustained(burst, device, constants))
    in_fp32 = np.asarray(is_one_of(cases.precision, "fp32"))
    sixteen = np.where(in_fp32, np.where(np.isnan(fp32), sixteen / 8, fp32 * FP32_SHARE), sixteen)
    fp8 = np.asarray(device.fp8_dense_tflops, dtype=float)
    gain = np.where(np.isnan(fp8), 1.0, np.maximum(fp8 / tensor * constants.fp8_share, 1.0))
    linear = np.where(is_one_of(cases.precision, "fp8"), sustained(gain * burst, device, constants, gain * constants.fp8_per_watt), sixteen)
    bandwidth = np.asarray(device.memory_bandwidth_gb_s, dtype=float) * 1e9 * BANDWIDTH_SHARE
    return Rates(linear * 1e12, sixteen * 1e12, bandwidth)


def attention_kernel_factor(cases: Cases, device: Device) -> Numeric:
    """What fused attention kernels lose on cards whose fastest instructions they do not use.

    FlashAttention needs Ampere or newer; Turing and Volta run memory-efficient kernels. FlashAttention-2 issues Ampere's
    instructions, which reach 62 % of Hopper's and Blackwell's tensor peak (arXiv 2402.13499); Megatron's cuDNN kernels do not.
    """
    old = np.asarray(is_one_of(device.architecture, *BEFORE_FLASH))
    new = np.asarray(is_one_of(device.architecture, *WARP_GROUP)) & np.asarray(is_one_of(device.segment, "datacenter"))
    own = np.asarray(is_one_of(cases.framework, "megatron"))
    return np.where(old, MEMORY_EFFICIENT_FACTOR, np.where(new & ~own, AMPERE_INSTRUCTIONS, 1.0))


def has_fused_kernels(cases: Cases) -> Numeric:
    """True where Triton kernels replace norms, rotary and activations in Hugging Face models.

    The packages that bring them (Liger, Unsloth, FOAK) bring a fused loss too, which runs report more often.
    """
    names = np.asarray(cases.framework_name, dtype=str)
    named = (np.char.find(names, "unsloth") >= 0) | (np.char.find(names, "liger") >= 0)
    return named | (np.asarray(is_one_of(cases.framework, "plain")) & np.asarray(is_one_of(cases.fused_loss, "partial", "yes")))


def product_seconds(
    operations: Numeric, rows: Numeric, depth: Numeric, width: Numeric, rate: Numeric, bandwidth: Numeric, traffic: float
) -> Numeric:
    """Time of matrix products rows x depth by depth x width [s].

    Arithmetic plus the share of operand traffic that is not hidden: flops / rate x (1 + traffic x rate / bandwidth x
    (1 / rows + 1 / depth + 1 / width)), the roofline for 16-bit operands with partial overlap.
    """
    intensity = 1 / np.maximum(rows, 1) + 1 / np.maximum(depth, 1) + 1 / np.maximum(width, 1)
    return operations / rate * (1 + traffic * rate / bandwidth * intensity)


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


def micro_step_work(
    cases: Cases,
    device: Device,
    shape: LayerShape,
    branch: Adapters,
    passes: PassCounts,
    size: Groups,
    constants: TimeConstants,
) -> Work:
    """Work of one forward and backward pass over one micro-batch."""
    speed = rates(cases, device, constants)
    layers = np.asarray(cases.arch.layers, dtype=float) / size.pipeline
    hidden = np.asarray(cases.arch.hidden, dtype=float)
    tokens = np.asarray(cases.seq_len, dtype=float) * cases.micro_batch / size.context
    split = size.tensor
    traffic = constants.matmul_traffic

    def product(weights: Numeric, count: Numeric, rows: Numeric, depth: Numeric, width: Numeric, rate: Numeric) -> Numeric:
        return product_seconds(2 * weights * tokens * count / split, rows, depth, width, rate, speed.bandwidth, traffic)

    rows_of_expert = tokens * np.where(shape.expert_share > 0, size.expert * shape.top_k / shape.experts, 1.0)
    mlp_width = shape.mlp_width / np.where(shape.expert_share > 0, shape.top_k, 1.0) / split
    attention_linear = product(shape.attention, passes.linear, tokens, hidden, shape.q_width / split, speed.linear)
    mlp_linear = product(shape.mlp, passes.linear, rows_of_expert, hidden, mlp_width, speed.linear)
    vocab = np.asarray(cases.arch.vocab, dtype=float)
    head = product(hidden * vocab, passes.head, tokens, hidden, vocab / split, speed.sixteen_bit) / size.pipeline

    eager = np.asarray(is_one_of(cases.attention, "eager"))
    scores = score_flops(cases, shape) * tokens * passes.scores / split
    dense_scores = scores / speed.sixteen_bit
    stored_scores = np.asarray(cases.arch.heads, dtype=float) * cases.seq_len * tokens / split
    flash_rate = speed.sixteen_bit * constants.flash_share * attention_kernel_factor(cases, device)
    eager_traffic = stored_scores * constants.eager_score_bytes * passes.elementwise / speed.bandwidth
    attention = np.where(eager, dense_scores + eager_traffic, scores / flash_rate)

    element = np.where(is_one_of(cases.precision, "fp32"), 2.0, 1.0)
    plain = np.asarray(is_one_of(cases.framework, "plain"))
    autocast = np.asarray(is_one_of(cases.precision, "amp-bf16", "amp-fp16"))
    element = np.where(plain & autocast & np.asarray(cases.quantised), WIDE_RESIDUAL, element)
    over_least = choose(
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
    over_least = np.where(has_fused_kernels(cases), over_least * constants.fused_kernels, over_least)
    compiled = np.asarray(cases.compile, dtype=bool)
    over_least = np.where(compiled, np.minimum(over_least, constants.passes_compiled), over_least)
    # Least traffic of a fused layer, forward, in bytes a token: two norms and residual sums, rotary, gated activation.
    least = 12 * hidden + (4 * (shape.q_width + shape.kv_width / 2) + 2 * shape.mlp_matrices * shape.mlp_width) / split
    elementwise = least * element * over_least * passes.elementwise * tokens / speed.bandwidth

    branch_products = product_seconds(
        2 * branch.parameters * tokens * (passes.linear + 1) / split, tokens, hidden, cases.lora_rank, speed.sixteen_bit, speed.bandwidth, traffic
    )
    branch_traffic = constants.adapter_bytes * (branch.inputs + branch.outputs) / split * tokens * passes.elementwise
    scale = over_least / constants.passes_plain
    renormalise = np.where(is_one_of(cases.method, "dora"), branch.adapted_weights * 12 * passes.weight_reads, 0.0) / split
    adapters = branch_products + (branch_traffic * scale + renormalise) / speed.bandwidth

    logit_bytes = choose(
        cases.fused_loss,
        {"no": constants.logit_bytes_plain, "partial": constants.logit_bytes_fused, "yes": MIN_FUSED_LOSS_BYTES},
        constants.logit_bytes_plain,
    )
    # Compiled losses fuse the 32-bit passes that plain ones run one by one.
    logit_bytes = np.where(compiled, np.minimum(logit_bytes, constants.logit_bytes_fused), logit_bytes)
    loss = logit_bytes * vocab / split * tokens / size.pipeline / speed.bandwidth
    loss = np.where(is_one_of(cases.method, "inference"), 0.0, loss)

    stored = (shape.attention + shape.mlp_stored) / split
    unpack = choose(
        cases.base_weights,
        {
            "nf4-dq": constants.dequant_ops_nf4,
            "nf4": constants.dequant_ops_nf4,
            "int4-gptq": constants.dequant_ops_gptq,
            "int4-awq": constants.dequant_ops_gptq,
            "int8": constants.dequant_ops_nf4,
            "int8-gptq": constants.dequant_ops_gptq,
        },
        0.0,
    )
    fp32_rate = np.asarray(device.fp32_tflops, dtype=float) * 1e12
    fp32_rate = np.where(np.isnan(fp32_rate), speed.sixteen_bit / 8, fp32_rate)
    moved = np.where(np.asarray(cases.quantised), DEQUANT_BYTES, 0.0)
    dequantise = stored * passes.weight_reads * (unpack / fp32_rate + moved / speed.bandwidth)
    sharded = np.asarray(is_one_of(cases.parallelism, "fsdp", "zero3"))
    cast = np.where(autocast & np.asarray(is_one_of(cases.base_weights, "fp32")), 6.0 * stored * (1 + passes.recompute) / np.where(sharded, size.data, 1.0), 0.0) / speed.bandwidth

    kernels = np.where(compiled, np.minimum(choose(cases.framework, KERNELS, KERNELS["plain"]), KERNELS["compiled"]),
                       choose(cases.framework, KERNELS, KERNELS["plain"]))  # fmt: skip
    matrices = 4 + shape.mlp_matrices
    kernels = (
        kernels
        + KERNELS_PER_ADAPTER * branch.matrices
        + KERNELS_PER_QUANTISED_MATRIX * matrices * np.asarray(cases.quantised)
        + KERNELS_OF_AUTOCAST * autocast
        + constants.zero3_hooks * np.asarray(is_one_of(cases.parallelism, "zero3"))
        + KERNELS_OF_FSDP * np.asarray(is_one_of(cases.parallelism, "fsdp")) * ~np.asarray(is_one_of(cases.framework, "native"))
        + np.where(shape.expert_share > 0, 3 * shape.experts / size.expert * plain, 0)
    )
    fast = np.asarray(is_one_of(cases.framework, "native", "compiled")) | compiled
    each = np.where(fast, constants.launch_native_us, constants.launch_us) * 1e-6
    launch = kernels * each * passes.elementwise
    return Work(
        linear_s=layers * (attention_linear + mlp_linear),
        head_s=head,
        attention_s=layers * attention,
        adapters_s=layers * adapters,
        elementwise_s=layers * elementwise,
        loss_s=loss,
        dequantise_s=layers * dequantise,
        cast_s=layers * cast,
        launch_s=layers * launch,
    )
