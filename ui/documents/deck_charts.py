"""Native charts of the slides: PowerPoint draws them, and their numbers can be edited there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from lxml import etree
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import (
    XL_CHART_TYPE,
    XL_LABEL_POSITION,
    XL_LEGEND_POSITION,
    XL_MARKER_STYLE,
    XL_TICK_LABEL_POSITION,
    XL_TICK_MARK,
)
from pptx.enum.dml import MSO_LINE
from pptx.oxml.ns import qn
from pptx.util import Inches, Pt

from ui.charts.money_views import line_name, value_words
from ui.charts.palette import COMES_BACK, GRID, INK, MUTED, OWN, PAPER, RENT, ramp
from ui.cost_lines import field_name
from ui.documents.deck_parts import colour, describe
from ui.documents.stacks import Stack, paler, round_step
from ui.format import money_number, money_short, number
from ui.i18n import t

Box = Sequence[float]
_BODY_PT = 12
_SHORT_FROM = 100_000
_LABEL_SHARE = 0.08  # of the longest bar: shorter steps have no room for their figure


def _add(slide: Any, kind: Any, box: Box, data: Any, words: tuple[str, str]) -> Any:
    frame = slide.shapes.add_chart(kind, *(Inches(value) for value in box), data)
    describe(frame, *words)
    chart = frame.chart
    chart.font.size = Pt(_BODY_PT)
    chart.font.color.rgb = colour(INK)
    chart.has_title = False
    return chart


def _legend(chart: Any, hidden: Sequence[int] = ()) -> None:
    """Legend above the plot, without the series whose places are ``hidden``."""
    chart.has_legend = True
    chart.legend.position = XL_LEGEND_POSITION.TOP
    chart.legend.include_in_layout = False
    legend = chart.legend._element
    for place in reversed(list(hidden)):
        entry = etree.Element(qn("c:legendEntry"))
        etree.SubElement(entry, qn("c:idx"), val=str(place))
        etree.SubElement(entry, qn("c:delete"), val="1")
        legend.insert(1, entry)


def _paint(series: Any, code: str, edge: str = PAPER) -> None:
    series.format.fill.solid()
    series.format.fill.fore_color.rgb = colour(code)
    series.format.line.color.rgb = colour(edge)
    series.format.line.width = Pt(0.75)


def _axis(axis: Any, title: str = "", number_format: str = "#,##0") -> None:
    """Thin grid, grey title with the unit, no tick marks."""
    axis.major_tick_mark = axis.minor_tick_mark = XL_TICK_MARK.NONE
    axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = number_format, False
    axis.format.line.color.rgb = colour(GRID)
    axis.has_major_gridlines = True
    axis.major_gridlines.format.line.color.rgb = colour(GRID)
    axis.has_title = bool(title)
    if title:
        frame = axis.axis_title.text_frame
        frame.text = title
        font = frame.paragraphs[0].runs[0].font
        font.size, font.bold, font.color.rgb = Pt(_BODY_PT), False, colour(MUTED)


def _rows(axis: Any, low: bool = False) -> None:
    """Categories from the top down without grid."""
    axis.reverse_order = True
    axis.has_major_gridlines = False
    axis.major_tick_mark = XL_TICK_MARK.NONE
    axis.format.line.color.rgb = colour(MUTED)
    axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW if low else XL_TICK_LABEL_POSITION.NEXT_TO_AXIS


def _value_axis_below(chart: Any) -> None:
    """The value axis stays at the bottom although the categories run downwards."""
    crosses = chart._chartSpace.xpath(".//c:catAx/c:crosses")
    for element in crosses:
        element.set("val", "autoZero")
    for element in chart._chartSpace.xpath(".//c:valAx/c:crosses"):
        element.set("val", "max")


def _label(point: Any, text: str, ink: str, size: float = _BODY_PT, position: Any = None, bold: bool = True) -> None:
    label = point.data_label
    frame = label.text_frame
    frame.text = text
    frame.word_wrap = False
    font = frame.paragraphs[0].runs[0].font
    font.size, font.bold, font.color.rgb = Pt(size), bold, colour(ink)
    if position is not None:
        label.position = position


def stack_chart(slide: Any, box: Box, stack: Stack, title: str, words: tuple[str, str], *, named: bool) -> None:
    """Horizontal bars made of pieces. ``title``: of the value axis. ``named``: write the rows' texts on their bars."""
    data = CategoryChartData(number_format="0.00")
    data.categories = list(stack.rows)
    for part in stack.parts:
        data.add_series(part.word, list(part.values))
    chart = _add(slide, XL_CHART_TYPE.BAR_STACKED, box, data, words)
    plot = chart.plots[0]
    plot.gap_width, plot.overlap = 45, 100
    for series, part in zip(plot.series, stack.parts, strict=True):
        _paint(series, part.fill, part.edge)
        for row in stack.pale:
            fill = series.points[row].format.fill
            fill.solid()
            fill.fore_color.rgb = colour(paler(part.fill))
        for row, (text, ink) in enumerate(stack.texts):
            if named and text and part.values[row] is not None:
                _label(series.points[row], text, ink, position=XL_LABEL_POSITION.INSIDE_BASE)
    _finish_rows(chart, title)
    step = round_step(0.0, max(stack.total(row) for row in range(len(stack.rows))))
    chart.value_axis.major_unit = step
    chart.value_axis.tick_labels.number_format = "#,##0" if step >= 1 else "0.0##"
    _legend(chart)


def _finish_rows(chart: Any, title: str) -> None:
    _rows(chart.category_axis)
    _axis(chart.value_axis, title)
    _value_axis_below(chart)


def cumulative_chart(
    slide: Any, box: Box, frame: pd.DataFrame, month: float | None, currency: str, words: tuple[str, str]
) -> None:
    """Money paid so far as owner (blue) and as tenant (orange), with their 80 % ranges and the crossing."""
    data = XyChartData(number_format="#,##0")
    lines = [("own", OWN, "", 3.0), ("rent", RENT, "", 3.0)]
    lines += [(f"{side}_{end}", OWN if side == "own" else RENT, end, 1.0) for side in ("own", "rent") for end in _ENDS]
    for name, _, end, _ in lines:
        word = t("chart.column." + name, currency=currency) if end else t(f"chart.money.{name}")
        series = data.add_series(word)
        for at, value in zip(frame["month"], frame[name], strict=True):
            series.add_data_point(float(at), float(value))
    crossed = month is not None and 0 < month <= float(frame["month"].iloc[-1])
    if crossed:
        series = data.add_series(t("document.crossing"))
        series.add_data_point(float(month or 0), float(np.interp(float(month or 0), frame["month"], frame["own"])))
    chart = _add(slide, XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS, box, data, words)
    for series, (_, code, end, width) in zip(chart.plots[0].series, lines, strict=False):
        series.smooth = False
        series.format.line.color.rgb = colour(code)
        series.format.line.width = Pt(width)
        if end:
            series.format.line.dash_style = MSO_LINE.DASH
    if crossed:
        _crossing_mark(chart, month or 0.0)
    _axis(chart.category_axis, t("chart.axis.month"), "0")
    chart.category_axis.has_major_gridlines = False
    chart.category_axis.minimum_scale, chart.category_axis.maximum_scale = 0, float(frame["month"].iloc[-1])
    _axis(chart.value_axis, t("chart.axis.cumulative", currency=currency))
    chart.value_axis.minimum_scale = 0 if float(frame[["own_low", "rent_low"]].min().min()) >= 0 else None
    _legend(chart, hidden=range(2, len(lines) + int(crossed)))


_ENDS = ("low", "high")


def _crossing_mark(chart: Any, month: float) -> None:
    series = list(chart.plots[0].series)[-1]
    series.format.line.fill.background()
    series.marker.style, series.marker.size = XL_MARKER_STYLE.CIRCLE, 12
    series.marker.format.line.fill.background()
    series.marker.format.fill.solid()
    series.marker.format.fill.fore_color.rgb = colour(INK)
    text = t("chart.money.month_is", n=number(math.ceil(month - 1e-9), 4))
    _label(series.points[0], text, INK, 14, XL_LABEL_POSITION.ABOVE)


def bill_chart(slide: Any, box: Box, lines: Mapping[str, float], currency: str, words: tuple[str, str]) -> None:
    """From the purchase to the total of owning, line by line: steps that stand on each other."""
    shown = {name: value for name, value in lines.items() if value}
    ends = np.cumsum(list(shown.values()))
    starts = ends - list(shown.values())
    total = float(ends[-1])
    data = CategoryChartData(number_format="#,##0")
    data.categories = [*(line_name(name) for name in shown), t("chart.money.total")]
    data.add_series(t("document.base"), [*np.minimum(starts, ends).tolist(), 0.0])
    data.add_series(t("chart.column.amount", currency=currency), [*np.abs(ends - starts).tolist(), total])
    chart = _add(slide, XL_CHART_TYPE.BAR_STACKED, box, data, words)
    plot = chart.plots[0]
    plot.gap_width, plot.overlap = 40, 100
    base, steps = plot.series
    base.format.fill.background()
    base.format.line.fill.background()
    _paint(steps, ramp(OWN, 3)[1], OWN)
    room = _LABEL_SHARE * float(max(starts.max(), ends.max()))
    for place, value in enumerate([*shown.values(), total]):
        if value < 0:
            _paint(steps.points[place], COMES_BACK, COMES_BACK)
        if abs(value) > room:
            _label(steps.points[place], _amount(value), INK, position=XL_LABEL_POSITION.CENTER)
    point = steps.points[len(shown)]
    point.format.fill.solid()
    point.format.fill.fore_color.rgb = colour(OWN)
    _label(point, _amount(total), PAPER, position=XL_LABEL_POSITION.CENTER)
    _finish_rows(chart, currency)
    chart.has_legend = False


def _amount(value: float) -> str:
    """An amount inside a bar: as the table beside it has it, short from a hundred thousand on."""
    return money_number(value) if abs(value) < _SHORT_FROM else money_short(value)


def tornado_chart(
    slide: Any, box: Box, frame: pd.DataFrame, base: float, currency: str, words: tuple[str, str]
) -> None:
    """How far each assumption moves the saving of owning from ``base``: blue towards owning, orange towards renting.

    frame: field (path), low_value, high_value, saving_low, saving_high; the widest swing first.
    """
    paths = [str(path) for path in frame["field"]]
    saving = frame[["saving_low", "saving_high"]].to_numpy(dtype=float)
    values = frame[["low_value", "high_value"]].to_numpy(dtype=float)
    data = CategoryChartData(number_format="#,##0")
    data.categories = [field_name(path) for path in paths]
    sides = [("own", saving.argmax(axis=1)), ("rent", saving.argmin(axis=1))]
    rows = np.arange(len(frame))
    for side, pick in sides:
        data.add_series(t(f"document.towards_{side}"), saving[rows, pick].tolist())
    chart = _add(slide, XL_CHART_TYPE.BAR_CLUSTERED, box, data, words)
    plot = chart.plots[0]
    plot.gap_width, plot.overlap = 45, 100
    for series, (side, pick) in zip(plot.series, sides, strict=True):
        _paint(series, OWN if side == "own" else RENT)
        series.invert_if_negative = False
        for row in rows:
            if math.isclose(saving[row, pick[row]], base, rel_tol=1e-9):
                continue  # no bar, so no end to write at
            text = value_words(paths[row], float(values[row, pick[row]]))
            _label(series.points[int(row)], text, MUTED, 11, XL_LABEL_POSITION.OUTSIDE_END, bold=False)
    _rows(chart.category_axis, low=True)
    _axis(chart.value_axis, t("chart.axis.saving", currency=currency))
    _value_axis_below(chart)
    _cross_at(chart, base)
    spread = float(saving.max() - saving.min()) or 1.0
    _round_scale(chart.value_axis, float(saving.min()) - 0.1 * spread, float(saving.max()) + 0.1 * spread)
    _legend(chart)


def _round_scale(axis: Any, low: float, high: float) -> None:
    """Ends and steps of 1, 2 or 5 times a power of ten."""
    step = round_step(low, high)
    axis.minimum_scale, axis.maximum_scale = math.floor(low / step) * step, math.ceil(high / step) * step
    axis.major_unit = step


def _cross_at(chart: Any, base: float) -> None:
    """Bars start at ``base``, not at nought."""
    for crosses in chart._chartSpace.xpath(".//c:catAx/c:crosses"):
        at = etree.Element(qn("c:crossesAt"), val=repr(base))
        crosses.getparent().replace(crosses, at)
