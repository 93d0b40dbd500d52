"""The money group of the sidebar; a change of currency converts prices that were typed."""

from __future__ import annotations

import streamlit as st

from calc.cost_scenario import MONEY_FIELDS, bounds_of
from calc.market import EURO, YUAN, at_rates_of
from calc.scenario import Money
from gpudata.prices import convert, newest_rate
from ui.data import gpu_names, tables
from ui.format import number
from ui.i18n import t
from ui.inputs_widgets import choice_field, number_field, option_label, segment_field
from ui.live_terms import term_sliders
from ui.state import label


def _convert_typed_amounts() -> None:
    """Typed amounts stay what they are worth when the currency changes."""
    state, now = st.session_state, st.session_state["currency"]
    before = state.get("_typed_currency", now)
    state["_typed_currency"] = now
    if before == now:
        return
    terms = Money(usd_cny=state["usd_cny"], eur_usd=state["eur_usd"])
    factor = float(convert(1.0, before, now, at_rates_of(terms, tables()).rates))
    for side, amounts in MONEY_FIELDS.items():
        state[side] = {
            name: min(float(f"{value * factor:.6g}"), bounds_of(f"{side}.{name}")[1]) if name in amounts else value
            for name, value in state[side].items()
        }


def money_group() -> None:
    """Use, term, market and currency, and the finer terms in a folded part."""
    st.markdown(f"**{t('group.money')}**")
    term_sliders()
    segment_field("market")
    segment_field("currency")
    _convert_typed_amounts()
    with st.expander(
        t("group.terms_summary", mode=option_label("rent_mode", st.session_state["rent_mode"])), key="terms"
    ):
        choice_field("rent_mode")
        st.selectbox(
            label("rent_gpu"),
            ("", *gpu_names()),
            key="rent_gpu",
            format_func={name: name or t("option.rent_gpu.same") for name in ("", *gpu_names())}.__getitem__,
            persist_state="session",
        )
        number_field("discount_rate", step=0.01)
        number_field("hours_per_month", step=10)
        number_field("quality_points", explained=True)
        left, right = st.columns(2, vertical_alignment="bottom")
        with left:
            number_field("usd_cny", step=0.01, explained=True)
        with right:
            number_field("eur_usd", step=0.01, explained=True)
        st.caption(t("rates.default", rates=", ".join(_dated_rate(pair) for pair in (YUAN, EURO))))


def _dated_rate(pair: str) -> str:
    row = newest_rate(pair, tables().rates)
    return t("rates.source", pair=pair, rate=number(row["rate"], 5), date=row["date"], source=row["source"])
