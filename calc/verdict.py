"""Does it fit: the estimate and its range against what the card offers."""

from __future__ import annotations

from typing import Any

import numpy as np

from calc.memory import MemoryEstimate

FITS, TIGHT, NO = "fits", "tight", "no"


def fit_verdict(least_gib: Any, most_gib: Any, usable_gib: Any) -> np.ndarray:
    """``fits``, ``tight`` or ``no`` for each case; blank where a figure is unknown.

    least_gib: what the run cannot do without, at the lower end of its range; above usable_gib it is refused.
    most_gib: what the driver shows, at the upper end of its range; up to usable_gib it is accepted.
    usable_gib: what a process can get of the card's memory.
    """
    least, most, usable = np.broadcast_arrays(
        np.asarray(least_gib, dtype=float), np.asarray(most_gib, dtype=float), np.asarray(usable_gib, dtype=float)
    )
    verdict = np.where(most <= usable, FITS, np.where(least <= usable, TIGHT, NO))
    return np.where(np.isnan(least) | np.isnan(most) | np.isnan(usable), "", verdict)


def memory_verdict(estimate: MemoryEstimate, low_factor: Any, high_factor: Any, usable_gib: Any) -> np.ndarray:
    """Verdict of a memory estimate, whose 80 % range is the estimate times the two factors.

    PyTorch hands its unused reserve back and tries again before it reports that memory ran out, so a run survives on
    allocated memory and driver context alone; comfort needs the reserve as well. Weights, gradients and optimizer
    states follow from formats and counts, so no range goes below them.
    """
    parts = estimate.components
    least = np.asarray(estimate.allocated_gib) * low_factor + np.asarray(parts["process"])
    least = np.maximum(least, np.asarray(parts["weights"]) + parts["gradients"] + parts["optimizer"])
    return fit_verdict(least, np.asarray(estimate.nvidia_smi_gib) * high_factor, usable_gib)
