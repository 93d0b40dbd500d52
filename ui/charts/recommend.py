"""Plans by what they cost and how long they take, with the curve that no plan beats in both."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.axes import log_range, log_ticks, padded, span_is_wide
from ui.charts.labels import place_beside
from ui.charts.palette import INK, OWN, PAPER, RENT
from ui.charts.template import MAX_POINTS, Heading, finish, new_figure
from ui.format import hours, money
from ui.i18n import t

_ROOM_PX: Final = 520  # beside the form on the narrowest page
_PLOT_PX: Final = (390.0, 250.0)
_SAME_PLAN = ["gpu", "num_gpus", "method", "mode", "hours", "cost_per_run"]


def _axis(values: np.ndarray) -> dict[str, Any]:
    log = span_is_wide(list(values))
    low, high = float(values.min()), float(values.max())
    if not log:
        return {"type": "linear", "range": padded(low, high, 0.14)}
    return {"type": "log", "range": log_range(low, high, 0.1), **log_ticks(low, high)}


def _pixels(values: np.ndarray, axis: dict[str, Any], size: float) -> np.ndarray:
    placed = np.log10(values) if axis["type"] == "log" else values
    first, last = axis["range"]
    return (placed - first) / (last - first) * size


def plan_scatter(
    plans: pd.DataFrame, front: pd.DataFrame, heading: Heading, *, currency: str, chosen: int | None = None
) -> go.Figure:
    """Cost of a training against its hours: owned and rented plans by colour, the unbeaten ones joined and named.

    plans, front: of ``calc.recommend.Recommendation``, with a column ``label`` for the words at a point; the first of
    ``plans`` is marked with its number. chosen: place in ``front`` of the plan to ring.
    """
    front = front.reset_index(drop=True).head(MAX_POINTS)
    first = plans.head(1).assign(label=[f"\u2002<b>{label}</b>\u2002" for label in plans["label"].head(1)])
    both = pd.concat([first, front, plans.iloc[1:]])
    both = both.drop_duplicates(_SAME_PLAN).head(MAX_POINTS).reset_index(drop=True)
    named = len(first) + len(front)
    x, y = (both[name].to_numpy(dtype=float) for name in ("hours", "cost_per_run"))
    axes = {"x": _axis(x), "y": _axis(y)}
    figure, legend = new_figure(), [t("chart.time.trade_off")]
    figure.add_scatter(
        x=front["hours"],
        y=front["cost_per_run"],
        mode="lines",
        line={"color": "#9AA2AF", "width": 1.5, "dash": "dot"},
        name=t("chart.time.trade_off"),
        hoverinfo="skip",
    )
    pixels = [_pixels(values, axes[axis], size) for values, axis, size in zip((x, y), "xy", _PLOT_PX, strict=True)]
    words = [label if place < named else "" for place, label in enumerate(both["label"])]
    sides = place_beside(list(zip(*(axis.tolist() for axis in pixels), strict=True)), words, 12, *_PLOT_PX)
    words = [word if free else "" for word, (_, free) in zip(words, sides, strict=True)]
    for owned, colour, word in ((True, OWN, "chart.money.own"), (False, RENT, "chart.money.rent")):
        rows = np.flatnonzero((both["mode"] == "own").to_numpy() == owned)
        if not len(rows):
            continue
        legend.append(t(word))
        mine = both.iloc[rows]
        figure.add_scatter(
            x=mine["hours"],
            y=mine["cost_per_run"],
            mode="markers+text",
            marker={
                "size": 10,
                "color": colour,
                "symbol": ["circle" if verdict == "fits" else "circle-open" for verdict in mine["verdict"]],
                "line": {"width": 1.5, "color": colour},
            },
            text=[words[row] for row in rows],
            textposition=[sides[row][0] for row in rows],
            textfont={"size": 12, "color": INK},
            cliponaxis=False,
            name=t(word),
            customdata=np.array(
                [
                    [label, hours(time), money(cost, currency)]
                    for label, time, cost in zip(mine["label"], mine["hours"], mine["cost_per_run"], strict=True)
                ]
            ).reshape(-1, 3),
            hovertemplate="%{customdata[0]}: %{customdata[1]}, %{customdata[2]}<extra></extra>",
        )
    figure.add_scatter(
        x=first["hours"],
        y=first["cost_per_run"],
        mode="markers+text",
        marker={"size": 18, "color": [OWN if mode == "own" else RENT for mode in first["mode"]]},
        text=["<b>1</b>"] * len(first),
        textposition="middle center",
        textfont={"size": 12, "color": PAPER},
        hoverinfo="skip",
        showlegend=False,
    )
    if chosen is not None and chosen < len(front):
        figure.add_scatter(
            x=front["hours"].iloc[[chosen]],
            y=front["cost_per_run"].iloc[[chosen]],
            mode="markers",
            marker={"size": 20, "color": INK, "symbol": "circle-open", "line": {"width": 2, "color": INK}},
            hoverinfo="skip",
            showlegend=False,
        )
    figure.update_layout(
        xaxis={**axes["x"], "title": {"text": t("chart.axis.hours")}},
        yaxis={**axes["y"], "title": {"text": t("recommend.axis.cost", currency=currency)}},
    )
    return finish(
        figure,
        heading,
        plot_height=int(_PLOT_PX[1]),
        left=72,
        right=44,
        legend=legend,
        kind="chart.kind.scatter",
        room=_ROOM_PX,
    )
