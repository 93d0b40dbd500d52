"""The whole answer on one screen: one sentence, four figures, three small charts."""

import streamlit as st

from calc.answers import fit_by_card, headline, time_by_card
from calc.remedies_top import top_changes
from ui.cards import metric_cards, opening
from ui.charts.cumulative import cumulative_cost
from ui.charts.memory import capacity_view
from ui.charts.template import Heading
from ui.charts.titles import cards_title, crossover_title, time_title
from ui.charts.training_time import time_bars
from ui.data import overview_gpus, shown_gpus, tables
from ui.export import show_chart
from ui.fit_parts import fit_card
from ui.frame import page_button
from ui.i18n import t
from ui.money_parts import pay_back_card, price_line, rented_card, use_share
from ui.remedy_parts import top_cards
from ui.sentences import overview_sentence, run_line
from ui.state import scenario
from ui.time_parts import run_card, runnable

now, known = scenario(), tables()
gpu, currency = now.hardware.gpu, now.money.currency
answer = headline(now, known)
money = answer.money

opening(overview_sentence(now, answer), run_line(now))
metric_cards([fit_card(answer), run_card(answer), rented_card(money, currency), pay_back_card(money)])

fit, time, cost = st.columns(3, border=True)
few = overview_gpus(now)
with fit:
    frame = fit_by_card(now, known, few)
    show_chart(
        capacity_view(frame, Heading(cards_title(frame), source=t("source.memory")), chosen=gpu, compact=True),
        "fit",
        None,
        now,
    )
    page_button("vram_fit")
with time:
    frame = runnable(time_by_card(now, known, few))
    if frame.empty:
        st.info(t("empty.time"))
    else:
        show_chart(
            time_bars(frame, Heading(time_title(frame, gpu), source=t("source.time")), chosen=gpu, compact=True),
            "time",
            None,
            now,
        )
    page_button("training_time")
with cost:
    if money.priced:
        month = money.crossover_month_cash
        figure = cumulative_cost(
            money.cumulative,
            Heading(
                crossover_title(month, use_share(now), now.money.horizon_months, money.saving),
                source=price_line(money, now),
            ),
            currency=currency,
            crossover_month=month,
            crossover_low=money.crossover_low,
            crossover_high=money.crossover_high,
            compact=True,
        )
        show_chart(figure, "own-versus-rent", None, now)
    else:
        st.info(t("empty.money", gpu=answer.gpu_short))
    page_button("own_versus_rent")

top_cards(top_changes(now, known, shown_gpus(gpu, [])), now, answer.verdict, answer.usable_gib)
