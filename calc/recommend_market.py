"""What the market says about each card: who sells or rents it where, and what a constraint may ask of it."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from calc.market import purchase_prices, rental_prices
from calc.tables import Tables
from gpudata.prices import Market, offers_by_mode

LOCAL_MARKETS: dict[str, tuple[str, ...]] = {
    "China": ("China",),
    "US": ("US", "global"),
    "Europe": ("Europe", "global"),
}
"""Markets whose offers count as local, as in the price summaries: worldwide providers serve the US and Europe."""
CONTROLLED_TPP = 4800.0
"""Total processing performance (dense TOPS x bits) from which export to China needs a licence: 15 CFR part 774,
supplement 1, ECCN 3A090.a."""
BITS_OF_RATE = {
    "fp16_dense_tflops": 16,
    "fp16_accumulate_fp16_dense_tflops": 16,
    "fp8_dense_tflops": 8,
    "int8_dense_tops": 8,
}
COMMITMENT_MONTHS = 12
"""Reserved prices are those of contracts over a year or longer, unless every offer is a package by the month."""


def board_cards(form_factor: str, interconnect: str) -> int:
    """Cards that can only be bought together, on one board or in one rack.

    SXM cards come on boards of four, from SXM6 on of eight (NVIDIA HGX data sheets); OAM modules on universal
    baseboards of eight (OCP UBB); NVL72 cards in racks of 72.
    """
    if "NVL72" in interconnect:
        return 72
    if form_factor.startswith("SXM"):
        return 8 if form_factor == "SXM6" else 4
    return 8 if form_factor == "OAM" else 1


@lru_cache(maxsize=16)
def card_facts(tables: Tables, market: Market, currency: str) -> pd.DataFrame:
    """One row a card (index) with what constraints ask for.

    ``memory_gb``, ``vendor``, ``segment``; ``cuda``; ``ecc``; ``duty`` (sold for use around the clock: data-centre or
    workstation class); ``fans`` (has its own: consumer or workstation class); ``restricted`` (not to be exported to
    China: it has a variant made for China or passes the performance limit); per way of paying ``quoted_*`` (has a
    price of its own), ``single_*`` (one quote alone), ``local_*`` (in this market) and ``together_*`` (least cards
    that are sold or rented at once); ``commitment`` months of a reservation.
    """
    gpus = tables.gpus.set_index("gpu")
    out = pd.DataFrame(index=gpus.index)
    out["vendor"], out["segment"] = gpus["vendor"].astype(str), gpus["segment"].astype(str)
    out["memory_gb"] = pd.to_numeric(gpus["memory_gb"], errors="coerce")
    out["cuda"] = out["vendor"] == "NVIDIA"
    out["ecc"] = gpus["ecc"].isin(["yes", "optional"])
    out["duty"] = out["segment"].isin(["datacenter", "workstation"])
    out["fans"] = out["segment"].isin(["consumer", "workstation"])
    rates = [pd.to_numeric(gpus[name], errors="coerce") * bits for name, bits in BITS_OF_RATE.items()]
    variants = gpus["export_restricted_variant_of"].notna()
    over_limit = (pd.concat(rates, axis=1).max(axis=1) >= CONTROLLED_TPP) & gpus["vendor"].isin(
        ["NVIDIA", "AMD", "Intel"]
    )
    originals = gpus.index.isin(set(gpus.loc[variants, "export_restricted_variant_of"]))
    out["restricted"] = (over_limit & ~variants) | originals
    pairs = zip(gpus["form_factor"].fillna("").astype(str), gpus["interconnect"].fillna("").astype(str), strict=True)
    out["together_own"] = [board_cards(form, link) for form, link in pairs]

    bought = purchase_prices(tables, market, currency).reindex(out.index)
    out["quoted_own"], out["single_own"] = bought["typical"].notna(), bought["n"].eq(1)
    # cards are shipped between markets, but those made for China are sold there alone
    out["local_own"] = out["quoted_own"] & (~variants | (market == "China"))
    rental = rental_prices(tables, market, currency).reindex(out.index)
    offers = offers_by_mode(tables.rental)
    local = offers[offers["market"].isin(LOCAL_MARKETS[market])]
    for mode in ("on_demand", "spot", "reserved"):
        out[f"quoted_{mode}"] = rental[f"{mode}_typical"].notna()
        out[f"single_{mode}"] = rental[f"{mode}_n"].eq(1)
        here, anywhere = local[local[mode].notna()], offers[offers[mode].notna()]
        out[f"local_{mode}"] = out.index.isin(set(here["gpu"]))
        used = pd.concat([here, anywhere[~anywhere["gpu"].isin(set(here["gpu"]))]])
        # an offer that names no instance is of single cards
        least = pd.to_numeric(used["gpus_per_instance"], errors="coerce").fillna(1.0).groupby(used["gpu"]).min()
        out[f"together_{mode}"] = least.reindex(out.index).fillna(1.0).clip(lower=1.0).astype(int)
    reserved = offers[offers["reserved"].notna()]
    yearly = reserved[["reserved_1y_per_gpu_hour", "reserved_3y_per_gpu_hour"]].notna().any(axis=1)
    by_month = out.index.isin(set(reserved["gpu"]) - set(reserved.loc[yearly, "gpu"]))
    out["commitment"] = [1 if monthly else COMMITMENT_MONTHS for monthly in by_month]
    return out
