"""Answers about prices: who rents a card at what, how its price moved, what moves the break-even price."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd

from calc.answers_costs import cost_defaults
from calc.answers_money import MoneyAnswer
from calc.cost_map import break_even_price_curve
from calc.cost_scenario import value_of
from calc.cost_trend import LEAST_POINTS, Trend, price_trend
from calc.scenario import Scenario
from calc.tables import Tables
from gpudata.prices import RECENT_DAYS, RentMode, convert, dates_of, offers_by_mode

RENT_MODES: tuple[RentMode, ...] = ("on_demand", "spot", "reserved")
PURCHASES = ("purchase-new", "purchase-used")
TREND_DAYS = 365
"""A year: the shortest span in which a yearly change is read off and not extrapolated."""
CURVE_POINTS = 21
CURVE_FIELDS = (
    "rent.price_per_gpu_hour",
    "own.gpu_price",
    "utilisation",
    "own.electricity_price",
    "own.resale_fraction",
)
"""The inputs that people know and argue about; the tornado ranks all of them."""
USE_RANGE = (0.05, 1.0)
"""Nearly the whole slider: at no use at all there is no hour to divide the cost by."""


@dataclass(frozen=True)
class PriceHistory:
    """One price series of a card. ``points`` has date, low, typical, high in one currency, a row a date.

    ``trend`` belongs to the rows of ``points`` from ``trend_from`` on (the last year where it holds four dates, else
    all); ``None`` where there are too few. ``direction``: whether the trend's 95 % range lies on one side of no change.
    """

    kind: str
    series: str
    source: str
    points: pd.DataFrame
    trend: Trend | None
    trend_points: pd.DataFrame

    @property
    def direction(self) -> Literal["rose", "fell", "unclear"]:
        """ "unclear" also where there is no trend."""
        if self.trend is None or self.trend.low <= 0 <= self.trend.high:
            return "unclear"
        return "rose" if self.trend.low > 0 else "fell"


@dataclass(frozen=True)
class BreakEvenCurve:
    """Break-even rental price over the range of one input (``points``: value, price), and where the scenario stands."""

    field: str
    points: pd.DataFrame
    value: float
    price: float


@lru_cache(maxsize=64)
def provider_offers(tables: Tables, gpu: str, currency: str, mode: RentMode = "on_demand") -> pd.DataFrame:
    """Newest offer of every provider of ``gpu``, all markets, cheapest at ``mode`` first; shared, so do not change it.

    Columns: provider, on_demand, spot, reserved (``currency`` a card and hour at the latest exchange rate; the lowest
    where a provider lists several on its newest date), region, country, market, date, source, source_url (those of
    its cheapest offer), stale (more than ``RECENT_DAYS`` before the newest offer of the card). Empty where nobody
    rents the card out. Raises ValueError for a currency without a rate.
    """
    names = ["provider", *RENT_MODES, "region", "country", "market", "date", "source", "source_url", "stale"]
    offers = offers_by_mode(tables.rental[tables.rental["gpu"] == gpu]).dropna(subset=list(RENT_MODES), how="all")
    if offers.empty:
        return pd.DataFrame(columns=names)
    factors = {code: float(convert(1.0, code, currency, tables.rates)) for code in offers["currency"].unique()}
    offers[list(RENT_MODES)] = offers[list(RENT_MODES)].mul(offers["currency"].map(factors), axis=0)
    offers["when"] = dates_of(offers["date"])
    offers["stale"] = offers["when"] < offers["when"].max() - pd.Timedelta(days=RECENT_DAYS)
    newest = offers[offers["when"] == offers.groupby("provider")["when"].transform("max")].copy()
    newest["cheapest"] = newest[list(RENT_MODES)].min(axis=1)
    lowest = newest.groupby("provider")[list(RENT_MODES)].min()
    first = newest.sort_values([mode, "cheapest"], na_position="last", kind="stable").drop_duplicates("provider")
    return first.drop(columns=list(RENT_MODES)).join(lowest, on="provider")[names].reset_index(drop=True)


def _series(history: pd.DataFrame) -> pd.DataFrame:
    """Rows of the series with the most dates, the newer one of two alike; new and used cards are never one series."""
    by_series = history.groupby(["kind", "series"])["when"].agg(["nunique", "max"]).sort_values(["nunique", "max"])
    kind, series = by_series.index[-1]
    chosen: pd.DataFrame = history[(history["kind"] == kind) & (history["series"] == series)]
    return chosen


@lru_cache(maxsize=64)
def price_history(tables: Tables, gpu: str, side: Literal["rent", "own"], currency: str) -> PriceHistory | None:
    """Longest series of rental or purchase prices of a card, with its trend; ``None`` for fewer than two dates.

    Series are never mixed: offers of different sellers differ in level, which would read as a move of the price. All
    points are converted at the latest exchange rate, so that a move is the price's own. The trend is fitted to one
    typical price a date.
    """
    kinds = ("rental",) if side == "rent" else PURCHASES
    known = tables.price_history
    known = known[(known["gpu"] == gpu) & known["kind"].isin(kinds)]
    if known.empty:
        return None
    chosen = _series(known.assign(when=dates_of(known["date"])))
    if chosen["when"].nunique() < 2:
        return None
    factors = chosen["currency"].map(
        {code: float(convert(1.0, code, currency, tables.rates)) for code in chosen["currency"].unique()}
    )
    by_date = (chosen["price"] * factors).groupby(chosen["when"])
    points = pd.DataFrame({"low": by_date.min(), "typical": by_date.median(), "high": by_date.max()})
    points = points.rename_axis("date").reset_index()
    recent = points[points["date"] >= points["date"].max() - pd.Timedelta(days=TREND_DAYS)]
    fitted = recent if len(recent) >= LEAST_POINTS else points
    years = (fitted["date"] - fitted["date"].min()).dt.days.to_numpy(dtype=float) / 365.25
    newest = chosen.sort_values("when").iloc[-1]
    return PriceHistory(
        kind=str(newest["kind"]),
        series=str(newest["series"]),
        source=str(newest["source"]),
        points=points,
        trend=price_trend(years, fitted["typical"]),
        trend_points=fitted.reset_index(drop=True),
    )


def break_even_curves(scenario: Scenario, tables: Tables, answer: MoneyAnswer) -> list[BreakEvenCurve]:
    """Break-even rental price over the low to high range of each of ``CURVE_FIELDS``, all else as in the scenario.

    A typed value outside its range widens the range; a field without a range (no market price) is left out, and so is
    one whose break-even price does not exist.
    """
    ranges, curves = cost_defaults(scenario, tables).ranges, []
    for field in CURVE_FIELDS:
        if field not in ranges:
            continue
        value = float(value_of(answer.costs, field))
        low, high = USE_RANGE if field == "utilisation" else (ranges[field].low, ranges[field].high)
        values = np.unique(np.append(np.linspace(min(low, value), max(high, value), CURVE_POINTS), value))
        prices = break_even_price_curve(answer.costs, field, values)
        points = pd.DataFrame({"value": values, "price": prices}).dropna()
        here = points.loc[points["value"] == value, "price"]
        if len(points) > 1 and len(here):
            curves.append(BreakEvenCurve(field, points, value, float(here.iloc[0])))
    return curves


def cost_per_billion_tokens(scenario: Scenario, cost_per_run: float | None) -> float | None:
    """Cost of training on a billion tokens, from the cost of one run; ``None`` where that is not known."""
    work = scenario.workload
    tokens = work.samples * work.tokens_per_sample * work.epochs
    return cost_per_run / tokens * 1e9 if cost_per_run is not None and tokens > 0 else None
