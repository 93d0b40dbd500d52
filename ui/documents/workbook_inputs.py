"""Sheet of inputs: every figure that the formulas use, with unit, range and source; and the job itself."""

from __future__ import annotations

from typing import Any

from calc.answers import MoneyAnswer
from calc.cost_scenario import MONEY_FIELDS, CostScenario, OwnCost, RentCost, bounds_of, value_of
from calc.scenario import MODEL_CUSTOM, Scenario
from ui.assumption_words import source_words
from ui.charts.money_views import SHARE_FIELDS
from ui.cost_lines import field_name
from ui.documents.workbook_style import Book
from ui.format import number
from ui.i18n import t
from ui.inputs_widgets import option_label
from ui.state import choices, label

TERMS = ("horizon_months", "hours_per_month", "utilisation", "discount_rate")
_CHOSEN = ("hours_per_month", "own.num_gpus", "rent.always_on", "rent.relative_speed")
FIXED = ("horizon_months",)  # the months on the sheet of cash flows are written out
_LEAST = 1e-6
_HEADS = (
    *("cost.column_field", "slides.column.value", "cost.column_unit", "cost.column_low", "cost.column_typical"),
    *("cost.column_high", "terms.source", "terms.url", "cost.column_date", "document.cell_name"),
)
_WIDTHS = (34, 15, 9, 12, 12, 12, 52, 46, 12, 34)
_UNITS = {"_hours": "h", "hours_": "h", "_w": "W", "_months": "unit.month", "_gb": "GB", "_gb_per_month": "GB"}


def name_of(path: str) -> str:
    """Name of the cell that holds a field of the cost scenario: ``own.gpu_price`` is ``own_gpu_price``."""
    return path.replace(".", "_")


def cost_paths() -> list[str]:
    """Every field of the cost scenario that a formula may use, the shared terms first."""
    own = [f"own.{name}" for name in OwnCost.model_fields]
    return [*TERMS, *own, *(f"rent.{name}" for name in RentCost.model_fields)]


def is_money(path: str) -> bool:
    """Whether the field is an amount in the scenario's currency."""
    side, _, name = path.rpartition(".")
    return name in MONEY_FIELDS.get(side, ())


def _style(path: str) -> str:
    name = path.rpartition(".")[2]
    return "share" if name in SHARE_FIELDS else "amount" if is_money(path) else "number"


def _unit(path: str, currency: str) -> str:
    name = path.rpartition(".")[2]
    if is_money(path):
        return currency
    if name in SHARE_FIELDS:
        return "%"
    for part, unit in _UNITS.items():
        if name.endswith(part) or name.startswith(part):
            return t("document.unit.month") if unit == "unit.month" else unit
    return ""


def _typed(path: str, scenario: Scenario) -> bool:
    side, _, name = path.rpartition(".")
    return name in {"own": scenario.money.own, "rent": scenario.money.rent}.get(side, {})


def inputs_sheet(book: Book, scenario: Scenario, answer: MoneyAnswer) -> None:
    """Writes the sheet and names the cell of every field (see ``name_of``)."""
    sheet = t("document.sheet.inputs")
    page = book.sheet(sheet, _WIDTHS, repeat_row=3)
    book.text(page, 0, 0, sheet, "title")
    book.text(page, 1, 0, t("document.inputs_help"), "line")
    for column, key in enumerate(_HEADS):
        book.text(page, 3, column, t(key), "head")
    page.freeze_panes(4, 1)
    known = {entry.field: entry for entry in answer.assumptions}
    row = 4
    for section, paths in _sections():
        book.text(page, row, 0, section, "section")
        row += 1
        for path in paths:
            _input_row(book, page, row, path, answer.costs, known.get(path), _typed(path, scenario))
            book.name(name_of(path), sheet, row, 1)
            row += 1
    _job(book, page, row + 1, scenario)


def _sections() -> list[tuple[str, list[str]]]:
    paths = cost_paths()
    return [
        (t("group.money"), list(TERMS)),
        (t("field.own"), [path for path in paths if path.startswith("own.")]),
        (t("field.rent"), [path for path in paths if path.startswith("rent.")]),
    ]


def _input_row(book: Book, page: Any, row: int, path: str, costs: CostScenario, known: Any, typed: bool) -> None:
    style, value = _style(path), float(value_of(costs, path))
    book.text(page, row, 0, field_name(path), "cell")
    book.number(page, row, 1, value, style if path in FIXED else f"{style}_input")
    book.text(page, row, 2, _unit(path, book.currency), "cell")
    for column, end in enumerate(("low", "typical", "high"), start=3):
        book.number(page, row, column, getattr(known, end) if known else None, style)
    book.text(page, row, 6, _source(path, known, typed), "small")
    book.text(page, row, 7, known.url if known and not typed else "", "small")
    book.text(page, row, 8, known.date if known and not typed else "", "small")
    book.text(page, row, 9, name_of(path), "small")
    if known and not typed:
        book.tall(page, row, (known.source, _WIDTHS[6]), (known.url, _WIDTHS[7]))
    _limit(page, row, path, value)


def _source(path: str, known: Any, typed: bool) -> str:
    if path in FIXED:
        return t("document.fixed_here")
    if typed:
        return t("document.typed")
    return source_words(known.source) if known else t("document.chosen" if path in _CHOSEN else "document.neutral")


def _limit(page: Any, row: int, path: str, value: float) -> None:
    low, high = (value, value) if path in FIXED else bounds_of(path)
    low = max(low, _LEAST) if low > 0 else low  # "above zero" is the smallest number there is, not one to write
    if path.endswith("always_on"):
        low, high = 0.0, 1.0
    limits = {"validate": "decimal", "error_title": field_name(path)[:32], "error_type": "stop"}
    if high < float("inf"):
        said = t("problem.range", low=number(low), high=number(high))
        page.data_validation(
            row, 1, row, 1, {**limits, "criteria": "between", "minimum": low, "maximum": high, "error_message": said}
        )
    else:
        said = t("problem.at_least", low=number(low))
        page.data_validation(row, 1, row, 1, {**limits, "criteria": ">=", "value": low, "error_message": said})


def _job(book: Book, page: Any, row: int, scenario: Scenario) -> None:
    book.text(page, row, 0, t("document.job"), "section")
    book.text(page, row + 1, 0, t("document.job_help"), "line")
    row += 2
    for part in (scenario.workload, scenario.setup, scenario.hardware):
        for name, value in part.model_dump().items():
            if name.startswith("custom_") and scenario.workload.model != MODEL_CUSTOM:
                continue
            book.text(page, row, 0, label(name), "cell")
            if isinstance(value, bool):
                book.text(page, row, 1, t("document.yes" if value else "document.no"), "cell")
            elif isinstance(value, int | float):
                book.number(page, row, 1, value, "number")
            else:
                book.text(page, row, 1, option_label(name, value) if value in choices(name) else value, "value")
            row += 1
