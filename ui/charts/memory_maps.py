"""Where a job breaks: card against method, and memory against sequence length."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.axes import log_range, log_ticks, span_is_wide
from ui.charts.labels import spread, text_width
from ui.charts.memory import category_axis, left_margin, verdict_word
from ui.charts.palette import INK, MUTED, PAPER, VERDICTS, ramp, with_alpha
from ui.charts.template import BODY_PX, HALF_PX, MAX_POINTS, Heading, finish, new_figure
from ui.format import gib_number, per_cent_number
from ui.i18n import t

_CELL_SHARE = 9.99  # a cell has room for three digits; the table has them all


def fit_heatmap(
    frame: pd.DataFrame, heading: Heading, *, chosen: str | None = None, method: str | None = None
) -> go.Figure:
    """Card by method: share of the usable memory as a number, the verdict as colour, pattern and word.

    frame: ``answers.fit_map`` (gpu, short, method, share, verdict, peak_gib), cards and methods in drawing order.
    chosen, method: the cell that the scenario stands in gets a frame.
    """
    frame = frame[frame["verdict"].isin(VERDICTS)]
    cards = list(dict.fromkeys(frame["gpu"]))
    methods = list(dict.fromkeys(frame["method"]))
    short = dict(zip(frame["gpu"], frame["short"], strict=True))
    labels = [f"<b>{short[gpu]}</b>" if gpu == chosen else str(short[gpu]) for gpu in cards]
    figure = new_figure()
    for verdict, style in VERDICTS.items():
        part = frame[frame["verdict"] == verdict]
        for start in range(0, max(len(part), 1), MAX_POINTS):
            piece = part.iloc[start : start + MAX_POINTS]
            figure.add_bar(
                y=[cards.index(gpu) for gpu in piece["gpu"]],
                x=[0.94] * len(piece),
                base=[methods.index(name) - 0.47 for name in piece["method"]],
                width=0.88,
                orientation="h",
                name=verdict_word(verdict),
                legendgroup=verdict,
                showlegend=start == 0,
                marker={
                    "color": style.fill,
                    "line": {"color": style.edge, "width": 1},
                    "pattern": {
                        "shape": style.pattern,
                        "bgcolor": style.fill,
                        "fgcolor": style.edge,
                        "size": 8,
                        "solidity": 0.12,
                    },
                },
                text=[f"<b>{_in_cell(share)}</b>" for share in piece["share"]],
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                textfont={"size": 11, "color": INK},
                constraintext="none",
                customdata=np.array(
                    [
                        [short[gpu], t(f"chart.method.{name}"), gib_number(peak)]
                        for gpu, name, peak in zip(piece["gpu"], piece["method"], piece["peak_gib"], strict=True)
                    ]
                ).reshape(-1, 3),
                hovertemplate="%{customdata[0]}, %{customdata[1]}: %{customdata[2]} GiB, "
                + verdict_word(verdict)
                + "<extra></extra>",
            )
    if chosen in cards and method in methods:
        x, y = methods.index(method), cards.index(chosen)
        figure.add_shape(
            type="rect", x0=x - 0.47, x1=x + 0.47, y0=y - 0.44, y1=y + 0.44, line={"color": INK, "width": 3}
        )
    names = [t(f"chart.method.{name}") for name in methods]
    figure.update_layout(
        barmode="overlay",
        bargap=0.1,
        xaxis={
            "tickvals": list(range(len(methods))),
            "ticktext": names,
            "range": [-0.52, len(methods) - 0.48],
            "showgrid": False,
            # Upright where there is room, else turned: a half-width chart on a small screen has none.
            "autotickangles": [0, -60, -90],
            "tickfont": {"size": 12},
            "title": {"text": t("chart.axis.method_share"), "standoff": 8},
        },
        yaxis={**category_axis(labels), "title": {"text": ""}, "tickfont": {"size": 13}},
    )
    figure.update_yaxes(range=[len(cards) - 0.5, -0.5])
    figure = finish(
        figure,
        heading,
        plot_height=max(30 * len(cards), 120),
        left=left_margin(labels, 13),
        right=16,
        legend=[verdict_word(verdict) for verdict in VERDICTS],
        kind="chart.kind.table",
        room=HALF_PX,
    )
    return _deeper(figure, max(text_width(name, 12) for name in names) - 16)


def _in_cell(share: float) -> str:
    """Per cent for a cell of a few letters' width."""
    return per_cent_number(share) if share < _CELL_SHARE else f">{per_cent_number(_CELL_SHARE)}"


def _deeper(figure: go.Figure, pixels: float) -> go.Figure:
    """More paper below the axis for turned tick labels; the source line stays at the edge."""
    figure.layout.margin.b += pixels
    figure.layout.height += round(pixels)
    for note in figure.layout.annotations:
        if note.name == "source":
            note.yshift -= pixels
    return figure


def _merged(capacities: Mapping[str, float]) -> list[tuple[str, float]]:
    """Cards from small to large; those within 3 % of each other share one line, at the smallest of them."""
    groups: list[tuple[list[str], float]] = []
    for name, value in sorted(capacities.items(), key=lambda card: card[1]):
        if groups and value <= groups[-1][1] * 1.03:
            groups[-1][0].append(name)
        else:
            groups.append(([name], value))
    return [(", ".join(names[:2]) + (" …" if len(names) > 2 else ""), value) for names, value in groups]


def memory_lines(
    frame: pd.DataFrame, heading: Heading, *, capacities: Mapping[str, float], chosen: int | None = None
) -> go.Figure:
    """Peak memory against sequence length, a line a micro batch, with what the cards offer as dotted lines.

    frame: ``answers.memory_sweep`` (seq_len, micro_batch, peak_gib). capacities: card name to usable GiB.
    chosen: sequence length of the scenario, marked on the axis.
    """
    batches = sorted(frame["micro_batch"].unique())
    lengths = sorted(float(value) for value in frame["seq_len"].unique())
    log_y = span_is_wide([*frame["peak_gib"], *capacities.values()])
    low = float(min([*frame["peak_gib"], *capacities.values()]))
    high = float(max([*frame["peak_gib"], *capacities.values()]))
    y_range = log_range(low, high) if log_y else [0.0, high * 1.08]

    def place(value: float) -> float:
        return float(np.log10(value)) if log_y else value

    figure = new_figure()
    size = y_range[1] - y_range[0]
    lowest = y_range[0] + 0.02 * size
    ends: list[tuple[float, str, str]] = []
    for batch, colour in zip(batches, ramp("#882255", len(batches)), strict=True):
        line = frame[frame["micro_batch"] == batch].sort_values("seq_len").head(MAX_POINTS)
        figure.add_scatter(
            x=line["seq_len"],
            y=line["peak_gib"],
            mode="lines",
            line={"color": colour, "width": 3},
            name=t("chart.memory.micro_batch", n=batch),
            hovertemplate="%{x:,} tokens: %{y:.1f} GiB<extra>" + t("chart.memory.micro_batch", n=batch) + "</extra>",
        )
        ends.append((place(float(line["peak_gib"].iloc[-1])), t("chart.memory.micro_batch", n=batch), "#882255"))
    spots = spread([end[0] for end in ends], 0.065 * size, lowest, y_range[1])
    for (_, text, colour), spot in zip(ends, spots, strict=True):
        figure.add_annotation(
            x=1, xref="paper", y=spot, xanchor="left", xshift=8, text=text, showarrow=False, font={"color": colour}
        )
    sorted_cards = _merged(capacities)
    marks = spread([place(value) + 0.03 * size for _, value in sorted_cards], 0.06 * size, lowest, y_range[1])
    for (name, value), mark in zip(sorted_cards, marks, strict=True):
        figure.add_shape(
            type="line",
            xref="paper",
            x0=0,
            x1=1,
            y0=value,
            y1=value,
            line={"color": MUTED, "width": 1.5, "dash": "dot"},
        )
        figure.add_annotation(
            x=0,
            xref="paper",
            y=mark,
            xanchor="left",
            xshift=4,
            text=f"{name} · {gib_number(value)}",
            showarrow=False,
            font={"size": 12, "color": MUTED},
            bgcolor=with_alpha(PAPER, 0.75),
            borderpad=0,
        )
    if chosen is not None and lengths[0] <= chosen <= lengths[-1]:
        figure.add_vline(x=chosen, line={"color": INK, "width": 1, "dash": "dash"})
    shown = (
        lengths
        if len(lengths) <= 5
        else [lengths[0] * 4.0**step for step in range(10) if lengths[0] * 4**step <= lengths[-1]]
    )
    figure.update_layout(
        xaxis={
            "type": "log",
            "tickvals": shown,
            "ticktext": [f"{value:,.0f}" for value in shown],
            "tickangle": 0,
            "range": [np.log10(lengths[0]), np.log10(lengths[-1])],
            "title": {"text": t("chart.axis.seq_len")},
            "showgrid": False,
        },
        yaxis={
            "type": "log" if log_y else "linear",
            "range": y_range,
            "title": {"text": t("chart.axis.gib_per_card")},
            **(log_ticks(low, high) if log_y else {}),
        },
    )
    right = max((text_width(text, BODY_PX) for _, text, _ in ends), default=0) + 24
    return finish(figure, heading, plot_height=340, left=70, right=right, kind="chart.kind.lines", room=HALF_PX)
