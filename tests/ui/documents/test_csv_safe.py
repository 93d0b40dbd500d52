"""Tables as CSV: nothing is a formula, Chinese is read right, numbers stay numbers."""

from __future__ import annotations

import csv
import io
import zipfile

import pandas as pd
import pytest
from document_scenarios import scenario, tables
from hypothesis import given
from hypothesis import strategies as st

from calc.answers import money
from ui.documents.csv_safe import FORMULA_STARTS, csv_bytes, csv_zip, safe_text
from ui.documents.tables import cash_flows, tables_zip
from ui.i18n import use_language
from ui.slides import slides


@pytest.mark.parametrize(
    "text", ["=1+1", "+SUM(A1)", "-cmd|' /C calc'!A0", "@A1", "\t=1", "\r=1", " =1", "＝1+1", "-inf"]
)
def test_formulas_get_an_apostrophe(text: str) -> None:
    assert safe_text(text) == f"'{text}"


@pytest.mark.parametrize("value", ["RTX 4090", "-4.2", "+1,000", "-44%", "", "−1,036", 3.5, None, "a=b"])
def test_everything_else_stays(value: object) -> None:
    assert safe_text(value) == value


@given(st.text(max_size=30))
def test_no_cell_of_any_text_starts_a_formula(text: str) -> None:
    content = csv_bytes(pd.DataFrame({text: [text]})).decode("utf-8-sig")
    for row in csv.reader(io.StringIO(content, newline="")):
        for cell in row:
            assert (
                not cell.startswith(FORMULA_STARTS)
                or cell.strip("+-,.%eE").replace(",", "").replace(".", "").isdecimal()
            )


def test_excel_sees_the_encoding_and_chinese_comes_back() -> None:
    content = csv_bytes(pd.DataFrame({"显卡": ["一张 RTX 4090"], "小时": [5.75]}))
    assert content.startswith(b"\xef\xbb\xbf")
    back = pd.read_csv(io.BytesIO(content))
    assert back.to_dict("list") == {"显卡": ["一张 RTX 4090"], "小时": [5.75]}


def test_zip_holds_one_file_a_table() -> None:
    content = csv_zip({"a": pd.DataFrame({"x": [1]}), "b": pd.DataFrame({"y": ["=1"]})})
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["a.csv", "b.csv"]
        assert b"'=1" in archive.read("b.csv")


@pytest.mark.parametrize("code", ["en", "zh"])
def test_tables_of_a_scenario(code: str) -> None:
    now = scenario("yuan")
    with use_language(code):
        answer = money(now, tables())
        content = tables_zip(slides(now, tables()), answer, now, tables())
        flows = cash_flows(answer)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = {name.removesuffix(".csv") for name in archive.namelist()}
        frames = {name: pd.read_csv(io.BytesIO(archive.read(f"{name}.csv"))) for name in names}
    assert {"vram-fit", "training-time", "own-versus-rent", "assumptions", "all-cards", "cash-flows"} <= names
    assert len(frames["all-cards"]) == len(tables().devices)
    own = [name for name in flows.columns if name.startswith(("Own:", "自购："))]
    lines = flows[[name for name in flows.columns if ": " in name]]
    assert lines.to_numpy().sum() == pytest.approx(answer.own_total + answer.rent_total, abs=1.0)
    assert code == "zh" or len(own) > 3
    assert len(frames["cash-flows"]) == now.money.horizon_months + 1
