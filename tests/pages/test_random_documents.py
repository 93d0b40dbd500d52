"""Any scenario that the widgets allow makes every document, and its workbook holds the app's totals."""

from __future__ import annotations

import io
import re
from typing import Any

import openpyxl
import pytest
from app_driver import scenarios
from hypothesis import given, settings
from pydantic import ValidationError

from calc.answers import money
from calc.scenario import scenario_from_flat
from calc.tables import load_tables
from ui.documents.deck import deck
from ui.documents.report import report
from ui.documents.workbook import workbook
from ui.slides import slides

TABLES = load_tables()


@settings(max_examples=4)
@given(scenarios())
def test_every_document_is_made(fields: dict[str, Any]) -> None:
    try:
        now = scenario_from_flat(fields)
    except ValidationError:
        return  # the sidebar keeps the last valid scenario
    entries = slides(now, TABLES)
    assert deck(entries, now, TABLES).startswith(b"PK")
    assert not re.search(rb'="[^"]*\b(nan|inf)\b', report(entries, now, TABLES))
    answer = money(now, TABLES)
    book = openpyxl.load_workbook(io.BytesIO(workbook(now, TABLES)), data_only=True)
    for name, value in (("own_total", answer.own_total), ("rent_total", answer.rent_total)):
        sheet, cell = next(iter(book.defined_names[f"answer_{name}"].destinations))
        assert book[sheet][cell].value == pytest.approx(value, rel=1e-12, abs=0.005)
