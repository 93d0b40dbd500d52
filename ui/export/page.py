"""Charts on the page: the figure with its camera, and the numbers behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from calc.scenario import MODEL_BY_SIZE, Scenario
from ui.charts.template import alt_text, plotly_config
from ui.i18n import language, t, words

# Figures are white in themselves so that the camera saves white files (see ui/charts/template.py). On a dark page the
# browser turns them over: 93 % of white becomes theme.dark.backgroundColor, and the half turn of hue keeps owning blue
# and renting orange.
DARK_INVERT = 0.93
_DARK_RULE = f'[data-testid="stPlotlyChart"] .js-plotly-plot {{ filter: invert({DARK_INVERT}) hue-rotate(180deg); }}'
# Plotly's own message after a download is English only and drawn for white pages.
_QUIET_RULE = ".plotly-notifier { display: none; }"

_PER_CENT_COLUMNS = ("share", "efficiency", "own_wins")  # stored as shares, read as per cent
_WORD_COLUMNS = {
    "verdict": "chart.verdict",
    "method": "chart.method",
    "link": "chart.link",
    "bottleneck": "chart.bottleneck",
}


def slug(text: str) -> str:
    """``text`` as part of a file name: lower-case letters, digits, dots and single hyphens; Chinese is kept."""
    return re.sub(r"[^\w.]+", "-", text.lower().replace("_", "-"), flags=re.UNICODE).strip("-.") or "chart"


def file_stem(scenario: Scenario, chart: str) -> str:
    """Name of a saved chart without its ending: chart, model, method, cards."""
    work, hardware = scenario.workload, scenario.hardware
    model = f"{work.model_size_b:g}b" if work.model == MODEL_BY_SIZE else work.model
    return "_".join(slug(part) for part in (chart, model, work.method, f"{hardware.num_gpus}x-{hardware.gpu}"))


def _header(column: str, currency: str) -> str:
    """Column name in words with its unit; a name without an entry in the word list stays as it is."""
    key = f"chart.column.{column}"
    known = words(language())
    if key not in known:
        return column.replace("_", " ").capitalize()
    return t(key, currency=currency) if "{currency}" in known[key] else known[key]


def numbers_table(frame: pd.DataFrame, columns: Sequence[str] | None = None, currency: str = "") -> pd.DataFrame:
    """The frame of a chart for people: chosen columns, words in their language, shares in per cent, headers with units.

    Every card is named once: ``short`` is left out where ``gpu`` is shown.
    """
    names = list(columns) if columns is not None else [name for name in frame.columns if name != "short"]
    table = pd.DataFrame(index=frame.index)
    known = words(language())
    for name in names:
        values = frame[name]
        if name in _PER_CENT_COLUMNS:
            values = values * 100
        elif name in _WORD_COLUMNS:
            values = values.map(lambda code, stem=_WORD_COLUMNS[name]: known.get(f"{stem}.{code}", code))
        table[_header(name, currency)] = values
    return table.reset_index(drop=True)


def _column_config(table: pd.DataFrame) -> dict[str, Any]:
    """Right number of decimals a column: whole numbers from 1,000, else one or two; thousands separated."""
    config: dict[str, Any] = {}
    for name in table.columns:
        if pd.api.types.is_bool_dtype(table[name]) or not pd.api.types.is_numeric_dtype(table[name]):
            continue
        largest = float(table[name].abs().max()) if table[name].notna().any() else 0.0
        whole = bool((table[name].dropna() % 1 == 0).all())
        step = 1.0 if whole or largest >= 1000 else 0.1 if largest >= 10 else 0.01
        config[str(name)] = st.column_config.NumberColumn(format="localized", step=step)
        table[name] = table[name].round(0 if step == 1 else 1 if step == 0.1 else 2)
    return config


def show_numbers(frame: pd.DataFrame, key: str, *, columns: Sequence[str] | None = None, currency: str = "") -> None:
    """The folded table "Show the numbers" of a chart, made when it is opened."""
    part = st.expander(t("chart.show_numbers"), key=f"{key}_numbers", on_change="rerun")
    if part.open:
        table = numbers_table(frame, columns, currency)
        config = _column_config(table)
        part.dataframe(table, hide_index=True, width="stretch", column_config=config, key=f"{key}_table")


def chart_css() -> str:
    """Rules that every page with charts needs, for the theme in use."""
    return _QUIET_RULE + (_DARK_RULE if st.context.theme.type == "dark" else "")


def show_chart(
    figure: go.Figure,
    key: str,
    frame: pd.DataFrame | None,
    scenario: Scenario,
    *,
    columns: Sequence[str] | None = None,
    currency: str | None = None,
) -> None:
    """Draws a figure at the full width of its container, with camera, alternative text and its numbers below.

    key: unique on the page; also the first part of the saved file's name. frame: what the chart shows (None: no table,
    as under the small charts of the overview). currency: of the table's headers, the scenario's where not given.
    """
    st.html(f"<style>{chart_css()}</style>")
    st.plotly_chart(
        figure,
        width="stretch",
        theme=None,
        key=key,
        config=plotly_config(figure, file_stem(scenario, key)),
        alt=alt_text(figure),
    )
    if frame is not None:
        show_numbers(frame, key, columns=columns, currency=currency or scenario.money.currency)


def table_of_lines(lines: Mapping[str, float], names: Mapping[str, str]) -> pd.DataFrame:
    """Cost lines as a frame (line, amount) for ``show_chart``; ``names`` holds their words."""
    return pd.DataFrame(
        {"line": [names.get(name, name) for name in lines], "amount": [float(v) for v in lines.values()]}
    )
