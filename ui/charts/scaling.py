"""What more cards bring, and which card is worth its price."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calc.recommend_rank import pareto
from ui.charts.axes import log_range, log_ticks, padded, span_is_wide
from ui.charts.labels import place_beside, spread, text_width
from ui.charts.palette import INK, MUTED, SERIES
from ui.charts.template import BODY_PX, HALF_PX, MAX_POINTS, Heading, finish, new_figure
from ui.format import hours, money, percent, times
from ui.i18n import t

_PLOT_PX = (300.0, 300.0)  # on the narrowest page; labels that have room there have room everywhere


def scaling_lines(frame: pd.DataFrame, heading: Heading) -> go.Figure:
    """Speed-up against the number of cards, a line a link, with the ideal line.

    frame: ``answers.scaling`` (link, num_gpus, speedup, efficiency); both axes double from tick to tick.
    """
    counts = sorted(int(value) for value in frame["num_gpus"].unique())
    high = max(float(frame["speedup"].max()), float(counts[-1]))
    low = min(float(frame["speedup"].min()), float(counts[0]))
    y_range = log_range(low, high, 0.05)
    figure = new_figure()
    figure.add_scatter(
        x=counts,
        y=counts,
        mode="lines",
        line={"color": "#9AA2AF", "width": 2, "dash": "dash"},
        name=t("chart.scaling.ideal"),
        hoverinfo="skip",
    )
    ends = [(float(np.log10(counts[-1])), t("chart.scaling.ideal"), MUTED)]
    for place, (link, line) in enumerate(frame.groupby("link", sort=False)):
        line = line.sort_values("num_gpus").head(MAX_POINTS)
        word = t(f"chart.link.{link}")
        colour = SERIES[place % len(SERIES)]
        figure.add_scatter(
            x=line["num_gpus"],
            y=line["speedup"],
            mode="lines+markers",
            line={"color": colour, "width": 3},
            marker={"size": 6, "symbol": place % 8},
            name=word,
            customdata=[percent(value) for value in line["efficiency"]],
            hovertemplate=f"{word}, %{{x}}: %{{y:.2f}}× (%{{customdata}})<extra></extra>",
        )
        last = float(line["speedup"].iloc[-1])
        ends.append((float(np.log10(last)), f"{word} {times(last)}", colour))
    spots = spread([end[0] for end in ends], 0.066 * (y_range[1] - y_range[0]), y_range[0], y_range[1])
    for (_, text, colour), spot in zip(ends, spots, strict=True):
        figure.add_annotation(
            x=1, xref="paper", y=spot, xanchor="left", xshift=10, text=text, showarrow=False, font={"color": colour}
        )
    ticks = [2.0**power for power in range(-2, 15) if y_range[0] <= np.log10(2.0**power) <= y_range[1]]
    ticks = ticks[:: -(-len(ticks) // 8)] if len(ticks) > 8 else ticks
    figure.update_layout(
        xaxis={
            "type": "log",
            "tickvals": counts,
            "ticktext": [f"{value:,}" for value in counts],
            "range": [np.log10(counts[0]), np.log10(counts[-1])]
            if len(counts) > 1
            else log_range(counts[0], counts[0]),
            "title": {"text": t("chart.axis.num_gpus")},
            "showgrid": False,
        },
        yaxis={
            "type": "log",
            "tickvals": ticks,
            "ticktext": [times(value) for value in ticks],
            "range": y_range,
            "title": {"text": t("chart.axis.speedup")},
        },
    )
    right = max(text_width(text, BODY_PX) for _, text, _ in ends) + 26
    return finish(figure, heading, plot_height=320, left=68, right=right, kind="chart.kind.lines", room=HALF_PX)


def cost_time_scatter(frame: pd.DataFrame, heading: Heading, *, currency: str, chosen: str | None = None) -> go.Figure:
    """Rental cost of a run against its hours: a dot a card that fits, the best trade-offs joined and named.

    frame: ``answers.time_by_card``; rows that do not fit or have no price are left out.
    """
    frame = frame[(frame["verdict"] != "no") & frame["hours"].notna() & frame["rent_cost"].notna()]
    frame = frame.sort_values("hours").head(MAX_POINTS).reset_index(drop=True)
    edge = pareto(frame["rent_cost"].to_numpy(dtype=float), frame["hours"].to_numpy(dtype=float))
    best = frame.index.isin(edge)
    named = [good or gpu == chosen for good, gpu in zip(best, frame["gpu"], strict=True)]
    figure = new_figure()
    ranges: dict[str, list[float]] = {}
    axes: dict[str, dict[str, Any]] = {}
    for axis, column in (("x", "hours"), ("y", "rent_cost")):
        values = frame[column].to_numpy(dtype=float)
        log = span_is_wide(list(values))
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        ranges[axis] = log_range(low, high, 0.1) if log else padded(low, high, 0.12)
        axes[axis] = {
            "type": "log" if log else "linear",
            "range": ranges[axis],
            **(log_ticks(low, high) if log else {}),
        }
    pixels = []
    for column, axis, size in (("hours", "x", _PLOT_PX[0]), ("rent_cost", "y", _PLOT_PX[1])):
        values = frame[column].to_numpy(dtype=float)
        values = np.log10(values) if axes[axis]["type"] == "log" else values
        first, last = ranges[axis]
        pixels.append((values - first) / (last - first) * size)
    points = list(zip(*(axis.tolist() for axis in pixels), strict=True))
    front = frame[best]
    rows = list(zip(frame["gpu"], frame["verdict"], strict=True))
    widths = [2.5 if verdict == "tight" or gpu == chosen else 0 for gpu, verdict in rows]
    figure.add_scatter(
        x=front["hours"],
        y=front["rent_cost"],
        mode="lines",
        line={"color": "#9AA2AF", "width": 1.5, "dash": "dot"},
        name=t("chart.time.trade_off"),
        hoverinfo="skip",
    )
    order = [index for index, wanted in enumerate(named) if wanted]
    order += [index for index, wanted in enumerate(named) if not wanted]
    texts = [str(frame["short"].iloc[index]) for index in order]
    sides = place_beside([points[index] for index in order], texts, 13, *_PLOT_PX)
    shown = {index: side for index, (side, free) in zip(order, sides, strict=True) if free}
    figure.add_scatter(
        x=frame["hours"],
        y=frame["rent_cost"],
        mode="markers+text",
        marker={
            "size": [14 if gpu == chosen else 10 for gpu in frame["gpu"]],
            "color": [INK if good else "#B4BAC5" for good in best],
            "symbol": ["circle" if v == "fits" else "circle-open" for v in frame["verdict"]],
            "line": {"color": INK, "width": widths},
        },
        text=[
            (f"<b>{name}</b>" if gpu == chosen else str(name)) if index in shown else ""
            for index, (name, gpu) in enumerate(zip(frame["short"], frame["gpu"], strict=True))
        ],
        textposition=[shown.get(index, "middle right") for index in range(len(frame))],
        textfont={"size": 13, "color": [INK if good else MUTED for good in best]},
        cliponaxis=False,
        customdata=np.array(
            [
                [short, hours(time), money(cost, currency), t(f"chart.verdict.{verdict}")]
                for short, time, cost, verdict in zip(
                    frame["short"], frame["hours"], frame["rent_cost"], frame["verdict"], strict=True
                )
            ]
        ).reshape(-1, 4),
        hovertemplate="%{customdata[0]}: %{customdata[1]}, %{customdata[2]}, %{customdata[3]}<extra></extra>",
        showlegend=False,
    )
    figure.update_layout(
        xaxis={**axes["x"], "title": {"text": t("chart.axis.hours")}},
        yaxis={**axes["y"], "title": {"text": t("chart.axis.cost_per_run", currency=currency)}},
    )
    return finish(
        figure, heading, plot_height=int(_PLOT_PX[1]), left=72, right=40, kind="chart.kind.scatter", room=HALF_PX
    )
