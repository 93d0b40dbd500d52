"""Failures, checkpoints and restarts: how often to save, and what saving and failing cost in wall-clock time.

Symbols: M mean time between interruptions of the job, delta time to save (training stands still), R time to detect a
failure and restart, tau compute time between two saves. All times of one call share one unit. Every function takes
numbers or numpy arrays alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def _positive(**values: ArrayLike) -> list[Floats]:
    """Float arrays of the arguments; ValueError names the first one that is not above zero."""
    arrays = []
    for name, value in values.items():
        array = np.asarray(value, dtype=np.float64)
        if not np.all(array > 0):
            raise ValueError(f"{name} must be above zero")
        arrays.append(array)
    return arrays


def job_mtbf_hours(card_mtbf_hours: ArrayLike, num_gpus: ArrayLike) -> Floats:
    """Mean time between interruptions of a job [h]: any of its cards stops it (series system).

    ``card_mtbf_hours``: card-hours per interruption. Large jobs in the field did up to 3.6 times worse than this
    (Kokolis et al., arXiv 2410.21680: 7.9 h at 1,024 cards against 28.8 h).
    """
    mtbf, cards = _positive(card_mtbf_hours=card_mtbf_hours, num_gpus=num_gpus)
    return mtbf / cards


def young_interval(save_time: ArrayLike, mtbf: ArrayLike) -> Floats:
    """Compute time between saves, first order: sqrt(2 delta M) (Young 1974, CACM 17:530)."""
    delta, m = _positive(save_time=save_time, mtbf=mtbf)
    return np.sqrt(2.0 * delta * m)


def daly_interval(save_time: ArrayLike, mtbf: ArrayLike) -> Floats:
    """Compute time between saves, higher order (Daly 2006, FGCS 22:303).

    sqrt(2 delta M) [1 + (1/3) sqrt(delta / 2M) + (1/9)(delta / 2M)] - delta where delta < 2M, otherwise M.
    """
    delta, m = _positive(save_time=save_time, mtbf=mtbf)
    half = delta / (2.0 * m)
    interval = np.sqrt(2.0 * delta * m) * (1.0 + np.sqrt(half) / 3.0 + half / 9.0) - delta
    return np.where(delta < 2.0 * m, interval, m)


def availability_interval(save_time: ArrayLike, mtbf: ArrayLike, restart_time: ArrayLike) -> Floats:
    """Interval between saves that makes availability largest: Ts + sqrt(2 (Tf + Tr) Ts + Ts^2) (arXiv 2410.18124)."""
    ts, tf = _positive(save_time=save_time, mtbf=mtbf)
    return ts + np.sqrt(2.0 * (tf + np.asarray(restart_time, dtype=np.float64)) * ts + ts**2)


def stretch(
    mtbf: ArrayLike, save_time: ArrayLike, restart_time: ArrayLike, interval: ArrayLike | None = None
) -> Floats:
    """Wall time over failure-free compute time: (M/tau) e^(R/M) (e^((tau+delta)/M) - 1) (Daly 2006, complete model).

    ``interval`` defaults to Daly's optimum. 1.0 means no loss.
    """
    m, delta = _positive(mtbf=mtbf, save_time=save_time)
    (tau,) = _positive(interval=daly_interval(delta, m) if interval is None else interval)
    restart = np.asarray(restart_time, dtype=np.float64)
    with np.errstate(over="ignore"):
        return (m / tau) * np.exp(restart / m) * np.expm1((tau + delta) / m)


def stretch_without_checkpoints(job_hours: ArrayLike, mtbf: ArrayLike) -> Floats:
    """Wall time over compute time of a job that starts again from nothing: (M/T)(e^(T/M) - 1)."""
    hours, m = _positive(job_hours=job_hours, mtbf=mtbf)
    with np.errstate(over="ignore"):
        return (m / hours) * np.expm1(hours / m)


def effective_fraction(
    card_mtbf_hours: ArrayLike,
    num_gpus: ArrayLike,
    save_hours: ArrayLike,
    restart_hours: ArrayLike,
    availability: ArrayLike = 1.0,
) -> Floats:
    """Share of wall-clock hours that end up as useful work: availability / stretch at Daly's interval.

    Throttling is not part of it: that is a factor on speed, not a loss of hours.
    """
    result: Any = np.asarray(availability) / stretch(
        job_mtbf_hours(card_mtbf_hours, num_gpus), save_hours, restart_hours
    )
    return np.asarray(result, dtype=np.float64)
