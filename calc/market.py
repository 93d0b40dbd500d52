"""Price ranges per card and market, worked out once for each market and currency."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from calc.tables import Tables
from gpudata.prices import Market, purchase_summary, rental_summary


@lru_cache(maxsize=32)
def rental_prices(tables: Tables, market: Market, currency: str) -> pd.DataFrame:
    """:func:`gpudata.prices.rental_summary` indexed by card."""
    return rental_summary(tables.rental, tables.rates, market, currency).set_index("gpu")


@lru_cache(maxsize=32)
def purchase_prices(tables: Tables, market: Market, currency: str) -> pd.DataFrame:
    """:func:`gpudata.prices.purchase_summary` indexed by card."""
    return purchase_summary(tables.purchase, tables.rates, market, currency).set_index("gpu")
