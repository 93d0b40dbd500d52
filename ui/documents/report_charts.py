"""Small charts of the report as SVG text: bars made of pieces, and the two lines of money."""

from __future__ import annotations

import math
from html import escape

import numpy as np
import pandas as pd

from ui.charts.labels import text_width
from ui.charts.palette import GRID, INK, MUTED, OWN, PAPER, RENT
from ui.documents.stacks import Stack, paler, round_step
from ui.format import money_short, number
from ui.i18n import t

_TYPE = 11.0  # pixels
_ROW = 22.0
_AXIS = 34.0  # pixels under the plot for ticks and the axis title
_KEY = 16.0  # pixels a line of the colour key
_KEY_GAP = 8.0
_RIGHT = 10.0


def _text(x: float, y: float, text: str, ink: str = INK, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{ink}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, ink: str, width: float = 1.0) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{ink}" stroke-width="{width}"/>'


def _frame(width: float, height: float, title: str, body: list[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(title, quote=True)}" '
        f'font-size="{_TYPE:g}">{"".join(body)}</svg>'
    )


def _ticks(low: float, high: float, most: int = 6) -> list[float]:
    step = round_step(low, high, most)
    return [step * place for place in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _key(entries: list[tuple[str, str, str]], width: float) -> tuple[list[str], float]:
    """Colour key over a chart (word, fill, edge), broken into lines; returns its height too."""
    body: list[str] = []
    x, y = 0.0, 11.0
    for word, fill, edge in entries:
        wide = 16 + text_width(word, _TYPE) + _KEY_GAP
        if x and x + wide > width:
            x, y = 0.0, y + _KEY
        body.append(f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="10" height="10" fill="{fill}" stroke="{edge}"/>')
        body.append(_text(x + 14, y, word, MUTED))
        x += wide
    return body, y + 8


def bars_svg(stack: Stack, axis: str, title: str, width: float = 400.0) -> str:
    """Horizontal bars made of pieces, each with its text at the end. ``axis``: what lengths mean, with the unit."""
    body, top = _key([(part.word, part.fill, _key_edge(part.edge, part.fill)) for part in stack.parts], width)
    left = max(text_width(row, _TYPE) for row in stack.rows) + 18
    ends = [text_width(text, _TYPE) + 8 for text, _ in stack.texts]
    totals = [stack.total(row) for row in range(len(stack.rows))]
    plot = width - left - _RIGHT
    # every bar and the text at its end must fit
    scale = min((plot - end) / total for total, end in zip(totals, ends, strict=True) if total > 0)
    bottom = top + _ROW * len(stack.rows)
    for value in _ticks(0.0, plot / scale):
        x = left + value * scale
        body.append(_line(x, top, x, bottom, GRID))
        body.append(_text(x, bottom + 14, number(value), MUTED, "middle"))
    for row, name in enumerate(stack.rows):
        y, x = top + _ROW * row, left
        body.append(_text(left - 6, y + 15, name, INK, "end"))
        for part in stack.parts:
            wide = (part.values[row] or 0.0) * scale
            fill = paler(part.fill) if row in stack.pale else part.fill
            if wide > 0:
                body.append(
                    f'<rect x="{x:.1f}" y="{y + 4:.1f}" width="{wide:.1f}" height="{_ROW - 8:g}" '
                    f'fill="{fill}" stroke="{part.edge}" stroke-width="0.8"/>'
                )
            x += wide
        text, ink = stack.texts[row]
        body.append(_text(x + 5, y + 15, text, ink, bold=True))
    body.append(_text(left + plot / 2, bottom + 29, axis, MUTED, "middle"))
    return _frame(width, bottom + _AXIS, title, body)


def _key_edge(edge: str, fill: str) -> str:
    return fill if edge == PAPER else edge


def money_svg(
    frame: pd.DataFrame, month: float | None, currency: str, title: str, back: float = 0.0, width: float = 820.0
) -> str:
    """Money paid so far as owner and as tenant with their 80 % ranges; the crossing, where there is one, named.

    frame: month, own, rent and their ``_low`` and ``_high`` (``answers.money(...).cumulative``). back: money
    from the sale at the horizon less a debt left: the owner's line ends that much lower.
    """
    height, top, left = 180.0, 14.0, 56.0
    months = frame["month"].to_numpy(dtype=float)
    last = float(months[-1])
    totals = {"own": float(frame["own"].iloc[-1]) - back, "rent": float(frame["rent"].iloc[-1])}
    peak = max(float(frame[["own_high", "rent_high", "own", "rent"]].max().max()), totals["own"]) or 1.0
    names = {"own": t("chart.money.own"), "rent": t("chart.money.rent")}
    ends = {side: f"{names[side]} {money_short(totals[side])}" for side in names}
    plot = width - left - max(text_width(text, _TYPE) for text in ends.values()) - 16
    bottom = top + height

    def x_of(at: float) -> float:
        return left + at / last * plot

    def y_of(value: float) -> float:
        return bottom - max(value, 0.0) / peak * height

    def points(values: pd.Series) -> list[str]:
        return [f"{x_of(at):.1f},{y_of(float(value)):.1f}" for at, value in zip(months, values, strict=True)]

    body: list[str] = []
    for value in _ticks(0.0, peak):
        body.append(_line(left, y_of(value), left + plot, y_of(value), GRID))
        body.append(_text(left - 6, y_of(value) + 4, money_short(value), MUTED, "end"))
    for value in _ticks(0.0, last, 12):
        if value == round(value):
            body.append(_text(x_of(value), bottom + 15, number(value, 4), MUTED, "middle"))
    colours = {"own": OWN, "rent": RENT}
    for side, ink in colours.items():
        band = points(frame[f"{side}_low"]) + points(frame[f"{side}_high"])[::-1]
        body.append(f'<polygon points="{" ".join(band)}" fill="{ink}" fill-opacity="0.14"/>')
    for side, ink in colours.items():
        last_point = f"{x_of(last):.1f},{y_of(totals[side]):.1f}"
        line = " ".join([*points(frame[side]), last_point])
        body.append(f'<polyline points="{line}" fill="none" stroke="{ink}" stroke-width="2.4"/>')
    heights = {side: y_of(totals[side]) + 4 for side in colours}
    if abs(heights["own"] - heights["rent"]) < _TYPE + 3:
        upper = min(heights, key=lambda side: heights[side])
        heights[upper] -= _TYPE + 3 - abs(heights["own"] - heights["rent"])
    for side, ink in colours.items():
        body.append(_text(left + plot + 6, heights[side], ends[side], ink, bold=True))
    if month is not None and 0 < month <= last:
        own = float(np.interp(month, months, frame["own"].to_numpy(dtype=float)))
        word = t("chart.money.month_is", n=number(math.ceil(month - 1e-9), 4))
        body.append(f'<circle cx="{x_of(month):.1f}" cy="{y_of(own):.1f}" r="5" fill="{INK}"/>')
        body.append(_text(x_of(month), y_of(own) - 10, word, INK, "middle", bold=True))
    axis = f"{t('chart.column.month')} · {t('chart.axis.cumulative', currency=currency)}"
    body.append(_text(left + plot / 2, bottom + 30, axis, MUTED, "middle"))
    return _frame(width, bottom + _AXIS + 4, title, body)
