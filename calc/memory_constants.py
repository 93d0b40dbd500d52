"""Fitted constants of the memory model; values, uncertainties and sources stand in ``gpudata/memory_constants.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class MemoryConstants:
    """Figures that cannot be derived from shapes; each is fitted by ``calc.fit_memory``."""

    logit_bytes_partial: float  # fused cross-entropy that still writes logits, bytes per logit
    logit_bytes_trainer: float  # Hugging Face loss behind a trainer, bytes per logit
    reserve_share: float  # held by the allocator beyond the allocated peak, share of allocated
    reserve_share_eager: float
    reserve_share_megatron: float
    reserve_share_sharded: float
    context_gib: float  # driver context and libraries outside the allocator
    context_sharded_gib: float  # the same with communication libraries
    workspace_gib: float  # matrix-product workspaces inside the allocator
    dequantised_kept: float  # bytes per quantised parameter kept for backward by stacks that save dequantised weights
    megatron_layer_bytes: float  # gradient staging of one layer in TransformerEngine, bytes per parameter of it
    gathered_layers: float  # layers gathered at once under FSDP or ZeRO-3

    @classmethod
    def from_mapping(cls, constants: Mapping[str, Any]) -> MemoryConstants:
        """From the JSON mapping (name -> {"value": ...}) or from plain numbers; KeyError where one is missing."""
        values = {f.name: constants[f.name] for f in fields(cls)}
        return cls(**{name: float(v["value"]) if isinstance(v, Mapping) else float(v) for name, v in values.items()})
