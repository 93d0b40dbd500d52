"""Constants of the time model: what each means, its unit, and the value expected before any fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any


@dataclass(frozen=True)
class Prior:
    """Expected value of a constant and the spread (standard deviation of its logarithm) the fit may use."""

    value: float
    spread: float
    unit: str
    meaning: str
    source: str


PRIORS: dict[str, Prior] = {
    "matmul_share": Prior(
        0.92,
        0.10,
        "1",
        "rate of training's matrix products over the best product measured on the card",
        "sustained against burst clocks, tests/bench",
    ),
    "tflops_per_w_12nm": Prior(
        0.33,
        0.15,
        "TFLOPS/W",
        "16-bit matrix rate a watt of power limit sustains: Volta, Turing",
        "V100: 95-100 of 300 W, gpudata/achievable_matmul.csv",
    ),
    "tflops_per_w_7nm": Prior(0.85, 0.15, "TFLOPS/W", "the same for 7 and 8 nm cards", "A100 PCIe: 253 of 300 W"),
    "tflops_per_w_4nm": Prior(
        1.15, 0.12, "TFLOPS/W", "the same for 4 and 5 nm cards", "H100: 495 of 350 W in short runs, 790 of 700 W"
    ),
    "other_w": Prior(
        20.0, 0.3, "W", "power that memory, fans and leakage draw before arithmetic", "T4: 70 W limit, idle near 10 W"
    ),
    "fp8_per_watt": Prior(
        1.2,
        0.15,
        "1",
        "8-bit operations a joule over twice the 16-bit ones",
        "half the operand traffic besides narrower multipliers",
    ),
    "matmul_traffic": Prior(
        1.0,
        0.5,
        "1",
        "share of a product's operand traffic not hidden behind arithmetic",
        "roofline model, Williams et al. 2009",
    ),
    "fp8_share": Prior(
        0.85,
        0.10,
        "1",
        "further factor on FP8 products: scaling, casts and transposes around them",
        "Micikevicius et al. 2022, arXiv 2209.05433",
    ),
    "flash_share": Prior(
        0.60,
        0.25,
        "1",
        "rate of fused attention kernels over the card's achieved matrix rate",
        "Dao 2023, arXiv 2307.08691, figure 4-6",
    ),
    "eager_score_bytes": Prior(
        30.0,
        0.4,
        "bytes",
        "traffic a forward pass spends on each attention score that is stored",
        "counted: scores, mask, softmax in 32 bit, cast",
    ),
    "passes_plain": Prior(
        3.2,
        0.35,
        "1",
        "element-wise memory traffic over the least a fused layer needs: Hugging Face modules",
        "counted from the modules' operations",
    ),
    "passes_tuned": Prior(2.0, 0.35, "1", "the same for frameworks with fused kernels in places", "counted"),
    "passes_compiled": Prior(1.3, 0.35, "1", "the same for compiled graphs", "counted"),
    "passes_megatron": Prior(1.3, 0.35, "1", "the same for Megatron-Core and TransformerEngine", "counted"),
    "passes_native": Prior(1.1, 0.35, "1", "the same for hand-written CUDA", "counted"),
    "fused_kernels": Prior(
        0.6,
        0.3,
        "1",
        "factor on element-wise traffic where Triton kernels replace norms, rotary, activations",
        "Liger Kernel, arXiv 2410.10989",
    ),
    "adapter_bytes": Prior(
        14.0,
        0.4,
        "bytes",
        "traffic per element of an adapted matrix's input and output, forward (cast, dropout, scale, add)",
        "counted from PEFT's Linear.forward",
    ),
    "logit_bytes_plain": Prior(
        44.0,
        0.4,
        "bytes",
        "traffic per logit, forward and backward, with the loss in separate 32-bit operations",
        "counted from Hugging Face's loss",
    ),
    "logit_bytes_fused": Prior(8.0, 0.4, "bytes", "the same with a fused cross-entropy kernel", "counted"),
    "dequant_ops_nf4": Prior(
        60.0,
        0.6,
        "operations",
        "32-bit operations' time of unpacking one 4-bit weight of bitsandbytes",
        "table look-up, scaling, packing; A100 against RTX 4090",
    ),
    "dequant_ops_gptq": Prior(
        120.0, 0.6, "operations", "the same for GPTQ and AWQ kernels", "as above, with zero points and group index"
    ),
    "launch_us": Prior(
        14.0,
        0.4,
        "microseconds",
        "processor time of one kernel launched from Python with autograd",
        "PyTorch eager dispatch 5-20 microseconds",
    ),
    "launch_native_us": Prior(
        5.0, 0.4, "microseconds", "the same from compiled code or C++", "CUDA launch 3-6 microseconds"
    ),
    "zero3_hooks": Prior(
        150.0,
        0.5,
        "kernels",
        "launches' worth of Python that DeepSpeed's ZeRO-3 hooks add to a layer's pass",
        "fetch, wait and release around every module",
    ),
    "optimizer_passes": Prior(
        2.7, 0.3, "1", "traffic of an unfused optimizer step over a fused one", "19 tensor passes against 7"
    ),
    "step_s": Prior(
        0.015,
        0.7,
        "seconds",
        "fixed time of an optimizer step outside kernels: data loading, logging, clipping",
        "Python training loops",
    ),
    "bus_share": Prior(
        0.75,
        0.2,
        "1",
        "collective bus bandwidth over the link's one-way rate: NVLink and equivalents",
        "nccl-tests on HGX",
    ),
    "pcie_share": Prior(0.55, 0.15, "1", "the same for PCIe with peer access", "nccl-tests"),
    "pcie_host_share": Prior(
        0.40, 0.15, "1", "the same for PCIe cards whose traffic crosses host memory (GeForce)", "NCCL without P2P"
    ),
    "network_share": Prior(0.65, 0.15, "1", "the same between nodes", "nccl-tests"),
    "overlap": Prior(
        0.6,
        0.2,
        "1",
        "share of sharding traffic that arithmetic hides where there is enough of it",
        "DDP against FSDP on RTX 4090, gpudata/multi_gpu_scaling.csv",
    ),
    "hop_us": Prior(15.0, 0.5, "microseconds", "start-up time of one collective on one layer", "NCCL latency"),
    "host_adam_bytes_s": Prior(
        40.0,
        0.6,
        "GB/s",
        "host memory traffic rate of optimizer steps in host memory, shared by the node's cards",
        "DeepSpeed CPUAdam on two sockets",
    ),
    "offload_share": Prior(0.7, 0.4, "1", "host transfer rate over the PCIe one-way rate", "pinned copies"),
}

# Datasheet shares that no one measured: a line in ln(TFLOPS per watt), fitted on gpudata/achievable_matmul.csv.
_SHARE_FIELDS = {
    "share_at_one": Prior(0.80, 0.05, "1", "measured over datasheet matrix rate of a card with 1 TFLOPS per watt", ""),
    "share_slope": Prior(0.12, 0.3, "1", "fall of that share per unit of ln(TFLOPS per watt): power limits clocks", ""),
    "share_amd": Prior(0.75, 0.1, "1", "factor for AMD and other software stacks younger than CUDA", ""),
}
PRIORS.update(_SHARE_FIELDS)


@dataclass(frozen=True)
class TimeConstants:
    """Fitted constants of :func:`calc.throughput.step_time`; meanings and units in ``PRIORS``."""

    matmul_share: float
    tflops_per_w_12nm: float
    tflops_per_w_7nm: float
    tflops_per_w_4nm: float
    other_w: float
    fp8_per_watt: float
    matmul_traffic: float
    fp8_share: float
    flash_share: float
    eager_score_bytes: float
    passes_plain: float
    passes_tuned: float
    passes_compiled: float
    passes_megatron: float
    passes_native: float
    fused_kernels: float
    adapter_bytes: float
    logit_bytes_plain: float
    logit_bytes_fused: float
    dequant_ops_nf4: float
    dequant_ops_gptq: float
    launch_us: float
    launch_native_us: float
    zero3_hooks: float
    optimizer_passes: float
    step_s: float
    bus_share: float
    pcie_share: float
    pcie_host_share: float
    network_share: float
    overlap: float
    hop_us: float
    host_adam_bytes_s: float
    offload_share: float
    share_at_one: float
    share_slope: float
    share_amd: float

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> TimeConstants:
        """From a mapping name -> number, or name -> {"value": number, ...}; KeyError names what is missing."""
        numbers = {name: values[name] for name in (field.name for field in fields(cls))}
        return cls(**{k: float(v["value"] if isinstance(v, Mapping) else v) for k, v in numbers.items()})

    def with_(self, **changes: float) -> TimeConstants:
        """Copy with some constants replaced."""
        return replace(self, **changes)


def prior_constants() -> TimeConstants:
    """The constants expected before any fit."""
    return TimeConstants(**{name: prior.value for name, prior in PRIORS.items()})
