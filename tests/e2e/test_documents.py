"""A person saves every document: both languages, both themes; the files open and say what the page said."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from PIL import Image
from pptx import Presentation
from pypdf import PdfReader
from steps import READY

from calc.answers import money
from calc.scenario import scenario_from_flat
from calc.tables import load_tables
from ui.i18n import use_language
from ui.links import decode
from ui.slides import slides

pytestmark = pytest.mark.e2e

ENDINGS = {"deck": ".pptx", "workbook": ".xlsx", "report": ".html", "tables": ".zip", "scenario": ".json"}
CENT = 0.005


def save(page: Any, selector: str) -> tuple[str, bytes]:
    """Presses a button and returns the name and content of the file it gives."""
    with page.expect_download(timeout=60_000) as download:
        page.locator(selector).click()
    return str(download.value.suggested_filename), Path(download.value.path()).read_bytes()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_document_is_saved_and_opens(browser: Any, address: str, tmp_path: Path, code: str, theme: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=theme, accept_downloads=True)
    page = context.new_page()
    page.goto(f"{address}/export?lang={code}")
    page.wait_for_selector(".st-key-download_scenario button", timeout=60_000)
    page.wait_for_selector(".st-key-copy_link button", timeout=60_000)
    page.wait_for_selector(READY)
    files = {name: save(page, f".st-key-download_{name} button") for name in ENDINGS}
    for name, (file_name, content) in files.items():
        assert file_name.endswith(f"llama-3.1-8b_lora_1x-rtx-4090{ENDINGS[name]}")
        assert len(content) > 1_000
    now = scenario_from_flat(decode(page.evaluate("new URL(location.href).searchParams.get('s')")).values)
    known = load_tables()
    with use_language(code):
        entries, answer = slides(now, known), money(now, known)

    pages = Presentation(io.BytesIO(files["deck"][1])).slides
    assert [entry.title for entry in entries[:-1]] == [slide.shapes.title.text for slide in pages][: len(entries) - 1]
    link = next(rel.target_ref for rel in pages[0].part.rels.values() if rel.is_external)
    assert link.startswith(f"{address}/?s=")
    assert len(link) < 2_000

    book = openpyxl.load_workbook(io.BytesIO(files["workbook"][1]), data_only=True)
    for name, value in (("own_total", answer.own_total), ("rent_total", answer.rent_total), ("saving", answer.saving)):
        sheet, cell = next(iter(book.defined_names[f"answer_{name}"].destinations))
        assert book[sheet][cell].value == pytest.approx(value, abs=CENT)

    with zipfile.ZipFile(io.BytesIO(files["tables"][1])) as archive:
        assert archive.testzip() is None
        assert archive.read("cash-flows.csv").startswith(b"\xef\xbb\xbf")

    check_report(context, files["report"][1], entries[0].title, tmp_path)
    check_camera(page)
    _, charts = save(page, "[data-testid=chart-zip-png]")
    with zipfile.ZipFile(io.BytesIO(charts)) as archive:
        assert len(archive.namelist()) == sum(entry.figure is not None for entry in entries)
        assert archive.testzip() is None
    context.close()


def check_report(context: Any, content: bytes, title: str, folder: Path) -> None:
    """The report asks nothing of any server, has no errors, and prints on at most two pages of A4."""
    (folder / "report.html").write_bytes(content)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((folder / "report.html").as_uri())
    assert page.locator("h1").inner_text() == title
    assert [address for address in asked if not address.startswith(("file:", "data:"))] == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.pdf(path=folder / "report.pdf", prefer_css_page_size=True, print_background=True)
    printed = PdfReader(folder / "report.pdf").pages
    assert len(printed) <= 2
    assert float(printed[0].mediabox.width) == pytest.approx(595, abs=2)
    page.close()


def check_camera(page: Any) -> None:
    """The preview's camera saves a large white picture, from a dark page as well."""
    chart = page.locator("[data-testid=stPlotlyChart]").last
    chart.hover()
    with page.expect_download() as download:
        chart.locator(".modebar-btn").first.click()
    with Image.open(download.value.path()) as picture:
        width, height = picture.size
        corners = [picture.convert("RGB").getpixel((x, y)) for x in (0, width - 1) for y in (0, height - 1)]
    assert width >= 1920
    assert height >= 1080
    assert set(corners) == {(255, 255, 255)}
