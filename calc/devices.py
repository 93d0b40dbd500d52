"""Accelerator figures as the models take them, from the GPU tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pandas as pd

from calc.cases import Device

_NUMBERS = (
    "memory_gb",
    "memory_gib_usable",
    "memory_bandwidth_gb_s",
    "fp32_tflops",
    "fp16_dense_tflops",
    "bf16_dense_tflops",
    "fp8_dense_tflops",
    "interconnect_gb_s",
    "pcie_gen",
    "pcie_lanes",
    "tdp_w",
)


def link_kind(interconnect: Any) -> str:
    """Kind of the card's own link from the table's wording: none, bridge (two cards) or nvlink (whole node)."""
    text = str(interconnect or "").lower()
    if text in {"", "nan", "none"} or text.startswith("none"):
        return "none"
    return "bridge" if "bridge" in text else "nvlink"


def achieved_shares(achievable: pd.DataFrame) -> pd.Series:
    """Median measured share of the datasheet's dense 16-bit rate per card, from ``achievable_matmul.csv``."""
    wanted = achievable[achievable["dtype"].isin(["bf16", "fp16"])]
    share = wanted["achieved_tflops"].astype(float) / wanted["theoretical_tflops"].astype(float)
    return share.groupby(wanted["gpu"]).median()


def device_table(gpus: pd.DataFrame, achievable: pd.DataFrame) -> pd.DataFrame:
    """One row per card (index: gpu name) with exactly the fields of ``Device``."""
    frame = gpus.set_index("gpu")
    out = pd.DataFrame(index=frame.index)
    out["name"] = frame.index
    for text in ("vendor", "segment", "architecture"):
        out[text] = frame[text].fillna("").astype(str)
    for number in _NUMBERS:
        out[number] = pd.to_numeric(frame[number], errors="coerce")
    # A card whose usable memory was never logged gets the median share of nominal memory seen on the logged ones.
    out["memory_gib_usable"] = out["memory_gib_usable"].fillna(out["memory_gb"] * usable_share(out))
    out["achieved_bf16"] = achieved_shares(achievable).reindex(out.index)
    out["link_kind"] = [link_kind(text) for text in frame["interconnect"]]
    return out[[field.name for field in fields(Device)]]


def usable_share(frame: pd.DataFrame) -> float:
    """Median of usable GiB over nominal GB among the cards where both are known."""
    return float((frame["memory_gib_usable"] / frame["memory_gb"]).median())


def device_of(table: pd.DataFrame, name: str) -> Device:
    """The card called ``name`` as scalars; KeyError where the table lacks it."""
    return Device(**table.loc[name].to_dict())


def devices_of(table: pd.DataFrame, names: Sequence[str]) -> Device:
    """Several cards as arrays in the order of ``names``; an empty or missing name gives a row of NaN."""
    rows = table.reindex(list(names))
    return Device(**{column: rows[column].to_numpy() for column in rows.columns})


__all__ = ["Device", "achieved_shares", "device_of", "device_table", "devices_of", "link_kind", "usable_share"]
