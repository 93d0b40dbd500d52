"""The GPU table in words: sentence, filters, columns, download, contradictions."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from calc.scenario import Money
from ui.data import gpu_names
from ui.documents.csv_safe import csv_bytes
from ui.format import NOTHING, number, percent
from ui.i18n import t
from ui.inputs_widgets import option_label

MEMORY_STEPS_GB = (0, 12, 16, 24, 32, 48, 80, 96, 141, 192)
SEGMENTS = ("consumer", "workstation", "datacenter")
_PRICES = ("new", "used", "rent")
# Columns in their order; prices and their dates follow from the terms.
_COLUMNS = (
    "short",
    "memory_gb",
    "memory_gib_usable",
    "memory_bandwidth_gb_s",
    "dense16_tflops",
    "fp8_dense_tflops",
    "fp4_dense_tflops",
    "matmul_share",
    "tdp_w",
    "link",
    "link_gb_s",
    "year",
    *_PRICES,
    "source_url",
)


def table_sentence(frame: pd.DataFrame, terms: Money) -> tuple[str, str]:
    """How many cards there are and how much of the datasheet is reached; what prices mean here."""
    reached = frame["matmul_share"].dropna()
    sentence = t(
        "gpus.sentence",
        n=number(len(frame)),
        measured=number(len(reached)),
        share=percent(float(reached.median())),
        bought=number(int((frame["new"].notna() | frame["used"].notna()).sum())),
        rented=number(int(frame["rent"].notna().sum())),
    )
    mode = option_label("rent_mode", terms.rent_mode)
    return sentence, t("gpus.line", market=option_label("market", terms.market), mode=mode)


def card_filters(frame: pd.DataFrame) -> tuple[list[str], list[str], float]:
    """Makers and classes (none: all) and the least memory in GB."""
    left, middle, right = st.columns((2, 3, 2))
    with left:
        vendors = st.multiselect(
            t("gpus.filter.vendor"),
            sorted(frame["vendor"].unique(), key=lambda name: -int((frame["vendor"] == name).sum())),
            key="gpus_vendor",
            placeholder=t("gpus.filter.all"),
            persist_state="session",
        )
    with middle:
        segments = st.pills(
            t("gpus.filter.segment"),
            SEGMENTS,
            selection_mode="multi",
            key="gpus_segment",
            format_func={code: t(f"gpus.segment.{code}") for code in SEGMENTS}.__getitem__,
            persist_state="session",
        )
    with right:
        least = st.select_slider(
            t("gpus.filter.memory"),
            MEMORY_STEPS_GB,
            key="gpus_memory",
            format_func=lambda size: t("gpus.filter.any") if size == 0 else f"{size} GB",
            persist_state="session",
        )
    return list(vendors), list(segments or ()), float(least)


def _dated(frame: pd.DataFrame, name: str) -> list[str]:
    old = t("gpus.old")
    return [
        f"{date} · {old}" if stale else date
        for date, stale in zip(frame[f"{name}_date"], frame[f"{name}_stale"], strict=True)
    ]


def in_words(frame: pd.DataFrame, terms: Money) -> pd.DataFrame:
    """The table with headers in words and units, prices followed by their dates."""
    table = pd.DataFrame(index=frame.index)
    for name in _COLUMNS:
        header = t(f"gpus.column.{name}", currency=terms.currency) if name in _PRICES else t(f"gpus.column.{name}")
        values = frame[name]
        table[header] = values * 100 if name == "matmul_share" else values
        if name in _PRICES:
            table[t(f"gpus.column.{name}_date")] = _dated(frame, name)
    return table


def _rounded(table: pd.DataFrame, config: dict[str, Any]) -> pd.DataFrame:
    """Numbers rounded (halves up) to their column's step: the table itself cuts the digits beyond it off."""
    steps = {name: column["type_config"].get("step") for name, column in config.items() if name in table}
    # a billionth: 0.29 in binary lies below 29 hundredths, which would be cut to 0.28
    return table.assign(
        **{name: (table[name] / step + 0.5) // 1 * step * (1 + 1e-9) for name, step in steps.items() if step}
    )


def _config(terms: Money) -> dict[str, Any]:
    whole, tenth, cent = (st.column_config.NumberColumn(format="localized", step=step) for step in (1, 0.1, 0.01))
    steps = {
        **dict.fromkeys(("memory_gb", "memory_bandwidth_gb_s", "tdp_w", "link_gb_s"), whole),
        **dict.fromkeys(("memory_gib_usable", "dense16_tflops", "fp8_dense_tflops", "fp4_dense_tflops"), tenth),
        **{"new": whole, "used": whole, "rent": cent},
    }
    config: dict[str, Any] = {
        t(f"gpus.column.{name}", currency=terms.currency) if name in _PRICES else t(f"gpus.column.{name}"): step
        for name, step in steps.items()
    }
    config[t("gpus.column.matmul_share")] = st.column_config.NumberColumn(
        format="localized", step=1, help=t("gpus.help.matmul_share")
    )
    config[t("gpus.column.year")] = st.column_config.NumberColumn(format="%d")
    config[t("gpus.column.short")] = st.column_config.TextColumn(pinned=True, width="medium")
    config[t("gpus.column.source_url")] = st.column_config.LinkColumn(display_text=r"https?://(?:www\.)?([^/]+)")
    return config


def shown_table(frame: pd.DataFrame, terms: Money, chosen: str) -> None:
    """The sortable table: the chosen card first, then those that people ask about most."""
    order = {name: place for place, name in enumerate(dict.fromkeys((chosen, *gpu_names())))}
    listed = frame.sort_values("gpu", key=lambda names: names.map(lambda name: order.get(name, len(order))))
    table = in_words(listed, terms)
    links = table[t("gpus.column.source_url")]
    table[t("gpus.column.source_url")] = links.where(links.str.startswith("http"), "")
    config = _config(terms)
    st.dataframe(
        _rounded(table, config),
        hide_index=True,
        width="stretch",
        height=560,
        column_config=config,
        placeholder=NOTHING,
        alt=t("page.gpu_table"),
        key="gpus_table",
    )


def table_download(frame: pd.DataFrame, terms: Money) -> None:
    """The rows as a CSV file, with what each figure rests on."""
    table = in_words(frame, terms)
    for name in ("basis", "source", "note"):
        table[t(f"gpus.column.{name}")] = frame[name]
    st.download_button(
        t("gpus.download"), csv_bytes(table), "gpu-table.csv", "text/csv", icon=":material/download:", on_click="ignore"
    )


def disputes(frame: pd.DataFrame) -> None:
    """Folded list of the cards whose published figures contradict each other."""
    found = frame[frame["disputed"]]
    if found.empty:
        return
    part = st.expander(t("gpus.disputes", n=number(len(found))), key="gpus_disputes", on_change="rerun")
    if part.open:
        for row in found.itertuples():
            link = f" ([{t('guides.source')}]({row.source_url}))" if row.source_url.startswith("http") else ""
            part.markdown(f"- **{row.short}**: {row.note.replace('~', '≈').replace('$', chr(92) + '$')}{link}")
