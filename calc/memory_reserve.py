"""What the caching allocator holds beyond the allocated peak, and what the driver holds beside it."""

from __future__ import annotations

import numpy as np

from calc.architecture import Numeric
from calc.cases import Cases, is_one_of
from calc.memory_constants import MemoryConstants
from calc.memory_traits import Traits

GIB = 2.0**30
LARGE_CARD_GB, SMALL_CARD_GB = 48.0, 8.0
FULL_CARD_SHARE = 0.97  # PyTorch frees its cache and tries again before it gives up, so a full card holds no reserve


def allocator_reserve(
    cases: Cases,
    t: Traits,
    k: MemoryConstants,
    allocated: Numeric,
    activations: Numeric,
    scores: Numeric,
    logits: Numeric,
    gathered: Numeric,
    step: Numeric,
) -> Numeric:
    """Reserved beyond allocated, bytes, before the card's size limits it.

    Large short-lived blocks are not reused for the next phase: a share of ``activations`` (layer inputs and one
    layer's recompute), of ``scores``, of ``logits``, of ``gathered`` layers, and of what the optimizer ``step`` and the
    activations could have shared.
    """
    partial = np.asarray(is_one_of(cases.fused_loss, "partial"), dtype=float)
    logit_share = np.where(partial > 0, k.reserve_logits_partial, k.reserve_logits)
    unshared = k.reserve_unshared * np.minimum(activations + logits, step) * t.full * t.checkpoint
    plain = k.reserve_activations * activations + logit_share * logits + k.reserve_scores * scores + unshared
    plain = plain + k.reserve_gathered * gathered
    return np.where(t.megatron > 0, k.reserve_megatron * allocated, plain)


def process_bytes(cases: Cases, k: MemoryConstants) -> Numeric:
    """Driver context and libraries: larger on larger cards; communication libraries come on top with several cards."""
    several = np.asarray(np.asarray(cases.num_gpus) > 1, dtype=float)
    size = 1.0 if cases.device is None else np.asarray(cases.device.memory_gb, dtype=float) / LARGE_CARD_GB
    size = np.where(np.isnan(size), 1.0, np.clip(size, SMALL_CARD_GB / LARGE_CARD_GB, 1.0))
    return GIB * (k.context_gib * size + several * (k.context_sharded_gib - k.context_gib))


def limited_reserve(cases: Cases, allocated: Numeric, reserve: Numeric, process: Numeric) -> Numeric:
    """Reserve that fits on the card; without a known card it is not limited."""
    if cases.device is None:
        return reserve
    usable = np.asarray(cases.device.memory_gib_usable, dtype=float) * GIB * FULL_CARD_SHARE
    room = np.maximum(usable - allocated - process, 0.02 * allocated)
    return np.where(np.isnan(room), reserve, np.minimum(reserve, room))
