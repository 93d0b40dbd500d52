"""Cards and words of the pages about money."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from calc.answers import MoneyAnswer
from calc.answers_prices import cost_per_billion_tokens
from calc.scenario import Scenario
from ui.cards import Card
from ui.charts.money_views import line_name
from ui.format import between, money, money_number, number, percent
from ui.i18n import t
from ui.sentences import pay_back, pay_back_range


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
        (t("card.pay_back"), pay_back(answer), pay_back_range(answer)),
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
