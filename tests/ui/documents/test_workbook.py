"""The workbook: its formulas give what the app says, to the cent, also after an input has been changed."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from document_scenarios import LINK, scenario, tables
from office import convert

from calc.answers import money
from calc.scenario import Scenario
from ui.documents.workbook import workbook
from ui.i18n import t, use_language

CENT = 0.005
CALCULATED = ("loan", "yuan", "spot", "reserved")


def opened(content: bytes, **options: Any) -> Any:
    return openpyxl.load_workbook(io.BytesIO(content), **options)


def figures(book: Any) -> dict[str, Any]:
    """The live column of the front sheet by the name of its cells."""
    found = {}
    for name, defined in book.defined_names.items():
        if name.startswith("answer_"):
            sheet, cell = next(iter(defined.destinations))
            found[name.removeprefix("answer_")] = book[sheet][cell].value
    return found


def expected(now: Scenario) -> dict[str, float | None]:
    answer = money(now, tables())
    return {
        "own_total": answer.own_total,
        "rent_total": answer.rent_total,
        "saving": answer.saving,
        "npv_saving": answer.result.npv_saving,
        "pay_back": answer.crossover_month_cash,
        "pay_back_value": answer.crossover_month_npv,
        "capex": answer.result.capex,
        "monthly_payment": answer.result.monthly_payment,
    }


def assert_same(found: dict[str, Any], now: Scenario) -> None:
    wanted = expected(now)
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        if value is None:
            assert found[name] == t("document.no_month")
        else:
            assert found[name] == pytest.approx(value, abs=CENT), name


@cache
def written(name: str) -> bytes:
    return workbook(scenario(name), tables(), LINK)


@pytest.mark.parametrize("name", ["default", "yuan"])
def test_values_are_there_without_recalculation(name: str) -> None:
    assert_same(figures(opened(written(name), data_only=True)), scenario(name))


@pytest.mark.e2e
def test_libreoffice_calculates_every_cell_to_the_same(tmp_path: Path) -> None:
    """Files saved by openpyxl hold no results, so what comes back was calculated; one has a changed input."""
    sources = []
    for name in CALCULATED:
        sources.append(tmp_path / f"{name}.xlsx")
        opened(written(name)).save(sources[-1])
    changed = opened(written("yuan"))
    sheet, cell = next(iter(changed.defined_names["utilisation"].destinations))
    changed[sheet][cell] = 0.35
    sources.append(tmp_path / "changed.xlsx")
    changed.save(sources[-1])
    books = {path.stem: openpyxl.load_workbook(path, data_only=True) for path in convert(sources, "xlsx", tmp_path)}
    for name in CALCULATED:
        assert_same(figures(books[name]), scenario(name))
        assert differences(opened(written(name), data_only=True), books[name]) == []
    assert_same(figures(books["changed"]), scenario("yuan", utilisation=35.0))


def differences(written: Any, calculated: Any) -> list[str]:
    """Cells whose stored value is not what was calculated."""
    found = []
    for sheet in written:
        for row in sheet.iter_rows():
            for cell in row:
                now = calculated[sheet.title][cell.coordinate].value
                numeric = isinstance(cell.value, int | float) and isinstance(now, int | float)
                same = abs(cell.value - now) < CENT if numeric else (cell.value or None) == (now or None)
                if not same:
                    found.append(f"{sheet.title}!{cell.coordinate}: {cell.value!r}, calculated {now!r}")
    return found


def test_cash_flows_are_formulas_month_by_month() -> None:
    book = opened(written("loan"))
    sheet = book[t("document.sheet.flows")]
    months = [row for row in sheet.iter_rows(min_row=6) if row[0].value is not None]
    assert [row[0].value for row in months] == list(range(25))
    assert all(str(cell.value).startswith("=") for row in months for cell in row[1:])
    assert sheet.freeze_panes == "B6"


def test_columns_of_cash_flows_have_room_for_their_bold_totals() -> None:
    now = scenario("yuan", num_gpus=8192)
    sheet = opened(workbook(now, tables(), LINK))[t("document.sheet.flows")]
    total = f"{money(now, tables()).own_total:,.2f}"
    assert len(total) > 13
    shared = sheet.column_dimensions["B"]  # columns of one width are written as one range
    assert shared.max == sheet.max_column
    assert shared.width >= len(total) + 2


def test_every_input_has_unit_range_source_and_a_name() -> None:
    book = opened(written("yuan"))
    sheet = book[t("document.sheet.inputs")]
    rows = {row[9].value: [cell.value for cell in row] for row in sheet.iter_rows(min_row=5) if row[9].value}
    assert set(rows) <= set(book.defined_names)
    assert {"own_gpu_price", "rent_price_per_gpu_hour", "utilisation", "discount_rate"} <= set(rows)
    for name in ("own_electricity_price", "own_resale_fraction", "discount_rate"):
        assert None not in rows[name]
        assert rows[name][3] <= rows[name][4] <= rows[name][5]
    assert rows["own_gpu_price"][1] == 20_000
    assert rows["own_gpu_price"][6] == t("document.typed")


def test_text_stays_text() -> None:
    """Whatever a text starts with, its cell holds a string, not a formula."""
    sheets = {t(f"document.sheet.{name}") for name in ("inputs", "gpus")}
    for sheet in sheets:
        formulas = [c for row in opened(written("default"))[sheet].iter_rows() for c in row if c.data_type == "f"]
        assert all("own_num_gpus" in str(cell.value) for cell in formulas)


def test_hostile_text_is_written_as_text() -> None:
    from ui.documents.workbook_style import Book

    book = Book("=1+1", "USD")
    page = book.sheet("=cmd", (10,))
    hostile = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "{=1}", "http://x.example")
    for row, text in enumerate(hostile):
        book.text(page, row, 0, text)
    sheet = opened(book.close())["=cmd"]
    assert [sheet.cell(row + 1, 1).value for row in range(len(hostile))] == list(hostile)
    assert {sheet.cell(row + 1, 1).data_type for row in range(len(hostile))} == {"s"}
    assert all(cell.hyperlink is None for row in sheet.iter_rows() for cell in row)


def test_currency_language_and_chart() -> None:
    with use_language("zh"):
        content = workbook(scenario("yuan"), tables(), LINK)
        book = opened(content)
        order = ("answer", "inputs", "gpus", "amounts", "flows")
        assert book.sheetnames == [t(f"document.sheet.{name}") for name in order]
    front = book.worksheets[0]
    assert "CNY" in front["B6"].number_format
    assert len(front._charts) == 1
    assert any(link.target == LINK for row in front.iter_rows() for cell in row if (link := cell.hyperlink))


def test_comparison_ranks_cards_that_hold_the_job_first() -> None:
    sheet = opened(written("default"), data_only=True)[t("document.sheet.gpus")]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=5)]
    fits = [row[6] in (t("chart.verdict.fits"), t("chart.verdict.tight")) for row in rows]
    assert fits == sorted(fits, reverse=True)
    cost = np.array([row[14] for row in rows if row[14]])
    assert len(cost) > 10
    assert np.all(cost > 0)
