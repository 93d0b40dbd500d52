"""Cost lines that a person may replace with their own figures, and the table of what the answer rests on."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from calc.answers import MoneyAnswer
from calc.cost_scenario import MONEY_FIELDS, bounds_of, value_of
from calc.scenario import Scenario
from ui.charts.titles import strongest_row
from ui.format import number
from ui.i18n import language, t, words
from ui.state import OVERRIDES

EDITABLE: dict[str, tuple[str, ...]] = {
    "own": (
        *("gpu_price", "host_price", "other_capex", "sales_tax_rate", "resale_fraction", "maintenance_rate"),
        *("gpu_power_w", "host_power_w", "idle_power_w", "load_factor", "pue", "electricity_price"),
        *("staff_per_month", "fixed_per_month", "colocation_per_kw_month", "availability", "loan_rate", "loan_months"),
    ),
    "rent": (
        *("price_per_gpu_hour", "annual_price_change", "fixed_per_month", "upfront"),
        *("support_rate", "sales_tax_rate"),
    ),
}


def field_name(path: str) -> str:
    """A cost field in words by its path ("own.gpu_price"); one without an entry is made readable."""
    key = f"cost.{path}"
    return t(key) if key in words(language()) else path.rpartition(".")[2].replace("_", " ").capitalize()


def strongest_name(frame: pd.DataFrame) -> str:
    """The assumption that moves the saving most, in words."""
    return field_name(str(frame.iloc[strongest_row(frame)]["field"]))


def _store(side: str, name: str) -> None:
    typed = dict(st.session_state[side])
    value = st.session_state[f"{OVERRIDES}{side}.{name}"]
    if value is None:
        typed.pop(name, None)
    else:
        typed[name] = float(value)
    st.session_state[side] = typed


def _line(side: str, name: str, answer: MoneyAnswer, currency: str) -> None:
    path, key = f"{side}.{name}", f"{OVERRIDES}{side}.{name}"
    low, high = bounds_of(path)
    st.session_state[key] = st.session_state[side].get(name)
    label = field_name(path)
    st.number_input(
        f"{label} ({currency})" if name in MONEY_FIELDS[side] else label,
        min_value=low if math.isfinite(low) else None,
        max_value=high if math.isfinite(high) else None,
        value=None,
        key=key,
        format="%g",
        placeholder=number(float(value_of(answer.costs, path)), 4),
        help=_range_help(low, high),
        on_change=_store,
        args=(side, name),
    )


def _range_help(low: float, high: float) -> str:
    if math.isfinite(high):
        return t("help.range", range=t("problem.range", low=number(low), high=number(high)))
    return t("help.range", range=t("problem.at_least", low=number(low)))


def _clear() -> None:
    st.session_state["own"], st.session_state["rent"] = {}, {}


def cost_lines_editor(answer: MoneyAnswer, scenario: Scenario) -> None:
    """Folded editor: an empty box takes the value shown in grey, a filled one replaces it."""
    count = len(scenario.money.own) + len(scenario.money.rent)
    title = t("cost.editor_changed", n=count) if count else t("cost.editor")
    with st.expander(title, key="cost_editor"):
        st.caption(t("cost.editor_help"))
        for side, names in EDITABLE.items():
            st.markdown(f"**{t(f'field.{side}')}**")
            columns = st.columns(6, vertical_alignment="bottom")
            for place, name in enumerate(names):
                with columns[place % len(columns)]:
                    _line(side, name, answer, scenario.money.currency)
        st.button(t("cost.clear"), on_click=_clear, disabled=not count)


def assumptions_frame(answer: MoneyAnswer) -> pd.DataFrame:
    """Each assumption in words: low, typical and high value, unit, source, link and date."""
    return pd.DataFrame([_assumption(entry) for entry in answer.assumptions])


def assumptions_table(answer: MoneyAnswer) -> None:
    """Folded table: each assumption with its low, typical and high value, its unit, source and date."""
    part = st.expander(t("cost.assumptions"), key="assumptions", on_change="rerun")
    if not part.open:
        return
    with part:
        frame = assumptions_frame(answer)
        st.dataframe(
            frame, hide_index=True, width="stretch", column_config={t("terms.url"): st.column_config.LinkColumn()}
        )


def _assumption(entry: Any) -> dict[str, Any]:
    return {
        t("cost.column_field"): field_name(entry.field),
        t("cost.column_low"): entry.low,
        t("cost.column_typical"): entry.typical,
        t("cost.column_high"): entry.high,
        t("cost.column_unit"): entry.unit,
        t("terms.source"): entry.source,
        t("terms.url"): entry.url,
        t("cost.column_date"): entry.date,
    }
