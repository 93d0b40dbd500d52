"""Up to four saved scenarios side by side: what each needs, takes, costs and risks, and where they differ."""

import streamlit as st

from ui.cards import opening
from ui.compare_parts import (
    add_button,
    add_state,
    compare_charts,
    compare_sentence,
    compared,
    scenario_heads,
)
from ui.compare_state import damage, saved
from ui.compare_tables import answers_table, assumptions_table
from ui.i18n import t
from ui.state import scenario

now, rows = scenario(), saved()
currency = now.money.currency
if damage():
    st.warning(damage())

if not rows:
    opening(t("compare.empty_title"), t("compare.empty_line"))
    add_button("compare_add", main=True)
    st.info(t("compare.empty_help"))
    st.stop()

frame = compared(rows, currency)
opening(compare_sentence(frame, currency), t("compare.line", currency=currency))
scenario_heads(rows)
more, said = st.columns((1, 2), vertical_alignment="center")
with more:
    add_button("compare_add", main=True)
said.caption(add_state(now))
answers_table(frame, currency)
assumptions_table(rows)
compare_charts(frame, rows, currency, now)
