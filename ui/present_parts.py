"""Parts of the Present page: one slide on the whole screen, its controls, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from calc.scenario import Scenario
from ui.cards import metric_cards
from ui.charts.enlarged import enlarged
from ui.charts.template import alt_text
from ui.data import tables
from ui.export import chart_css
from ui.i18n import t
from ui.live_terms import utilisation_and_horizon
from ui.present_room import window_times
from ui.slides import Slide, slide_makers

_PLACE = "_present_place"
_KEPT = "_present_makers"
_CSS = (Path(__file__).parent / "present.css").read_text(encoding="utf-8")
_ROWS = 8  # of a table, which the last row of a hall can still read


def _makers(scenario: Scenario) -> list[Callable[[], Slide]]:
    """Makes each slide; the answers are kept from slide to slide, so that an arrow key is answered at once."""
    kept = st.session_state.get(_KEPT)
    if kept is None or kept[0] != scenario:
        kept = st.session_state[_KEPT] = scenario, slide_makers(scenario, tables(), titled=False)
    makers: list[Callable[[], Slide]] = kept[1]
    return makers


def slide_shown(scenario: Scenario) -> None:
    """Draws the slide this session has come to, full screen, with the sliders and the arrows below."""
    makers = _makers(scenario)
    total = len(makers)
    place = min(st.session_state.get(_PLACE, 0), total - 1)
    st.html(f"<style>{chart_css()}{_CSS}</style>")
    slide, times = makers[place](), window_times()
    with st.container(key="present"):
        with st.container(key="present_words"):
            st.markdown(f"### {slide.sentence}")
            st.caption(slide.subtitle)
        with st.container(key="present_middle"):
            source = _picture(slide, times)
        st.caption(source)
        _controls(place, total)


def _picture(slide: Slide, times: float) -> str:
    """The slide's chart, big figures or table; returns the line that belongs below."""
    if slide.figure is not None:
        with st.container(key="present_chart"):
            st.plotly_chart(
                enlarged(slide.figure, times),
                width="stretch",
                height="stretch",
                theme=None,
                key=f"present_{slide.key}",
                config={"displayModeBar": False},
                alt=f"{slide.title}. {alt_text(slide.figure)}",
            )
    elif slide.cards:
        with st.container(key="present_cards"):
            metric_cards(slide.cards)
    elif slide.table is not None:
        with st.container(key="present_table"):
            st.table(slide.table.head(_ROWS), hide_index=True)
        if len(slide.table) > _ROWS:
            page = t("page.own_versus_rent")
            return t("present.rows", n=_ROWS, total=len(slide.table), page=page) + " " + slide.source
    return slide.source


def _controls(place: int, total: int) -> None:
    with st.container(key="present_controls", horizontal=True, vertical_alignment="center"):
        st.button(
            t("present.previous"),
            key="present_previous",
            icon=":material/arrow_back:",
            shortcut="Left",
            disabled=place == 0,
            on_click=_go,
            args=(place - 1,),
        )
        st.markdown(t("present.place", n=place + 1, total=total), width="content")
        st.button(
            t("present.next"),
            key="present_next",
            icon=":material/arrow_forward:",
            shortcut="Right",
            disabled=place == total - 1,
            on_click=_go,
            args=(place + 1,),
        )
        with st.container(key="present_terms"):
            utilisation_and_horizon("present")
        st.page_link("pages/overview.py", label=t("present.leave"), icon=":material/close:", width="content")


def _go(place: int) -> None:
    st.session_state[_PLACE] = place
