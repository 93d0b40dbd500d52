"""Price ranges per card and market, and all prices at the exchange rates of a scenario."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import pandas as pd

from calc.scenario import Money
from calc.tables import Tables
from gpudata.prices import Market, newest_rate, purchase_summary, rental_summary, with_rate

EURO, YUAN = "EUR/USD", "USD/CNY"


def at_rates_of(money: Money, tables: Tables) -> Tables:
    """The tables with the scenario's exchange rates as the newest ones; the same object where nothing differs.

    Everything converted from these tables (prices, cost parameters, histories) follows the scenario's rates.
    """
    return _at_rates(tables, money.eur_usd, money.usd_cny)


@lru_cache(maxsize=32)
def _at_rates(tables: Tables, eur_usd: float, usd_cny: float) -> Tables:
    rates = tables.rates
    for pair, rate in ((EURO, eur_usd), (YUAN, usd_cny)):
        if rate != newest_rate(pair, tables.rates)["rate"]:
            rates = with_rate(pair, rate, rates)
    return tables if rates is tables.rates else replace(tables, rates=rates)


@lru_cache(maxsize=256)
def rental_prices(tables: Tables, market: Market, currency: str) -> pd.DataFrame:
    """:func:`gpudata.prices.rental_summary` indexed by card."""
    return rental_summary(tables.rental, tables.rates, market, currency).set_index("gpu")


@lru_cache(maxsize=256)
def purchase_prices(tables: Tables, market: Market, currency: str) -> pd.DataFrame:
    """:func:`gpudata.prices.purchase_summary` indexed by card."""
    return purchase_summary(tables.purchase, tables.rates, market, currency).set_index("gpu")
