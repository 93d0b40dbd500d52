"""Does it fit: the estimate and its range against what the card offers."""

from __future__ import annotations

from typing import Any

import numpy as np

FITS, TIGHT, NO = "fits", "tight", "no"


def fit_verdict(peak_gib: Any, high_gib: Any, usable_gib: Any) -> np.ndarray:
    """``fits`` where even the upper end of the range stays below the usable memory, ``no`` where the estimate itself exceeds it, else ``tight``; blank where a figure is unknown."""
    peak, high, usable = np.broadcast_arrays(
        np.asarray(peak_gib, dtype=float), np.asarray(high_gib, dtype=float), np.asarray(usable_gib, dtype=float)
    )
    verdict = np.where(high <= usable, FITS, np.where(peak <= usable, TIGHT, NO))
    return np.where(np.isnan(peak) | np.isnan(usable), "", verdict)
