"""Prices behind the page about money: who rents the card out at what, and how its price moved."""

from __future__ import annotations

import math
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from calc.answers import MoneyAnswer
from calc.answers_prices import RENT_MODES, PriceHistory, price_history, provider_offers
from calc.market import at_rates_of
from calc.scenario import Scenario
from gpudata.names import short_gpu_name
from ui.charts.axes import padded
from ui.charts.money_views import price_history as history_chart
from ui.charts.palette import INK, with_alpha
from ui.charts.template import Heading
from ui.charts.titles import price_title
from ui.data import tables
from ui.export import show_chart
from ui.format import NOTHING, between, money, money_number, number, percent
from ui.i18n import t
from ui.inputs_widgets import option_label

STALE_GREY = "color: #8A8F98"  # readable on the white and on the dark page alike
TABLE_HEIGHT_PX = 318


def rented_gpu(scenario: Scenario) -> str:
    """The card that is rented: the chosen one where it is the same."""
    return scenario.money.rent_gpu or scenario.hardware.gpu


def your_price_sentence(answer: MoneyAnswer, scenario: Scenario) -> str:
    """The user's own price beside the market's low, median and high."""
    terms, price = scenario.money, answer.rent_price
    own = money(answer.costs.rent.price_per_gpu_hour, terms.currency)
    if not math.isfinite(price.typical):
        return t("prices.yours_alone", own=own)
    return t(
        "prices.yours",
        own=own,
        mode=option_label("rent_mode", terms.rent_mode),
        market=option_label("market", terms.market),
        low=money_number(price.low),
        median=money_number(price.typical),
        high=money_number(price.high),
    )


def _offers_frame(offers: pd.DataFrame, currency: str) -> Any:
    """Offers in words, the stale rows grey."""
    place = offers[["region", "country"]].apply(lambda row: ", ".join(row.dropna().astype(str)), axis=1)
    prices = {t(f"prices.{mode}", currency=currency): offers[mode] for mode in RENT_MODES}
    frame = pd.DataFrame(
        {
            t("prices.provider"): offers["provider"],
            **prices,
            t("prices.place"): place.where(place != "", offers["market"].map(_market)),
            t("cost.column_date"): offers["date"],
            t("prices.age"): offers["stale"].map({True: t("prices.stale"), False: t("prices.current")}),
            t("terms.url"): offers["source_url"].where(offers["source_url"].astype(str).str.startswith("http")),
        }
    )
    stale = offers["stale"].tolist()
    return frame.style.format(money_number, subset=list(prices), na_rep=NOTHING).apply(
        lambda row: [STALE_GREY if stale[row.name] else ""] * len(row), axis=1
    )


def _market(market: str) -> str:
    return t("prices.worldwide") if market == "global" else option_label("market", market)


def provider_table(answer: MoneyAnswer, scenario: Scenario) -> None:
    """Every provider's newest offer of the rented card, cheapest first."""
    terms, gpu = scenario.money, rented_gpu(scenario)
    offers = provider_offers(at_rates_of(terms, tables()), gpu, terms.currency, terms.rent_mode)
    st.markdown(f"#### {t('prices.title', gpu=short_gpu_name(gpu))}")
    st.markdown(your_price_sentence(answer, scenario))
    if offers.empty:
        st.caption(t("prices.no_offers", gpu=short_gpu_name(gpu)))
        return
    st.dataframe(
        _offers_frame(offers, terms.currency),
        hide_index=True,
        width="stretch",
        height=TABLE_HEIGHT_PX if len(offers) > 8 else "auto",
        column_config={t("terms.url"): st.column_config.LinkColumn(display_text=t("terms.source"))},
        placeholder=NOTHING,
        key="provider_offers",
    )
    st.caption(t("prices.table_note", n=number(len(offers)), stale=number(int(offers["stale"].sum()))))


def history_title(history: PriceHistory, gpu: str) -> str:
    """Whether the price rose or fell over the trend's dates, or that its width does not allow to say."""
    name = t(f"prices.kind.{history.kind}", gpu=short_gpu_name(gpu))
    if history.trend is None:
        return price_title(history.points, name)
    dates = history.trend_points["date"].dt.strftime("%Y-%m")
    share = percent(abs(history.trend.annual_change))
    return t(f"prices.{history.direction}", name=name, share=share, first=dates.iloc[0], last=dates.iloc[-1])


def _history_subtitle(history: PriceHistory) -> str:
    trend = history.trend
    if trend is None:
        return t("prices.no_trend")
    return t("prices.trend", range=between(trend.low, trend.high, percent), n=number(trend.points))


def _add_trend(figure: go.Figure, history: PriceHistory) -> None:
    """The fitted line with its 95 % band over the dates it was fitted to."""
    trend, dates = history.trend, history.trend_points["date"]
    if trend is None:
        return
    for bound, fill in ((trend.line_low, None), (trend.line_high, "tonexty")):
        figure.add_scatter(
            x=dates,
            y=bound,
            mode="lines",
            line={"width": 0, "color": INK},
            fill=fill,
            fillcolor=with_alpha(INK, 0.12),
            hoverinfo="skip",
            showlegend=False,
        )
    line = {"color": INK, "width": 2, "dash": "dash"}
    figure.add_scatter(x=dates, y=trend.line, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    low = min(float(history.points["low"].min()), float(trend.line_low.min()))
    high = max(float(history.points["high"].max()), float(trend.line_high.max()))
    figure.update_yaxes(range=padded(low, high))


def _history(side: Literal["rent", "own"], gpu: str, scenario: Scenario) -> None:
    currency = scenario.money.currency
    history = price_history(at_rates_of(scenario.money, tables()), gpu, side, currency)
    if history is None:
        st.caption(t(f"prices.no_history_{side}", gpu=short_gpu_name(gpu)))
        return
    source = t("prices.history_source", source=history.source)
    subtitle = t("prices.series", series=history.series, trend=_history_subtitle(history))
    heading = Heading(history_title(history, gpu), subtitle, source)
    figure = history_chart(history.points, heading, unit=t(f"prices.unit_{side}", currency=currency), side=side)
    _add_trend(figure, history)
    figure.update_xaxes(nticks=5, tickangle=0)  # half the page's width holds no more dates side by side
    shown = history.points.assign(date=history.points["date"].dt.strftime("%Y-%m-%d"))
    show_chart(figure, f"price-history-{side}", shown, scenario)


def price_histories(scenario: Scenario) -> None:
    """Rental price of the rented card and purchase price of the owned one over time, each with its trend."""
    left, right = st.columns(2)
    with left:
        _history("rent", rented_gpu(scenario), scenario)
    with right:
        _history("own", scenario.hardware.gpu, scenario)


def market_prices(answer: MoneyAnswer, scenario: Scenario) -> None:
    """Folded offers and price histories, made only once they are opened."""
    part = st.expander(t("prices.market"), key="market_prices", on_change="rerun")
    if part.open:
        with part:
            provider_table(answer, scenario)
            price_histories(scenario)
