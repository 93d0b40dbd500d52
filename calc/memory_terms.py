"""Explains a scalar memory estimate: every component as a formula with its numbers and its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calc.activations import LayerActivations
from calc.cases import Cases
from calc.memory_states import States
from calc.memory_traits import Traits

if TYPE_CHECKING:
    from calc.memory import MemoryEstimate

_SOURCES = {
    "weights": "parameter count x bytes of the storage format (bitsandbytes, GPTQ and torch formats)",
    "gradients": "PyTorch keeps one gradient per trained parameter in its own format; Megatron in fp32",
    "optimizer": "AdamW keeps two states per trained parameter (torch.optim, bitsandbytes, DeepSpeed)",
    "optimizer_temporaries": "the foreach form of torch.optim.AdamW holds one more copy during the step",
    "activations": "tensors saved for backward, counted from the Hugging Face and flash-attention modules",
    "logits": "cross-entropy in fp32 over the vocabulary (Hugging Face loss), less with fused kernels",
    "dequantisation": "the largest matrix in 16 bit while it is multiplied (bitsandbytes)",
    "buffers": "gathered layers, reduction buckets (PyTorch FSDP, DDP, DeepSpeed) and cuBLAS workspace",
    "process": "driver context and libraries, fitted on published runs",
    "reserve": "allocator reserve over allocated, fitted on published runs",
}


def _number(value: Any) -> float:
    return float(value)


def explain(cases: Cases, t: Traits, s: States, layer: LayerActivations, estimate: MemoryEstimate) -> list[dict[str, Any]]:
    """One entry a component: name, formula with numbers, GiB, source."""
    a = cases.arch
    tokens = _number(cases.micro_batch) * _number(cases.seq_len)
    layers = _number(a.layers)
    kept = f"{layers:.0f} layers x {_number(layer.saved):,.0f} B"
    if _number(t.checkpoint):
        kept = f"({layers:.0f} layers x {_number(layer.input):,.0f} B + one layer {_number(layer.saved + layer.workspace):,.0f} B)"
    formulas = {
        "weights": f"{_number(s.base) / 1e9:.3f} B parameters at {_number(t.weight_bytes):.3g} B in the blocks and "
        f"{_number(t.other_bytes):.3g} B elsewhere / {_number(t.weight_shards):.0f} shards",
        "gradients": f"{_number(s.trainable) / 1e9:.4f} B trained x {_number(t.gradient_bytes):.3g} B / {_number(t.gradient_shards):.0f}",
        "optimizer": f"{_number(s.trainable) / 1e9:.4f} B trained x {_number(t.optimizer_bytes + t.master_bytes):.3g} B / "
        f"{_number(t.optimizer_shards):.0f}",
        "optimizer_temporaries": f"{_number(s.trainable) / 1e9:.4f} B trained, only while the optimizer steps",
        "activations": f"{tokens:,.0f} tokens x {kept}",
        "logits": f"{tokens:,.0f} tokens x {_number(a.vocab):,.0f} entries",
        "dequantisation": "largest matrix x 2 B" if _number(t.quantised) else "base weights are not quantised",
        "buffers": f"{_number(t.weight_shards):.0f} shards",
        "process": f"{_number(cases.num_gpus):.0f} GPUs",
        "reserve": f"share of {_number(estimate.allocated_gib):.2f} GiB allocated",
    }
    return [
        {"name": name, "formula": formulas[name], "gib": _number(gib), "source": _SOURCES[name]}
        for name, gib in estimate.components.items()
    ]
