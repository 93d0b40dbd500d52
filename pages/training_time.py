"""How long a run takes: by card, by number of cards, and against what it costs to rent."""

import streamlit as st

from calc.answers_time import scaling, time_by_card, time_terms
from ui.cards import metric_cards, more_cards, opening, terms_table
from ui.charts.scaling import cost_time_scatter, scaling_lines
from ui.charts.template import Heading
from ui.charts.titles import cost_time_title, scaling_title, time_title
from ui.charts.training_time import time_bars
from ui.data import tables
from ui.export import show_chart
from ui.i18n import t
from ui.sentences import row_of, run_line, time_sentence
from ui.state import scenario
from ui.time_parts import card_counts, links_to_compare, priced, runnable, time_cards

now, known = scenario(), tables()
gpu, line, currency = now.hardware.gpu, run_line(now), now.money.currency
mine = row_of(time_by_card(now, known, [gpu]), gpu)

opening(time_sentence(now, mine), line)
top = st.container()

log = st.toggle(t("view.log"), key="time_log", persist_state="session")
main = st.container()
compared = time_by_card(now, known, more_cards(gpu))
with top:
    metric_cards(time_cards(mine, compared, currency))
with main:
    heading = Heading(time_title(compared, gpu), line, t("source.time"))
    if runnable(compared).empty:
        st.info(t("empty.time"))
    else:
        show_chart(time_bars(runnable(compared), heading, chosen=gpu, log=log), "training-time", compared, now)

left, right = st.columns(2)
with left:
    curve = scaling(now, known, card_counts(now), links_to_compare(now, known))
    if curve["speedup"].notna().any():
        heading = Heading(scaling_title(curve), line, t("source.scaling"))
        show_chart(scaling_lines(curve, heading), "scaling", curve, now)
    else:
        st.info(t("empty.scaling"))
with right:
    offers = priced(compared)
    if offers.empty:
        held = compared["verdict"].isin(["fits", "tight"]).any()
        st.info(t("empty.prices" if held else "empty.none_holds"))
    else:
        heading = Heading(cost_time_title(offers, currency), line, t("source.rent"))
        figure = cost_time_scatter(offers, heading, currency=currency, chosen=gpu)
        show_chart(figure, "cost-and-time", offers, now)

terms_table(t("terms.title"), time_terms(now, known), "s")
