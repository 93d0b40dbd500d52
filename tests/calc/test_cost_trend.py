"""Price trends against scipy and against the table of published fits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from calc.cost_trend import price_trend, student_quantile
from gpudata import load_price_history, load_price_trends


@pytest.mark.parametrize("freedom", [2, 3, 5, 10, 31, 200])
def test_student_quantile(freedom: int) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(
        stats.t.ppf(0.975, freedom), rel=0.01 if freedom > 2 else 0.03
    )


@given(st.lists(st.tuples(st.integers(0, 120), st.floats(0.1, 10.0)), min_size=4, max_size=40))
def test_line_is_that_of_scipy(points: list[tuple[int, float]]) -> None:
    years = np.array([month / 12 for month, _ in points])
    prices = np.array([price for _, price in points])
    found = price_trend(years, prices)
    if np.ptp(years) == 0:
        assert found is None
        return
    expected = stats.linregress(years, np.log(prices))
    assert found is not None
    assert np.log1p(found.annual_change) == pytest.approx(expected.slope, rel=1e-6, abs=1e-6)
    assert found.low <= found.annual_change <= found.high
    assert np.all((found.line_low <= found.line) & (found.line <= found.line_high))


@pytest.mark.parametrize("card", ["H200-SXM-141GB", "B200-SXM-180GB"])
def test_published_fit_of_rents_is_repeated(card: str) -> None:
    trends = load_price_trends().set_index("series")
    row = trends.loc[f"rental {card} raw median, all"]
    history = load_price_history()
    points = history[history["gpu"].eq(card) & history["source"].str.contains("archived rate cards")]
    parts = points["date"].str.split("-", expand=True).astype(float)
    found = price_trend(parts[0] + (parts[1] - 1) / 12, points["price"])
    assert found is not None
    assert found.points == row["n"]
    assert 100 * found.annual_change == pytest.approx(row["annual_change_pct"], abs=0.3)
    # few points: Student's t must not be narrower than the table's normal range, and not much wider
    printed = np.log1p(row["hi95"] / 100) - np.log1p(row["lo95"] / 100)
    assert 0.99 <= (np.log1p(found.high) - np.log1p(found.low)) / printed <= 1.09


def test_too_few_points_have_no_trend() -> None:
    assert price_trend([2024, 2025, 2026], [1.0, 2.0, 3.0]) is None
    with pytest.raises(ValueError, match="above zero"):
        price_trend([1, 2, 3, 4], [1.0, 0.0, 1.0, 1.0])
