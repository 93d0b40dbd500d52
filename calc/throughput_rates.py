"""Rates a card reaches: large matrix products by precision, attention kernels, streaming memory traffic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calc.cases import Cases, Device, is_one_of
from calc.throughput_constants import TimeConstants

Numeric = Any

BANDWIDTH_SHARE = 0.85  # of datasheet bandwidth that streaming kernels reach (STREAM-like tests on HBM and GDDR cards)
OPERATIONS_PER_BYTE = 200.0  # datasheet 16-bit rate over bandwidth, near the median of data-centre cards
FP32_SHARE = 0.85  # of datasheet FP32 rate that cuBLAS SGEMM reaches
# BF16 products on cards without BF16 units run in FP32 with conversions (7 of 13.4 TFLOPS measured on the 2080 Ti).
EMULATED_BF16 = 0.5
LEAST_POWER_SHARE = 0.5  # of its power limit that a card leaves to arithmetic, however small
POWER_SHARPNESS = 4.0  # exponent of the smooth minimum of clock-limited and power-limited rate
NODE_12NM = ("Volta", "Turing", "Pascal")
NODE_7NM = ("Ampere", "CDNA2", "Da Vinci", "DCU", "DCU (GCN-derived)", "CoreX", "Gaudi2", "BR10X", "MXN", "MLUarch03")
WARP_GROUP = ("Hopper", "Blackwell", "Blackwell Ultra")
MEMORY_EFFICIENT_FACTOR, AMPERE_INSTRUCTIONS = 0.4, 0.62


def sixteen_bit_tflops(device: Device) -> Numeric:
    """Dense tensor rate in BF16, or FP16 where the card has no BF16 [TFLOPS]."""
    bf16 = np.asarray(device.bf16_dense_tflops, dtype=float)
    return np.where(np.isnan(bf16), np.asarray(device.fp16_dense_tflops, dtype=float), bf16)


def achieved_share(device: Device, constants: TimeConstants) -> Numeric:
    """Measured over datasheet rate of large 16-bit products; where never measured, from TFLOPS per watt.

    A power limit lowers clocks under full tensor load, so the share falls as the datasheet promises more per watt.
    """
    per_watt = sixteen_bit_tflops(device) / np.asarray(device.tdp_w, dtype=float)
    line = constants.share_at_one - constants.share_slope * np.log(np.where(per_watt > 0, per_watt, np.nan))
    line = np.where(np.isnan(line), constants.share_at_one, line)
    other = ~np.asarray(is_one_of(device.vendor, "NVIDIA"), dtype=bool)
    guess = np.clip(line * np.where(other, constants.share_amd, 1.0), 0.3, 1.12)
    known = np.asarray(device.achieved_bf16, dtype=float)
    return np.where(np.isnan(known), guess, known)


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


def streaming_bandwidth(device: Device) -> Numeric:
    """Bytes a second that streaming kernels reach; where the table lacks it, in proportion to the arithmetic rate."""
    listed = np.asarray(device.memory_bandwidth_gb_s, dtype=float)
    guess = sixteen_bit_tflops(device) * 1e3 / OPERATIONS_PER_BYTE
    return np.where(np.isnan(listed), guess, listed) * 1e9 * BANDWIDTH_SHARE


@dataclass(frozen=True)
class Rates:
    """Rates of large products, of fused attention and of 32-bit arithmetic [FLOP/s], bandwidth [bytes/s]."""

    linear: Numeric
    sixteen_bit: Numeric
    attention: Numeric
    fp32: Numeric
    bandwidth: Numeric


def rates(cases: Cases, device: Device, constants: TimeConstants) -> Rates:
    """Rates by precision; NaN where the table has no rate."""
    tensor = sixteen_bit_tflops(device)
    burst = tensor * achieved_share(device, constants) * constants.matmul_share
    fp32 = np.asarray(device.fp32_tflops, dtype=float)
    no_bf16 = np.isnan(np.asarray(device.bf16_dense_tflops, dtype=float))
    wants_bf16 = np.asarray(is_one_of(cases.precision, "bf16-true", "amp-bf16", "fp8"))
    sixteen = sustained(burst, device, constants)
    sixteen = np.where(wants_bf16 & no_bf16 & ~np.isnan(fp32), fp32 * EMULATED_BF16, sixteen)
    in_fp32 = np.asarray(is_one_of(cases.precision, "fp32"))
    sixteen = np.where(in_fp32, np.where(np.isnan(fp32), sixteen / 8, fp32 * FP32_SHARE), sixteen)
    fp8 = np.asarray(device.fp8_dense_tflops, dtype=float)
    gain = np.where(np.isnan(fp8), 1.0, np.maximum(fp8 / tensor * constants.fp8_share, 1.0))
    eight = sustained(gain * burst, device, constants, gain * constants.fp8_per_watt)
    linear = np.where(is_one_of(cases.precision, "fp8") & ~np.isnan(fp8), eight, sixteen)
    attention = sixteen * constants.flash_share * attention_kernel_factor(cases, device)
    fp32 = np.where(np.isnan(fp32), sixteen / 8, fp32)
    return Rates(linear * 1e12, sixteen * 1e12, attention * 1e12, fp32 * 1e12, streaming_bandwidth(device))


def attention_kernel_factor(cases: Cases, device: Device) -> Numeric:
    """What fused attention kernels lose on cards whose fastest instructions they do not use.

    FlashAttention needs Ampere or newer; Turing and Volta run memory-efficient kernels. FlashAttention-2 issues
    Ampere's instructions, which reach 62 % of Hopper's and Blackwell's tensor peak (arXiv 2402.13499); Megatron's
    cuDNN kernels use the newer ones.
    """
    old = np.asarray(is_one_of(device.architecture, *NODE_12NM))
    data_centre = np.asarray(is_one_of(device.segment, "datacenter"))
    new = np.asarray(is_one_of(device.architecture, *WARP_GROUP)) & data_centre
    own = np.asarray(is_one_of(cases.framework, "megatron"))
    return np.where(old, MEMORY_EFFICIENT_FACTOR, np.where(new & ~own, AMPERE_INSTRUCTIONS, 1.0))


def product_seconds(
    operations: Numeric,
    rows: Numeric,
    depth: Numeric,
    width: Numeric,
    rate: Numeric,
    bandwidth: Numeric,
    traffic: float,
) -> Numeric:
    """Time of matrix products rows x depth by depth x width [s].

    Arithmetic plus the share of operand traffic that is not hidden: flops / rate x (1 + traffic x rate / bandwidth x
    (1 / rows + 1 / depth + 1 / width)), the roofline for 16-bit operands with partial overlap.
    """
    intensity = 1 / np.maximum(rows, 1) + 1 / np.maximum(depth, 1) + 1 / np.maximum(width, 1)
    return operations / rate * (1 + traffic * rate / bandwidth * intensity)
