"""GPU table: every card's datasheet, what was measured of it and what it costs, with sources."""

import streamlit as st

from calc.gpu_table import gpu_table, selected
from calc.market import at_rates_of
from ui.cards import opening
from ui.data import tables
from ui.frame import page_button
from ui.gpu_table_parts import card_filters, disputes, shown_table, table_download, table_sentence
from ui.i18n import t
from ui.state import scenario

now = scenario()
terms = now.money
frame = gpu_table(at_rates_of(terms, tables()), terms.market, terms.currency, terms.rent_mode)
opening(*table_sentence(frame, terms))

chosen = selected(frame, *card_filters(frame))
if chosen.empty:
    st.info(t("gpus.empty"))
else:
    shown_table(chosen, terms, now.hardware.gpu)
    table_download(chosen, terms)
    disputes(chosen)
page_button("guides")
