"""What is not known exactly: ranges of the inputs carried through the cost model.

Each input is drawn from a triangular distribution over its low, typical and high value. Triangular rather than PERT
because the ranges are the spread of observed offers and measurements, not the outermost limits of what can happen: PERT
would put less than half as much probability in the outer parts. Draws invert the distribution function, with random
numbers that depend on the seed and the input's name alone: a moved slider moves the answer smoothly, and an added input
leaves the draws of the others as they were.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calc.cost_answers import (
    break_even_price,
    break_even_utilisation,
    cash_paid,
    npv_if_sold_at,
    npv_saving,
)
from calc.cost_flows import first_crossing
from calc.cost_scenario import CostScenario, bounds_of, value_of, with_values

Floats = NDArray[np.float64]
BAND = (0.1, 0.5, 0.9)
DRAWS = 10_000
SEED = 20_261_130


@dataclass(frozen=True)
class Range:
    """Low, typical and high value of one input; ValueError unless in that order."""

    low: float
    typical: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.typical <= self.high:
            raise ValueError(f"low {self.low} <= typical {self.typical} <= high {self.high} does not hold")

    def quantile(self, share: ArrayLike) -> Floats:
        """Inverse of the triangular distribution function at ``share`` in 0..1."""
        u = np.asarray(share, dtype=np.float64)
        width = self.high - self.low
        if width == 0:
            return np.full(u.shape, self.typical)
        left, right = self.typical - self.low, self.high - self.typical
        rising = self.low + np.sqrt(u * width * left)
        falling = self.high - np.sqrt((1.0 - u) * width * right)
        return np.where(u * width < left, rising, falling)


@dataclass(frozen=True)
class Uncertainty:
    """Bands (rows: 10, 50, 90 %) and probabilities over month 0..T; quantiles of single answers (10, 50, 90 %).

    ``own_cash``, ``rent_cash``: cumulative cash, shape (3, T + 1); ``own_npv``, ``rent_npv``: the same at its value
    today, the machine sold in that month. ``own_wins_cash``, ``own_wins_npv``: share of draws
    in which owning is not dearer by then (resale not counted; sold then and discounted). In ``crossover_cash`` and
    ``crossover_npv`` infinity stands for "not inside the horizon"; in ``break_even_utilisation`` for "never".
    """

    months: NDArray[np.int64]
    own_cash: Floats
    rent_cash: Floats
    own_npv: Floats
    rent_npv: Floats
    own_wins_cash: Floats
    own_wins_npv: Floats
    crossover_cash: Floats
    crossover_npv: Floats
    npv_saving: Floats
    own_wins_at_horizon: float
    break_even_price: Floats
    break_even_utilisation: Floats


@dataclass(frozen=True)
class Swing:
    """One input moved alone from low to high: what the saving (today's value) becomes."""

    field: str
    low: float
    high: float
    saving_at_low: float
    saving_at_high: float

    @property
    def width(self) -> float:
        """How far the saving moves."""
        return abs(self.saving_at_high - self.saving_at_low)


def draw(ranges: Mapping[str, Range], draws: int = DRAWS, seed: int = SEED) -> dict[str, Floats]:
    """Random values by field path, each of shape (draws,), inside the field's bounds."""
    values = {}
    for path, span in ranges.items():
        rng = np.random.default_rng([seed, zlib.crc32(path.encode())])
        low, high = bounds_of(path)
        values[path] = np.clip(span.quantile(rng.random(draws)), low, high)
    return values


def _quantiles(values: Floats, missing: float = np.inf) -> Floats:
    """10, 50 and 90 % order statistics along the last axis, not-a-number taken as ``missing``; shape (3, ...)."""
    filled = np.where(np.isnan(values), missing, values)
    ranks = [round(share * (filled.shape[-1] - 1)) for share in BAND]
    return np.moveaxis(np.partition(filled, ranks, axis=-1)[..., ranks], -1, 0)


def _over_draws(side: Floats, draws: int) -> Floats:
    """Months x draws, also where no range reaches this side."""
    return np.broadcast_to(side if side.ndim > 1 else side[:, None], (len(side), draws))


def simulate(scenario: CostScenario, ranges: Mapping[str, Range], draws: int = DRAWS, seed: int = SEED) -> Uncertainty:
    """Carries ``ranges`` (by field path, for example ``own.gpu_price``) through every answer; same seed, same result.

    Fields without a range keep the scenario's value. ValueError for an unknown field.
    """
    varied = with_values(scenario, draw(ranges, draws, seed))
    own, rent = (_over_draws(side, draws) for side in cash_paid(varied))
    own_sold, rent_npv = (_over_draws(side, draws) for side in npv_if_sold_at(varied))
    saving = np.broadcast_to(np.asarray(npv_saving(varied)), (draws,))
    return Uncertainty(
        months=np.arange(scenario.horizon_months + 1),
        own_cash=_quantiles(own),
        rent_cash=_quantiles(rent),
        own_npv=_quantiles(own_sold),
        rent_npv=_quantiles(rent_npv),
        own_wins_cash=(own <= rent).mean(axis=1),
        own_wins_npv=(own_sold <= rent_npv).mean(axis=1),
        crossover_cash=_quantiles(first_crossing(own, rent)),
        crossover_npv=_quantiles(first_crossing(own_sold, rent_npv)),
        npv_saving=_quantiles(saving),
        own_wins_at_horizon=float((saving >= 0).mean()),
        break_even_price=_quantiles(np.broadcast_to(break_even_price(varied), (draws,))),
        break_even_utilisation=_quantiles(np.broadcast_to(break_even_utilisation(varied), (draws,))),
    )


def tornado(scenario: CostScenario, ranges: Mapping[str, Range]) -> list[Swing]:
    """Each input alone at its low and high, the others as in the scenario; the widest swing of the saving first."""
    paths = list(ranges)
    if not paths:
        return []
    values = {path: np.full(2 * len(paths), value_of(scenario, path), dtype=np.float64) for path in paths}
    for place, path in enumerate(paths):
        low, high = bounds_of(path)
        values[path][2 * place : 2 * place + 2] = np.clip([ranges[path].low, ranges[path].high], low, high)
    saving = np.broadcast_to(np.asarray(npv_saving(with_values(scenario, values))), (2 * len(paths),))
    swings = [
        Swing(path, ranges[path].low, ranges[path].high, float(saving[2 * place]), float(saving[2 * place + 1]))
        for place, path in enumerate(paths)
    ]
    return sorted(swings, key=lambda swing: swing.width, reverse=True)
