"""Every card with its datasheet, what was measured of it, and what it costs: one row a card."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd

from calc.market import rental_prices
from calc.tables import Tables
from gpudata.names import short_gpu_name
from gpudata.prices import Market, RentMode, purchase_summary

CONDITIONS: tuple[Literal["new", "used"], ...] = ("new", "used")
_AS_PUBLISHED = (
    "vendor",
    "segment",
    "memory_gb",
    "memory_gib_usable",
    "memory_bandwidth_gb_s",
    "fp8_dense_tflops",
    "fp4_dense_tflops",
    "tdp_w",
    "basis",
    "note",
    "source",
    "source_url",
)
# The words by which notes of gpus.csv say that published figures disagree.
_DISPUTE = r"contradict|\(wrong\)|quoted .* by different|claim"


@lru_cache(maxsize=16)
def gpu_table(tables: Tables, market: Market, currency: str, rent_mode: RentMode) -> pd.DataFrame:
    """One row a card in the order of ``gpus.csv``.

    Columns: ``gpu``, ``short``, those of ``gpus.csv`` as published (``memory_gib_usable`` only where a tool reported
    it), ``dense16_tflops`` (BF16, FP16 on cards without), ``matmul_share`` (median measured share of it), ``link``,
    ``link_gb_s``, ``year``; for ``new``, ``used`` and ``rent`` the typical price in ``currency`` (rent: a card-hour
    by ``rent_mode``), with ``_date`` of its newest quote and ``_stale``; ``disputed``: the note names contradicting
    figures. Unknown figures are NaN, unknown words blank. Raises ValueError for an unknown market or currency.
    """
    gpus = tables.gpus.set_index("gpu")
    out = pd.DataFrame({"short": [short_gpu_name(name) for name in gpus.index]}, index=gpus.index)
    for column in _AS_PUBLISHED:
        out[column] = gpus[column] if gpus[column].dtype.kind in "fi" else gpus[column].fillna("").astype(str)
    out["dense16_tflops"] = gpus["bf16_dense_tflops"].fillna(gpus["fp16_dense_tflops"])
    out["matmul_share"] = tables.devices["achieved_bf16"].reindex(gpus.index)
    own_link = tables.devices["link_kind"].reindex(gpus.index) != "none"
    out["link"] = gpus["interconnect"].fillna("").astype(str).where(own_link, "")
    out["link_gb_s"] = gpus["interconnect_gb_s"].where(own_link)
    out["year"] = pd.to_numeric(gpus["release_date"].astype("string").str[:4], errors="coerce").astype(float)
    for condition in CONDITIONS:
        found = purchase_summary(tables.purchase, tables.rates, market, currency, condition).set_index("gpu")
        _add_price(out, condition, found.where(found["condition"] == condition), "typical")
    _add_price(out, "rent", rental_prices(tables, market, currency), f"{rent_mode}_typical")
    out["disputed"] = out["note"].str.contains(_DISPUTE, regex=True)
    return out.reset_index()


def _add_price(out: pd.DataFrame, name: str, found: pd.DataFrame, column: str) -> None:
    price = found[column].reindex(out.index).astype(float)
    out[name] = price
    out[f"{name}_date"] = found["newest_date"].reindex(out.index).fillna("").astype(str).where(price.notna(), "")
    out[f"{name}_stale"] = found["stale"].reindex(out.index).eq(True) & price.notna()


def selected(frame: pd.DataFrame, vendors: list[str], segments: list[str], least_gb: float) -> pd.DataFrame:
    """Rows of :func:`gpu_table` that pass all filters; an empty list lets everything through.

    least_gb: smallest nominal memory in GB; cards of unknown memory pass only at 0.
    """
    keep = np.ones(len(frame), dtype=bool)
    if vendors:
        keep &= frame["vendor"].isin(vendors).to_numpy()
    if segments:
        keep &= frame["segment"].isin(segments).to_numpy()
    if least_gb > 0:
        keep &= (frame["memory_gb"] >= least_gb).to_numpy()
    return frame[keep]
