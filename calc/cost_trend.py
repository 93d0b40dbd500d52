"""How a price has moved: a straight line through the logarithms, with the width its points allow."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
LEAST_POINTS = 4


@dataclass(frozen=True)
class Trend:
    """Yearly change as a share (-0.1 is ten per cent down) with its 95 % range, and the line with its 95 % band."""

    annual_change: float
    low: float
    high: float
    points: int
    r_squared: float
    line: Floats
    line_low: Floats
    line_high: Floats


def student_quantile(share: float, freedom: int) -> float:
    """Quantile of Student's t distribution (Abramowitz and Stegun 26.7.5; within 1 % from 3 degrees of freedom on)."""
    z = NormalDist().inv_cdf(share)
    terms = (
        (z**3 + z) / 4.0,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96.0,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384.0,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160.0,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, start=1))


def price_trend(years: ArrayLike, prices: ArrayLike) -> Trend | None:
    """Least squares of log price on time; ``None`` for fewer than four points or a single date.

    ``years``: times in years, any origin; ``prices``: above zero, one currency. The line is given at ``years``; its
    band is that of the mean, not of single offers. ValueError for a price that is not above zero.
    """
    time, price = np.asarray(years, dtype=np.float64), np.asarray(prices, dtype=np.float64)
    if not np.all(price > 0):
        raise ValueError("prices must be above zero")
    spread = float(((time - time.mean()) ** 2).sum()) if time.size else 0.0
    if time.size < LEAST_POINTS or spread == 0.0:
        return None
    log = np.log(price)
    slope = float(((time - time.mean()) * (log - log.mean())).sum()) / spread
    fitted = log.mean() + slope * (time - time.mean())
    residual, total = float(((log - fitted) ** 2).sum()), float(((log - log.mean()) ** 2).sum())
    error = np.sqrt(residual / (time.size - 2))
    t = student_quantile(0.975, time.size - 2)
    slope_width = t * error / np.sqrt(spread)
    width = t * error * np.sqrt(1.0 / time.size + (time - time.mean()) ** 2 / spread)
    return Trend(
        annual_change=float(np.expm1(slope)),
        low=float(np.expm1(slope - slope_width)),
        high=float(np.expm1(slope + slope_width)),
        points=int(time.size),
        r_squared=1.0 - residual / total if total > 0 else 1.0,
        line=np.exp(fitted),
        line_low=np.exp(fitted - width),
        line_high=np.exp(fitted + width),
    )
