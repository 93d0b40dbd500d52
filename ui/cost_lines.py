"""Cost lines that a person may replace with their own figures, and the table of what the answer rests on."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from calc.answers import MoneyAnswer
from calc.cost_scenario import MONEY_FIELDS, bounds_of, value_of
from calc.scenario import Scenario
from ui.assumption_words import source_words, unit_words
from ui.charts.money_views import SHARE_FIELDS, value_words
from ui.charts.titles import strongest_row
from ui.format import number
from ui.i18n import language, t, words
from ui.state import OVERRIDES

EDITABLE: dict[str, tuple[str, ...]] = {
    "own": (
        *("gpu_price", "host_price", "other_capex", "sales_tax_rate", "resale_fraction", "selling_cost_fraction"),
        *("gpu_power_w", "host_power_w", "idle_power_w", "load_factor", "pue", "electricity_price"),
        *("maintenance_rate", "insurance_rate", "staff_per_month", "fixed_per_month", "colocation_per_kw_month"),
        *("availability", "network_price", "storage_price", "installation_price", "spares_fraction"),
        *("loan_rate", "loan_months"),
    ),
    "rent": (
        *("price_per_gpu_hour", "annual_price_change", "fixed_per_month", "upfront", "support_rate", "sales_tax_rate"),
        *("storage_gb", "storage_price_per_gb_month", "hours_per_run", "startup_hours", "forgotten_hours"),
        "billing_increment_hours",
    ),
}
IN_A_ROW = 6
ENDS = ("low", "typical", "high")


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


def cost_lines_editor(answer: MoneyAnswer, scenario: Scenario, expanded: bool = False) -> None:
    """Folded editor: an empty box takes the value shown in grey, a filled one replaces it."""
    count = len(scenario.money.own) + len(scenario.money.rent)
    if count:
        st.caption(t("cost.editor_changed", n=count))
    part = st.expander(t("cost.editor"), expanded=expanded, key="cost_editor", on_change="rerun")
    if not part.open:
        return
    with part:
        st.caption(t("cost.editor_help"))
        for side, names in EDITABLE.items():
            st.markdown(f"**{t(f'field.{side}')}**")
            for first in range(0, len(names), IN_A_ROW):
                # A row of its own each time: labels of one and of two lines then leave the boxes level.
                columns = st.columns(IN_A_ROW, vertical_alignment="bottom")
                for column, name in zip(columns, names[first : first + IN_A_ROW], strict=False):
                    with column:
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
        figures = [t(f"cost.column_{end}") for end in ENDS]
        st.dataframe(
            frame,
            hide_index=True,
            width="stretch",
            column_config={
                **{name: st.column_config.TextColumn(alignment="right") for name in figures},
                t("terms.url"): st.column_config.LinkColumn(display_text=t("terms.source")),
            },
        )


def _assumption(entry: Any) -> dict[str, Any]:
    return {
        t("cost.column_field"): field_name(entry.field),
        **{t(f"cost.column_{end}"): value_words(entry.field, getattr(entry, end)) for end in ENDS},
        t("cost.column_unit"): "" if entry.field.rpartition(".")[2] in SHARE_FIELDS else unit_words(entry.unit),
        t("terms.source"): source_words(entry.source),
        t("terms.url"): entry.url or None,
        t("cost.column_date"): entry.date,
    }
