"""One workbook being written: its formats, texts that stay texts, formulas with their present value."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import xlsxwriter

from ui.charts.palette import GRID, INK, MUTED, OWN, RENT, VERDICTS
from ui.i18n import language

_FONTS = {"en": "Calibri", "zh": "Microsoft YaHei"}
_SMALL_PT = 8  # of sources and formulas; columns are measured in digits of 10 points
_INPUT_FILL = "#FFF8E1"
_INPUT_INK = "#0000C8"  # the modeller's custom: typed figures blue, formulas black


class Book:
    """A workbook in memory. ``currency``: of all amounts."""

    def __init__(self, title: str, currency: str) -> None:
        self._stream = io.BytesIO()
        # Nothing a user typed may become a formula or an address (OWASP, CSV injection).
        options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
        self.file = xlsxwriter.Workbook(self._stream, {**options, "nan_inf_to_errors": True})
        self.file.set_properties({"title": title})
        self.file.set_calc_mode("auto")
        self.currency = currency
        self._formats: dict[str, Any] = {}
        self._looks = _looks(currency)

    def style(self, name: str) -> Any:
        """A named format, made once."""
        if name not in self._formats:
            base = {"font_name": _FONTS[language()], "font_size": 10, "font_color": INK, "valign": "vcenter"}
            self._formats[name] = self.file.add_format({**base, **self._looks[name]})
        return self._formats[name]

    def sheet(self, name: str, widths: Sequence[float], *, pages: tuple[int, int] = (1, 0), repeat_row: int = 0) -> Any:
        """A new sheet with column widths, set up to print on A4.

        ``pages``: how many wide and high (0: as many as needed). ``repeat_row``: headers on each page.
        """
        page = self.file.add_worksheet(name)
        page.hide_gridlines(2)
        page.set_paper(9)
        page.set_landscape()
        page.fit_to_pages(*pages)
        page.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.6)
        page.set_footer("&L&F&C&A&R&P / &N")
        if repeat_row:
            page.repeat_rows(repeat_row)
        for column, width in enumerate(widths):
            page.set_column(column, column, width, self.style("text"))
        return page

    def text(self, page: Any, row: int, column: int, text: Any, style: str = "text") -> None:
        """Writes a text as a text whatever it starts with; blank cells stay blank."""
        if str(text):
            page.write_string(row, column, str(text), self.style(style))
        else:
            page.write_blank(row, column, None, self.style(style))

    def tall(self, page: Any, row: int, *lengths: tuple[str, float]) -> None:
        """Makes a row high enough for its longest wrapped text; ``lengths``: text and width of its column."""
        lines = max(math.ceil(len(text) * _SMALL_PT / 10 / width) for text, width in lengths)
        if lines > 1:
            page.set_row(row, 1.35 * _SMALL_PT * lines + 3)

    def number(self, page: Any, row: int, column: int, value: float | None, style: str) -> None:
        """Writes a number; what is not known stays blank."""
        if value is None or not math.isfinite(value):
            page.write_blank(row, column, None, self.style(style))
        else:
            page.write_number(row, column, float(value), self.style(style))

    def formula(self, page: Any, row: int, column: int, formula: str, value: Any, style: str) -> None:
        """Writes a formula with the value it has now, for viewers that do not calculate."""
        known = value if not isinstance(value, float) or math.isfinite(value) else ""
        page.write_formula(row, column, formula, self.style(style), known)

    def name(self, name: str, sheet: str, row: int, column: int) -> None:
        """Names a cell for use in formulas."""
        cell = xlsxwriter.utility.xl_rowcol_to_cell(row, column, row_abs=True, col_abs=True)
        self.file.define_name(name, f"='{sheet}'!{cell}")

    def close(self) -> bytes:
        """The finished file."""
        self.file.close()
        return self._stream.getvalue()


def _looks(currency: str) -> dict[str, dict[str, Any]]:
    money = f'#,##0.00\\ "{currency}";[Red]\\-#,##0.00\\ "{currency}"'
    thin = {"bottom": 1, "bottom_color": GRID}
    kinds: dict[str, dict[str, Any]] = {
        "money": {"num_format": money, **thin},
        "amount": {"num_format": '#,##0.00;[Red]\\-#,##0.00;"–"', "align": "right", **thin},
        "number": {"num_format": "#,##0.####", "align": "right", **thin},
        "whole": {"num_format": "#,##0", **thin},
        "one": {"num_format": "#,##0.0", **thin},
        "two": {"num_format": "#,##0.00", **thin},
        "percent": {"num_format": "0%", **thin},
        "share": {"num_format": "0.0##%", **thin},
        "factor": {"num_format": "0.000000", **thin},
    }
    heads = {"bold": True, "text_wrap": True, "align": "center", "bottom": 2, "bottom_color": INK}
    typed = {"bg_color": _INPUT_FILL, "font_color": _INPUT_INK}
    total = {"bold": True, "top": 1, "bottom": 1, "bg_color": "#F4F6F9"}
    return {
        **kinds,
        **{f"{kind}_input": {**look, **typed} for kind, look in kinds.items()},
        **{f"{kind}_total": {**look, **total} for kind, look in kinds.items()},
        "text": {},
        "cell": {**thin, "text_wrap": True, "indent": 1},
        "value": {**thin, "indent": 1},  # runs on over the empty cells beside it
        "cell_bold": {**thin, "bold": True},
        "total": {**total, "align": "center"},
        "note": {"font_color": MUTED, "text_wrap": True, "valign": "top"},
        "line": {"font_color": MUTED},
        "small": {"font_color": MUTED, "font_size": _SMALL_PT, **thin, "text_wrap": True, "indent": 1},
        "title": {"font_size": 16, "bold": True},
        "sentence": {"font_size": 13, "text_wrap": True, "valign": "top"},
        "section": {"bold": True, "font_size": 12, "bottom": 2, "bottom_color": INK},
        "head": heads,
        "head_own": {**heads, "font_color": OWN, "bottom_color": OWN},
        "head_rent": {**heads, "font_color": RENT, "bottom_color": RENT},
        "key": {"font_size": 11, **thin},
        "key_money": {"font_size": 11, "bold": True, "num_format": money, **thin},
        "key_number": {"font_size": 11, "bold": True, "num_format": "#,##0.0", "align": "right", **thin},
        **{
            f"verdict_{verdict}": {**thin, "indent": 1, "font_color": look.text, "bg_color": look.fill}
            for verdict, look in VERDICTS.items()
        },
    }
