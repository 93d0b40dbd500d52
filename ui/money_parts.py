"""Cards and words of the pages about money."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from calc.answers import MoneyAnswer
from calc.answers_prices import cost_per_billion_tokens
from calc.scenario import Scenario
from ui.cards import Card
from ui.charts.cumulative import cumulative_cost
from ui.charts.money_views import line_name
from ui.charts.template import Heading
from ui.charts.titles import crossover_title
from ui.export import show_chart
from ui.format import between, calendar_month, money, money_number, number, percent
from ui.i18n import t
from ui.inputs_widgets import option_labels
from ui.sentences import money_line, pay_back, pay_back_range
from ui.state import label

MONEY_VIEWS = ("cash", "npv")


def use_share(scenario: Scenario) -> float:
    """Utilisation as a share of all hours."""
    return scenario.money.utilisation / 100


def rented_card(answer: MoneyAnswer, currency: str) -> Card:
    """Cost of one run on rented cards, beside that on owned ones."""
    owned = t("card.owned", cost=money(answer.own_cost_per_run, currency)) if answer.own_cost_per_run else ""
    return t("card.run_rented"), money(answer.rent_cost_per_run, currency), owned


def pay_back_card(answer: MoneyAnswer) -> Card:
    """Pay-back month with the break-even utilisation."""
    if not answer.priced:
        return t("card.pay_back"), money_number(None), t("card.no_price")
    share = answer.break_even_utilisation
    below = t("card.break_even", share=t("card.never") if share is None else percent(share))
    return t("card.pay_back"), pay_back(answer), below


def money_cards(answer: MoneyAnswer, scenario: Scenario) -> list[Card]:
    """Pay-back, break-even use, and both totals over the horizon."""
    currency, horizon = scenario.money.currency, scenario.money.horizon_months
    share = answer.break_even_utilisation
    key = "card.saved" if answer.saving >= 0 else "card.extra"
    rent = answer.rent_price
    return [
        (t("card.pay_back"), pay_back(answer), _when(answer)),
        (
            t("card.break_even_use"),
            t("card.never") if share is None else percent(share),
            t("card.over_months", n=number(horizon, 4)),
        ),
        (t("card.own_total"), money(answer.own_total, currency), t(key, amount=money(abs(answer.saving), currency))),
        (
            t("card.rent_total"),
            money(answer.rent_total, currency),
            t("card.price_range", range=between(rent.low, rent.high, money_number)),
        ),
    ]


def _when(answer: MoneyAnswer) -> str:
    """Calendar month of the pay-back, then its range."""
    month = answer.crossover_month_cash
    parts = [calendar_month(month) if month is not None else "", pay_back_range(answer)]
    return " · ".join(filter(None, parts))


def cumulative_view(answer: MoneyAnswer, scenario: Scenario) -> None:
    """The two lines of what has been spent, in cash or at its value today, as the reader switches."""
    terms = scenario.money
    st.segmented_control(
        label("money_view"),
        MONEY_VIEWS,
        key="money_view",
        format_func=option_labels("money_view", MONEY_VIEWS).__getitem__,
        required=True,
        default=MONEY_VIEWS[0],
        help=t("help.money_view"),
        persist_state="session",
    )
    view = st.session_state["money_view"]
    cash = view == "cash"
    month = answer.crossover_month_cash if cash else answer.crossover_month_npv
    frame = answer.cumulative if cash else answer.cumulative_npv
    source = price_line(answer, scenario)
    if not cash:
        rate, resale = percent(terms.discount_rate), percent(float(answer.costs.own.resale_fraction))
        source = f"{t('source.npv', rate=rate, resale=resale)} {source}"
    title = crossover_title(month, use_share(scenario), terms.horizon_months, answer.saving, view)
    figure = cumulative_cost(
        frame,
        Heading(title, money_line(scenario), source),
        currency=terms.currency,
        crossover_month=month,
        crossover_low=answer.crossover_low if cash else answer.crossover_npv_low,
        crossover_high=answer.crossover_high if cash else answer.crossover_npv_high,
        resale=answer.resale if cash else 0.0,
        view=view,
    )
    show_chart(figure, "own-versus-rent" if cash else "own-versus-rent-value-today", frame, scenario)


def price_line(answer: MoneyAnswer, scenario: Scenario) -> str:
    """Source line: what was bought and rented at which price, from how many offers, how fresh."""
    currency = scenario.money.currency
    own, rent = answer.own_price, answer.rent_price
    return t(
        "source.prices",
        own=money(answer.costs.own.gpu_price, currency),
        n_own=own.n_offers,
        own_date=own.newest_date,
        rent=money(answer.costs.rent.price_per_gpu_hour, currency),
        n_rent=rent.n_offers,
        rent_date=rent.newest_date,
    )


def unit_costs(answer: MoneyAnswer, scenario: Scenario) -> str:
    """Cost of one finished run and of a billion tokens, owned and rented."""
    currency = scenario.money.currency
    own, rent = answer.own_cost_per_run, answer.rent_cost_per_run
    return t(
        "unit_cost.line",
        own_run=money(own, currency),
        rent_run=money(rent, currency),
        own_tokens=money(cost_per_billion_tokens(scenario, own), currency),
        rent_tokens=money(cost_per_billion_tokens(scenario, rent), currency),
    )


def line_words(lines: Iterable[str]) -> dict[str, Any]:
    """Cost lines in words."""
    return {name: line_name(name) for name in lines}
