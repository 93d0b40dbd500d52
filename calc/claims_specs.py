"""Claims about specifications and market prices: the tables have the answer."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from calc.claims_common import Answer, Answerer, Evidence, Verdict, agrees, judge
from calc.market import purchase_prices, rental_prices
from calc.tables import Tables
from gpudata.prices import purchase_summary

RTX_4090, RTX_3090, A10 = "RTX 4090", "RTX 3090", "A10 24GB"
A100_80_SXM, A100_80_PCIE, A100_40_PCIE = "A100-SXM4-80GB", "A100-PCIe-80GB", "A100-PCIe-40GB"
H100_SXM, H100_PCIE = "H100-SXM5-80GB", "H100-PCIe-80GB"
CONSUMER_16_24 = ("RTX 4080 16GB", "RTX 5060 Ti 16GB", RTX_3090, RTX_4090)
PCIE_GT_S = {3: 8.0, 4: 16.0, 5: 32.0}  # transfers a second and lane, PCI-SIG base specifications
PCIE_CODING = 128 / 130  # payload bits over bits on the wire since generation 3
PCI_SIG = "https://pcisig.com/specifications"


def _card(tables: Tables, gpu: str) -> pd.Series:
    return tables.gpus.loc[tables.gpus["gpu"] == gpu].iloc[0]


def _sources(tables: Tables, *gpus: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(_card(tables, gpu)["source_url"]) for gpu in gpus))


def pcie_gb_s(generation: int, lanes: int = 16) -> float:
    """One-way PCIe rate in GB/s: transfers a second x lanes x coding / 8 bits."""
    return PCIE_GT_S[generation] * lanes * PCIE_CODING / 8


def _rate(claim_id: str, gpu: str) -> Answerer:
    """A claimed FP16 rate against the datasheet's dense rate with FP32 accumulation."""

    def answer(e: Evidence) -> Answer:
        card = _card(e.tables, gpu)
        dense, claimed = float(card["fp16_dense_tflops"]), e.claimed(claim_id)
        narrow = float(card["fp16_accumulate_fp16_dense_tflops"])
        values: dict[str, float | str] = {
            "dense_tflops": dense,
            "sparse_tflops": 2 * dense,
            "narrow_tflops": narrow,
            "claimed_tflops": claimed[0],
            "ratio_times": claimed[0] / dense,
            "bandwidth_gb_s": float(card["memory_bandwidth_gb_s"]),
        }
        verdict: Verdict = "confirmed" if agrees(dense, *claimed) else "contradicted"
        return Answer(claim_id, verdict, values, _sources(e.tables, gpu))

    return answer


def _rtx_4090(e: Evidence) -> Answer:
    card, price = _card(e.tables, RTX_4090), purchase_prices(e.tables, "China", "CNY").loc[RTX_4090]
    right = agrees(float(card["memory_gb"]), 24, 24) and agrees(float(card["memory_bandwidth_gb_s"]), 1000, 1000)
    right = right and agrees(float(card["tdp_w"]), 450, 450)
    same_price = agrees(float(price["typical"]), 15_000, 15_000)
    values: dict[str, float | str] = {
        "memory_gb": float(card["memory_gb"]),
        "bandwidth_gb_s": float(card["memory_bandwidth_gb_s"]),
        "power_w": float(card["tdp_w"]),
        "price_cny": float(price["typical"]),
        "date": str(price["newest_date"]),
    }
    verdict: Verdict = "contradicted" if not right else "confirmed" if same_price else "depends"
    return Answer("c06", verdict, values, _sources(e.tables, RTX_4090))


def _a100_bandwidth(e: Evidence) -> Answer:
    gpus = (A100_40_PCIE, A100_80_PCIE, A100_80_SXM)
    small, pcie, sxm = (float(_card(e.tables, gpu)["memory_bandwidth_gb_s"]) for gpu in gpus)
    low, high = e.claimed("c08")
    right = agrees(small, low, low) and agrees(pcie, high, high) and agrees(sxm, high, high)
    values: dict[str, float | str] = {"small_gb_s": small, "pcie_gb_s": pcie, "sxm_gb_s": sxm}
    return Answer("c08", "confirmed" if right else "contradicted", values, _sources(e.tables, *gpus))


def _a100_power(e: Evidence) -> Answer:
    gpus = (A100_40_PCIE, A100_80_PCIE, A100_80_SXM)
    small, pcie, sxm = (float(_card(e.tables, gpu)["tdp_w"]) for gpu in gpus)
    right = [agrees(value, *e.claimed("c09")) for value in (small, pcie, sxm)]
    verdict: Verdict = "confirmed" if all(right) else "depends" if any(right) else "contradicted"
    values: dict[str, float | str] = {"small_w": small, "pcie_w": pcie, "sxm_w": sxm}
    return Answer("c09", verdict, values, _sources(e.tables, *gpus))


def _h100_link(e: Evidence) -> Answer:
    card = _card(e.tables, H100_SXM)
    link = float(card["interconnect_gb_s"])
    values: dict[str, float | str] = {
        "link_gb_s": link,
        "over_pcie4_times": link / (2 * pcie_gb_s(4)),
        "over_pcie5_times": link / (2 * pcie_gb_s(5)),
    }
    verdict: Verdict = "confirmed" if agrees(link, *e.claimed("c11")) else "contradicted"
    return Answer("c11", verdict, values, _sources(e.tables, H100_SXM))


def _pcie4(e: Evidence) -> Answer:
    one, (claimed_one, claimed_both) = pcie_gb_s(4), e.claimed("c13")
    right = agrees(one, claimed_one, claimed_one) and agrees(2 * one, claimed_both, claimed_both)
    values: dict[str, float | str] = {"one_way_gb_s": one, "both_ways_gb_s": 2 * one}
    return Answer("c13", "confirmed" if right else "contradicted", values, (PCI_SIG,))


def _purchase_sources(tables: Tables, gpus: Sequence[str]) -> tuple[str, ...]:
    rows = tables.purchase[tables.purchase["gpu"].isin(list(gpus))].sort_values("date", ascending=False)
    links = [str(url) for url in rows["source_url"] if str(url).startswith("http")]
    return tuple(dict.fromkeys(links))[:2]


def _used_ratio(e: Evidence) -> Answer:
    used = purchase_summary(e.tables.purchase, e.tables.rates, "US", "USD", condition="used").set_index("gpu")
    old, new = used.loc[RTX_3090], used.loc[RTX_4090]
    ratio = float(old["typical"]) / float(new["typical"])
    low, high = float(old["low"]) / float(new["high"]), float(old["high"]) / float(new["low"])
    values: dict[str, float | str] = {
        "ratio_share": ratio,
        "old_usd": float(old["typical"]),
        "old_date": str(old["newest_date"]),
        "new_usd": float(new["typical"]),
        "new_date": str(new["newest_date"]),
    }
    verdict = judge(ratio, low, high, e.claimed("c14"))
    return Answer("c14", verdict, values, _purchase_sources(e.tables, (RTX_3090, RTX_4090)))


def _priced(claim_id: str, gpus: Sequence[str]) -> Answerer:
    """A claimed price to buy against the range of today's prices of the cards it may mean."""

    def answer(e: Evidence) -> Answer:
        rows = purchase_prices(e.tables, "China", "CNY").loc[list(gpus)].dropna(subset=["typical"])
        cheapest, dearest = rows["typical"].idxmin(), rows["typical"].idxmax()
        low, high = float(rows["low"].min()), float(rows["high"].max())
        values: dict[str, float | str] = {
            "low_cny": low,
            "high_cny": high,
            "cheapest_gpu": str(cheapest),
            "cheapest_cny": float(rows.loc[cheapest, "typical"]),
            "cheapest_condition": str(rows.loc[cheapest, "condition"]),
            "dearest_gpu": str(dearest),
            "dearest_cny": float(rows.loc[dearest, "typical"]),
            "dearest_condition": str(rows.loc[dearest, "condition"]),
            "date": str(rows["newest_date"].max()),
        }
        claimed = e.claimed(claim_id)
        inside = [agrees(float(value), *claimed) for value in rows["typical"]]
        verdict: Verdict = "confirmed" if all(inside) else "depends"
        if not any(inside) and judge(low, low, high, claimed) == "contradicted":
            verdict = "contradicted"
        return Answer(claim_id, verdict, values, _purchase_sources(e.tables, gpus))

    return answer


def _rented(claim_id: str, gpu: str) -> Answerer:
    """A claimed rental price against today's offers in China."""

    def answer(e: Evidence) -> Answer:
        row = rental_prices(e.tables, "China", "CNY").loc[gpu]
        low, typical, high = (float(row[f"on_demand_{end}"]) for end in ("low", "typical", "high"))
        offers = e.tables.rental
        links = offers.loc[(offers["gpu"] == gpu) & (offers["market"] == "China")].sort_values("date", ascending=False)
        values: dict[str, float | str] = {
            "low_cny": low,
            "typical_cny": typical,
            "high_cny": high,
            "offers_n": float(row["n_offers"]),
            "date": str(row["newest_date"]),
        }
        sources = tuple(dict.fromkeys(str(url) for url in links["source_url"] if str(url).startswith("http")))[:2]
        return Answer(claim_id, judge(typical, low, high, e.claimed(claim_id)), values, sources)

    return answer


def _price_moves(e: Evidence) -> Answer:
    trends = e.tables.price_trends
    newest = trends[trends["end"].astype(str) >= "2026"]
    recent = newest[newest["start"].astype(str) >= "2025-12"]
    older = trends[trends["end"].astype(str) <= "2025-12"]
    rising, falling = int((recent["annual_change_pct"] > 0).sum()), int((older["annual_change_pct"] < 0).sum())

    def change(series: str) -> float:
        return float(trends.loc[trends["series"] == series, "annual_change_pct"].iloc[0]) / 100

    values: dict[str, float | str] = {
        "falling_n": float(falling),
        "older_n": float(len(older)),
        "rising_n": float(rising),
        "recent_n": float(len(recent)),
        "h100_share": change("rental H100-80GB (mixed) raw median, 2025-12..2026-09"),
        "used_3090_share": change("used RTX 3090 24GB GPU Poet 2026"),
    }
    mostly_fell, now_falls = falling > len(older) / 2, rising < len(recent) / 2
    verdict: Verdict = "confirmed" if mostly_fell and now_falls else "depends" if mostly_fell else "contradicted"
    history = e.tables.price_history.sort_values("date", ascending=False)
    links = [str(url) for url in history["source_url"] if str(url).startswith("http")]
    return Answer("c26", verdict, values, tuple(dict.fromkeys(links))[:2])


def _ecc(e: Evidence) -> Answer:
    gpus = e.tables.gpus
    consumer = gpus[gpus["segment"] == "consumer"]["ecc"].fillna("")
    server = gpus[gpus["segment"] == "datacenter"]["ecc"].fillna("")
    values: dict[str, float | str] = {
        "consumer_n": float((consumer != "").sum()),
        "consumer_without_n": float((consumer == "no").sum()),
        "consumer_optional_n": float((consumer == "optional").sum()),
        "server_n": float((server != "").sum()),
        "server_with_n": float((server == "yes").sum()),
    }
    exact = values["consumer_without_n"] == values["consumer_n"] and values["server_with_n"] == values["server_n"]
    mostly = bool((server == "yes").sum() > len(server) / 2)
    verdict: Verdict = "confirmed" if exact else "depends" if mostly else "contradicted"
    return Answer("c47", verdict, values, _sources(e.tables, RTX_4090, A100_80_SXM))


def measured_share(tables: Tables, gpus: Sequence[str]) -> float:
    """Median over cards of the measured matrix-product rate over the datasheet's; cards never measured left out."""
    return float(tables.devices.loc[list(gpus), "achieved_bf16"].median())


ANSWERS: dict[str, Answerer] = {
    "c05": _rate("c05", RTX_4090),
    "c06": _rtx_4090,
    "c07": _rate("c07", A100_80_SXM),
    "c08": _a100_bandwidth,
    "c09": _a100_power,
    "c10": _rate("c10", H100_SXM),
    "c11": _h100_link,
    "c12": _rate("c12", A10),
    "c13": _pcie4,
    "c14": _used_ratio,
    "c15": _priced("c15", (A100_40_PCIE, A100_80_PCIE, A100_80_SXM)),
    "c16": _priced("c16", (H100_PCIE, H100_SXM)),
    "c18": _rented("c18", RTX_4090),
    "c19": _rented("c19", A100_80_SXM),
    "c26": _price_moves,
    "c33": _priced("c33", CONSUMER_16_24),
    "c34": _priced("c34", (A10, A100_40_PCIE, A100_80_PCIE, A100_80_SXM)),
    "c47": _ecc,
}

__all__ = ["ANSWERS", "measured_share", "pcie_gb_s"]
