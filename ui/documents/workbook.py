"""The Excel workbook: the answer, every input, all cards, and the cash flows as live formulas."""

from __future__ import annotations

from typing import Any

from calc.answers import Headline, MoneyAnswer, headline
from calc.scenario import Scenario
from calc.tables import Tables
from ui.charts.palette import GRID, INK, OWN, RENT
from ui.charts.titles import crossover_title
from ui.documents.workbook_flows import FlowCells, flows_sheet
from ui.documents.workbook_gpus import gpus_sheet
from ui.documents.workbook_inputs import inputs_sheet
from ui.documents.workbook_money import amounts_sheet
from ui.documents.workbook_style import Book
from ui.i18n import t
from ui.money_parts import use_share
from ui.sentences import money_line, overview_sentence

_FIRST_FIGURE = 5
_CHART_ROW = 16


def workbook(scenario: Scenario, tables: Tables, link: str = "") -> bytes:
    """The .xlsx file of a scenario in the language in use. ``link``: address that opens the scenario, if known.

    Raises pydantic.ValidationError where an overridden cost line is out of its range.
    """
    answer = headline(scenario, tables)
    money = answer.money
    book = Book(overview_sentence(scenario, answer).replace("**", ""), scenario.money.currency)
    front = book.sheet(t("document.sheet.answer"), (46, 24, 24, 3, 3, 3, 3, 3), pages=(1, 1))
    inputs_sheet(book, scenario, money)
    gpus_sheet(book, scenario, tables, money)
    amounts_sheet(book, money.costs)
    flows = flows_sheet(book, money)
    _front(book, front, scenario, answer, flows, link)
    return book.close()


def _front(book: Book, page: Any, scenario: Scenario, answer: Headline, flows: FlowCells, link: str) -> None:
    money = answer.money
    book.text(page, 0, 0, t("document.title"), "title")
    page.merge_range(1, 0, 1, 7, "", book.style("sentence"))
    book.text(page, 1, 0, overview_sentence(scenario, answer).replace("**", ""), "sentence")
    page.set_row(0, 26)
    page.set_row(1, 66)
    book.text(page, 2, 0, money_line(scenario), "line")
    for column, key in enumerate(("slides.column.figure", "document.live", "document.at_download")):
        book.text(page, _FIRST_FIGURE - 1, column, t(key), "head")
    for row, (name, formula, value, style) in enumerate(_figures(money, flows), start=_FIRST_FIGURE):
        book.text(page, row, 0, t(f"document.figure.{name}"), "key")
        blank = value is None
        book.formula(page, row, 1, formula, t("document.no_month") if blank else value, style)
        if blank:
            book.text(page, row, 2, t("document.no_month"), style)
        else:
            book.number(page, row, 2, value, style)
        book.name(f"answer_{name}", t("document.sheet.answer"), row, 1)
    book.text(page, _CHART_ROW - 2, 0, t("document.live_help"), "line")
    if link:
        page.write_url(_CHART_ROW - 1, 0, link, book.style("line"), t("document.open_scenario"))
    described = f"{_chart_title(scenario, money)}. {money_line(scenario)}"
    page.insert_chart(
        _CHART_ROW, 0, _chart(book, scenario, money, flows), {"object_position": 2, "description": described}
    )


def _figures(money: MoneyAnswer, flows: FlowCells) -> list[tuple[str, str, float | None, str]]:
    def first_month(column: str) -> str:
        months = flows.months(column)
        return f'=IF(COUNT({months})=0,"{t("document.no_month")}",MIN({months}))'

    factors = flows.months("factor")
    value = f"=SUMPRODUCT({factors},{flows.months('rent_total')}-{flows.months('own_total')})"
    return [
        ("own_total", f"=SUM({flows.months('own_total')})", money.own_total, "key_money"),
        ("rent_total", f"=SUM({flows.months('rent_total')})", money.rent_total, "key_money"),
        ("saving", "=answer_rent_total-answer_own_total", money.saving, "key_money"),
        ("npv_saving", value, money.result.npv_saving, "key_money"),
        ("pay_back", first_month("pay_back"), money.crossover_month_cash, "key_number"),
        ("pay_back_value", first_month("pay_back_value"), money.crossover_month_npv, "key_number"),
        ("capex", "=capex", money.result.capex, "key_money"),
        ("monthly_payment", "=monthly_payment", money.result.monthly_payment, "key_money"),
    ]


def _chart_title(scenario: Scenario, money: MoneyAnswer) -> str:
    horizon = scenario.money.horizon_months
    return crossover_title(money.crossover_month_cash, use_share(scenario), horizon, money.saving)


def _chart(book: Book, scenario: Scenario, money: MoneyAnswer, flows: FlowCells) -> Any:
    chart = book.file.add_chart({"type": "scatter", "subtype": "straight"})
    for name, colour, word in (("own_cumulative", OWN, "own"), ("rent_cumulative", RENT, "rent")):
        chart.add_series(
            {
                "name": t(f"chart.money.{word}"),
                "categories": f"={flows.months('month')}",
                "values": f"={flows.months(name)}",
                "line": {"color": colour, "width": 2.5},
                "marker": {"type": "none"},
            }
        )
    font = {"color": INK, "bold": False}
    line = {"color": GRID}
    chart.set_title({"name": _chart_title(scenario, money), "name_font": {"size": 14, "color": INK}, "overlay": False})
    axis = {"num_font": font, "name_font": font, "line": line}
    chart.set_x_axis(
        {
            **axis,
            "name": t("chart.column.month"),
            "min": 0,
            "max": scenario.money.horizon_months,
            "major_gridlines": {"visible": False},
        }
    )
    chart.set_y_axis(
        {
            **axis,
            "name": f"{t('document.paid')} ({book.currency})",
            "num_format": "#,##0",
            "major_gridlines": {"visible": True, "line": line},
        }
    )
    chart.set_legend({"position": "top"})
    chart.set_size({"width": 860, "height": 400})
    chart.set_chartarea({"border": {"none": True}})
    return chart
