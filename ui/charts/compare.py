"""Saved scenarios side by side: one row a scenario, the same order in every figure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.axes import money_ticks
from ui.charts.bars import add_end_texts, add_whiskers
from ui.charts.labels import text_width, wrap
from ui.charts.memory import category_axis, left_margin, room_for_labels, verdict_word
from ui.charts.palette import INK, OWN, RENT, VERDICTS
from ui.charts.template import HALF_PX, SMALL_PX, Heading, finish, new_figure
from ui.format import NOTHING, gib, hours, money
from ui.i18n import t

_NAME_PX: Final = 104.0  # room for a scenario's name beside the narrowest chart
_ROW_PX: Final = 44.0
_NEUTRAL: Final = "#7A8499"


def row_labels(letters: Sequence[str], names: Sequence[str]) -> list[str]:
    """Letter and name of each scenario on at most two lines."""
    labels = []
    for letter, name in zip(letters, names, strict=True):
        lines = [escape(line, quote=False) for line in wrap(f"{letter} · {name}", SMALL_PX, _NAME_PX)]
        shown = "<br>".join(lines[:2]) + ("…" if len(lines) > 2 else "")
        labels.append(f"<b>{letter}</b>{shown.removeprefix(letter)}")
    return labels


def _plot_px(labels: list[str]) -> float:
    return HALF_PX - left_margin(labels, SMALL_PX) - 28


def _finish(
    figure: go.Figure,
    heading: Heading,
    labels: list[str],
    ends: Sequence[float],
    texts: Sequence[str],
    *,
    axis: str,
    legend: list[str] | None = None,
    amounts: bool = False,
) -> go.Figure:
    """Axes and margins that all figures of this page share, so that their rows line up side by side."""
    known = [float(end) for end in ends if np.isfinite(end)]
    widest = max((text_width(text, SMALL_PX) for text in texts), default=0.0)
    top = room_for_labels(max([*known, 1e-9]), widest, _plot_px(labels))
    figure.update_layout(
        xaxis={"range": [0, top], "title": {"text": axis}, "nticks": 5, "tickangle": 0},
        yaxis={**category_axis(labels), "title": {"text": ""}, "tickfont": {"size": SMALL_PX}},
    )
    if amounts:
        figure.update_xaxes(**money_ticks(0.0, top))
    return finish(
        figure,
        heading,
        plot_height=int(_ROW_PX * max(len(labels), 2)),
        left=left_margin(labels, SMALL_PX),
        legend=legend,
        kind="chart.kind.bars",
        room=HALF_PX,
    )


def memory_by_scenario(frame: pd.DataFrame, heading: Heading, labels: list[str]) -> go.Figure:
    """Peak of each scenario with its range, the card's usable memory as a mark, the verdict by word and pattern.

    frame: rows of ``calc.compare.compare_row`` (GiB a card).
    """
    rows = list(range(len(frame)))
    figure = new_figure()
    styles = [VERDICTS.get(verdict, VERDICTS["no"]) for verdict in frame["verdict"]]
    figure.add_bar(
        y=rows,
        x=frame["peak_gib"],
        orientation="h",
        width=0.56,
        marker={
            "color": [style.fill for style in styles],
            "line": {"color": [style.edge for style in styles], "width": 1.5},
            "pattern": {
                "shape": [style.pattern for style in styles],
                "bgcolor": [style.fill for style in styles],
                "fgcolor": [style.edge for style in styles],
                "size": 7,
                "solidity": 0.18,
            },
        },
        customdata=frame["short"],
        hovertemplate="%{customdata}: %{x:.1f} GiB<extra></extra>",
        showlegend=False,
    )
    add_whiskers(figure, frame["peak_gib"], frame["low_gib"], frame["high_gib"], rows)
    figure.add_scatter(
        x=frame["usable_gib"],
        y=rows,
        mode="markers",
        marker={"symbol": "line-ns", "size": 26, "line": {"width": 3, "color": "#B4003C"}},
        name=t("chart.memory.usable_mark"),
        hovertemplate=f"{t('chart.memory.usable_mark')} %{{x:.1f}} GiB<extra></extra>",
    )
    texts = [
        f"{gib(peak)}<br>{verdict_word(verdict)}" if verdict in VERDICTS else gib(peak)
        for peak, verdict in zip(frame["peak_gib"], frame["verdict"], strict=True)
    ]
    ends = frame[["high_gib", "usable_gib"]].max(axis=1)
    colours = [style.text for style in styles]
    add_end_texts(figure, ends, rows, [text.replace("<br>", "<br>  ") for text in texts], colours, SMALL_PX)
    return _finish(
        figure,
        heading,
        labels,
        list(ends),
        texts,
        axis=t("chart.axis.gib_per_card"),
        legend=[t("chart.memory.usable_mark")],
    )


def hours_by_scenario(frame: pd.DataFrame, heading: Heading, labels: list[str]) -> go.Figure:
    """Hours of one run with its range; a scenario whose card does not hold the job has no bar."""
    rows = list(range(len(frame)))
    figure = new_figure()
    figure.add_bar(
        y=rows,
        x=frame["hours"],
        orientation="h",
        width=0.56,
        marker={"color": _NEUTRAL},
        customdata=frame["short"],
        hovertemplate="%{customdata}: %{x:.3~g} h<extra></extra>",
        showlegend=False,
    )
    known = frame["hours"].notna().to_numpy()
    add_whiskers(
        figure,
        frame.loc[known, "hours"],
        frame.loc[known, "hours_low"],
        frame.loc[known, "hours_high"],
        np.flatnonzero(known).tolist(),
    )
    texts = [
        hours(value) if np.isfinite(value) else _absent(verdict)
        for value, verdict in zip(frame["hours"], frame["verdict"], strict=True)
    ]
    ends = frame[["hours", "hours_high"]].max(axis=1).fillna(0.0)
    add_end_texts(figure, ends, rows, texts, [INK] * len(rows), SMALL_PX)
    return _finish(figure, heading, labels, list(ends), texts, axis=t("chart.axis.hours"))


def _absent(verdict: str) -> str:
    return verdict_word("no") if verdict == "no" else NOTHING


def cost_by_scenario(
    frame: pd.DataFrame, heading: Heading, labels: list[str], *, own: str, rent: str, currency: str
) -> go.Figure:
    """Owning and renting of each scenario as a pair of bars; own, rent: the columns with their amounts."""
    figure = new_figure()
    ends: list[float] = []
    said: list[str] = []
    for column, colour, word, shift in (
        (own, OWN, t("chart.money.own"), -0.2),
        (rent, RENT, t("chart.money.rent"), 0.2),
    ):
        rows = [place + shift for place in range(len(frame))]
        figure.add_bar(
            y=rows,
            x=frame[column],
            orientation="h",
            width=0.36,
            marker={"color": colour},
            name=word,
            hovertemplate=f"{word}: %{{x:,.4~g}} {currency}<extra></extra>",
        )
        texts = [
            money(value, currency) if np.isfinite(value) else _absent(verdict)
            for value, verdict in zip(frame[column], frame["verdict"], strict=True)
        ]
        add_end_texts(figure, frame[column].fillna(0.0), rows, texts, [INK] * len(rows), SMALL_PX)
        ends += frame[column].tolist()
        said += texts
    figure.update_layout(barmode="overlay")
    return _finish(
        figure,
        heading,
        labels,
        ends,
        said,
        axis=t("chart.axis.currency", currency=currency),
        legend=[t("chart.money.own"), t("chart.money.rent")],
        amounts=True,
    )
