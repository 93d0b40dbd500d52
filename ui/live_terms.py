"""Utilisation and horizon as sliders: in the sidebar, and again on pages where they are the question."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ui.i18n import t
from ui.state import label

# Field, lowest, highest, step.
_UTILISATION = ("utilisation", 0.0, 100.0, 1.0)
_HORIZON = ("horizon_months", 1, 120, 1)


def term_sliders() -> None:
    """The two sliders of the scenario itself, under each other."""
    for term in (_UTILISATION, _HORIZON):
        _slider(*term, key=term[0], persist_state="session")


def utilisation_and_horizon(prefix: str) -> None:
    """The same two sliders once more, side by side, always in step with the sidebar's.

    prefix: what tells these widgets' keys apart from those of another page. The sidebar has run before any page, so
    its values are put into these; what is moved here is written back before the next run.
    """
    left, right = st.columns(2)
    with left:
        _repeated(prefix, *_UTILISATION)
    with right:
        _repeated(prefix, *_HORIZON)


def _format(name: str) -> str:
    return "%.0f %%" if name == "utilisation" else t("unit.months_slider")


def _slider(name: str, low: float, high: float, step: float, **placed: Any) -> None:
    st.slider(label(name), low, high, step=step, format=_format(name), help=t(f"help.{name}"), **placed)


def _repeated(prefix: str, name: str, low: float, high: float, step: float) -> None:
    key = f"{prefix}_{name}"
    st.session_state[key] = st.session_state[name]
    _slider(name, low, high, step, key=key, on_change=_write_back, args=(key, name))


def _write_back(key: str, name: str) -> None:
    st.session_state[name] = st.session_state[key]
