"""Owning and renting month by month: where the lines cross, and how sure that is."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.axes import money_ticks, padded
from ui.charts.labels import spread, text_width
from ui.charts.palette import INK, MUTED, OWN, PAPER, RENT, with_alpha
from ui.charts.template import BODY_PX, HALF_PX, MAX_POINTS, Heading, finish, new_figure
from ui.format import calendar_month, money, money_number, month_number, number, percent
from ui.i18n import t

_SIDES = (("rent", RENT), ("own", OWN))
_SMALL_PX = 12


def _month_ticks(last: float) -> list[int]:
    step = next(size for size in (1, 2, 3, 6, 12, 24) if last / size <= 12 or size == 24)
    return list(range(0, int(last) + 1, step))


def cumulative_cost(
    frame: pd.DataFrame,
    heading: Heading,
    *,
    currency: str,
    crossover_month: float | None = None,
    crossover_low: float | None = None,
    crossover_high: float | None = None,
    back: float = 0.0,
    owed: bool = False,
    view: str = "cash",
    compact: bool = False,
) -> go.Figure:
    """Total spent by month, owned and rented, with ranges, the crossing named and the resale as a drop at the end.

    frame: ``answers.money(...).cumulative`` (month, own, rent, own_low, own_high, rent_low, rent_high), or its
    ``cumulative_npv`` with view "npv" (which names the axis).
    back: money that selling the cards at the horizon brings, less a debt (``owed``); ``own`` is cash paid and does not
    count it.
    """
    frame = frame.sort_values("month").reset_index(drop=True)
    if len(frame) > MAX_POINTS - 1:
        keep = np.unique(np.linspace(0, len(frame) - 1, MAX_POINTS - 1).round().astype(int))
        frame = frame.iloc[keep].reset_index(drop=True)
    last = float(frame["month"].iloc[-1])
    values = frame[["own", "rent", "own_low", "own_high", "rent_low", "rent_high"]].to_numpy(dtype=float)
    after_sale = float(frame["own"].iloc[-1]) - back
    y_range = padded(min(float(np.nanmin(values)), after_sale), float(np.nanmax(values)))
    figure = new_figure()
    for name, colour in _SIDES:
        _add_band(figure, frame, name, colour)
    for name, colour in _SIDES:
        months, amounts = list(frame["month"]), list(frame[name])
        if name == "own" and back:
            months.append(last)
            amounts.append(after_sale)
        word = t(f"chart.money.{name}")
        figure.add_scatter(
            x=months,
            y=amounts,
            mode="lines",
            line={"color": colour, "width": 3},
            name=word,
            customdata=[money(amount, currency) for amount in amounts],
            hovertemplate=f"{t('chart.money.month_is', n='%{x:.0f}')}: %{{customdata}}<extra>{word}</extra>",
        )
    ends = [float(frame["rent"].iloc[-1]), after_sale]
    sold = t("chart.money.resale_debt" if owed else "chart.money.resale", amount=_signed(-back)) if back else ""
    right = _end_labels(figure, ends, y_range, compact, sold)
    if crossover_month is not None and 0 < crossover_month <= last:
        _crossing(figure, frame, crossover_month, crossover_low, crossover_high, currency, y_range, compact)
    axis = t("chart.axis.cumulative_npv" if view == "npv" else "chart.axis.cumulative", currency=currency)
    figure.update_layout(
        xaxis={
            "range": [0, last],
            "tickvals": _month_ticks(last) if not compact else _month_ticks(last)[::4],
            "tickangle": 0,
            "title": {"text": t("chart.axis.month")},
            "showgrid": False,
        },
        yaxis={
            "range": y_range,
            "title": {"text": axis},
            **(money_ticks(y_range[0], y_range[1], 4) if compact else {"nticks": 9, "tickformat": ","}),
            "zeroline": y_range[0] < 0,
            "zerolinecolor": "#9AA2AF",
        },
    )
    if compact:
        figure.update_xaxes(tickfont={"size": 11, "color": MUTED}, title={"font": {"size": 11}, "standoff": 4})
        figure.update_yaxes(
            tickfont={"size": 11, "color": MUTED},
            title={"text": axis, "font": {"size": 11}, "standoff": 4},
        )
    widest = max(text_width(f"{limit:,.0f}", BODY_PX) for limit in y_range)
    return finish(
        figure,
        heading,
        plot_height=190 if compact else 380,
        left=56 if compact else widest + 48,
        right=right,
        kind="chart.kind.lines",
        compact=compact,
    )


def _signed(amount: float) -> str:
    return f"+{money_number(amount)}" if amount > 0 else money_number(amount)


def _add_band(figure: go.Figure, frame: pd.DataFrame, name: str, colour: str) -> None:
    """The range of one side as a lower line without ink and an upper one filled down to it."""
    for bound, fill in (("low", None), ("high", "tonexty")):
        figure.add_scatter(
            x=frame["month"],
            y=frame[f"{name}_{bound}"],
            fill=fill,
            fillcolor=with_alpha(colour, 0.15),
            line={"width": 0, "color": colour},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
        )


def _end_labels(figure: go.Figure, ends: list[float], y_range: list[float], compact: bool, sold: str) -> float:
    """Name and total of each line beside its end, what the sale brings (``sold``) under it; returns their room."""
    size = y_range[1] - y_range[0]
    apart = 0.1 if compact else 0.16 if sold else 0.125
    spots = spread(ends, apart * size, y_range[0] + 0.04 * size, y_range[1] - 0.04 * size)
    widest = 0.0
    for (name, colour), end, spot in zip(_SIDES, ends, spots, strict=True):
        word = f"<b>{t(f'chart.money.{name}')}</b>"
        text = word if compact else f"{word}<br>{money_number(end)}"
        widest = max(widest, text_width(text, BODY_PX))
        if name == "own" and sold and not compact:
            text += f"<br><span style='font-size:{_SMALL_PX}px'>{sold}</span>"
            widest = max(widest, text_width(sold, _SMALL_PX))
        figure.add_annotation(
            x=1,
            xref="paper",
            y=spot,
            xanchor="left",
            xshift=8,
            align="left",
            showarrow=False,
            text=text,
            font={"color": colour, "size": 11 if compact else BODY_PX + 1},
        )
    return widest + 30


def _crossing(
    figure: go.Figure,
    frame: pd.DataFrame,
    month: float,
    low: float | None,
    high: float | None,
    currency: str,
    y_range: list[float],
    compact: bool,
) -> None:
    amount = float(np.interp(month, frame["month"], frame["rent"]))
    last = float(frame["month"].iloc[-1])
    figure.add_scatter(
        x=[month],
        y=[amount],
        mode="markers",
        marker={"size": 11 if compact else 14, "color": PAPER, "line": {"color": INK, "width": 3}},
        hoverinfo="skip",
        showlegend=False,
    )
    text = f"<b>{t('chart.money.month_is', n=month_number(month))}</b>"
    if not compact:
        text = f"<b>{t('chart.money.month_is', n=month_number(month))} · {calendar_month(month)}</b>"
        text += f"<br>{money(amount, currency)}"
        if low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
            text += "<br>" + t("chart.money.likely", low=month_number(low), high=month_number(high))
    # Below the crossing only the cheaper side's start lies; near the end the label turns to the left, near the
    # lower edge it goes up.
    to_left = month > 0.62 * last
    upwards = (amount - y_range[0]) / (y_range[1] - y_range[0]) < 0.28
    figure.add_annotation(
        x=month,
        y=amount,
        text=text,
        align="left",
        showarrow=True,
        arrowhead=0,
        arrowwidth=1.2,
        arrowcolor=INK,
        standoff=8,
        ax=(-1 if to_left else 1) * (26 if compact else 56),
        ay=(-1 if upwards else 1) * (30 if compact else 66),
        xanchor="right" if to_left else "left",
        font={"size": 12 if compact else BODY_PX, "color": INK},
        bgcolor=with_alpha(PAPER, 0.85),
    )


def probability_curve(frame: pd.DataFrame, heading: Heading) -> go.Figure:
    """Probability that owning has been cheaper than renting by each month.

    frame: ``answers.money(...).probability`` (month, own_wins between 0 and 1).
    """
    frame = frame.sort_values("month")
    if len(frame) > MAX_POINTS:
        frame = frame.iloc[np.unique(np.linspace(0, len(frame) - 1, MAX_POINTS).round().astype(int))]
    share = frame["own_wins"].clip(0, 1)
    last = float(frame["month"].iloc[-1])
    figure = new_figure()
    figure.add_scatter(
        x=frame["month"],
        y=share * 100,
        mode="lines",
        line={"color": OWN, "width": 3},
        fill="tozeroy",
        fillcolor=with_alpha(OWN, 0.12),
        name=t("chart.money.own"),
        customdata=[percent(value) for value in share],
        hovertemplate=f"{t('chart.money.month_is', n='%{x:.0f}')}: %{{customdata}}<extra></extra>",
    )
    figure.add_shape(
        type="line", xref="paper", x0=0, x1=1, y0=50, y1=50, line={"color": "#9AA2AF", "width": 1.5, "dash": "dash"}
    )
    over = frame[share >= 0.5]
    if len(over) and float(share.iloc[0]) < 0.5:
        month = float(over["month"].iloc[0])
        figure.add_annotation(
            x=month,
            y=50,
            text=t("chart.money.even_odds", n=number(month, 4)),
            arrowhead=0,
            arrowcolor=INK,
            standoff=4,
            ax=46 if month < 0.6 * last else -46,
            ay=34,
            xanchor="left" if month < 0.6 * last else "right",
            bgcolor=with_alpha(PAPER, 0.8),
        )
    figure.add_annotation(
        x=1,
        xref="paper",
        y=min(max(float(share.iloc[-1]) * 100, 4), 97),
        xanchor="left",
        xshift=8,
        showarrow=False,
        text=f"<b>{percent(float(share.iloc[-1]))}</b>",
        font={"color": OWN},
    )
    figure.update_layout(
        xaxis={
            "range": [float(frame["month"].iloc[0]), max(last, float(frame["month"].iloc[0]) + 1)],
            "tickvals": _month_ticks(last),
            "title": {"text": t("chart.axis.month")},
            "showgrid": False,
        },
        yaxis={
            "range": [0, 103],
            "tickvals": [0, 25, 50, 75, 100],
            "title": {"text": t("chart.axis.probability")},
        },
    )
    return finish(figure, heading, plot_height=260, left=66, right=64, kind="chart.kind.lines", room=HALF_PX)
