"""Stories: every one is a valid scenario, and what is said of it is what its page computes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import gpudata
from calc.answers import fit_by_card, headline, time_by_card
from calc.recommend import Constraints, recommend
from calc.scenario import FLAT_FIELDS, Scenario, scenario_from_flat
from gpudata.stories import load_stories
from ui.data import gpu_names, model_names, tables
from ui.frame import PAGES
from ui.guide_parts import figure_text
from ui.recommend_guide import guide_sentences
from ui.stories import WHO, next_story, stories, story_answer, story_fields, story_sentences, story_title

ASKED = {"c02", "c03", "c04", "c17", *(f"c{n}" for n in range(21, 26)), "c37", "c38", "c43", "c44", "c45"}


def scenario_of(claim: str) -> Scenario:
    return scenario_from_flat(story_fields(stories()[claim]))


def test_every_story_and_advice_of_the_guides_is_there_once() -> None:
    assert {story.claim_id for story in load_stories()} == ASKED
    assert len(load_stories()) == len(ASKED)
    assert set(gpudata.load_popular_claims()["claim_id"]) >= ASKED


def test_the_tour_goes_from_student_to_team_to_company() -> None:
    places = [WHO.index(story.who) for story in stories().values()]
    assert places == sorted(places)
    assert set(places) == {0, 1, 2}
    first, *_, last = stories().values()
    walked = [first]
    while (following := next_story(walked[-1])) is not None:
        walked.append(following)
    assert walked == list(stories().values())
    assert next_story(last) is None


@pytest.mark.parametrize("claim", sorted(ASKED))
def test_a_story_is_a_whole_valid_scenario(claim: str) -> None:
    story, fields = stories()[claim], story_fields(stories()[claim])
    assert set(fields) == set(FLAT_FIELDS)
    flat = scenario_of(claim).flat()
    assert {name: flat[name] for name in fields} == fields
    assert story.fields.keys() <= fields.keys()
    assert fields["gpu"] in gpu_names()
    assert fields["model"] in model_names()
    assert story.page in {page[0] for page in PAGES}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("claim", sorted(ASKED))
def test_two_sentences_with_every_figure_from_the_models(
    claim: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.i18n.language", lambda: language)
    text = story_sentences(stories()[claim])
    end = "。" if language == "zh" else "."
    assert text.endswith(end)
    assert len(re.findall("。" if language == "zh" else r"\.(?=\s|$)", text)) == 2
    shown = [figure_text(name, value) for name, value in story_answer(claim).values.items()]
    assert sum(figure in text for figure in shown) >= 2
    assert "–" not in text
    assert story_title(stories()[claim])


PAGE_FIGURES: dict[str, tuple[str, Callable[[Scenario], float]]] = {
    "c02": ("pure_gib", lambda s: fit_by_card(s, tables(), [s.hardware.gpu])["peak_gib"].iloc[0]),
    "c38": ("lora_gib", lambda s: fit_by_card(s, tables(), [s.hardware.gpu])["peak_gib"].iloc[0]),
    "c21": ("b13_old_gib", lambda s: fit_by_card(s, tables(), [s.hardware.gpu])["peak_gib"].iloc[0]),
    "c22": ("pure_gib", lambda s: fit_by_card(s, tables(), [s.hardware.gpu])["peak_gib"].iloc[0]),
    "c23": ("mixed_gib", lambda s: fit_by_card(s, tables(), [s.hardware.gpu])["peak_gib"].iloc[0]),
    "c45": ("b70_gib", lambda s: fit_by_card(s, tables(), [s.hardware.gpu])["peak_gib"].iloc[0]),
    "c03": ("waiting_share", lambda s: _waiting(s)),
    "c04": ("h100_cny", lambda s: time_by_card(s, tables(), [s.hardware.gpu])["rent_cost"].iloc[0]),
    "c17": ("rent_cny", lambda s: headline(s, tables()).money.rent_total),
}


@pytest.mark.parametrize(("claim", "words"), [("c25", []), ("c43", []), ("c45", ["The guides speak of a cluster"])])
def test_the_recommender_tells_the_same_story_or_says_where_it_differs(claim: str, words: list[str]) -> None:
    story = stories()[claim]
    found = recommend(scenario_of(claim), Constraints(**story.constraints), tables())
    if claim == "c25":
        first, told = found.plans.iloc[0], story_answer(claim).values
        assert first["cost_per_run"] < float(told["smallest_cny"])
        assert first["hours_high"] < float(told["smallest_h"])
    if claim == "c43":
        assert found.plans["gpu"].iloc[0] in story.guide["gpus"]
    said = guide_sentences(found, story, "CNY")
    assert [text.startswith(start) for text, start in zip(said, words, strict=True)] == [True] * len(words)


def _waiting(scenario: Scenario) -> float:
    row = time_by_card(scenario, tables(), [scenario.hardware.gpu]).iloc[0]
    return float(row["communication_h"] / row["hours"])


@pytest.mark.parametrize("claim", PAGE_FIGURES)
def test_the_sentences_agree_with_the_page_that_opens(claim: str) -> None:
    name, on_page = PAGE_FIGURES[claim]
    assert on_page(scenario_of(claim)) == pytest.approx(float(story_answer(claim).values[name]), rel=1e-6)
