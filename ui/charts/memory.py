"""What a job needs on each card, piece by piece, against what the card offers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.bars import add_end_texts, add_whiskers
from ui.charts.labels import text_width
from ui.charts.palette import COMPONENTS, INK, MUTED, VERDICTS, with_alpha
from ui.charts.template import BODY_PX, Heading, finish, new_figure
from ui.format import gib, gib_number, percent
from ui.i18n import t

_PLOT_WIDTH_PX = 560.0  # of a full chart on the narrowest page, for deciding what text has room
_COMPACT_PLOT_PX = 120.0
_AXIS_OVER_PEAK = 2.2  # how far beyond the largest need the axis goes for the marks of larger cards
_SMALLEST_SHARE = 0.005  # of the largest peak: smaller components get no entry in the legend


def _shown_components(frame: pd.DataFrame) -> list[str]:
    floor = _SMALLEST_SHARE * float(frame["peak_gib"].max())
    return [name for name in COMPONENTS if name in frame and float(frame[name].max()) > floor]


def _row_labels(frame: pd.DataFrame, chosen: str | None) -> list[str]:
    """Short card names, the chosen one bold."""
    return [
        f"<b>{short}</b>" if gpu == chosen else str(short)
        for gpu, short in zip(frame["gpu"], frame["short"], strict=True)
    ]


def _opacity(frame: pd.DataFrame, chosen: str | None) -> list[float]:
    """All rows strong, or only the chosen one where it is among them."""
    if chosen is None or chosen not in set(frame["gpu"]):
        return [1.0] * len(frame)
    return [1.0 if gpu == chosen else 0.55 for gpu in frame["gpu"]]


def room_for_labels(end: float, label_px: float, plot_px: float) -> float:
    """Upper end of an axis on which a label of ``label_px`` pixels fits to the right of the longest bar ``end``."""
    return end / max(0.35, 1 - (label_px + 16) / plot_px)


def category_axis(labels: list[str]) -> dict[str, Any]:
    """Rows from the top down at whole numbers, so that two rows with the same text stay two rows."""
    return {
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "range": [len(labels) - 0.45, -0.55],
        "showgrid": False,
    }


def left_margin(labels: list[str], size: float = BODY_PX) -> float:
    """Pixels that the longest row label takes."""
    return max((text_width(label, size) for label in labels), default=0) + 30


def verdict_word(verdict: str) -> str:
    """ "fits", "tight" or "does not fit" in the chosen language."""
    return t(f"chart.verdict.{verdict}")


def memory_bars(
    frame: pd.DataFrame, heading: Heading, *, chosen: str | None = None, compact: bool = False
) -> go.Figure:
    """One stacked bar a card: components of the peak, its range, the card's usable memory, the verdict.

    frame: rows of ``answers.fit_by_card`` (GiB). chosen: the card (column ``gpu``) to bring forward.
    """
    frame = frame[frame["verdict"].isin(VERDICTS)]
    rows = list(range(len(frame)))
    labels = _row_labels(frame, chosen)
    size = 11 if compact else BODY_PX
    components = _shown_components(frame)
    figure = new_figure()
    for name in components:
        figure.add_bar(
            y=rows,
            x=frame[name],
            orientation="h",
            name=t(f"chart.component.{name}"),
            marker={
                "color": COMPONENTS[name],
                "opacity": _opacity(frame, chosen),
                "line": {"color": "white", "width": 1},
            },
            customdata=frame["short"],
            hovertemplate=f"%{{customdata}}: {t(f'chart.component.{name}')} %{{x:.2f}} GiB<extra></extra>",
            showlegend=not compact,
        )
    if not compact:
        add_whiskers(figure, frame["peak_gib"], frame["low_gib"], frame["high_gib"], rows)
    # Cards far larger than the job would squeeze it; their mark is left out and their memory said in the label.
    limit = max(_AXIS_OVER_PEAK * float(frame["high_gib"].max()), float(frame["usable_gib"].min()))
    marks = frame["usable_gib"].where(frame["usable_gib"] <= limit)
    figure.add_scatter(
        x=marks,
        y=rows,
        mode="markers",
        marker={"symbol": "line-ns", "size": 18 if compact else 24, "line": {"width": 3, "color": "#B4003C"}},
        name=t("chart.memory.usable_mark"),
        customdata=frame["short"],
        hovertemplate=f"%{{customdata}}: {t('chart.memory.usable_mark')} %{{x:.1f}} GiB<extra></extra>",
    )
    texts = [
        verdict_word(verdict)
        if compact
        else f"<b>{verdict_word(verdict)}</b>"
        + t("chart.memory.of_usable", peak=gib_number(peak), usable=gib_number(usable))
        for peak, usable, verdict in zip(frame["peak_gib"], frame["usable_gib"], frame["verdict"], strict=True)
    ]
    ends = frame[["peak_gib"] + ([] if compact else ["high_gib"])].max(axis=1)
    ends = np.maximum(ends, marks.fillna(0.0))
    colours = [VERDICTS[verdict].text for verdict in frame["verdict"]]
    add_end_texts(figure, ends, rows, texts, colours, size)
    widest = max((text_width(text, size) for text in texts), default=0.0)
    top = room_for_labels(float(ends.max()), widest, _COMPACT_PLOT_PX if compact else _PLOT_WIDTH_PX)
    figure.update_layout(
        barmode="stack",
        xaxis={"range": [0, top], "title": {"text": "" if compact else t("chart.axis.gib_per_card")}},
        yaxis={**category_axis(labels), "title": {"text": ""}},
    )
    _compact_axes(figure, compact)
    names = [] if compact else [*(t(f"chart.component.{name}") for name in components), t("chart.memory.usable_mark")]
    return finish(
        figure,
        heading,
        plot_height=max((24 if compact else 34) * len(frame) + 10, 120 if compact else 170),
        left=left_margin(labels, size),
        legend=names,
        kind="chart.kind.bars",
        compact=compact,
    )


def _compact_axes(figure: go.Figure, compact: bool) -> None:
    if compact:
        figure.update_xaxes(
            nticks=4,
            tickangle=0,
            tickfont={"size": 11, "color": MUTED},
            title={"text": t("chart.axis.gib_short"), "font": {"size": 11}, "standoff": 4},
        )
        figure.update_yaxes(tickfont={"size": 11})


def _job_texts(
    job: pd.Series, components: list[str], top: float, plot_px: float
) -> tuple[list[dict[str, Any]], list[str]]:
    """Labels above those pieces of the job that have room, and the names of the others, the largest first."""
    notes: list[dict[str, Any]] = []
    rest: list[tuple[float, str]] = []
    start = 0.0
    for name in components:
        value = float(job[name])
        word = t(f"chart.component.{name}")
        if value / top * plot_px > text_width(word, 12) + 6:
            notes.append(
                {
                    "x": start + value / 2,
                    "y": -0.5,
                    "text": f"{word}<br><b>{gib_number(value)}</b>",
                    "yanchor": "bottom",
                    "showarrow": False,
                    "font": {"size": 12, "color": MUTED},
                }
            )
        elif value > 0.02:
            rest.append((value, f"{word} {gib_number(value)}"))
        start += value
    return notes, [text for _, text in sorted(rest, reverse=True)]


def capacity_view(
    frame: pd.DataFrame, heading: Heading, *, chosen: str | None = None, compact: bool = False
) -> go.Figure:
    """The job as one bar on top, below it what each card offers, with the verdict by word, colour and pattern.

    frame: rows of ``answers.fit_by_card`` (GiB) that share one peak; the chosen card's row stands for the job.
    """
    frame = frame[frame["verdict"].isin(VERDICTS)].reset_index(drop=True)
    job = frame[frame["gpu"] == chosen].iloc[0] if chosen in set(frame["gpu"]) else frame.iloc[0]
    peak, low, high = float(job["peak_gib"]), float(job["low_gib"]), float(job["high_gib"])
    labels = [f"<b>{t('chart.memory.your_job')}</b>", *_row_labels(frame, chosen)]
    size = 11 if compact else BODY_PX
    plot_px = _COMPACT_PLOT_PX if compact else _PLOT_WIDTH_PX
    texts = [
        f"<b>{verdict_word(verdict)}</b>"
        + ("" if compact else t("chart.memory.needs_of", share=percent(share), usable=gib_number(usable)))
        for verdict, share, usable in zip(frame["verdict"], frame["share"], frame["usable_gib"], strict=True)
    ]
    # Labels of cards below the range stand to the right of it: text across the shaded range is hard to read.
    ends = np.maximum(frame["usable_gib"], high)
    widths = [text_width(text, size) for text in texts]
    top = max(
        room_for_labels(high, 70 if compact else 190, plot_px),
        *(room_for_labels(float(end), width, plot_px) for end, width in zip(ends, widths, strict=True)),
    )
    figure = new_figure()
    components = _shown_components(frame)
    for name in components:
        figure.add_bar(
            y=[0],
            x=[float(job[name])],
            orientation="h",
            width=0.62,
            marker={"color": COMPONENTS[name], "line": {"color": "white", "width": 1}},
            hovertemplate=f"{t(f'chart.component.{name}')} %{{x:.2f}} GiB<extra></extra>",
            showlegend=False,
        )
    for verdict, style in VERDICTS.items():
        mine = (frame["verdict"] == verdict).to_numpy()
        if mine.any():
            figure.add_bar(
                y=(np.flatnonzero(mine) + 1).tolist(),
                x=frame.loc[mine, "usable_gib"],
                orientation="h",
                width=0.62,
                marker={
                    "color": style.fill,
                    "line": {"color": style.edge, "width": 1.5},
                    "pattern": {
                        "shape": style.pattern,
                        "bgcolor": style.fill,
                        "fgcolor": style.edge,
                        "size": 7,
                        "solidity": 0.18,
                    },
                },
                customdata=frame.loc[mine, "short"],
                hovertemplate=f"%{{customdata}}: %{{x:.1f}} GiB · {verdict_word(verdict)}<extra></extra>",
                showlegend=False,
            )
    colours = [VERDICTS[verdict].text for verdict in frame["verdict"]]
    add_end_texts(figure, ends, list(range(1, len(frame) + 1)), texts, colours, size)
    notes, rest = ([], []) if compact else _job_texts(job, components, top, plot_px)
    for note in notes:
        figure.add_annotation(**note)
    needed = f"<b>{gib(peak)}</b>" if compact else t("chart.memory.needed", peak=gib(peak))
    used = text_width(needed, size) + 8
    for piece in rest:
        used += text_width(piece, 12) + 14
        if used > (top - high) / top * plot_px:
            break
        needed += f'<span style="font-size:12px;color:{MUTED}"> · {piece}</span>'
    figure.add_annotation(
        x=high,
        y=0,
        xanchor="left",
        xshift=8,
        align="left",
        showarrow=False,
        text=needed,
        font={"size": size},
    )
    figure.add_shape(
        type="rect", x0=low, x1=high, y0=0.5, y1=len(frame) + 0.5, fillcolor=with_alpha("#5B6F94", 0.2), line_width=0
    )
    figure.add_shape(
        type="line", x0=peak, x1=peak, y0=-0.4, y1=len(frame) + 0.5, line={"color": INK, "width": 2, "dash": "dot"}
    )
    figure.update_layout(
        barmode="stack",
        xaxis={"range": [0, top], "title": {"text": "" if compact else t("chart.axis.gib_usable")}},
        yaxis={**category_axis(labels), "title": {"text": ""}},
    )
    _compact_axes(figure, compact)
    return finish(
        figure,
        heading,
        plot_height=max((25 if compact else 36) * (len(frame) + 1), 150),
        left=left_margin(labels, size),
        above=24 if notes else 0,
        kind="chart.kind.bars",
        compact=compact,
    )
