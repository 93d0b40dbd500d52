"""Low, typical and high price per card and market, derived from the offers; and conversion between currencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import pandas as pd

from gpudata.loaders import load_gpus

Market = Literal["China", "US", "Europe"]
RentMode = Literal["on_demand", "spot", "reserved"]

OWN_RATE = "your rate"
"""Source of a rate typed by a person."""
HOURS_PER_MONTH = 730.0
"""Hours a month of a price quoted by the month: 8,760 / 12."""
RECENT_DAYS = 183
"""Half a year. Prices move by tens of per cent a year, so older offers than that before a card's newest do not enter
its range, and a card whose newest offer is that much older than the table's newest is flagged as stale."""

YEARLY_MOVE = {"new": 1.20, "used": 1.75}
"""How far a purchase price moves in a year, up or down: median over the purchase series of ``price_trends.csv`` (a test
holds these to them). A stale price's range is widened by so much for each year it is old."""

_RENT_MODES: tuple[RentMode, ...] = ("on_demand", "spot", "reserved")


def dates_of(text: pd.Series) -> pd.Series:
    """Dates given as year, month or day; a missing month or day counts as its first."""
    padded = text.astype(str)
    padded = padded.where(padded.str.len() > 4, padded + "-01")
    return pd.to_datetime(padded.where(padded.str.len() > 7, padded + "-01"), format="%Y-%m-%d")


def _rate(pair: str, rates: pd.DataFrame, date: str | None) -> tuple[float, str]:
    """Rate of a pair: the latest on or before ``date``, the earliest known where all are later, with its date."""
    known = rates[rates["pair"] == pair]
    if known.empty:
        raise ValueError(f"no exchange rate for {pair}")
    known = known.assign(when=dates_of(known["date"])).sort_values("when", kind="stable")
    chosen = known.iloc[-1]
    if date is not None:
        until = known[known["when"] <= dates_of(pd.Series([date])).iloc[0]]
        chosen = until.iloc[-1] if len(until) else known.iloc[0]
    return float(chosen["rate"]), OWN_RATE if chosen["source"] == OWN_RATE else str(chosen["date"])


def newest_rate(pair: str, rates: pd.DataFrame) -> pd.Series:
    """Newest row of a pair ("USD/CNY", "EUR/USD") in ``load_exchange_rates()``. ValueError for an unknown pair."""
    known = rates[rates["pair"] == pair]
    if known.empty:
        raise ValueError(f"no exchange rate for {pair}")
    newest: pd.Series = known.loc[known.assign(when=dates_of(known["date"])).sort_values("when").index[-1]]
    return newest


def with_rate(pair: str, rate: float, rates: pd.DataFrame) -> pd.DataFrame:
    """``rates`` with one person's own rate in place of all rows of ``pair``, dated as the newest of them."""
    row = newest_rate(pair, rates).to_frame().T.assign(rate=rate, source=OWN_RATE, source_url="", note="")
    return pd.concat([rates[rates["pair"] != pair], row.astype({"rate": float})], ignore_index=True)


def _in_usd(currency: str, rates: pd.DataFrame, date: str | None) -> tuple[float, str]:
    """US dollars for one unit of a currency, and a note naming rate and date (empty for the dollar)."""
    if currency == "USD":
        return 1.0, ""
    if currency == "EUR":
        rate, when = _rate("EUR/USD", rates, date)
        return rate, f"EUR/USD {rate:g} ({when})"
    if currency == "CNY":
        rate, when = _rate("USD/CNY", rates, date)
        return 1.0 / rate, f"USD/CNY {rate:g} ({when})"
    raise ValueError(f"unknown currency '{currency}'; known are USD, CNY, EUR")


def conversion(source: str, target: str, rates: pd.DataFrame, date: str | None = None) -> tuple[float, str]:
    """Units of ``target`` for one unit of ``source``, and a note naming the rates used and their dates."""
    if source == target:
        _in_usd(source, rates, date)
        return 1.0, ""
    first, note = _in_usd(source, rates, date)
    second, other = _in_usd(target, rates, date)
    return first / second, ", ".join(filter(None, (note, other)))


def convert(amount: Any, source: str, target: str, rates: pd.DataFrame, date: str | None = None) -> Any:
    """``amount`` (scalar or array) of currency ``source`` in currency ``target``.

    Uses the latest rate of ``load_exchange_rates()`` or, with ``date`` ("2026-07" or "2026-07-15"), the latest on or
    before it; by way of the US dollar between yuan and euro. Raises ValueError for a currency without a rate.
    """
    return amount * conversion(source, target, rates, date)[0]


def _converted(frame: pd.DataFrame, columns: list[str], currency: str, rates: pd.DataFrame) -> pd.DataFrame:
    """Copy with ``columns`` in ``currency`` at the latest rate, and a column ``fx`` naming the rates used."""
    out = frame.copy()
    factors = {known: conversion(known, currency, rates) for known in frame["currency"].unique()}
    factor = frame["currency"].map({k: f for k, (f, _) in factors.items()}).astype(float)
    out[columns] = frame[columns].mul(factor, axis=0)
    out["fx"] = frame["currency"].map({k: note for k, (_, note) in factors.items()})
    return out


def _basis(what: str, markets: set[str], fx: Iterable[str]) -> str:
    """Words for where prices come from and at which rates they were converted."""
    places = [place for place in ("China", "US", "Europe") if place in markets]
    text = f"{what} in {' and '.join(places)}" if places else what
    if "global" in markets:
        text += " and worldwide" if places else " worldwide"
    notes = dict.fromkeys(note for joined in fx for note in joined.split(", ") if note)
    return f"{text}, converted at {', '.join(notes)}" if notes else text


def _bases(prices: pd.DataFrame, what: Mapping[str, str]) -> pd.Series:
    """:func:`_basis` by card; ``what`` names the kind of price of each card."""
    markets: dict[str, set[str]] = {}
    rates: dict[str, dict[str, None]] = {}
    for gpu, market, note in zip(*(prices[column].tolist() for column in ("gpu", "market", "fx")), strict=True):
        markets.setdefault(gpu, set()).add(market)
        rates.setdefault(gpu, {})[note] = None
    return pd.Series({gpu: _basis(what[gpu], markets[gpu], rates[gpu]) for gpu in sorted(markets)}, dtype=object)


def _all_gpus(names: pd.Series) -> list[str]:
    known = [str(name) for name in load_gpus()["gpu"]]
    return known + sorted(set(names) - set(known))


def _distance(markets: pd.Series, market: str) -> pd.Series:
    """How far a price's market is from the one asked for: 0 counts as local, the smallest present is used."""
    order = {
        "China": {"China": 0, "global": 1, "US": 1, "Europe": 1},
        "US": {"US": 0, "global": 0, "Europe": 1, "China": 2},
        "Europe": {"Europe": 0, "global": 0, "US": 1, "China": 2},
    }
    if market not in order:
        raise ValueError(f"unknown market '{market}'; known are {', '.join(order)}")
    return markets.map(order[market]).astype("int64")


def _recent(offers: pd.DataFrame, by: list[str], days: int) -> pd.DataFrame:
    """Offers at most ``days`` older than the newest of their group."""
    return offers[offers["when"] >= offers.groupby(by)["when"].transform("max") - pd.Timedelta(days=days)]


def _mode_summary(usable: pd.DataFrame, mode: RentMode, market: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Range of one kind of rental by card, and the offers behind it."""
    offers = usable.dropna(subset=[mode])
    distance = _distance(offers["market"], market)
    offers = offers[distance == distance.groupby(offers["gpu"]).transform("min")]
    offers = _recent(offers, ["gpu"], RECENT_DAYS)
    latest = _recent(offers, ["gpu", "provider"], 0)
    by_provider = latest.groupby(["gpu", "provider"])[mode].median().groupby("gpu")
    out = pd.DataFrame(
        {
            f"{mode}_low": by_provider.min(),
            f"{mode}_typical": by_provider.median(),
            f"{mode}_high": by_provider.max(),
        }
    )
    out[f"{mode}_n"] = latest.groupby("gpu").size()
    out[f"{mode}_date"] = latest.sort_values("when").groupby("gpu")["date"].last()
    out[f"{mode}_basis"] = _bases(offers, dict.fromkeys(offers["gpu"], "offers"))
    return out, offers


def offers_by_mode(rental: pd.DataFrame) -> pd.DataFrame:
    """Offers that count, with a price a card-hour in the columns ``on_demand``, ``spot`` and ``reserved``.

    Contracts by the month or the year are reservations, also where a provider lists them beside its hourly prices.
    """
    usable = rental[rental["in_summary"].astype(bool)].copy()
    by_month = usable["instance_type"].fillna("").str.contains("monthly|contract")
    by_month |= usable["monthly_per_gpu"].notna() & usable["note"].fillna("").str.contains("server-month")
    usable["on_demand"] = usable["on_demand_per_gpu_hour"].where(~by_month)
    usable["spot"] = usable["spot_per_gpu_hour"]
    usable["reserved"] = (
        usable["reserved_1y_per_gpu_hour"]
        .fillna(usable["reserved_3y_per_gpu_hour"])
        .fillna(usable["monthly_per_gpu"] / HOURS_PER_MONTH)
    )
    return usable


def rental_summary(rental: pd.DataFrame, rates: pd.DataFrame, market: Market, currency: str) -> pd.DataFrame:
    """Rental prices per card and hour in ``market`` and ``currency``, one row for every card of ``gpus.csv``.

    Columns: ``gpu``; for each of ``on_demand``, ``spot`` and ``reserved`` (yearly and monthly contracts) ``_low``,
    ``_typical``, ``_high`` (cheapest, median and dearest provider, each by its newest offers), ``_n`` and ``_date``
    (how many offers those are, the newest date) and ``_basis`` (which offers, at which exchange rates); ``n_offers``,
    ``n_providers``, ``newest_date``, ``stale``, ``basis`` (of the first kind that has a price), ``currency``.
    Offers served worldwide count for the US and Europe; where a market has no offer, another market's are converted.
    A card nobody offers has NaN prices and an empty basis. ``rental``
    and ``rates`` are the frames of ``load_rental_prices()`` and ``load_exchange_rates()``. Raises ValueError for an
    unknown market or currency.
    """
    usable = offers_by_mode(rental)
    usable = _converted(usable, list(_RENT_MODES), currency, rates)
    usable["when"] = dates_of(usable["date"])
    parts = [_mode_summary(usable, mode, market) for mode in _RENT_MODES]
    behind = usable.loc[sorted(set().union(*(offers.index for _, offers in parts)))]
    by_gpu = behind.groupby("gpu")
    out = pd.concat([frame for frame, _ in parts], axis=1)
    out["n_offers"] = by_gpu.size()
    out["n_providers"] = by_gpu["provider"].nunique()
    out["newest_date"] = behind["date"].loc[by_gpu["when"].idxmax()].set_axis(by_gpu["when"].max().index)
    out["stale"] = by_gpu["when"].max() < usable["when"].max() - pd.Timedelta(days=RECENT_DAYS)
    out = out.reindex(_all_gpus(usable["gpu"]))
    bases = [f"{mode}_basis" for mode in _RENT_MODES]
    out["basis"] = out[bases].bfill(axis=1).iloc[:, 0].fillna("")
    out[bases] = out[bases].fillna("")
    for mode in _RENT_MODES:
        out[f"{mode}_n"] = out[f"{mode}_n"].fillna(0).astype(int)
        out[f"{mode}_date"] = out[f"{mode}_date"].fillna("")
    out["stale"] = out["stale"].eq(True)
    out[["n_offers", "n_providers"]] = out[["n_offers", "n_providers"]].fillna(0).astype(int)
    return out.rename_axis("gpu").reset_index().assign(currency=currency)


def _widened(out: pd.DataFrame, years: pd.Series, near: pd.DataFrame) -> pd.DataFrame:
    """Summaries with the ranges of stale prices made as wide as their age asks.

    years: age of each summary. near: prices of the same place and kind, either condition.
    """
    other = near[near["condition"] != near["gpu"].map(out["condition"])]
    recent = _recent(other, ["gpu"], RECENT_DAYS).groupby("gpu")
    others = recent.agg({"low": "min", "high": "max", "date": "max", "condition": "first"}).to_dict("index")
    rows = out.to_dict("index")
    for gpu, row in rows.items():
        if not row["stale"]:
            continue
        factor = YEARLY_MOVE[row["condition"]] ** years[gpu]
        row["low"], row["high"] = row["low"] / factor, row["high"] * factor
        row["basis"] += "; range widened for its age"
        newer = others.get(gpu)
        if newer and newer["date"] > row["newest_date"]:
            row["low"], row["high"] = min(row["low"], newer["low"]), max(row["high"], newer["high"])
            row["basis"] += f" and to {newer['condition']} prices of {newer['date']}"
    return out.assign(**{name: [row[name] for row in rows.values()] for name in ("low", "high", "basis")})


def purchase_summary(
    purchase: pd.DataFrame,
    rates: pd.DataFrame,
    market: Market,
    currency: str,
    condition: Literal["new", "used"] = "new",
) -> pd.DataFrame:
    """Purchase price per card in ``market`` and ``currency``, one row for every card of ``gpus.csv``.

    Columns: ``gpu``, ``condition`` (the one asked for where it is sold, else the other), ``low``, ``typical``
    (median), ``high``, ``n`` prices, ``newest_date``, ``stale``, ``basis``, ``currency``. Order of preference: market
    prices here in the condition asked for, in the other condition, then both from the other market converted at the
    dated exchange rate, then list prices. Figures their authors call placeholders or models are left out; a card with
    no price at all has NaN and an empty basis. The range of a stale price is widened (``YEARLY_MOVE``) and takes in
    newer market prices of the other condition at the same place.
    """
    usable = purchase[purchase["price_kind"].isin(["market", "list"])].copy()
    usable["typical"] = usable["price_typical"].fillna(usable[["price_low", "price_high"]].mean(axis=1))
    usable["low"] = usable["price_low"].fillna(usable["typical"])
    usable["high"] = usable["price_high"].fillna(usable["typical"])
    usable = _converted(usable, ["low", "typical", "high"], currency, rates)
    usable["when"] = dates_of(usable["date"])
    rank = (
        (usable["price_kind"] == "list") * 10
        + _distance(usable["market"], market) * 2
        + (usable["condition"] != condition) * 1
    )
    chosen = _recent(usable[rank == rank.groupby(usable["gpu"]).transform("min")], ["gpu"], RECENT_DAYS)
    by_gpu = chosen.groupby("gpu")
    out = pd.DataFrame(
        {
            "condition": by_gpu["condition"].first(),
            "low": by_gpu["low"].min(),
            "typical": by_gpu["typical"].median(),
            "high": by_gpu["high"].max(),
            "n": by_gpu.size(),
            "newest_date": chosen["date"].loc[by_gpu["when"].idxmax()].set_axis(by_gpu["when"].max().index),
            "stale": by_gpu["when"].max() < usable["when"].max() - pd.Timedelta(days=RECENT_DAYS),
            "basis": _bases(chosen, (by_gpu["price_kind"].first() + " prices").to_dict()),
        }
    )
    near = usable[rank // 2 == rank.groupby(usable["gpu"]).transform("min") // 2]
    years = (usable["when"].max() - by_gpu["when"].max()).dt.days / 365.25
    out = _widened(out, years, near)
    out = out.reindex(_all_gpus(usable["gpu"]))
    out["basis"] = out["basis"].astype(object).fillna("")
    out["stale"] = out["stale"].eq(True)
    out["n"] = out["n"].fillna(0).astype(int)
    return out.rename_axis("gpu").reset_index().assign(currency=currency)
