"""The user's own architecture: its numbers, typed or read from a Hugging Face ``config.json``."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from gpudata.hf_config import model_row_from_hf_config
from ui.format import number, plain
from ui.i18n import t
from ui.inputs_widgets import number_field, toggle_field
from ui.state import bounds, combination_problem, label

NUMBERS = ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab")
SWITCHES = ("gated_mlp", "tied_embeddings")
_NOTE = "_config_note"


def read_config(text: str) -> tuple[dict[str, Any], str]:
    """Fields of an own architecture from the text of a ``config.json``, and a sentence about it.

    The fields are empty where the text cannot be used; the sentence then says why.
    """
    try:
        row = model_row_from_hf_config(json.loads(text))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        unread = isinstance(error, (json.JSONDecodeError, RecursionError))
        reason = t("model.not_json") if unread else str(error)
        return {}, t("model.config_unusable", reason=reason)
    if row.moe_experts:
        return {}, t("model.config_unusable", reason=t("model.no_experts"))
    if row.mla_kv_lora_rank:
        return {}, t("model.config_unusable", reason=t("model.no_latent"))
    found = {f"custom_{name}": getattr(row, name) for name in (*NUMBERS, *SWITCHES)}
    for name in NUMBERS:
        low, high = bounds(f"custom_{name}")
        if low is not None and high is not None and not low <= found[f"custom_{name}"] <= high:
            span = t("problem.range", low=number(low, 7), high=number(high, 7))
            reason = t("model.out_of_range", field=label(f"custom_{name}"), range=span)
            return {}, t("model.config_unusable", reason=reason)
    if row.heads and row.head_dim != row.hidden // row.heads:
        return found, t("model.config_head_dim", given=row.head_dim, used=row.hidden // row.heads)
    return found, t("model.config_read", name=row.model)


def _take(text: str) -> None:
    fields, st.session_state[_NOTE] = read_config(text)
    for name, value in fields.items():
        st.session_state[name] = value


def _take_file() -> None:
    given = st.session_state["config_file"]
    if given is not None:
        _take(given.getvalue().decode("utf-8", errors="replace"))


def _take_text() -> None:
    if st.session_state["config_text"].strip():
        _take(st.session_state["config_text"])


def own_architecture() -> None:
    """Fields of an own architecture, with a sentence where they contradict each other."""
    with st.container(border=True):
        with st.expander(t("model.from_config"), key="config"):
            st.file_uploader(
                t("model.config_file"), type="json", key="config_file", on_change=_take_file, max_upload_size=1
            )
            st.text_area(t("model.config_text"), key="config_text", on_change=_take_text, height=80)
        if st.session_state.get(_NOTE):
            st.caption(plain(st.session_state[_NOTE]))
        columns = st.columns(2, vertical_alignment="bottom")
        for place, name in enumerate(NUMBERS):
            with columns[place % 2]:
                number_field(f"custom_{name}")
        for name in SWITCHES:
            toggle_field(f"custom_{name}")
        problem = combination_problem({**st.session_state})
        if problem:
            st.error(problem)
