"""Text boxes, tables and the theme of the slides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from lxml import etree
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml.ns import qn
from pptx.presentation import Presentation
from pptx.util import Inches, Length, Pt

from ui.charts.palette import GRID, INK, MUTED, PALETTE, PAPER

LATIN_FONT, CHINESE_FONT = "Calibri", "Microsoft YaHei"
_LANGUAGE_TAGS = {"en": "en-US", "zh": "zh-CN"}
_PLAIN_TABLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"  # PowerPoint's "No Style, No Grid"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def colour(hex_code: str) -> RGBColor:
    """``#RRGGBB`` as PowerPoint takes it."""
    return RGBColor.from_string(hex_code.lstrip("#"))


def set_theme(deck: Presentation) -> None:
    """House fonts (Latin and Chinese) and colours, so that edited and new parts keep the look."""
    part = deck.slide_master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    theme = etree.fromstring(part.blob)
    for font in theme.iter(f"{{{_DRAWING}}}majorFont", f"{{{_DRAWING}}}minorFont"):
        font.find(f"{{{_DRAWING}}}latin").set("typeface", LATIN_FONT)
        font.find(f"{{{_DRAWING}}}ea").set("typeface", CHINESE_FONT)
        for script in font.findall(f"{{{_DRAWING}}}font"):
            if script.get("script") == "Hans":
                script.set("typeface", CHINESE_FONT)
    scheme = theme.find(f".//{{{_DRAWING}}}clrScheme")
    named = {
        "dk1": INK,
        "dk2": INK,
        "lt2": "#F4F6F9",
        **{f"accent{place}": PALETTE[place - 1] for place in range(1, 7)},
    }
    for name, code in named.items():
        slot = scheme.find(f"{{{_DRAWING}}}{name}")
        slot.clear()
        etree.SubElement(slot, f"{{{_DRAWING}}}srgbClr", val=code.lstrip("#"))
    part._blob = etree.tostring(theme, xml_declaration=True, encoding="UTF-8", standalone=True)


def set_language(deck: Presentation, code: str) -> None:
    """Marks every text with its language, for spelling, screen readers and the choice of the Chinese font."""
    for slide in deck.slides:
        for properties in slide.element.iter(qn("a:rPr"), qn("a:endParaRPr")):
            properties.set("lang", _LANGUAGE_TAGS[code])


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Pieces of a text with ``**bold**`` marks, each with whether it is bold."""
    for place, piece in enumerate(re.split(r"\*\*", text)):
        if piece:
            yield piece, place % 2 == 1


def write(paragraph: Any, text: str, size: float, ink: str = INK, *, bold: bool = False, link: str = "") -> None:
    """Adds text to a paragraph; parts between ``**`` are bold."""
    for piece, strong in _pieces(text):
        run = paragraph.add_run()
        run.text = piece
        run.font.size, run.font.bold = Pt(size), bold or strong
        if link:
            run.hyperlink.address = link
        else:
            run.font.color.rgb = colour(ink)


def text_box(slide: Any, box: Sequence[float], text: str, size: float, ink: str = INK, **options: Any) -> Any:
    """A text box at (left, top, width, height) in inches. options: ``bold``, ``link``, ``align``, ``anchor``."""
    shape = slide.shapes.add_textbox(*(Inches(value) for value in box))
    frame = shape.text_frame
    frame.word_wrap = True
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    frame.vertical_anchor = options.pop("anchor", MSO_ANCHOR.TOP)
    frame.paragraphs[0].alignment = options.pop("align", PP_ALIGN.LEFT)
    write(frame.paragraphs[0], text, size, ink, **options)
    return shape


def describe(shape: Any, name: str, text: str) -> None:
    """Name and alternative text of a shape."""
    properties = shape._element.xpath(".//p:cNvPr")[0]
    properties.set("name", name)
    properties.set("descr", text)


def _edge(cell: Any, side: str, ink: str, width: Length) -> None:
    properties = cell._tc.get_or_add_tcPr()
    line = etree.SubElement(properties, qn(f"a:{side}"), w=str(int(width)))
    fill = etree.SubElement(line, qn("a:solidFill"))
    etree.SubElement(fill, qn("a:srgbClr"), val=ink.lstrip("#"))


def table(
    slide: Any,
    box: Sequence[float],
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    *,
    size: float = 12,
    fills: Mapping[tuple[int, int], tuple[str, str]] | None = None,
    strong: Sequence[int] = (),
    name: str = "",
    description: str = "",
) -> Any:
    """A native table; the first row is the header.

    box: left, top, width, height in inches. widths: shares of the width. fills: (row, column) to fill and text colour.
    strong: rows in bold type. Columns whose cells are all numbers stand on the right.
    """
    frame = slide.shapes.add_table(len(rows), len(widths), *(Inches(value) for value in box))
    grid = frame.table
    frame._element.xpath(".//a:tableStyleId")[0].text = _PLAIN_TABLE
    grid.horz_banding = False
    for column, share in zip(grid.columns, widths, strict=True):
        column.width = Inches(box[2] * share / sum(widths))
    for line in grid.rows:
        line.height = Inches(box[3] / len(rows))
    right = [_numeric([line[place] for line in rows[1:]]) for place in range(len(widths))]
    for row, line in enumerate(rows):
        for place, text in enumerate(line):
            cell = grid.cell(row, place)
            cell.margin_left = cell.margin_right = Inches(0.06)
            cell.margin_top = cell.margin_bottom = Inches(0.02)
            cell.vertical_anchor = MSO_ANCHOR.MIDDLE
            paper, ink = (fills or {}).get((row, place), (PAPER, INK if row else MUTED))
            paragraph = cell.text_frame.paragraphs[0]
            paragraph.alignment = PP_ALIGN.RIGHT if right[place] else PP_ALIGN.LEFT
            write(paragraph, text, size, ink, bold=row == 0 or row in strong or (row, place) in (fills or {}))
            _edge(cell, "lnB", GRID if row else INK, Pt(0.75 if row else 1.25))
            if paper != PAPER:
                fill = etree.SubElement(cell._tc.get_or_add_tcPr(), qn("a:solidFill"))
                etree.SubElement(fill, qn("a:srgbClr"), val=paper.lstrip("#"))
    describe(frame, name, description)
    return frame


def _numeric(texts: Sequence[str]) -> bool:
    known = [text for text in texts if text.strip("–− ")]
    return bool(known) and all(re.match(r"^[−\-+]?\d", text) and len(text) < 16 for text in known)


def chunks(total: int, most: int) -> list[tuple[int, int]]:
    """Splits ``total`` rows into parts of nearly equal length, none above ``most``: (first, end) of each."""
    parts = -(-total // most) or 1
    edges = [round(total * place / parts) for place in range(parts + 1)]
    return list(pairwise(edges))
