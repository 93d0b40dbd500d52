"""Metric cards, opening sentence and other parts that every page uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from ui.data import COMMON_GPUS, gpu_names, shown_gpus
from ui.i18n import t

Card = tuple[str, str, str]  # label, value, what stands below it


def opening(sentence: str, line: str) -> None:
    """The answer as the page's first words, and the grey line that says for what."""
    with st.container(key="opening"):
        st.markdown(f"### {sentence}")
        st.caption(line)


def metric_cards(cards: Sequence[Card]) -> None:
    """One bordered row of big numbers; no arrows, since none of them is a change."""
    for column, (name, value, below) in zip(st.columns(len(cards)), cards, strict=True):
        column.metric(name, value, below or None, delta_color="off", delta_arrow="off", border=True, height="stretch")


def more_cards(chosen: str) -> list[str]:
    """Menu that adds cards to the common ones; returns all cards to compare."""
    extra = st.multiselect(
        t("field.extra_gpus"),
        [name for name in gpu_names() if name not in COMMON_GPUS],
        key="extra_gpus",
        placeholder=t("field.extra_gpus_hint"),
        persist_state="session",
    )
    return shown_gpus(chosen, extra)


def terms_table(title: str, rows: Sequence[dict[str, Any]], unit: str) -> None:
    """Folded "How is this computed": each term with its formula, its numbers and its source."""
    with st.expander(title):
        frame = pd.DataFrame(rows)
        frame.columns = [_column(str(name), unit) for name in frame.columns]
        st.dataframe(frame, hide_index=True, width="stretch")


def _column(name: str, unit: str) -> str:
    known = {"name": "terms.name", "formula": "terms.formula", "source": "terms.source", "url": "terms.url"}
    return t(known[name]) if name in known else t("terms.amount", unit=unit)
