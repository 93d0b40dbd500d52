"""One widget a scenario field, with the bounds that ``calc.scenario`` gives it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from ui.i18n import t
from ui.state import DEFAULTS, allowed, bounds, choices, label


def option_label(name: str, value: Any) -> str:
    """Name of one choice of a field."""
    return t(f"option.{name}.{value}")


def option_labels(name: str, values: Iterable[Any]) -> dict[Any, str]:
    """Names of several choices of a field."""
    return {value: option_label(name, value) for value in values}


def number_field(name: str, step: float | None = None, disabled: bool = False, explained: bool = False) -> None:
    """Number box of a field; values outside its range are refused where they are typed.

    explained: whether the word list says more about the field than its range.
    """
    low, high = bounds(name)
    kind = type(DEFAULTS[name])
    allowed_words = t("help.range", range=allowed(name))
    lowest = 0.01 if kind is float and name == "epochs" else low
    st.number_input(
        label(name),
        min_value=None if lowest is None else kind(lowest),
        max_value=None if high is None else kind(high),
        step=kind(step or 1),
        format="%g" if kind is float else "%d",
        key=name,
        help=f"{t(f'help.{name}')} {allowed_words}" if explained else allowed_words,
        disabled=disabled,
        persist_state="session",
    )


def choice_field(name: str, disabled: bool = False) -> None:
    """Menu of a field that takes one of a list."""
    st.selectbox(
        label(name),
        choices(name),
        key=name,
        format_func=option_labels(name, choices(name)).__getitem__,
        disabled=disabled,
        persist_state="session",
    )


def segment_field(name: str) -> None:
    """A short list side by side."""
    st.segmented_control(
        label(name),
        choices(name),
        key=name,
        format_func=option_labels(name, choices(name)).__getitem__,
        required=True,
        persist_state="session",
        width="stretch",
    )


def toggle_field(name: str) -> None:
    """Switch of a yes-or-no field."""
    st.toggle(label(name), key=name, persist_state="session")
