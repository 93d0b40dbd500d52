"""How close the estimates come to what people measured."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.axes import log_range, log_ticks
from ui.charts.palette import INK, MUTED, SERIES, with_alpha
from ui.charts.template import MAX_POINTS, Heading, finish, new_figure
from ui.format import number
from ui.i18n import t

_BANDS = (0.2, 0.1)  # shares by which an estimate may be off; the wider one is drawn first
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star", "cross")


def accuracy_scatter(frame: pd.DataFrame, heading: Heading, *, unit: str) -> go.Figure:
    """Predicted against measured on logarithmic axes, with bands of 10 and 20 per cent round equality.

    frame: measured, predicted (both in ``unit``), group (colour and symbol), name (what the dot is).
    """
    frame = frame[(frame["measured"] > 0) & (frame["predicted"] > 0)]
    values = frame[["measured", "predicted"]].to_numpy(dtype=float)
    low, high = (float(values.min()), float(values.max())) if values.size else (1.0, 10.0)
    axis = log_range(low, high, 0.04)
    low_end, high_end = 10 ** axis[0], 10 ** axis[1]
    figure = new_figure()
    for share in _BANDS:
        figure.add_scatter(
            x=[low_end, low_end, high_end / (1 + share), high_end, high_end, low_end / (1 - share)],
            y=[low_end, low_end * (1 + share), high_end, high_end, high_end * (1 - share), low_end],
            fill="toself",
            fillcolor=with_alpha("#5B6F94", 0.13),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
        )
    figure.add_scatter(
        x=[low_end, high_end],
        y=[low_end, high_end],
        mode="lines",
        line={"color": INK, "width": 1.2},
        hoverinfo="skip",
        showlegend=False,
    )
    groups = list(frame["group"].value_counts().index)
    for place, group in enumerate(groups):
        part = frame[frame["group"] == group]
        for start in range(0, len(part), MAX_POINTS):
            piece = part.iloc[start : start + MAX_POINTS]
            figure.add_scatter(
                x=piece["measured"],
                y=piece["predicted"],
                mode="markers",
                name=f"{group} ({len(part):,})",
                legendgroup=str(group),
                showlegend=start == 0,
                marker={
                    "color": SERIES[1:][place % (len(SERIES) - 1)],
                    "symbol": _SYMBOLS[place % len(_SYMBOLS)],
                    "size": 8,
                    "opacity": 0.75,
                    "line": {"width": 0.5, "color": "white"},
                },
                customdata=np.array(
                    [
                        [name, number(measured), number(predicted)]
                        for name, measured, predicted in zip(
                            piece["name"], piece["measured"], piece["predicted"], strict=True
                        )
                    ]
                ).reshape(-1, 3),
                hovertemplate="%{customdata[0]}<br>"
                + t("chart.accuracy.hover", measured="%{customdata[1]}", predicted="%{customdata[2]}", unit=unit)
                + "<extra></extra>",
            )
    figure.add_annotation(
        x=0,
        y=1,
        xref="paper",
        yref="paper",
        xanchor="left",
        yanchor="top",
        xshift=10,
        yshift=-6,
        align="left",
        showarrow=False,
        text=t("chart.accuracy.bands"),
        font={"size": 12, "color": MUTED},
    )
    ticks = log_ticks(low, high)
    figure.update_layout(
        xaxis={"type": "log", "range": axis, **ticks, "title": {"text": t("chart.axis.measured", unit=unit)}},
        yaxis={"type": "log", "range": axis, **ticks, "title": {"text": t("chart.axis.predicted", unit=unit)}},
    )
    names = [f"{group} ({int((frame['group'] == group).sum()):,})" for group in groups]
    return finish(figure, heading, plot_height=430, left=84, legend=names, kind="chart.kind.scatter")
