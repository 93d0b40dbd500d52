"""The list of slides: complete, without empty charts, in the language asked for, safe for every reader."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from calc.scenario import Scenario, scenario_from_flat
from calc.tables import load_tables
from ui.charts.labels import plain, text_width
from ui.charts.template import MAX_POINTS, TITLE_PX
from ui.i18n import language, t, use_language
from ui.slides import SLIDE_WIDTH_PX, Slide, slide_makers, slides

KEYS = [
    *("answer", "vram-fit", "training-time", "own-versus-rent"),
    *("who-wins", "cost-of-owning", "what-matters", "assumptions"),
]
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(scope="module", name="shown", params=["en", "zh"])
def _shown(request: pytest.FixtureRequest) -> tuple[str, list[Slide]]:
    with use_language(request.param):
        return request.param, slides(Scenario(), load_tables())


def test_every_slide_has_its_words_in_the_language_asked_for(shown: tuple[str, list[Slide]]) -> None:
    code, found = shown
    assert [slide.key for slide in found] == KEYS
    for slide in found:
        for text in (slide.title, slide.sentence, slide.notes):
            assert bool(CHINESE.search(text)) == (code == "zh")
            assert not re.search(r"\bnan\b", text)
        assert slide.subtitle
        assert slide.source
        assert "**" not in slide.plain_sentence + slide.notes


def test_figures_carry_title_subtitle_and_source_inside_one_slide(shown: tuple[str, list[Slide]]) -> None:
    for slide in (slide for slide in shown[1] if slide.figure is not None):
        title = slide.figure.layout.title.text
        assert plain(title).replace(" ", "") == slide.title.replace(" ", "")
        assert text_width(title, TITLE_PX) <= SLIDE_WIDTH_PX
        names = {note.name for note in slide.figure.layout.annotations}
        assert {"subtitle", "source"} <= names


def _points(trace: Any) -> int:
    return max(np.size(values) if values is not None else 0 for values in (trace.x, trace.y))


def test_no_trace_has_more_points_than_a_browser_redraws_at_once(shown: tuple[str, list[Slide]]) -> None:
    long = scenario_from_flat({"horizon_months": 120, "num_gpus": 8})
    figures = [slide.figure for slide in (*shown[1], *slides(long, load_tables())) if slide.figure is not None]
    assert len(figures) == 12
    assert all(_points(trace) <= MAX_POINTS for figure in figures for trace in figure.data)


def test_untitled_figures_leave_the_words_to_the_page() -> None:
    found = slides(Scenario(), load_tables(), titled=False)
    drawn = [slide for slide in found if slide.figure is not None]
    assert [slide.title for slide in found] == [slide.title for slide in slides(Scenario(), load_tables())]
    for slide in drawn:
        assert plain(slide.figure.layout.title.text) == ""
        assert not {"subtitle", "source"} & {note.name for note in slide.figure.layout.annotations}


def test_without_a_price_a_sentence_takes_the_place_of_the_money_charts() -> None:
    scenario = scenario_from_flat({"gpu": "Biren BR100 64GB", "market": "Europe", "currency": "EUR"})
    found = {slide.key: slide for slide in slides(scenario, load_tables())}
    assert list(found) == ["answer", "vram-fit", "training-time", "own-versus-rent", "assumptions"]
    assert found["own-versus-rent"].figure is None
    assert "No price is known" in found["own-versus-rent"].sentence
    assert found["answer"].cards[2][1] == "–"


def test_a_job_that_fits_nowhere_is_said() -> None:
    fields = {"model": "by-size", "model_size_b": 405.0, "method": "full-mixed", "gpu": "RTX 4060 Ti 16GB"}
    found = {slide.key: slide for slide in slides(scenario_from_flat(fields), load_tables())}
    assert found["vram-fit"].title == t("chart.title.none_fits")
    assert "does not hold" in found["answer"].sentence
    assert "too big for" in found["training-time"].sentence


def test_the_map_is_a_small_table_and_the_strongest_assumption_comes_first() -> None:
    found = {slide.key: slide for slide in slides(Scenario(), load_tables())}
    assert found["who-wins"].table.shape == (5, 6)
    first = found["assumptions"].table.iloc[0, 0]
    assert first in found["assumptions"].sentence
    spread = (found["what-matters"].table.iloc[:, 4] - found["what-matters"].table.iloc[:, 3]).abs()
    assert found["what-matters"].table.iloc[int(spread.argmax()), 0] == first


def test_makers_make_the_same_slides_one_by_one() -> None:
    makers = slide_makers(Scenario(), load_tables())
    assert len(makers) == len(KEYS)
    third = makers[2]()
    assert third.key == KEYS[2]
    assert isinstance(third.figure, go.Figure)


def test_a_language_lasts_as_long_as_its_block() -> None:
    with use_language("zh"):
        assert language() == "zh"
        with use_language("en"):
            assert language() == "en"
        assert language() == "zh"
    assert language() == "en"
    with pytest.raises(KeyError), use_language("xx"):
        pass
