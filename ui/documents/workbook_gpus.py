"""Sheet that compares every known card: fit, hours and cost of a run."""

from __future__ import annotations

from typing import Any

import pandas as pd

from calc.answers import MoneyAnswer, fit_by_card, time_by_card
from calc.market import at_rates_of, purchase_prices, rental_prices
from calc.scenario import Scenario
from calc.tables import Tables
from ui.charts.palette import VERDICTS
from ui.documents.workbook_style import Book
from ui.i18n import t
from ui.sentences import run_line

_FIT = ("usable_gib", "peak_gib", "low_gib", "high_gib", "share")
_HOURS = ("hours", "hours_low", "hours_high")
_STYLES = {"share": "percent", "tokens_per_s": "whole", "price": "amount", "rent_price": "amount"}
_HEADS = ("gpu", *_FIT, "verdict", *_HOURS, "tokens_per_s", "bottleneck")


def card_comparison(scenario: Scenario, tables: Tables) -> pd.DataFrame:
    """Every card of the tables, those that hold the job first and the fastest of them on top.

    ``price`` and ``rent_price`` are the market's typical ones a card and a card-hour in the scenario's currency.
    """
    money, known = scenario.money, at_rates_of(scenario.money, tables)
    fit, time = fit_by_card(scenario, tables), time_by_card(scenario, tables)
    frame = fit.merge(time.drop(columns=["short", "verdict"]), on="gpu", how="left")
    rent = rental_prices(known, money.market, money.currency)[f"{money.rent_mode}_typical"]
    price = purchase_prices(known, money.market, money.currency)["typical"]
    frame["rent_price"], frame["price"] = frame["gpu"].map(rent), frame["gpu"].map(price)
    order = frame["verdict"].map({"fits": 0, "tight": 0, "no": 1}).fillna(2)
    return frame.assign(order=order).sort_values(["order", "hours"], na_position="last").drop(columns="order")


def gpus_sheet(book: Book, scenario: Scenario, tables: Tables, answer: MoneyAnswer) -> None:
    """Writes the sheet; the rent of a run is a formula of its hours, the number of cards and the price beside it."""
    sheet = t("document.sheet.gpus")
    frame = card_comparison(scenario, tables)
    page = book.sheet(sheet, (40, 11, 11, 11, 11, 11, 14, 12, 12, 12, 13, 20, 16, 16, 16), repeat_row=3)
    book.text(page, 0, 0, sheet, "title")
    book.text(page, 1, 0, f"{run_line(scenario)}. {t('source.memory')} {t('source.time')}", "line")
    heads = [t(f"chart.column.{name}") for name in _HEADS]
    heads += [t(f"document.{name}", currency=book.currency) for name in ("card_price", "hour_price")]
    heads += [t("chart.column.rent_cost", currency=book.currency)]
    page.set_row(3, 32)
    for column, head in enumerate(heads):
        book.text(page, 3, column, head, "head")
    for row, record in enumerate(frame.itertuples(index=False), start=4):
        _card_row(book, page, row, record, record.gpu == scenario.hardware.gpu, answer.costs.own.num_gpus)
    page.autofilter(3, 0, 3 + len(frame), len(heads) - 1)
    page.freeze_panes(4, 1)


def _card_row(book: Book, page: Any, row: int, record: Any, chosen: bool, num_gpus: int) -> None:
    known = record.verdict in VERDICTS
    look = f"verdict_{record.verdict}" if known else "cell"
    book.text(page, row, 0, f"{record.gpu} ◄" if chosen else record.gpu, "cell_bold" if chosen else "cell")
    for column, name in enumerate(_FIT, start=1):
        book.number(page, row, column, getattr(record, name), _STYLES.get(name, "one"))
    book.text(page, row, 6, t(f"chart.verdict.{record.verdict}") if known else "", look)
    for column, name in enumerate((*_HOURS, "tokens_per_s"), start=7):
        book.number(page, row, column, getattr(record, name), _STYLES.get(name, "two"))
    timed = record.hours == record.hours
    book.text(page, row, 11, t(f"chart.bottleneck.{record.bottleneck}") if timed else "", "cell")
    book.number(page, row, 12, record.price, "amount")
    book.number(page, row, 13, record.rent_price, "amount")
    if timed and record.rent_price == record.rent_price:
        cost = record.hours * num_gpus * record.rent_price
        book.formula(page, row, 14, f"=H{row + 1}*own_num_gpus*N{row + 1}", cost, "amount")
    else:
        book.text(page, row, 14, "", "amount")
