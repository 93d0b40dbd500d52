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


def explain(
    cases: Cases, t: Traits, s: States, layer: LayerActivations, estimate: MemoryEstimate
) -> list[dict[str, Any]]:
    """One entry a component: name, formula with numbers, GiB, source."""
    a, layers = cases.arch, float(cases.arch.layers)
    tokens = float(cases.micro_batch) * float(cases.seq_len) / float(t.context)
    billions = f"{float(s.trainable) / 1e9:.4g} B trained parameters"
    inputs, saved, work = float(layer.input), float(layer.saved), float(layer.workspace)
    kept = f"{layers:.0f} layers x {saved:,.0f} B"
    if float(t.checkpoint):
        kept = f"({layers:.0f} layers x {inputs:,.0f} B kept + one recomputed layer x {saved + work:,.0f} B)"
    states = float(t.optimizer_bytes + t.master_bytes)
    formulas = {
        "weights": f"{float(s.base) / 1e9:.3f} B parameters: {float(t.weight_bytes):.3g} B each in the blocks, "
        f"{float(t.other_bytes):.3g} B elsewhere, / {float(t.weight_shards * t.tensor * t.pipeline):.0f} shards",
        "gradients": f"{billions} x {float(t.gradient_bytes):.3g} B / {float(t.gradient_shards):.0f} shards",
        "optimizer": f"{billions} x {states:.3g} B / {float(t.optimizer_shards):.0f} shards",
        "optimizer_temporaries": f"{billions}, one more copy while the optimizer steps",
        "activations": f"{tokens:,.0f} tokens x {kept}",
        "logits": f"{tokens:,.0f} tokens x {float(a.vocab):,.0f} vocabulary entries x bytes per logit of the loss",
        "dequantisation": "largest matrix x 2 B" if float(t.quantised) else "base weights are not quantised",
        "buffers": f"workspace, and layers gathered from {float(t.weight_shards):.0f} shards",
        "process": f"driver context with {float(cases.num_gpus):.0f} GPUs",
        "reserve": f"held beyond {float(estimate.allocated_gib):.2f} GiB allocated",
    }
    phase = f" (peak phase: {str(estimate.peak_phase).replace('_', ' ')})"
    return [
        {
            "name": name,
            "formula": formulas[name] + ("" if float(gib) else phase),
            "gib": float(gib),
            "source": _SOURCES[name],
        }
        for name, gib in estimate.components.items()
    ]
