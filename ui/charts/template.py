"""The one look of all figures: type, margins, title, source line, camera.

Figures are drawn for white paper only. Streamlit's camera saves what the figure says, so a figure painted for a
dark page would give a dark file that cannot be read on a slide. In the dark theme ``ui/export.py`` lets the
browser turn the finished picture over (CSS ``invert`` and ``hue-rotate``), which keeps hues and contrast on the
screen and leaves the file white.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

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
PAD_PX: Final = 20  # free paper round everything
MAX_POINTS: Final = 200  # a trace; more makes the browser slow to redraw after a slider move

_FULL_WIDTH_PX: Final = 820  # narrowest a full chart gets: a 1280-pixel window with the sidebar open
_COMPACT_WIDTH_PX: Final = 280  # a third of it


@dataclass(frozen=True)
class Heading:
    """Words of one figure: the message, what is drawn (with the scenario), and where the figures come from."""

    title: str
    subtitle: str = ""
    source: str = ""


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


def new_figure(*traces: Any) -> go.Figure:
    """An empty figure with the house template."""
    figure = go.Figure(data=list(traces))
    figure.layout.template = TEMPLATE
    return figure


def legend_rows(names: list[str], compact: bool = False) -> int:
    """Rows that a horizontal legend of these names takes on the narrowest page (0 for no names)."""
    width = (_COMPACT_WIDTH_PX if compact else _FULL_WIDTH_PX) - 60
    rows, used = (1, 0.0) if names else (0, 0.0)
    for name in names:
        wide = text_width(name, 13) + 48
        if used and used + wide > width:
            rows, used = rows + 1, 0.0
        used += wide
    return rows


def finish(
    figure: go.Figure,
    heading: Heading,
    *,
    plot_height: int,
    left: float = 76,
    right: float = 28,
    legend: list[str] | None = None,
    above: int = 0,
    kind: str = "",
    compact: bool = False,
) -> go.Figure:
    """Title, subtitle and source line inside the picture, with margins that hold them at every size.

    plot_height: pixels between the axes. left, right: pixels of paper beside the plot (room for tick and end
    labels). legend: names in the legend, if one is shown. above: pixels for direct labels over the plot.
    kind: word key of the kind of figure, for the alternative text.
    """
    width = _COMPACT_WIDTH_PX if compact else _FULL_WIDTH_PX
    title_px = 15 if compact else TITLE_PX
    small_px = 10 if compact else SMALL_PX
    titles = wrap(heading.title, title_px * 1.04, width)
    subtitles = wrap(heading.subtitle, BODY_PX, width) if heading.subtitle and not compact else []
    sources = wrap(heading.source, small_px, width) if heading.source else []
    lines = [f"<b>{line}</b>" for line in titles] + [
        f'<span style="font-size:{BODY_PX}px;color:{MUTED}">{line}</span>' for line in subtitles
    ]
    rows = legend_rows(legend, compact) if legend else 0
    top = PAD_PX - 4 + title_px * 1.3 * len(lines) + 12 + 23 * rows + above
    axis_title = bool(figure.layout.xaxis.title.text)
    bottom = 34 + (24 if axis_title else 0) + (small_px * 1.3 * len(sources) + 14 if sources else 8)
    figure.update_layout(
        title={
            "text": "<br>".join(lines),
            "font": {"size": title_px, "color": INK},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": PAD_PX, "t": PAD_PX - 4},
        },
        margin={"l": max(left, PAD_PX), "r": max(right, PAD_PX), "t": top, "b": bottom, "pad": 0},
        height=round(plot_height + top + bottom),
        showlegend=bool(legend),
        meta={"title": heading.title, "subtitle": heading.subtitle, "source": heading.source, "kind": kind},
    )
    if sources:
        figure.add_annotation(
            text="<br>".join(sources),
            xref="paper",
            yref="paper",
            x=0,
            y=0,
            xanchor="left",
            yanchor="bottom",
            xshift=PAD_PX - max(left, PAD_PX),
            yshift=8 - bottom,
            showarrow=False,
            align="left",
            font={"size": small_px, "color": MUTED},
            name="source",
        )
    return figure


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
