"""Small charts of how the break-even rental price moves over the range of one input, your position marked."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from calc.answers import MoneyAnswer
from calc.answers_prices import BreakEvenCurve, break_even_curves
from calc.scenario import Scenario
from ui.charts.axes import padded
from ui.charts.money_views import SHARE_FIELDS
from ui.charts.palette import INK, OWN, PAPER, RENT
from ui.charts.template import Heading, finish, new_figure
from ui.cost_lines import field_name
from ui.data import tables
from ui.export import show_chart
from ui.format import money, money_number
from ui.i18n import t

RENT_FIELD = "rent.price_per_gpu_hour"
COLUMNS = 3


def _title(curve: BreakEvenCurve) -> str:
    name, prices = field_name(curve.field), curve.points["price"]
    if curve.field == RENT_FIELD:
        return t("curves.title_rent", name=name, own=money_number(curve.value), price=money_number(curve.price))
    first, last = money_number(float(prices.iloc[0])), money_number(float(prices.iloc[-1]))
    return t("curves.title", name=name, first=first, last=last)


def break_even_chart(curve: BreakEvenCurve, currency: str) -> go.Figure:
    """The curve with the scenario's place on it; for the rent itself also the line where rent and break-even meet."""
    as_share = curve.field.rpartition(".")[2] in SHARE_FIELDS
    factor = 100.0 if as_share else 1.0
    x, price = curve.points["value"] * factor, curve.points["price"]
    figure = new_figure()
    figure.add_scatter(
        x=x,
        y=price,
        mode="lines",
        line={"color": OWN, "width": 3},
        hovertemplate=f"%{{x:,.4~g}}: %{{y:,.3~g}} {currency}<extra></extra>",
        showlegend=False,
    )
    here, ends = curve.price, [float(price.min()), float(price.max())]
    if curve.field == RENT_FIELD:
        # Beyond the crossing the rent paid lies above the break-even price: there owning is cheaper.
        figure.add_scatter(
            x=x,
            y=x,
            mode="lines",
            line={"color": RENT, "width": 2, "dash": "dot"},
            hoverinfo="skip",
            showlegend=False,
        )
        here, ends = curve.value, [*ends, float(x.min()), float(x.max())]
    figure.add_scatter(
        x=[curve.value * factor],
        y=[here],
        mode="markers",
        marker={"size": 13, "color": PAPER, "line": {"color": INK, "width": 3}},
        hoverinfo="skip",
        showlegend=False,
        name=t("chart.money.you_are_here"),
    )
    span = max(ends) - min(ends)
    # A curve that moves by less than a fiftieth is drawn flat, not blown up to look steep.
    low, high = (min(ends), max(ends)) if span > 0.02 * max(ends) else (0.9 * min(ends), 1.1 * max(ends))
    figure.update_layout(
        xaxis={"nticks": 4, "ticksuffix": " %" if as_share else "", "tickformat": ",~g", "showgrid": False},
        yaxis={"range": padded(low, high), "nticks": 5, "tickformat": ",.3~g"},
    )
    heading = Heading(_title(curve), source=t("curves.axis", currency=currency))
    return finish(figure, heading, plot_height=170, left=54, compact=True, kind="chart.kind.lines")


def break_even_row(answer: MoneyAnswer, scenario: Scenario) -> None:
    """Folded row of curves; drawn only once it is opened, since most readers never do."""
    part = st.expander(t("curves.heading"), key="moves_break_even", on_change="rerun")
    if not part.open:
        return
    currency = scenario.money.currency
    with part:
        curves = break_even_curves(scenario, tables(), answer)
        if not curves:
            st.caption(t("curves.none"))
            return
        price = money(answer.break_even_rent_per_gpu_hour, currency)
        st.markdown(t("curves.help", price=price))
        columns = st.columns(COLUMNS)
        for place, curve in enumerate(curves):
            with columns[place % COLUMNS]:
                key = f"break-even-by-{curve.field.rpartition('.')[2].replace('_', '-')}"
                show_chart(break_even_chart(curve, currency), key, None, scenario)
