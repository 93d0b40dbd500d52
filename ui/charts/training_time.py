"""How long a run takes on each card, and what holds it up."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.axes import log_range, log_ticks
from ui.charts.bars import add_end_texts, add_whiskers
from ui.charts.labels import text_width
from ui.charts.memory import category_axis, left_margin, room_for_labels, verdict_word
from ui.charts.palette import INK, MUTED, TIME_PARTS, VERDICTS
from ui.charts.template import BODY_PX, COMPACT_PX, PAD_PX, Heading, finish, new_figure
from ui.format import hours
from ui.i18n import t

_PLOT_WIDTH_PX = 600.0
_COMPACT_PLOT_PX = 110.0


def _marks(frame: pd.DataFrame) -> dict[int, list[str]]:
    """Words for the fastest and the cheapest row among those that fit (by position)."""
    found: dict[int, list[str]] = {}
    fits = ((frame["verdict"] != "no") & frame["hours"].notna()).to_numpy()
    if fits.sum() > 1:
        time = np.where(fits, frame["hours"], np.inf)
        rent = np.where(fits & frame["rent_cost"].notna(), frame["rent_cost"], np.inf)
        found.setdefault(int(time.argmin()), []).append(t("chart.time.fastest"))
        if np.isfinite(rent).any():
            found.setdefault(int(rent.argmin()), []).append(t("chart.time.cheapest"))
    return found


def _end_texts(frame: pd.DataFrame, compact: bool) -> list[str]:
    marks = {} if compact else _marks(frame)
    texts = []
    for row, (value, verdict) in enumerate(zip(frame["hours"], frame["verdict"], strict=True)):
        words = [*marks.get(row, []), *([verdict_word("no")] if verdict == "no" and not compact else [])]
        texts.append(f"<b>{hours(value)}</b>" + "".join(f" · {word}" for word in words))
    return texts


def time_bars(
    frame: pd.DataFrame,
    heading: Heading,
    *,
    chosen: str | None = None,
    log: bool = False,
    compact: bool = False,
) -> go.Figure:
    """Hours of one run a card, split by what limits the step, with its range; fastest and cheapest named.

    frame: ``answers.time_by_card``, in drawing order. Rows that do not fit are drawn pale. ``log`` draws dots in
    place of bars: lengths mean nothing on a logarithmic axis.
    """
    frame = frame[frame["hours"].notna() & frame["verdict"].isin(VERDICTS)].reset_index(drop=True)
    rows = list(range(len(frame)))
    size = 11 if compact else BODY_PX
    labels = [
        f"<b>{short}</b>" if gpu == chosen else str(short)
        for gpu, short in zip(frame["gpu"], frame["short"], strict=True)
    ]
    opacity = [0.35 if verdict == "no" else 1.0 for verdict in frame["verdict"]]
    figure = new_figure()
    if log:
        _add_dots(figure, frame, rows, opacity)
    else:
        _add_parts(figure, frame, rows, opacity)
    if not compact:
        cap_px = 0 if log else 4
        add_whiskers(figure, frame["hours"], frame["hours_low"], frame["hours_high"], rows, cap_px)
    texts = _end_texts(frame, compact)
    ends = frame["hours"] if compact else frame[["hours", "hours_high"]].max(axis=1)
    colours = [VERDICTS["no"].text if verdict == "no" else INK for verdict in frame["verdict"]]
    add_end_texts(figure, ends, rows, texts, colours, size)
    widest = max((text_width(text, size) for text in texts), default=0.0)
    plot_px = _COMPACT_PLOT_PX if compact else _PLOT_WIDTH_PX
    figure.update_layout(
        barmode="stack",
        xaxis={
            "title": {"text": t("chart.axis.hours")},
            **_range(frame, ends, widest, plot_px, log),
        },
        yaxis={**category_axis(labels), "title": {"text": ""}},
    )
    if compact:
        figure.update_xaxes(
            nticks=4,
            tickangle=0,
            tickfont={"size": 11, "color": MUTED},
            title={"text": t("chart.axis.hours"), "font": {"size": 11}, "standoff": 4},
        )
        figure.update_yaxes(tickfont={"size": 11})
    left = left_margin(labels, size)
    parts = [part for part in TIME_PARTS if float(frame[part].max()) > 0]
    above = _colour_key(figure, parts, left) if compact and not log else 0
    return finish(
        figure,
        heading,
        plot_height=max((24 if compact else 38) * len(frame) + 10, 120 if compact else 170),
        left=left,
        legend=[] if log or compact else [t(f"chart.time.{part}") for part in parts],
        above=above,
        kind="chart.kind.bars",
        compact=compact,
    )


def _colour_key(figure: go.Figure, parts: list[str], left: float) -> int:
    """The parts as coloured words over a small chart, up to three a line; returns the pixels they take."""
    words = [f'<span style="color:{TIME_PARTS[part]}">■</span> {t(f"chart.time.{part}")}' for part in parts]
    a_line = 3 if text_width("   ".join(words[:3]), 11) <= COMPACT_PX - PAD_PX else 2
    lines = ["   ".join(words[start : start + a_line]) for start in range(0, len(words), a_line)]
    figure.add_annotation(
        text="<br>".join(lines),
        xref="paper",
        yref="paper",
        x=0,
        y=1,
        xanchor="left",
        xshift=PAD_PX - left,
        yanchor="bottom",
        align="left",
        showarrow=False,
        font={"size": 11, "color": MUTED},
    )
    return 16 * len(lines) + 4


def _range(frame: pd.DataFrame, ends: pd.Series, widest: float, plot_px: float, log: bool) -> dict[str, object]:
    if not log:
        return {"range": [0, room_for_labels(float(ends.max()), widest, plot_px)]}
    low, high = float(frame[["hours", "hours_low"]].min().min()), float(ends.max())
    first, last = log_range(low, high)
    share = max(0.35, 1 - (widest + 16) / plot_px)
    return {"type": "log", "range": [first, first + (last - first) / share], **log_ticks(low, high)}


def _add_parts(figure: go.Figure, frame: pd.DataFrame, rows: list[int], opacity: list[float]) -> None:
    for part, colour in TIME_PARTS.items():
        if float(frame[part].max()) <= 0:
            continue
        word = t(f"chart.time.{part}")
        figure.add_bar(
            x=frame[part],
            y=rows,
            orientation="h",
            name=word,
            marker={"color": colour, "opacity": opacity, "line": {"color": "white", "width": 1}},
            customdata=np.column_stack([frame["short"], [hours(value) for value in frame[part]]]),
            hovertemplate=f"%{{customdata[0]}}: {word} %{{customdata[1]}}<extra></extra>",
        )


def _add_dots(figure: go.Figure, frame: pd.DataFrame, rows: list[int], opacity: list[float]) -> None:
    figure.add_scatter(
        x=frame["hours"],
        y=rows,
        mode="markers",
        marker={"color": TIME_PARTS["compute_h"], "size": 12, "opacity": opacity},
        customdata=np.column_stack([frame["short"], [hours(value) for value in frame["hours"]]]),
        hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
        showlegend=False,
    )
