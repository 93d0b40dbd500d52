"""The PowerPoint deck: one message a slide, native charts and tables that can be edited, notes for the speaker."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any
from unicodedata import east_asian_width

import numpy as np
import pandas as pd
from pptx import Presentation
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.util import Inches, Pt

from calc.answers import Headline, fit_by_card, headline, time_by_card
from calc.scenario import Scenario
from calc.tables import Tables
from ui.charts.palette import INK, MUTED, OWN, PAPER, RENT, VERDICTS
from ui.data import overview_gpus
from ui.documents import deck_charts as charts
from ui.documents.deck_parts import chunks, colour, describe, set_language, set_theme, table, text_box
from ui.documents.qr import qr_png
from ui.documents.stacks import memory_stack, paler, time_stack
from ui.format import NOTHING, between, gib_number, hours, money_number, number
from ui.i18n import language, t
from ui.slides import Slide
from ui.time_parts import runnable

_WIDTH, _HEIGHT = 13.333, 7.5  # 16:9, inches
_LEFT, _TOP, _FULL = 0.6, 1.75, 12.13
_BODY = 4.95  # inches of height between subtitle and source line
_TITLE_ONLY = 5  # place of that layout in the package's own template
_LONG_TITLE = 62  # characters that 28 points have room for in one line
_LONG_SENTENCE = 240  # characters that 16 points have room for in two lines
_ROWS_A_SLIDE = 11
_SOURCE_CHARS, _SOURCE_CHARS_CHINESE = 110, 68  # two lines and one of the column of sources
_SWINGS = 10  # assumptions in the chart of what matters


def deck(entries: Sequence[Slide], scenario: Scenario, tables: Tables, link: str = "") -> bytes:
    """The .pptx file of the slides of a scenario, in the language in use.

    entries: ``ui.slides.slides`` of the scenario. link: address that opens the scenario, if known.
    """
    return _Deck(scenario, tables, link).make(entries)


class _Deck:
    """One deck being made."""

    def __init__(self, scenario: Scenario, tables: Tables, link: str) -> None:
        self.scenario, self.tables, self.link = scenario, tables, link
        self.answer: Headline = headline(scenario, tables)
        self.file = Presentation()
        self.file.slide_width, self.file.slide_height = Inches(_WIDTH), Inches(_HEIGHT)
        set_theme(self.file)
        _place_title(self.file.slide_layouts[_TITLE_ONLY])

    def make(self, entries: Sequence[Slide]) -> bytes:
        """The file with all slides in their order."""
        bodies: dict[str, Callable[[Any, Slide], None]] = {
            "answer": self._answer,
            "vram-fit": self._fit,
            "training-time": self._time,
            "own-versus-rent": self._cumulative,
            "who-wins": self._who_wins,
            "cost-of-owning": self._bill,
            "what-matters": self._what_matters,
        }
        for entry in entries:
            if entry.key == "assumptions":
                self._assumptions(entry)
            else:
                bodies[entry.key](self._new(entry), entry)
        set_language(self.file, language())
        self.file.core_properties.title = t("document.title")
        stream = io.BytesIO()
        self.file.save(stream)
        return stream.getvalue()

    def _new(self, entry: Slide, title: str = "") -> Any:
        page = self.file.slides.add_slide(self.file.slide_layouts[_TITLE_ONLY])
        words = (title or entry.title).replace("**", "")
        page.shapes.title.text = words
        size = 28 if len(words.encode("gb18030")) <= _LONG_TITLE else 24
        for run in page.shapes.title.text_frame.paragraphs[0].runs:
            run.font.size = Pt(size)
        text_box(page, (_LEFT, 1.22, _FULL, 0.35), entry.subtitle, 14, MUTED)
        if entry.source != NOTHING:
            text_box(page, (_LEFT, 6.88, 11.2, 0.45), f"{t('terms.source')}: {entry.source}", 10, MUTED)
        place = text_box(page, (12.2, 6.88, 0.53, 0.3), str(len(self.file.slides)), 10, MUTED, align=PP_ALIGN.RIGHT)
        place.name = "page"
        page.notes_slide.notes_text_frame.text = entry.notes
        return page

    def _answer(self, page: Any, entry: Slide) -> None:
        room = _FULL - (2.5 if self.link else 0)
        text_box(page, (_LEFT, _TOP + 0.05, room, 2.2), entry.sentence, 22)
        width = (_FULL - 3 * 0.2) / 4
        for place, (name, value, below) in enumerate(entry.cards):
            self._card(page, _LEFT + place * (width + 0.2), width, (name, value, below))
        if self.link:
            self._code(page, 11.0, _TOP, 1.75)

    def _card(self, page: Any, left: float, width: float, card: tuple[str, str, str]) -> None:
        shape = page.shapes.add_shape(1, Inches(left), Inches(4.45), Inches(width), Inches(1.95))
        shape.fill.solid()
        shape.fill.fore_color.rgb = colour("#F4F6F9")
        shape.line.fill.background()
        shape._element.remove(shape._element.find(qn("p:style")))  # the theme's shadow comes with it
        describe(shape, card[0], f"{card[0]}: {card[1]}")
        name, value, below = card
        text_box(page, (left + 0.2, 4.6, width - 0.4, 0.3), name, 14, MUTED)
        text_box(page, (left + 0.2, 4.98, width - 0.4, 0.6), value, 28 if len(value) < 16 else 20, bold=True)
        text_box(page, (left + 0.2, 5.72, width - 0.4, 0.6), below, 13, MUTED)

    def _code(self, page: Any, left: float, top: float, size: float) -> None:
        picture = page.shapes.add_picture(io.BytesIO(qr_png(self.link)), Inches(left), Inches(top), Inches(size))
        describe(picture, "QR", t("document.qr"))
        text_box(page, (left, top + size, size, 0.3), t("document.open"), 11, link=self.link, align=PP_ALIGN.CENTER)

    def _sentence(self, page: Any, entry: Slide, top: float = 5.95) -> None:
        size = 16 if len(entry.sentence) < _LONG_SENTENCE else 14
        text_box(page, (_LEFT, top, _FULL, 0.8), entry.sentence, size, anchor=MSO_ANCHOR.MIDDLE)

    def _fit(self, page: Any, entry: Slide) -> None:
        chosen = self.scenario.hardware.gpu
        frame = fit_by_card(self.scenario, self.tables, overview_gpus(self.scenario))
        frame = frame[frame["verdict"].isin(VERDICTS)].reset_index(drop=True)
        self._sentence(page, entry)
        if frame.empty:
            return
        stack = memory_stack(frame, chosen)
        box = (_LEFT, _TOP, 7.9, 4.2)
        charts.stack_chart(page, box, stack, t("chart.axis.gib_usable"), _words(entry), named=True)
        heads = [t(f"chart.column.{name}") for name in ("gpu", "usable_gib", "peak_gib", "verdict")]
        rows = [[r.short, gib_number(r.usable_gib), gib_number(r.peak_gib), _verdict(r)] for r in frame.itertuples()]
        self._cards_table(page, entry, frame, [heads, *rows], 3)

    def _time(self, page: Any, entry: Slide) -> None:
        frame = runnable(time_by_card(self.scenario, self.tables, overview_gpus(self.scenario)))
        frame = frame[frame["verdict"].isin(VERDICTS)].reset_index(drop=True)
        self._sentence(page, entry)
        if frame.empty:
            return
        box = (_LEFT, _TOP, 6.5, 4.2)
        charts.stack_chart(page, box, time_stack(frame), t("chart.axis.hours"), _words(entry), named=False)
        currency = self.scenario.money.currency
        heads = [t("chart.column.gpu"), t("card.time"), t("document.range")]
        heads += [t("chart.column.rent_cost", currency=currency), t("chart.column.verdict")]
        rows = [
            [
                r.short,
                hours(r.hours),
                between(r.hours_low, r.hours_high, hours),
                money_number(r.rent_cost),
                _verdict(r),
            ]
            for r in frame.itertuples()
        ]
        self._cards_table(page, entry, frame, [heads, *rows], 4, left=7.3, widths=(1.35, 0.8, 1.55, 0.85, 0.95))

    def _cards_table(
        self,
        page: Any,
        entry: Slide,
        frame: pd.DataFrame,
        rows: list[list[str]],
        verdict_column: int,
        left: float = 8.7,
        widths: tuple[float, ...] = (1.4, 0.9, 0.9, 1.0),
    ) -> None:
        fills = {
            (row, verdict_column): (VERDICTS[verdict].fill, VERDICTS[verdict].text)
            for row, verdict in enumerate(frame["verdict"], start=1)
        }
        strong = [row for row, gpu in enumerate(frame["gpu"], start=1) if gpu == self.scenario.hardware.gpu]
        box = (left, _TOP + 0.15, _LEFT + _FULL - left, min(4.0, 0.45 * len(rows)))
        name, description = _words(entry)
        table(page, box, rows, widths, size=11, fills=fills, strong=strong, name=name, description=description)

    def _cumulative(self, page: Any, entry: Slide) -> None:
        found, currency = self.answer.money, self.scenario.money.currency
        if not found.priced:
            text_box(page, (_LEFT, _TOP + 0.05, _FULL, 2.0), t("document.no_price"), 20)
            return
        self._sentence(page, entry)
        month = found.crossover_month_cash
        charts.cumulative_chart(page, (_LEFT, _TOP, 8.4, 4.2), found.cumulative, month, currency, _words(entry))
        rows = [[t("slides.column.figure"), t("chart.money.own"), t("chart.money.rent")]]
        rows += [_totals(self.answer), *_milestones(found.cumulative, currency)]
        fills = {(0, 1): (PAPER, OWN), (0, 2): (PAPER, RENT)}
        name, description = _words(entry)
        box = (9.25, _TOP + 0.15, 3.48, 0.42 * len(rows))
        widths = (1.4, 1.0, 1.0)
        table(page, box, rows, widths, size=12, fills=fills, strong=[1], name=name, description=description)
        text_box(page, (9.25, 5.5, 3.48, 0.4), t("document.dashed"), 11, MUTED)

    def _who_wins(self, page: Any, entry: Slide) -> None:
        assert entry.table is not None
        grid = entry.table
        rows = [[str(name) for name in grid.columns]]
        rows += [[str(line[0]), *(number(float(value), 9) for value in line[1:])] for line in grid.to_numpy()]
        values = grid.iloc[:, 1:].to_numpy(dtype=float)
        top = float(abs(values).max()) or 1.0
        fills = {
            (row + 1, column + 1): _tint(float(value), top)
            for row, line in enumerate(values)
            for column, value in enumerate(line)
        }
        name, description = _words(entry)
        box = (_LEFT, _TOP + 0.2, _FULL, 3.6)
        table(
            page, box, rows, (2.2, *[1.0] * values.shape[1]), size=16, fills=fills, name=name, description=description
        )
        text_box(page, (_LEFT, 5.75, _FULL, 0.4), t("document.win_key"), 14, MUTED)

    def _bill(self, page: Any, entry: Slide) -> None:
        lines, currency = self.answer.money.own_lines, self.scenario.money.currency
        charts.bill_chart(page, (_LEFT, _TOP, 7.6, _BODY), lines, currency, _words(entry))
        shown = {name: value for name, value in lines.items() if value}
        heads = [t("chart.column.line"), t("chart.column.amount", currency=currency)]
        rows = [heads, *([charts.line_name(name), money_number(value)] for name, value in shown.items())]
        rows += [[t("chart.money.total"), money_number(sum(shown.values()))]]
        name, description = _words(entry)
        box = (8.6, _TOP + 0.15, 4.13, min(4.7, 0.4 * len(rows)))
        size = 12 if len(rows) < 13 else 10
        table(page, box, rows, (2, 1.2), size=size, strong=[len(rows) - 1], name=name, description=description)

    def _what_matters(self, page: Any, entry: Slide) -> None:
        found = self.answer.money
        frame = found.tornado.head(_SWINGS)
        base, currency = found.result.npv_saving, self.scenario.money.currency
        charts.tornado_chart(page, (_LEFT, _TOP, _FULL, _BODY), frame, base, currency, _words(entry))

    def _assumptions(self, entry: Slide) -> None:
        assert entry.table is not None
        lines = entry.table.to_numpy()
        spans = chunks(len(lines), _ROWS_A_SLIDE)
        for part, (first, end) in enumerate(spans, start=1):
            title = entry.title if len(spans) == 1 else t("document.part", title=entry.title, n=part, total=len(spans))
            page = self._new(entry, title)
            rows = [[str(name) for name in entry.table.columns]]
            rows += [[_short(str(value)) for value in line] for line in lines[first:end]]
            last = part == len(spans) and bool(self.link)
            box = (_LEFT, _TOP, _FULL, 0.36 * len(rows))
            name, description = _words(entry)
            widths = (2.3, 0.85, 0.85, 0.85, 1.35, 5.0, 0.95)
            table(page, box, rows, widths, size=10, name=name, description=description)
            if last:
                text_box(page, (_LEFT, 6.5, _FULL, 0.3), t("document.open_scenario"), 12, link=self.link)


def _place_title(layout: Any) -> None:
    """Title of the layout where a 16:9 slide of ours has it: upper left, bold, dark."""
    for shape in list(layout.placeholders):
        if shape.placeholder_format.type != 1:  # date, footer, page number: drawn by us
            shape._element.getparent().remove(shape._element)
    title = layout.placeholders[0]
    title.left, title.top, title.width, title.height = (Inches(v) for v in (_LEFT, 0.35, _FULL, 0.85))
    frame = title.text_frame
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    frame.vertical_anchor = MSO_ANCHOR.BOTTOM
    frame.word_wrap = True
    _title_style(layout.slide_master)


def _title_style(master: Any) -> None:
    for level in master._element.xpath("./p:txStyles/p:titleStyle/a:lvl1pPr"):
        level.set("algn", "l")
        for run in level.iter(qn("a:defRPr")):
            run.set("b", "1")
            run.set("sz", "2800")


def _words(entry: Slide) -> tuple[str, str]:
    """Name and alternative text of what a slide shows."""
    return entry.title.replace("**", ""), f"{entry.title}. {entry.subtitle}".replace("**", "")


def _verdict(record: Any) -> str:
    return t(f"chart.verdict.{record.verdict}")


def _totals(answer: Headline) -> list[str]:
    found = answer.money
    return [t("document.in_all"), money_number(found.own_total), money_number(found.rent_total)]


def _milestones(frame: pd.DataFrame, currency: str) -> list[list[str]]:
    """Paid so far at the start, after each year and at the horizon."""
    last = int(frame["month"].iloc[-1])
    shown = sorted({0, *range(12, last, 12 if last <= 72 else 24), last})
    rows = frame.set_index("month").loc[shown]
    return [
        [t("chart.money.month_is", n=int(month)), money_number(float(own)), money_number(float(rent))]
        for month, own, rent in zip(rows.index, rows["own"], rows["rent"], strict=True)
    ]


def _tint(value: float, top: float) -> tuple[str, str]:
    """Fill between white and the winner's colour, and the text colour that reads on it."""
    code = OWN if value >= 0 else RENT
    share = 0.12 + 0.6 * min(abs(value) / top, 1.0)
    return paler(code, share), PAPER if share > 0.62 and code == OWN else INK


def _short(text: str) -> str:
    """Text cut to two lines of the column of sources; Chinese, whose lines are higher and wider, to one."""
    widths = np.cumsum([2 if east_asian_width(char) in "WF" else 1 for char in text])
    most = _SOURCE_CHARS if len(widths) == 0 or widths[-1] == len(text) else _SOURCE_CHARS_CHINESE
    if len(text) == 0 or widths[-1] <= most:
        return text
    return f"{text[: int(np.searchsorted(widths, most - 1, side='right'))].rstrip()}…"
