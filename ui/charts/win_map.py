"""Who wins, owning or renting, by use and horizon: the map in two colours."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.palette import INK, MUTED, OWN, PAPER, RENT, with_alpha
from ui.charts.template import BODY_PX, HALF_PX, Heading, finish, new_figure
from ui.format import money, money_short
from ui.i18n import t

_MAP_ROWS = 40  # horizons; more cells than the eye can use only make the page slow
# What guides say, drawn so that people can see when it holds: buy above this share of hours (per cent), and for
# projects longer than so many months.
RULE_OF_THUMB = 60.0
RULE_MONTHS = 3.0


def win_map(frame: pd.DataFrame, heading: Heading, *, currency: str, utilisation: float, horizon: float) -> go.Figure:
    """Who is cheaper, and by how much, for every utilisation and horizon; the 60 % rule and "you are here" drawn.

    frame: ``answers_money.money(...).win_map`` (utilisation as a share, horizon_months, saving: rent less own in
    ``currency``). utilisation, horizon: the scenario's, as a share and in months.
    """
    utilisation = utilisation * 100
    frame = frame.assign(utilisation=frame["utilisation"] * 100)
    if frame["horizon_months"].nunique() > _MAP_ROWS:
        frame = frame[frame["horizon_months"] % 3 == 0]
    grid = frame.pivot(index="horizon_months", columns="utilisation", values="saving").sort_index()
    x, y, saving = grid.columns.to_numpy(float), grid.index.to_numpy(float), grid.to_numpy(float)
    limit = float(np.nanmax(np.abs(saving))) or 1.0
    figure = new_figure()
    figure.add_heatmap(
        x=x,
        y=y,
        z=saving,
        zmin=-limit,
        zmax=limit,
        # The middle is pale grey rather than white, so that "no difference" is not taken for "no data".
        colorscale=[
            [0.0, RENT],
            [0.35, "#F3C7A6"],
            [0.5, "#F4F4F2"],
            [0.65, "#A9CDE6"],
            [1.0, OWN],
        ],
        colorbar={
            "title": {
                "text": t("chart.axis.saving", currency=currency),
                "side": "right",
                "font": {"color": MUTED, "size": 13},
            },
            "thickness": 12,
            "tickfont": {"size": 12},
            "outlinewidth": 0,
            # The ends and the middle: labels between them would run into the title beside them.
            "tickvals": [-limit, 0, limit],
            "ticktext": [money_short(value) for value in (-limit, 0, limit)],
            "x": 1.02,
            "xanchor": "left",
            "len": 1.0,
            "y": 0.5,
        },
        customdata=np.vectorize(lambda value: money(abs(value), currency))(saving),
        hovertemplate="%{x:.0f} % · %{y:.0f}: %{customdata}<extra></extra>",
    )
    if float(np.nanmin(saving)) < 0 < float(np.nanmax(saving)):
        figure.add_contour(
            x=x,
            y=y,
            z=saving,
            contours={"start": 0, "end": 0, "size": 1, "coloring": "none"},
            line={"color": INK, "width": 2.5},
            showscale=False,
            hoverinfo="skip",
        )
    for side, wins in (("own", saving > 0), ("rent", saving < 0)):
        if wins.mean() > 0.08:
            rows, columns = np.nonzero(wins)
            right = float(np.average(x[columns])) > float(x.mean())
            figure.add_annotation(
                x=1 if right else 0,
                xref="paper",
                xanchor="right" if right else "left",
                xshift=-8 if right else 8,
                y=float(np.average(y[rows], weights=np.abs(saving[rows, columns]))),
                text=f"<b>{t(f'chart.money.{side}')}</b>",
                showarrow=False,
                font={"size": BODY_PX, "color": INK},
                bgcolor=with_alpha(PAPER, 0.75),
                borderpad=4,
            )
    if x.min() <= RULE_OF_THUMB <= x.max():
        figure.add_shape(
            type="line",
            yref="paper",
            y0=0,
            y1=1,
            x0=RULE_OF_THUMB,
            x1=RULE_OF_THUMB,
            line={"color": INK, "width": 1.5, "dash": "dash"},
        )
        figure.add_annotation(
            x=RULE_OF_THUMB,
            y=1,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
            text=t("chart.money.rule"),
            font={"size": 12, "color": MUTED},
        )
    if y.min() <= RULE_MONTHS <= y.max():
        line = {"color": INK, "width": 1.5, "dash": "dash"}
        figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=RULE_MONTHS, y1=RULE_MONTHS, line=line)
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            xshift=4,
            y=RULE_MONTHS,
            yanchor="bottom",
            showarrow=False,
            text=t("chart.money.rule_months"),
            font={"size": 12, "color": INK},
            bgcolor=with_alpha(PAPER, 0.75),
        )
    if x.min() <= utilisation <= x.max() and y.min() <= horizon <= y.max():
        figure.add_scatter(
            x=[utilisation],
            y=[horizon],
            mode="markers",
            marker={"size": 14, "color": PAPER, "line": {"color": INK, "width": 3}},
            hoverinfo="skip",
            showlegend=False,
        )
        above = horizon < 0.8 * y.max()
        figure.add_annotation(
            x=utilisation,
            y=horizon,
            xanchor="center" if 20 < utilisation < 80 else "left" if utilisation <= 20 else "right",
            yanchor="bottom" if above else "top",
            yshift=10 if above else -10,
            text=t("chart.money.you_are_here"),
            showarrow=False,
            font={"size": 13, "color": INK},
            bgcolor=with_alpha(PAPER, 0.8),
            borderpad=2,
        )
    half_x, half_y = (float(np.diff(axis).min()) / 2 if len(axis) > 1 else 0.5 for axis in (x, y))
    figure.update_layout(
        xaxis={
            "range": [x.min() - half_x, x.max() + half_x],
            "title": {"text": t("chart.axis.utilisation")},
            "ticksuffix": " %",
            "showgrid": False,
        },
        yaxis={
            "range": [y.min() - half_y, y.max() + half_y],
            "title": {"text": t("chart.axis.horizon")},
            "dtick": 12,
            "tick0": 0,
            "showgrid": False,
        },
    )
    return finish(figure, heading, plot_height=320, left=64, right=92, above=20, kind="chart.kind.map", room=HALF_PX)
