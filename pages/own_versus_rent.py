"""Buy or rent: the break-even price, the pay-back month, and what they rest on."""

import streamlit as st

from calc.answers import money as money_answer
from ui.cards import metric_cards, opening
from ui.charts.cumulative import probability_curve
from ui.charts.money_views import tornado
from ui.charts.template import Heading
from ui.charts.titles import probability_title, tornado_title, win_map_title
from ui.charts.win_map import win_map
from ui.cost_lines import assumptions_table, cost_lines_editor, field_name
from ui.data import tables
from ui.export import show_chart
from ui.i18n import t
from ui.live_terms import utilisation_and_horizon
from ui.money_claims import guide_claims
from ui.money_curves import break_even_row
from ui.money_mix import demand_mix
from ui.money_parts import (
    bill,
    cumulative_view,
    money_cards,
    price_cautions,
    price_line,
    unit_cost_table,
    use_share,
)
from ui.money_prices import market_prices
from ui.sentences import cards, money_line, money_sentence
from ui.state import scenario

now, known = scenario(), tables()
terms, line = now.money, money_line(now)
answer = money_answer(now, known)
currency, horizon = terms.currency, terms.horizon_months
source = price_line(answer, now)

if not answer.priced:
    opening(t("empty.money_title", cards=cards(now)), line)
    st.info(t("empty.money_help"))
    cost_lines_editor(answer, now, expanded=True)
    st.stop()

opening(money_sentence(now, answer), line)
metric_cards(money_cards(answer, now))
utilisation_and_horizon("money")

cumulative_view(answer, now)
for caution in price_cautions(answer, now):
    st.caption(caution)

left, right = st.columns(2)
with left:
    heading = Heading(win_map_title(answer.break_even_utilisation, horizon, answer.own_wins_below), line, source)
    chart = win_map(answer.win_map, heading, currency=currency, utilisation=use_share(now), horizon=horizon)
    show_chart(chart, "who-wins", answer.win_map, now)
with right:
    heading = Heading(probability_title(answer.probability, answer.result.npv_saving), line, t("source.probability"))
    show_chart(probability_curve(answer.probability, heading), "probability", answer.probability, now)

left, right = st.columns(2)
with left:
    bill(answer, now, "own")
with right:
    bill(answer, now, "rent")

left, right = st.columns(2)
with left:
    if not answer.tornado.empty:
        title = tornado_title(answer.tornado, currency, field_name)
        heading = Heading(title, line, t("source.tornado"))
        chart = tornado(answer.tornado, heading, currency=currency, base=answer.result.npv_saving, name_of=field_name)
        show_chart(chart, "what-matters", answer.tornado, now)
with right:
    unit_cost_table(answer, now)

break_even_row(answer, now)
demand_mix(answer, now)
guide_claims()
market_prices(answer, now)
cost_lines_editor(answer, now)
assumptions_table(answer)
