"""Cards and words of the pages about money."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import pandas as pd
import streamlit as st

from calc.answers import MoneyAnswer
from calc.answers_money import PriceRange
from calc.answers_prices import cost_per_billion_tokens
from calc.cost_defaults import FEW_OFFERS
from calc.recommend_market import card_facts
from calc.scenario import Scenario
from gpudata.names import short_gpu_name
from gpudata.prices import YEARLY_MOVE
from ui.assumption_words import place_words, places_of
from ui.cards import Card
from ui.charts.cumulative import cumulative_cost
from ui.charts.money_views import line_name, waterfall
from ui.charts.template import Heading
from ui.charts.titles import crossover_title, waterfall_title
from ui.data import tables
from ui.export import show_chart, table_of_lines
from ui.format import NOTHING, between, calendar_month, money, money_brief, money_number, number, percent, written_date
from ui.i18n import t
from ui.inputs_widgets import option_labels
from ui.sentences import cards, money_line, pay_back, pay_back_range
from ui.state import label

MONEY_VIEWS = ("cash", "npv")


def use_share(scenario: Scenario) -> float:
    """Utilisation as a share of all hours."""
    return scenario.money.utilisation / 100


def rented_card(answer: MoneyAnswer, currency: str) -> Card:
    """Cost of one run on rented cards, beside that on owned ones; a dash where no price is known."""
    if answer.rent_cost_per_run is None:
        return t("card.run_rented"), NOTHING, t("card.no_price")
    owned = "" if answer.own_cost_per_run is None else t("card.owned", cost=money(answer.own_cost_per_run, currency))
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
            t("card.wins_below" if answer.own_wins_below else "card.over_months", n=number(horizon, 4)),
        ),
        (
            t("card.own_total"),
            money_brief(answer.own_total, currency),
            t(key, amount=money_brief(abs(answer.saving), currency)),
        ),
        (
            t("card.rent_total"),
            money_brief(answer.rent_total, currency),
            t("card.price_range", range=between(rent.low, rent.high, money_number)),
        ),
    ]


def _when(answer: MoneyAnswer) -> str:
    """Calendar month of the pay-back, or what it counts; the sentence and the chart name its range."""
    month = answer.crossover_month_cash
    if month is None:
        return pay_back_range(answer)
    return t("money.ahead_at_first") if answer.saving < 0 else calendar_month(month)


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
    saving = answer.saving if cash else answer.result.npv_saving
    title = crossover_title(month, use_share(scenario), terms.horizon_months, saving, view)
    figure = cumulative_cost(
        frame,
        Heading(title, money_line(scenario), source),
        currency=terms.currency,
        crossover_month=month,
        crossover_low=answer.crossover_low if cash else answer.crossover_npv_low,
        crossover_high=answer.crossover_high if cash else answer.crossover_npv_high,
        back=answer.back_at_horizon if cash else 0.0,
        owed="loan_balance" in answer.own_lines,
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
        own_basis=_basis(own, scenario.money.market, "gpu_price" in scenario.money.own, "source.launch_price"),
        rent=money(answer.costs.rent.price_per_gpu_hour, currency),
        rent_basis=_basis(
            rent, scenario.money.market, "price_per_gpu_hour" in scenario.money.rent, "source.discounted"
        ),
    )


def _basis(price: PriceRange, market: str, typed: bool, without_offers: str) -> str:
    """Where a price comes from, with the place if it is not ``market``; ``without_offers``: key where nobody quotes."""
    if typed:
        return t("source.your_price")
    if not price.n_offers:
        return t(without_offers)
    places = places_of(price.basis)
    key = "source.offers" if places in ((), (market,)) else "source.offers_elsewhere"
    place = place_words(places)
    return t(key, n=number(price.n_offers), date=written_date(price.newest_date), place=place)


def price_cautions(answer: MoneyAnswer, scenario: Scenario) -> list[str]:
    """What to know about prices that rest on little, one sentence each."""
    cautions = (_purchase_caution(answer, scenario), *_supply_cautions(scenario), _rent_caution(answer, scenario))
    return list(filter(None, cautions))


def _supply_cautions(scenario: Scenario) -> list[str]:
    """What stands against buying so many of the card in the market at all."""
    machine, terms = scenario.hardware, scenario.money
    facts = card_facts(tables(), terms.market, terms.currency).loc[machine.gpu]
    gpu, board = short_gpu_name(machine.gpu), int(facts["together_own"])
    cautions = []
    if machine.num_gpus % board:
        cautions.append(t("source.whole_boards", gpu=gpu, n=number(board), cards=cards(scenario)))
    if terms.market == "China" and facts["restricted"]:
        cautions.append(t("source.export_control", gpu=gpu))
    return cautions


def _rent_caution(answer: MoneyAnswer, scenario: Scenario) -> str:
    """What to know about a rent of few offers; blank where there are enough or the rent is the reader's own."""
    price, currency = answer.rent_price, scenario.money.currency
    if "price_per_gpu_hour" in scenario.money.rent or not 0 < price.n_offers < FEW_OFFERS:
        return ""
    counted = next(line for line in answer.assumptions if line.field == "rent.price_per_gpu_hour")
    return t(
        "source.few_offers",
        gpu=short_gpu_name(scenario.money.rent_gpu or scenario.hardware.gpu),
        n=number(price.n_offers),
        date=written_date(price.newest_date),
        low=money(counted.low, currency),
        high=money(counted.high, currency),
    )


def _purchase_caution(answer: MoneyAnswer, scenario: Scenario) -> str:
    """What to know about an old purchase price; blank where it is fresh or the reader's own."""
    price, currency = answer.own_price, scenario.money.currency
    if "gpu_price" in scenario.money.own or not price.n_offers or not price.stale:
        return ""
    return t(
        "source.old_price",
        gpu=short_gpu_name(scenario.hardware.gpu),
        condition=t(f"source.condition.{price.condition}"),
        n=number(price.n_offers),
        date=written_date(price.newest_date),
        low=money(price.low, currency),
        high=money(price.high, currency),
        move=percent(YEARLY_MOVE[price.condition] - 1),
    )


def unit_costs(answer: MoneyAnswer, scenario: Scenario) -> pd.DataFrame:
    """Cost of a useful card-hour, a run, a billion tokens and, where asked, a point of quality: owned and rented."""
    currency, points = scenario.money.currency, scenario.money.quality_points
    own, rent = answer.own_cost_per_run, answer.rent_cost_per_run
    rows = [
        (t("unit_cost.hour"), answer.own_cost_per_hour, answer.result.rent_cost_per_useful_gpu_hour),
        (t("unit_cost.run"), own, rent),
        (t("unit_cost.tokens"), cost_per_billion_tokens(scenario, own), cost_per_billion_tokens(scenario, rent)),
    ]
    if points:
        name = t("unit_cost.point", points=number(points))
        rows.append((name, answer.own_cost_per_point, answer.rent_cost_per_point))
    return pd.DataFrame(
        {
            t("unit_cost.what"): [name for name, _, _ in rows],
            t("unit_cost.owned", currency=currency): [money_number(value) for _, value, _ in rows],
            t("unit_cost.rented", currency=currency): [money_number(value) for _, _, value in rows],
        }
    )


def unit_cost_table(answer: MoneyAnswer, scenario: Scenario) -> None:
    """What one unit of work costs on either side."""
    frame = unit_costs(answer, scenario)
    st.markdown(f"#### {t('unit_cost.title')}")
    st.dataframe(
        frame,
        hide_index=True,
        width="stretch",
        key="unit_costs",
        column_config={name: st.column_config.TextColumn(alignment="right") for name in frame.columns[1:]},
    )
    st.caption(t("unit_cost.note"))


def bill(answer: MoneyAnswer, scenario: Scenario, side: Literal["own", "rent"]) -> None:
    """One side's total built up from its lines."""
    terms, lines = scenario.money, answer.own_lines if side == "own" else answer.rent_lines
    subtitle = money_line(scenario)
    if side == "rent":
        price = money(answer.costs.rent.price_per_gpu_hour, terms.currency)
        subtitle = t("source.billed", hours=number(answer.billed_gpu_hours, 6), price=price)
    title = waterfall_title(lines, terms.horizon_months, terms.currency, side)
    figure = waterfall(
        lines, Heading(title, subtitle, price_line(answer, scenario)), currency=terms.currency, side=side
    )
    name = "cost-of-owning" if side == "own" else "cost-of-renting"
    show_chart(figure, name, table_of_lines(lines, line_words(lines)), scenario)


def line_words(lines: Iterable[str]) -> dict[str, Any]:
    """Cost lines in words."""
    return {name: line_name(name) for name in lines}
