"""The user's own architecture: its numbers."""

from __future__ import annotations

import streamlit as st

from ui.i18n import t
from ui.inputs_widgets import number_field, toggle_field
from ui.state import combination_problem

NUMBERS = ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab")


def own_architecture() -> None:
    """Fields of an own architecture, with a sentence where they contradict each other."""
    with st.container(border=True):
        columns = st.columns(2, vertical_alignment="bottom")
        for place, name in enumerate(NUMBERS):
            with columns[place % 2]:
                number_field(f"custom_{name}")
        toggle_field("custom_gated_mlp")
        toggle_field("custom_tied_embeddings")
        problem = combination_problem(st.session_state)
        if problem:
            st.error(problem)
        else:
            st.caption(t("model.own_hint"))
