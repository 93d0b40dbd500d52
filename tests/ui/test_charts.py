from __future__ import annotations

import itertools
from collections.abc import Callable

import chart_frames as frames
import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from ui.charts.accuracy import accuracy_scatter
from ui.charts.compare import cost_by_scenario, hours_by_scenario, memory_by_scenario, row_labels
from ui.charts.cumulative import cumulative_cost, probability_curve
from ui.charts.memory import capacity_view, memory_bars
from ui.charts.memory_maps import fit_heatmap, memory_lines
from ui.charts.money_views import price_history, tornado, waterfall
from ui.charts.recommend import plan_scatter
from ui.charts.scaling import cost_time_scatter, scaling_lines
from ui.charts.template import COMPACT_HEIGHT_PX, Heading, alt_text, plotly_config
from ui.charts.training_time import time_bars
from ui.charts.win_map import win_map
from ui.cost_lines import field_name

HEADING = Heading("One RTX 4090 holds it, with 1.1 GiB to spare", "LoRA on Llama-3.1-8B", "Prices of 2026-10")
CAPACITIES = {"RTX 4090": 23.6, "A100": 79.2, "H100 SXM": 79.6}
SCENARIO_LABELS = row_labels(list(frames.scenarios()["letter"]), list(frames.scenarios()["name"]))
Builder = Callable[[Heading], go.Figure]

BUILDERS: dict[str, Builder] = {
    "memory_bars": lambda h: memory_bars(frames.fit(), h, chosen="RTX 4090"),
    "memory_bars_large": lambda h: memory_bars(frames.fit(40), h),
    "capacity_view": lambda h: capacity_view(frames.fit(), h, chosen="RTX 4090"),
    "capacity_view_large": lambda h: capacity_view(frames.fit(40), h, chosen="not among them"),
    "fit_heatmap": lambda h: fit_heatmap(frames.fit_map(), h, chosen="RTX 4090", method="lora"),
    "memory_lines": lambda h: memory_lines(frames.sweep(), h, capacities=CAPACITIES, chosen=2048),
    "time_bars": lambda h: time_bars(frames.times(), h, chosen="RTX 4090"),
    "time_bars_short": lambda h: time_bars(frames.times(1e-4), h),
    "time_bars_log": lambda h: time_bars(frames.times(), h, log=True),
    "scaling_lines": lambda h: scaling_lines(frames.scaling(), h),
    "cost_time_scatter": lambda h: cost_time_scatter(frames.times(), h, currency="USD", chosen="RTX 4090"),
    "cumulative_cost": lambda h: cumulative_cost(
        frames.cumulative(), h, currency="CNY", crossover_month=15.0, crossover_low=12.2, crossover_high=19.8
    ),
    "cumulative_cost_resale": lambda h: cumulative_cost(frames.cumulative(), h, currency="CNY", back=70_000.0),
    "cumulative_cost_long": lambda h: cumulative_cost(frames.cumulative(600), h, currency="CNY"),
    "win_map": lambda h: win_map(frames.win_map(), h, currency="CNY", utilisation=0.4, horizon=36),
    "waterfall": lambda h: waterfall(frames.cost_lines(), h, currency="CNY"),
    "tornado": lambda h: tornado(frames.tornado(), h, currency="CNY", base=22_000.0, name_of=field_name),
    "probability_curve": lambda h: probability_curve(frames.probability(), h),
    "price_history": lambda h: price_history(frames.prices(), h, unit="USD per card hour"),
    "accuracy_scatter": lambda h: accuracy_scatter(frames.accuracy(), h, unit="GiB"),
    "memory_by_scenario": lambda h: memory_by_scenario(frames.scenarios(), h, SCENARIO_LABELS),
    "hours_by_scenario": lambda h: hours_by_scenario(frames.scenarios(), h, SCENARIO_LABELS),
    "cost_by_scenario": lambda h: cost_by_scenario(
        frames.scenarios(), h, SCENARIO_LABELS, own="own_per_run", rent="rent_per_run", currency="USD"
    ),
    "plan_scatter": lambda h: plan_scatter(*frames.plans(), h, currency="CNY", chosen=1),
    "plan_scatter_one": lambda h: plan_scatter(*frames.plans(1), h, currency="CNY"),
    "plan_scatter_many": lambda h: plan_scatter(*frames.plans(300), h, currency="CNY", chosen=299),
}
COMPACT: dict[str, Builder] = {
    "memory_bars": lambda h: memory_bars(frames.fit(), h, chosen="RTX 4090", compact=True),
    "capacity_view": lambda h: capacity_view(frames.fit(), h, chosen="RTX 4090", compact=True),
    "time_bars": lambda h: time_bars(frames.times(), h, compact=True),
    "cumulative_cost": lambda h: cumulative_cost(
        frames.cumulative(), h, currency="CNY", crossover_month=15.0, back=9_000.0, compact=True
    ),
}


@pytest.fixture(params=BUILDERS, name="figure")
def _figure(request: pytest.FixtureRequest) -> go.Figure:
    return BUILDERS[request.param](HEADING)


def noted(figure: go.Figure, name: str) -> str:
    return next((note.text for note in figure.layout.annotations if note.name == name), "")


def test_says_title_scenario_and_source_in_the_picture(figure: go.Figure) -> None:
    title = figure.layout.title.text.replace("<br>", " ").removeprefix("<b>").removesuffix("</b>")
    assert title == HEADING.title
    assert noted(figure, "subtitle") == HEADING.subtitle
    assert noted(figure, "source") == HEADING.source


def test_axes_have_units_or_names(figure: go.Figure) -> None:
    x, y = figure.layout.xaxis, figure.layout.yaxis
    assert x.title.text
    assert y.title.text or all(y.ticktext)


def test_no_trace_is_too_long(figure: go.Figure) -> None:
    lengths = [len(trace.x) for trace in figure.data if trace.type not in ("heatmap", "contour")]
    assert max(lengths) <= 200


def numbers(values: object) -> np.ndarray:
    if values is None:
        return np.array([])
    series = pd.Series(list(values))  # type: ignore[call-overload]
    if not pd.api.types.is_numeric_dtype(series):
        series = pd.to_datetime(series).astype("datetime64[ns]").astype("int64")
    return series.to_numpy(dtype=float)


def limits(axis: go.layout.XAxis) -> tuple[float, float]:
    bounds = numbers(axis.range)
    low, high = min(bounds), max(bounds)
    return (10**low, 10**high) if axis.type == "log" else (low, high)


def stacked_ends(figure: go.Figure) -> np.ndarray:
    """Right ends of stacked horizontal bars, by row."""
    ends: dict[float, float] = {}
    for trace in figure.data:
        if trace.type == "bar" and trace.base is None:
            for row, value in zip(numbers(trace.y), numbers(trace.x), strict=True):
                ends[row] = ends.get(row, 0.0) + (value if np.isfinite(value) else 0.0)
    return np.array(list(ends.values()))


def test_nothing_leaves_the_frame(figure: go.Figure) -> None:
    for name, axis in (("x", figure.layout.xaxis), ("y", figure.layout.yaxis)):
        low, high = limits(axis)
        slack = 1e-9 * max(abs(low), abs(high), 1.0)
        for trace in figure.data:
            values = numbers(getattr(trace, name))
            if trace.type == "waterfall" and name == "x":
                values = np.cumsum(values[:-1])
            elif trace.type == "bar" and name == "x":
                base = numbers(trace.base) if trace.base is not None else 0.0
                values = values + base
            error = getattr(trace, f"error_{name}", None)
            if error is not None and error.array is not None:
                values = np.concatenate([values + numbers(error.array), values - numbers(error.arrayminus)])
            values = values[np.isfinite(values)]
            assert values.size == 0 or (values.min() >= low - slack and values.max() <= high + slack), trace
        if name == "x" and figure.layout.barmode == "stack" and stacked_ends(figure).size:
            assert stacked_ends(figure).max() <= high


def test_camera_gives_a_large_wide_png_with_big_type(figure: go.Figure) -> None:
    image = plotly_config(figure, "memory_llama")["toImageButtonOptions"]
    assert image["format"] == "png"
    assert image["filename"] == "memory_llama"
    assert image["width"] * image["scale"] >= 1920
    assert image["height"] * image["scale"] >= 1080
    assert image["width"] / image["height"] == pytest.approx(16 / 9, abs=0.01)
    assert image["height"] >= figure.layout.height
    assert figure.layout.paper_bgcolor is None
    assert figure.layout.template.layout.paper_bgcolor == "#FFFFFF"


def test_margins_hold_the_text_round_the_plot(figure: go.Figure) -> None:
    margin = figure.layout.margin
    title_lines = figure.layout.title.text.count("<br>") + 1
    assert margin.t >= 16 + title_lines * 26 + 18
    assert margin.b >= 34 + 24 + 16
    assert figure.layout.height - margin.t - margin.b >= 100


def test_alternative_text_says_kind_and_message(figure: go.Figure) -> None:
    assert HEADING.title in alt_text(figure)
    assert alt_text(figure).split(".")[0] in {
        "Bar chart",
        "Line chart",
        "Scatter chart",
        "Grid of cards and methods",
        "Map in two colours",
    }


@pytest.mark.parametrize("name", BUILDERS)
def test_draws_in_chinese(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.i18n.language", lambda: "zh")
    monkeypatch.setattr("ui.charts.money_views.language", lambda: "zh")
    figure = BUILDERS[name](Heading("利用率 60% 时,自购第 15 个月回本,此后每个月都更省" * 2, "微调", "价格"))
    assert "条" in alt_text(figure) or "图" in alt_text(figure) or "格" in alt_text(figure)
    assert figure.layout.title.text.count("<br>") >= 1


@pytest.mark.parametrize("name", COMPACT)
def test_small_charts_are_equally_high_and_keep_title_and_source(name: str) -> None:
    figure = COMPACT[name](HEADING)
    assert figure.layout.height == COMPACT_HEIGHT_PX
    assert "RTX 4090" in figure.layout.title.text
    assert noted(figure, "source") == HEADING.source
    assert noted(figure, "subtitle") == ""
    assert COMPACT_HEIGHT_PX - figure.layout.margin.t - figure.layout.margin.b > 120


def test_memory_pieces_add_up_to_the_peak() -> None:
    figure = memory_bars(frames.fit(), HEADING)
    shown = [trace.x[0] for trace in figure.data if trace.type == "bar"]
    assert sum(shown) == pytest.approx(frames.fit()["peak_gib"].iloc[0], rel=0.02)


def test_verdict_is_said_in_word_colour_and_pattern() -> None:
    figure = capacity_view(frames.fit(), HEADING, chosen="RTX 4090")
    texts = " ".join(text for trace in figure.data if getattr(trace, "mode", "") == "text" for text in trace.text)
    for word in ("fits", "tight", "does not fit"):
        assert word in texts
    patterns = {trace.marker.pattern.shape for trace in figure.data if trace.type == "bar"}
    assert {"", "/", "x"} <= patterns


def test_heatmap_shows_a_number_in_every_cell() -> None:
    figure = fit_heatmap(frames.fit_map(), HEADING)
    cells = list(itertools.chain.from_iterable(trace.text for trace in figure.data))
    assert len(cells) == len(frames.fit_map())
    assert "<b>95</b>" in cells


def test_heatmap_cells_have_no_more_digits_than_room() -> None:
    frame = frames.fit_map().assign(share=np.linspace(0.05, 25.0, len(frames.fit_map())))
    cells = list(itertools.chain.from_iterable(trace.text for trace in fit_heatmap(frame, HEADING).data))
    assert "<b>>999</b>" in cells
    assert max(len(text) for text in cells) == len("<b>>999</b>")


def test_unknown_memory_is_left_out() -> None:
    frame = frames.fit()
    frame.loc[2, ["usable_gib", "share"]] = np.nan
    frame.loc[2, "verdict"] = ""
    assert len(memory_bars(frame, HEADING).data[0].y) == len(frame) - 1
    assert len(capacity_view(frame, HEADING).layout.yaxis.tickvals) == len(frame)


def test_fastest_and_cheapest_are_named_among_cards_that_fit() -> None:
    figure = time_bars(frames.times(), HEADING)
    texts = list(next(trace for trace in figure.data if getattr(trace, "mode", "") == "text").text)
    assert "fastest" in texts[0]
    assert "cheapest" in texts[3]
    assert "does not fit" in texts[5]


def test_log_scale_draws_no_bars() -> None:
    assert all(trace.type != "bar" for trace in time_bars(frames.times(), HEADING, log=True).data)


def test_crossing_is_marked_where_the_lines_meet() -> None:
    figure = cumulative_cost(frames.cumulative(), HEADING, currency="CNY", crossover_month=15.02)
    dot = next(trace for trace in figure.data if trace.mode == "markers")
    assert dot.x[0] == 15.02
    assert dot.y[0] == pytest.approx(15.02 * 3150)
    assert any("Month 16" in note.text for note in figure.layout.annotations)


def test_resale_is_a_drop_at_the_end() -> None:
    figure = cumulative_cost(frames.cumulative(), HEADING, currency="CNY", back=9_000.0)
    own = next(trace for trace in figure.data if trace.name == "Own")
    assert own.x[-1] == own.x[-2] == 36
    assert own.y[-2] - own.y[-1] == pytest.approx(9_000)


def test_rule_of_thumb_is_drawn_on_the_map() -> None:
    figure = win_map(frames.win_map(), HEADING, currency="CNY", utilisation=0.4, horizon=36)
    assert any(shape.x0 == shape.x1 == 60 for shape in figure.layout.shapes)
    assert [trace.x[0] for trace in figure.data if trace.type == "scatter"] == [40]


def test_waterfall_ends_at_the_sum() -> None:
    figure = waterfall(frames.cost_lines(), HEADING, currency="CNY")
    assert figure.data[0].x[-1] == pytest.approx(sum(frames.cost_lines().values()))
    assert list(figure.data[0].measure).count("total") == 1


def test_tornado_puts_the_strongest_on_top() -> None:
    figure = tornado(frames.tornado(), HEADING, currency="CNY", base=22_000.0, rows=2, name_of=field_name)
    assert list(figure.layout.yaxis.ticktext) == ["Rent a card-hour", "Utilisation"]


def test_scenarios_without_a_run_say_why_and_draw_no_bar() -> None:
    figure = hours_by_scenario(frames.scenarios(), HEADING, SCENARIO_LABELS)
    texts = next(trace.text for trace in figure.data if trace.type == "scatter" and trace.mode == "text")
    assert texts[2].strip() == "does not fit"
    assert np.isnan(figure.data[0].x[2])


def test_a_name_with_markup_stands_in_the_chart_as_typed() -> None:
    assert row_labels(["B"], ["<b>x</b> & y"]) == ["<b>B</b> · &lt;b&gt;x&lt;/b&gt; &amp; y"]


def test_long_names_of_scenarios_take_two_lines_and_keep_their_letter() -> None:
    (label,) = row_labels(["D"], ["a name far too long for the room that stands beside a narrow chart of scenarios"])
    assert label.startswith("<b>D</b> · ")
    assert label.count("<br>") == 1
    assert label.endswith("…")


def test_the_first_plan_carries_its_number_and_owning_keeps_its_colour() -> None:
    plans, front = frames.plans()
    figure = plan_scatter(plans, front, HEADING, currency="CNY", chosen=0)
    marked = next(trace for trace in figure.data if list(trace.text or []) == ["<b>1</b>"])
    assert (marked.x[0], marked.y[0]) == (plans["hours"].iloc[0], plans["cost_per_run"].iloc[0])
    colours = {trace.name: trace.marker.color for trace in figure.data if trace.name in ("Own", "Rent")}
    assert colours == {"Own": "#0072B2", "Rent": "#D55E00"}
    owned = next(trace for trace in figure.data if trace.name == "Own")
    assert set(owned.x) == set(plans.loc[plans["mode"] == "own", "hours"])


def test_amounts_of_compared_scenarios_are_written_as_the_language_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.i18n.language", lambda: "zh")
    frame = frames.scenarios().assign(own_per_run=300_000.0, rent_per_run=200_000.0)
    figure = cost_by_scenario(frame, HEADING, SCENARIO_LABELS, own="own_per_run", rent="rent_per_run", currency="CNY")
    assert "20万" in figure.layout.xaxis.ticktext
