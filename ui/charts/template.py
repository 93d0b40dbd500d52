"""The one look of all figures: type, margins, title, source line, camera.

Figures are drawn for white paper only. Streamlit's camera saves what the figure says, so a figure painted for a
dark page would give a dark file that cannot be read on a slide. In the dark theme ``ui/export/page.py`` lets the
browser turn the finished picture over (CSS ``invert`` and ``hue-rotate``), which keeps hues and contrast on the
screen and leaves the file white.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

from ui.charts.drawing import Drawing
from ui.charts.labels import plain, text_width, wrap
from ui.charts.palette import GRID, INK, MUTED, PALETTE, PAPER
from ui.i18n import t

# Web fonts are not drawn into a PNG; the fonts after the first are those of Linux, macOS and Windows that hold
# Latin and Chinese alike, so that file and screen look the same.
FONT: Final = (
    '"Source Sans", "Source Sans 3", "Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Microsoft YaHei", '
    '"Segoe UI", "Helvetica Neue", Arial, sans-serif'
)
BODY_PX: Final = 14
SMALL_PX: Final = 12
TITLE_PX: Final = 20
PAD_PX: Final = 16  # free paper round everything
MAX_POINTS: Final = 200  # a trace; more makes the browser slow to redraw after a slider move

# Narrowest room a chart gets: a 1280-pixel window with the sidebar open, one, two or three charts in a row.
FULL_PX: Final = 820
HALF_PX: Final = 400
COMPACT_PX: Final = 236
COMPACT_HEIGHT_PX: Final = 330  # small charts stand side by side, so all are equally high


@dataclass(frozen=True)
class Heading:
    """Words of one figure: the message, what is drawn (with the scenario), and where the figures come from.

    width_px: narrowest room the figure will have, ``FULL_PX`` or ``HALF_PX``, where it differs from the builder's
    usual place. Lines break there, since Plotly breaks none itself.
    """

    title: str
    subtitle: str = ""
    source: str = ""
    width_px: int | None = None


TEMPLATE: Final = go.layout.Template(
    layout={
        "font": {"family": FONT, "size": BODY_PX, "color": INK},
        "paper_bgcolor": PAPER,
        "plot_bgcolor": PAPER,
        "colorway": list(PALETTE),
        "bargap": 0.34,
        "dragmode": False,
        "hoverlabel": {
            "font": {"family": FONT, "size": BODY_PX, "color": INK},
            "bgcolor": PAPER,
            "bordercolor": "#B8BFCA",
            "align": "left",
        },
        "separators": ".,",
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1,
            "xanchor": "left",
            "yanchor": "bottom",
            "font": {"size": 13, "color": MUTED},
            "itemclick": False,
            "itemdoubleclick": False,
            "traceorder": "normal",
            "bgcolor": "rgba(0,0,0,0)",
        },
        **{
            axis: {
                "gridcolor": GRID,
                "gridwidth": 1,
                "zeroline": False,
                "linecolor": "#B8BFCA",
                "tickfont": {"size": BODY_PX, "color": INK},
                "title": {"font": {"size": BODY_PX, "color": MUTED}, "standoff": 10},
                "automargin": False,
                "fixedrange": True,
                "ticks": "",
                "ticklabelstandoff": 4,
            }
            for axis in ("xaxis", "yaxis")
        },
    }
)


def new_figure() -> Drawing:
    """An empty figure with the house template; ``finish`` makes a Plotly figure of it."""
    figure = Drawing()
    figure.update_layout(template=TEMPLATE)
    return figure


def legend_rows(names: list[str], width: float) -> int:
    """Rows that a horizontal legend of these names takes in ``width`` pixels (0 for no names)."""
    rows, used = (1, 0.0) if names else (0, 0.0)
    widest = max((text_width(name, 13) for name in names), default=0.0)
    for _ in names:
        wide = widest + 48  # Plotly gives every entry the room of the longest
        if used and used + wide > width:
            rows, used = rows + 1, 0.0
        used += wide
    return rows


def finish(
    figure: Drawing,
    heading: Heading,
    *,
    plot_height: int,
    left: float = 76,
    right: float = 28,
    legend: list[str] | None = None,
    above: int = 0,
    kind: str = "",
    compact: bool = False,
    room: int = FULL_PX,
) -> go.Figure:
    """Title, subtitle and source line inside the picture, with margins that hold them at every size.

    plot_height: pixels between the axes (small charts share one height in all instead). left, right: pixels of
    paper beside the plot (room for tick and end labels). legend: names in the legend, if one is shown. above: pixels
    for direct labels over the plot. kind: word key of the kind of figure, for the alternative text. room: see
    ``Heading.width_px``.
    """
    room = heading.width_px or (COMPACT_PX if compact else room)
    width = room - 2 * PAD_PX
    title_px = 15 if compact else TITLE_PX
    small_px = 10 if compact else SMALL_PX
    titles = wrap(heading.title, title_px * 1.03, width) if heading.title else []
    subtitles = wrap(heading.subtitle, BODY_PX, width) if heading.subtitle and not compact else []
    sources = wrap(heading.source, small_px, width) if heading.source else []
    title_height = title_px * 1.3 * len(titles)
    subtitle_height = BODY_PX * 1.3 * len(subtitles) + (4 if subtitles else 0)
    rows = legend_rows(legend, room - left - right) if legend else 0
    top = PAD_PX + title_height + subtitle_height + 12 + 21 * rows + above
    axis_title = bool(figure.layout.get("xaxis", {}).get("title", {}).get("text"))
    bottom = 34 + (24 if axis_title else 0) + (small_px * 1.3 * len(sources) + 14 if sources else 8)
    figure.update_layout(
        title={
            "text": f"<b>{'<br>'.join(titles)}</b>",
            "font": {"size": title_px, "color": INK},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            # Plotly sets the first of several lines on its baseline, a single one on its upper edge.
            "pad": {"l": PAD_PX, "t": PAD_PX + (0.72 * title_px if len(titles) > 1 else 0)},
        },
        margin={"l": max(left, PAD_PX), "r": max(right, PAD_PX), "t": top, "b": bottom, "pad": 0},
        height=COMPACT_HEIGHT_PX if compact else round(plot_height + top + bottom),
        showlegend=bool(legend),
        meta={"title": heading.title, "subtitle": heading.subtitle, "source": heading.source, "kind": kind},
    )
    left_edge = {"xref": "paper", "x": 0, "xanchor": "left", "xshift": PAD_PX - max(left, PAD_PX)}
    small = {"yref": "paper", "showarrow": False, "align": "left", **left_edge}
    if subtitles:
        below_title = top - PAD_PX - title_height
        font = {"size": BODY_PX, "color": MUTED}
        text = "<br>".join(subtitles)
        figure.add_annotation(text=text, y=1, yanchor="top", yshift=below_title, font=font, name="subtitle", **small)
    if sources:
        font = {"size": small_px, "color": MUTED}
        text = "<br>".join(sources)
        figure.add_annotation(text=text, y=0, yanchor="bottom", yshift=8 - bottom, font=font, name="source", **small)
    return figure.figure()


def alt_text(figure: go.Figure) -> str:
    """One or two sentences for people who do not see the picture: kind, message, what the axes show."""
    meta = figure.layout.meta or {}
    axes = [plain(axis.title.text) for axis in (figure.layout.xaxis, figure.layout.yaxis) if axis.title.text]
    parts = [t(meta["kind"]) if meta.get("kind") else "", meta.get("title", ""), meta.get("subtitle", ""), *axes]
    return ". ".join(part.rstrip(".") for part in parts if part) + "."


def plotly_config(figure: go.Figure, file_stem: str) -> dict[str, Any]:
    """Settings of the toolbar: only the camera, a 16:9 PNG of at least 1920 x 1080 pixels called ``file_stem``.png.

    The picture is laid out at half its pixels, so 14-pixel type on the screen becomes 28-pixel type in the file.
    """
    height = max(540, int(figure.layout.height or 540))
    return {
        "displaylogo": False,
        "displayModeBar": "hover",
        "modeBarButtonsToRemove": [
            "zoom2d",
            "pan2d",
            "select2d",
            "lasso2d",
            "zoomIn2d",
            "zoomOut2d",
            "autoScale2d",
            "resetScale2d",
        ],
        "toImageButtonOptions": {
            "format": "png",
            "filename": file_stem,
            "width": -(-height * 16 // 9),
            "height": height,
            "scale": 2,
        },
    }
