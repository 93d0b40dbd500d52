"""Constants of the memory model that shapes cannot give: what they mean and what was known before the fit.

Fitted values, uncertainties and rows used stand in ``gpudata/memory_constants.json``, written by ``calc.fit_memory``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from calc.throughput_constants import Prior


@dataclass(frozen=True)
class MemoryConstants:
    """One value for each entry of ``PRIORS``, in its unit."""

    logit_bytes_partial: float
    logit_bytes_trainer: float
    reserve_activations: float
    reserve_scores: float
    reserve_logits: float
    reserve_logits_partial: float
    reserve_gathered: float
    reserve_unshared: float
    reserve_megatron: float
    context_gib: float
    context_sharded_gib: float
    workspace_gib: float
    dequantised_kept: float
    megatron_layer_bytes: float
    gathered_layers: float

    @classmethod
    def from_mapping(cls, constants: Mapping[str, Any]) -> MemoryConstants:
        """From the JSON mapping (name -> {"value": ...}) or from plain numbers; KeyError where one is missing."""
        values = {f.name: constants[f.name] for f in fields(cls)}
        return cls(**{name: float(v["value"]) if isinstance(v, Mapping) else float(v) for name, v in values.items()})


_TORCH = "behaviour of PyTorch's caching allocator; published pairs of allocated and reserved peaks"

PRIORS: dict[str, Prior] = {
    "logit_bytes_partial": Prior(
        8.5, 0.06, "bytes per logit", "fused cross-entropy that still writes the logits", "10 in two archives, 8 in two"
    ),
    "logit_bytes_trainer": Prior(
        13.0,
        0.06,
        "bytes per logit",
        "Hugging Face loss behind a trainer",
        "12 by counting saved tensors (transformers 5), 14 where an older version copies shifted logits",
    ),
    "reserve_activations": Prior(0.10, 0.4, "share", "activations the allocator holds beyond the peak", _TORCH),
    "reserve_scores": Prior(0.30, 0.5, "share", "the same for attention scores that are written out", _TORCH),
    "reserve_logits": Prior(0.30, 0.4, "share", "the same for logits", _TORCH),
    "reserve_logits_partial": Prior(0.80, 0.4, "share", "the same for logits of a fused cross-entropy", _TORCH),
    "reserve_gathered": Prior(1.5, 0.5, "share", "the same for gathered layers of FSDP and ZeRO-3", _TORCH),
    "reserve_unshared": Prior(
        0.8, 0.3, "share", "smaller of activations and optimizer-step memory that never share blocks", _TORCH
    ),
    "reserve_megatron": Prior(0.04, 0.3, "share", "allocated memory of Megatron held beyond the peak", _TORCH),
    "context_gib": Prior(
        0.6,
        0.3,
        "GiB",
        "driver context and libraries of a card of 48 GB or more",
        "141 MiB on a T4, 710 MiB on an A6000",
    ),
    "context_sharded_gib": Prior(
        1.2, 0.4, "GiB", "the same with the buffers of communication libraries", "NCCL channels and workspaces"
    ),
    "workspace_gib": Prior(0.02, 0.5, "GiB", "cuBLAS workspace inside the allocator", "8 MiB on A100, 32 MiB on H100"),
    "dequantised_kept": Prior(
        0.45,
        0.3,
        "bytes per quantised parameter",
        "dequantised weights saved for backward where nothing is checkpointed (native PyTorch stacks)",
        "QLoRA needing more than LoRA in published runs",
    ),
    "megatron_layer_bytes": Prior(
        3.8, 0.2, "bytes per parameter of one layer", "gradient staging in TransformerEngine", "weight-gradient buffers"
    ),
    "gathered_layers": Prior(
        1.0, 0.15, "layers", "layers gathered at once in backward", "published intercepts under FSDP"
    ),
}


def prior_constants() -> MemoryConstants:
    """The values known before the fit."""
    return MemoryConstants(**{name: prior.value for name, prior in PRIORS.items()})
