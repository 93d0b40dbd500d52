"""Cards of the page that saves files: each file is made when its button is pressed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from calc.answers import MoneyAnswer
from calc.scenario import Scenario
from calc.tables import Tables
from ui.chart_zip import chart_zip
from ui.documents.deck import deck
from ui.documents.qr import qr_png, scenario_link
from ui.documents.report import report
from ui.documents.tables import tables_zip
from ui.documents.workbook import workbook
from ui.export import file_stem, show_chart
from ui.export.scenario_file import scenario_text
from ui.i18n import language, t, use_language
from ui.slides import Slide, preview

_OFFICE = "application/vnd.openxmlformats-officedocument"
_QR_PX = 220
_PREVIEW_PX = 520  # two thirds of the page in a window of 1280


def _in_language(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """``make`` in the page's language: Streamlit calls it from a thread that knows nothing of the page."""
    code = language()

    def made() -> bytes:
        with use_language(code):
            return make()

    return made


def _card(column: Any, name: str, make: Callable[[], bytes], file_name: str, mime: str) -> None:
    with column, st.container(border=True, height="stretch"):
        st.markdown(f"**{t(f'export.{name}')}**")
        st.caption(t(f"export.{name}_help"))
        st.download_button(
            t("export.download"),
            _in_language(make),
            file_name=file_name,
            mime=mime,
            key=f"download_{name}",
            on_click="ignore",
            type="primary",
            icon=":material/download:",
            width="stretch",
        )


def file_cards(entries: Sequence[Slide], money: MoneyAnswer, scenario: Scenario, tables: Tables) -> None:
    """Six cards in two rows: slides, workbook, report; pictures, tables, the scenario itself."""
    link = scenario_link(scenario, st.context.url)

    def stem(name: str) -> str:
        return file_stem(scenario, name)

    first = st.columns(3)
    name = f"{stem('slides')}.pptx"
    _card(
        first[0], "deck", lambda: deck(entries, scenario, tables, link), name, f"{_OFFICE}.presentationml.presentation"
    )
    name = f"{stem('workbook')}.xlsx"
    _card(first[1], "workbook", lambda: workbook(scenario, tables, link), name, f"{_OFFICE}.spreadsheetml.sheet")
    name = f"{stem('report')}.html"
    _card(first[2], "report", lambda: report(entries, scenario, tables, link), name, "text/html")
    second = st.columns(3)
    with second[0], st.container(border=True, height="stretch"):
        st.markdown(f"**{t('export.charts')}**")
        st.caption(t("export.charts_help"))
        chart_zip(entries, stem("charts"))
    name = f"{stem('tables')}.zip"
    _card(second[1], "tables", lambda: tables_zip(entries, money, scenario, tables), name, "application/zip")
    name = f"{stem('scenario')}.json"
    _card(second[2], "scenario", lambda: scenario_text(scenario).encode(), name, "application/json")


def link_and_preview(scenario: Scenario, tables: Tables) -> None:
    """The link with its code for a telephone, and beside it one picture as the files show it."""
    left, right = st.columns((1, 2))
    link = scenario_link(scenario, st.context.url)
    with left, st.container(border=True):
        st.markdown(f"**{t('export.link')}**")
        st.caption(t("export.link_help"))
        if link:
            st.image(qr_png(link), width=_QR_PX, caption=t("document.qr"), alt=t("document.qr"))
            # Scrolls by keyboard, which a code box of its own height does not.
            with st.container(height=126, border=False):
                st.code(link, language=None, wrap_lines=True)
    figure = preview(scenario, tables, _PREVIEW_PX)
    if figure is not None:
        with right:
            show_chart(figure, "preview", None, scenario)
