from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from calc.intervals import fit_group_ranges, range_factors, source_weights, weighted_quantile


def test_every_source_weighs_the_same_and_a_small_one_in_proportion() -> None:
    sources = pd.Series(["a"] * 100 + ["b"] * 8 + ["c"] * 2)
    weights = pd.Series(source_weights(sources)).groupby(sources).sum()
    assert weights["a"] == pytest.approx(1)
    assert weights["b"] == pytest.approx(1)
    assert weights["c"] == pytest.approx(0.25)


def test_weighted_quantile_is_the_median_for_equal_weights() -> None:
    assert weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5) == 2
    assert np.isnan(weighted_quantile(np.array([]), np.array([]), 0.5))


def test_a_weight_moves_the_quantile() -> None:
    values = np.array([1.0, 2.0, 3.0])
    assert weighted_quantile(values, np.array([1.0, 1.0, 10.0]), 0.5) > 2.5


def residuals(seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "source": np.repeat(["a", "b", "c", "d"], 40),
            "group": np.tile(["full one", "quantised one"], 80),
            "log_ratio": rng.normal(0, 0.2, 160),
        }
    )


def test_ranges_cover_four_fifths_of_what_they_were_fitted_on() -> None:
    frame = residuals()
    low, high = range_factors(frame["group"].to_numpy(), fit_group_ranges(frame))
    covered = (np.exp(frame["log_ratio"]) >= low) & (np.exp(frame["log_ratio"]) <= high)
    assert covered.mean() == pytest.approx(0.8, abs=0.04)


def test_a_group_never_measured_gets_a_wider_range() -> None:
    ranges = fit_group_ranges(residuals())
    low, high = range_factors(np.array(["full one", "never seen"]), ranges)
    assert low[1] < low[0] < 1 < high[0] < high[1]
