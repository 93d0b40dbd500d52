"""Why owning or renting wins: the bill line by line, the assumptions that matter, how prices moved."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.axes import money_ticks, padded
from ui.charts.labels import text_width
from ui.charts.memory import category_axis, left_margin
from ui.charts.palette import COMES_BACK, INK, MUTED, OWN, PAPER, RENT, with_alpha
from ui.charts.template import BODY_PX, HALF_PX, Heading, finish, new_figure
from ui.format import money, money_number, money_short, number, percent
from ui.i18n import language, t, words


def line_name(name: str) -> str:
    """A cost line in words: its entry in the word list, else the field name made readable."""
    key = f"chart.line.{name}"
    return t(key) if key in words(language()) else name.replace("_", " ").capitalize()


def waterfall(
    lines: Mapping[str, float],
    heading: Heading,
    *,
    currency: str,
    name_of: Callable[[str], str] = line_name,
    side: str = "own",
) -> go.Figure:
    """From the first cost line to the total, a step a line; savings (negative lines) go back.

    lines: cost line to its total over the horizon in ``currency``. side: "own" or "rent", for the colour.
    """
    shown = {name: float(value) for name, value in lines.items() if abs(value) > 0}
    names = [*(name_of(name) for name in shown), t("chart.money.total")]
    amounts = [*shown.values(), sum(shown.values())]
    tops = np.cumsum([0.0, *shown.values()])
    low, high = float(min(tops.min(), 0.0)), float(tops.max())
    colour = OWN if side == "own" else RENT
    figure = new_figure()
    figure.add_waterfall(
        y=list(range(len(names))),
        x=amounts,
        orientation="h",
        measure=["relative"] * len(shown) + ["total"],
        text=[f" {money_number(amount)} " for amount in amounts],
        textposition="outside",
        textfont={"size": BODY_PX, "color": INK},
        cliponaxis=False,
        increasing={"marker": {"color": with_alpha(colour, 0.55)}},
        decreasing={"marker": {"color": COMES_BACK}},
        totals={"marker": {"color": colour}},
        connector={"line": {"color": "#B8BFCA", "width": 1}},
        customdata=[money(amount, currency) for amount in amounts],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )
    room = max(text_width(money_number(amount), BODY_PX) for amount in amounts) + 20
    span = (high - low) or 1.0
    spare = span * room / (230 - room)
    figure.update_layout(
        xaxis={
            "range": [low - (spare if low < 0 else 0.0), high + spare],
            "title": {"text": currency},
            **money_ticks(low, high, 4),
        },
        yaxis={**category_axis([*names[:-1], f"<b>{names[-1]}</b>"]), "title": {"text": ""}},
    )
    return finish(
        figure,
        heading,
        plot_height=max(32 * len(names), 150),
        left=left_margin(names),
        kind="chart.kind.bars",
        room=HALF_PX,
    )


def tornado(
    frame: pd.DataFrame,
    heading: Heading,
    *,
    currency: str,
    base: float,
    name_of: Callable[[str], str],
    rows: int = 8,
) -> go.Figure:
    """What each assumption alone does to the saving of owning, the strongest on top.

    frame: ``answers.money(...).tornado`` (field, low_value, high_value, saving_low, saving_high). base: the saving
    with all assumptions as chosen. Blue goes towards owning, orange towards renting.
    """
    ends = frame[["saving_low", "saving_high"]]
    strongest = (ends.max(axis=1) - ends.min(axis=1)).sort_values(ascending=False).index[:rows]
    frame = frame.loc[strongest].reset_index(drop=True)
    names = [name_of(field) for field in frame["field"]]
    figure = new_figure()
    extremes = [base, 0.0]
    widest = 0.0
    numbers = frame[["low_value", "saving_low", "high_value", "saving_high"]].to_numpy(dtype=float).tolist()
    for row, (low_value, saving_low, high_value, saving_high) in enumerate(numbers):
        upper = max(saving_low, saving_high)
        for value, saving in ((low_value, saving_low), (high_value, saving_high)):
            extremes.append(saving)
            if math.isclose(saving, base, rel_tol=1e-9):
                continue
            text = _short_words(str(frame["field"].iloc[row]), value)
            widest = max(widest, text_width(text, 13))
            figure.add_bar(
                x=[saving - base],
                base=[base],
                y=[row],
                orientation="h",
                marker={"color": OWN if saving > base else RENT},
                hovertemplate=f"{names[row]} {text}: {money(saving, currency)}<extra></extra>",
                showlegend=False,
            )
            # Beside the whole bar, also where both ends lie on one side of the base.
            figure.add_annotation(
                x=max(saving, base) if saving == upper else min(saving, base),
                y=row,
                text=text,
                xanchor="left" if saving == upper else "right",
                xshift=4 if saving == upper else -4,
                showarrow=False,
                font={"size": 13, "color": MUTED},
                bgcolor=with_alpha(PAPER, 0.8),  # the lines of the base and of no difference may pass behind
            )
    first, last = min(extremes), max(extremes)
    spare = ((last - first) or 1.0) * (widest + 14) / max(80, 230 - 2 * widest)
    for place, dash, text in ((base, "solid", ""), (0.0, "dot", t("chart.money.break_even"))):
        figure.add_shape(
            type="line", yref="paper", y0=0, y1=1, x0=place, x1=place, line={"color": INK, "width": 1.5, "dash": dash}
        )
        if text:
            figure.add_annotation(
                x=place,
                y=1,
                yref="paper",
                yanchor="bottom",
                xanchor=_anchor((place - first) / ((last - first) or 1.0)),
                showarrow=False,
                text=text,
                font={"size": 12, "color": MUTED},
            )
    figure.update_layout(
        barmode="overlay",
        bargap=0.38,
        xaxis={
            "range": [first - spare, last + spare],
            "title": {"text": t("chart.axis.saving", currency=currency)},
            **money_ticks(first - spare, last + spare, 4),
        },
        yaxis={**category_axis(names), "title": {"text": ""}},
    )
    return finish(
        figure,
        heading,
        plot_height=max(36 * len(frame), 110),
        left=left_margin(names),
        above=20,
        kind="chart.kind.bars",
        room=HALF_PX,
    )


def _anchor(share: float) -> str:
    return "left" if share < 0.12 else "right" if share > 0.88 else "center"


SHARE_FIELDS = frozenset(
    (
        *("utilisation", "discount_rate", "sales_tax_rate", "load_factor", "maintenance_rate", "insurance_rate"),
        *("resale_fraction", "useful_fraction", "loan_rate", "spares_fraction", "replacement_rate", "throttle_factor"),
        *("availability", "refresh_fraction", "selling_cost_fraction", "annual_price_change", "spot_discount"),
        "support_rate",
    )
)
"""Cost fields held as shares and read as per cent."""


def value_words(path: str, value: float) -> str:
    """Value of a cost field by its path ("own.gpu_price") as people read it, without its unit; shares as per cent."""
    return percent(value) if path.rpartition(".")[2] in SHARE_FIELDS else number(value, 5)


def _short_words(path: str, value: float) -> str:
    """The same with few digits, for the ends of bars."""
    if path.rpartition(".")[2] in SHARE_FIELDS:
        return percent(value)
    return money_short(value) if abs(value) >= 10_000 else money_number(value) if abs(value) >= 100 else number(value)


def price_history(frame: pd.DataFrame, heading: Heading, *, unit: str, side: str = "rent") -> go.Figure:
    """Prices over time: the range between low and high offers, the typical one as a line.

    frame: date, low, typical, high (in ``unit``, e.g. "USD per card hour"). side: "own" for purchase prices.
    """
    frame = frame.sort_values("date").tail(200)
    colour = OWN if side == "own" else RENT
    low, high = float(frame["low"].min()), float(frame["high"].max())
    figure = new_figure()
    for bound, fill in (("low", None), ("high", "tonexty")):
        figure.add_scatter(
            x=frame["date"],
            y=frame[bound],
            mode="lines",
            line={"width": 0, "color": colour},
            fill=fill,
            fillcolor=with_alpha(colour, 0.18),
            hoverinfo="skip",
            showlegend=False,
        )
    figure.add_scatter(
        x=frame["date"],
        y=frame["typical"],
        mode="lines+markers" if len(frame) <= 24 else "lines",
        line={"color": colour, "width": 3},
        marker={"size": 7},
        hovertemplate="%{x|%Y-%m-%d}: %{y:,.2f} " + unit + "<extra></extra>",
        showlegend=False,
    )
    last = frame.iloc[-1]
    figure.add_annotation(
        x=1,
        xref="paper",
        y=float(last["typical"]),
        xanchor="left",
        xshift=8,
        showarrow=False,
        align="left",
        text=f"<b>{money_number(float(last['typical']))}</b>",
        font={"color": colour},
    )
    figure.update_layout(
        xaxis={"title": {"text": t("chart.axis.date")}, "showgrid": False, "tickformat": "%Y-%m", "nticks": 9},
        yaxis={"range": padded(low, high), "title": {"text": unit}, "tickformat": ",", "nticks": 7},
    )
    dates = pd.to_datetime(frame["date"])
    spare = pd.Timedelta(days=15) if dates.min() == dates.max() else pd.Timedelta(0)
    figure.update_xaxes(range=[dates.min() - spare, dates.max() + spare])
    right = text_width(money_number(float(last["typical"])), BODY_PX) + 28
    return finish(figure, heading, plot_height=300, left=76, right=right, kind="chart.kind.lines", room=HALF_PX)
