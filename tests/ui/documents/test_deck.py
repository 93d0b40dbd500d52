"""The deck: native charts and tables, the scenario's messages, notes, Chinese fonts, and LibreOffice opens it whole."""

from __future__ import annotations

import io
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from document_scenarios import HOPELESS, LINK, scenario, tables
from office import convert
from pptx import Presentation
from pptx.oxml.ns import qn
from pypdf import PdfReader

from calc.answers import money
from ui.charts.palette import OWN, RENT
from ui.documents.deck import deck
from ui.i18n import use_language
from ui.slides import Slide, slides

CHARTS = ("vram-fit", "training-time", "own-versus-rent", "cost-of-owning", "what-matters")


@cache
def made(name: str, code: str = "en") -> tuple[list[Slide], bytes]:
    now = scenario(name)
    with use_language(code):
        entries = slides(now, tables())
        return entries, deck(entries, now, tables(), LINK)


def opened(name: str, code: str = "en") -> Any:
    return Presentation(io.BytesIO(made(name, code)[1]))


def texts(slide: Any) -> str:
    return "\n".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_slide_says_what_the_list_of_slides_says(code: str) -> None:
    entries, _ = made("yuan", code)
    pages = list(opened("yuan", code).slides)
    for entry, page in zip(entries, pages, strict=False):
        if entry.key != "assumptions":
            assert page.shapes.title.text == entry.title.replace("**", "")
            assert entry.subtitle in texts(page)
            assert entry.source in texts(page)
        assert page.notes_slide.notes_text_frame.text == entry.notes
        assert page.slide_layout.name == "Title Only"


def test_charts_are_native_described_and_hold_the_numbers() -> None:
    entries, _ = made("yuan")
    answer = money(scenario("yuan"), tables())
    for entry, page in zip(entries, opened("yuan").slides, strict=False):
        charts = [shape for shape in page.shapes if shape.has_chart]
        assert len(charts) == (entry.key in CHARTS)
        for shape in charts:
            assert shape._element.nvGraphicFramePr.cNvPr.get("descr").startswith(entry.title)
            assert shape.chart.part.chart_workbook.xlsx_part is not None  # "Edit data" works
        if entry.key == "own-versus-rent":
            own, rent = list(charts[0].chart.plots[0].series)[:2]
            assert list(own.values) == pytest.approx(answer.cumulative["own"].tolist())
            assert list(rent.values) == pytest.approx(answer.cumulative["rent"].tolist())
            assert str(own.format.line.color.rgb) == OWN.lstrip("#")
            assert str(rent.format.line.color.rgb) == RENT.lstrip("#")


def test_every_assumption_is_listed_in_few_rows_a_slide() -> None:
    entries, _ = made("loan")
    wanted = next(entry.table for entry in entries if entry.key == "assumptions")
    assert wanted is not None
    pages = list(opened("loan").slides)[len(entries) - 1 :]
    tables_found = [shape.table for page in pages for shape in page.shapes if shape.has_table]
    rows = [row.cells[0].text for table in tables_found for row in list(table.rows)[1:]]
    assert rows == wanted.iloc[:, 0].tolist()
    assert max(len(table.rows) for table in tables_found) <= 12


def test_fonts_carry_chinese_and_texts_know_their_language() -> None:
    file = opened("yuan", "zh")
    theme = next(rel.target_part for rel in file.slide_master.part.rels.values() if rel.reltype.endswith("/theme"))
    assert theme.blob.decode().count('ea typeface="Microsoft YaHei"') == 2
    tags = {run.get("lang") for page in file.slides for run in page.element.iter(qn("a:rPr"))}
    assert tags == {"zh-CN"}


def test_nothing_leaves_the_slide_and_titles_have_room() -> None:
    for file in (opened("yuan"), opened("yuan", "zh"), opened("loan")):
        for page in file.slides:
            for shape in page.shapes:
                assert shape.left >= 0
                assert shape.top >= 0
                assert shape.left + shape.width <= file.slide_width
                assert shape.top + shape.height <= file.slide_height


def test_the_link_is_on_the_first_and_the_last_slide() -> None:
    pages = list(opened("loan").slides)
    for page in (pages[0], pages[-1]):
        assert any(rel.is_external and rel.target_ref == LINK for rel in page.part.rels.values())
    pictures = [shape for shape in pages[0].shapes if shape.shape_type == 13]
    assert len(pictures) == 1
    assert pictures[0].width == pictures[0].height


def test_a_card_without_prices_and_a_job_too_large_still_make_a_deck() -> None:
    now = scenario("default", **HOPELESS)
    entries = slides(now, tables())
    file = Presentation(io.BytesIO(deck(entries, now, tables())))
    assert len(file.slides) >= 4
    assert not any(shape.shape_type == 13 for shape in file.slides[0].shapes)


def test_made_in_under_a_second_of_work() -> None:
    entries, _ = made("yuan")
    now = scenario("yuan")
    start = time.process_time()
    deck(entries, now, tables(), LINK)
    assert time.process_time() - start < 1.0


@pytest.mark.e2e
def test_libreoffice_opens_every_slide(tmp_path: Path) -> None:
    sources = []
    for name, code in (("yuan", "en"), ("yuan", "zh")):
        sources.append(tmp_path / f"{name}_{code}.pptx")
        sources[-1].write_bytes(made(name, code)[1])
    for (name, code), pdf in zip((("yuan", "en"), ("yuan", "zh")), convert(sources, "pdf", tmp_path), strict=True):
        pages = PdfReader(pdf).pages
        slides_made = opened(name, code).slides
        assert len(pages) == len(slides_made)
        assert float(pages[0].mediabox.width) / float(pages[0].mediabox.height) == pytest.approx(16 / 9, rel=0.01)
        first = "".join(pages[0].extract_text().split())
        assert "".join(slides_made[0].shapes.title.text.split()) in first
