"""The guides' stories as presets: what each sets, what the product says about it, which page shows it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import streamlit as st

import gpudata
from calc.claims import ANSWERERS, Answer
from calc.claims_common import Evidence
from gpudata.stories import Story, load_stories
from ui.data import preset_size_step, tables
from ui.guide_parts import figure_text
from ui.i18n import t
from ui.recommend_state import put_limits
from ui.state import DEFAULTS, put

WHO = ("student", "team", "company")
_CHOSEN = "_story"
_TURN = "_story_turn"


@lru_cache(maxsize=1)
def stories() -> dict[str, Story]:
    """All stories by claim, in the order of the tour."""
    return {story.claim_id: story for story in load_stories()}


@st.cache_resource(show_spinner=False)
def _evidence() -> Evidence:
    return Evidence(tables(), gpudata.load_popular_claims(), gpudata.load_mtbf_to_stretch())


@st.cache_resource(show_spinner=False)
def story_answer(claim_id: str) -> Answer:
    """The product's answer to the story's statement, from today's models and tables."""
    return ANSWERERS[claim_id](_evidence())


def story_fields(story: Story) -> dict[str, Any]:
    """Every field of the scenario that the story sets up."""
    step = preset_size_step(str(story.fields["model"]))
    return {**DEFAULTS, **({} if step is None else {"model_size_b": step}), **story.fields}


def story_title(story: Story) -> str:
    """The guide's statement in a few words."""
    return t(f"guides.claim.{story.claim_id}")


def story_sentences(story: Story) -> str:
    """Two sentences on what the product sees, every figure from the models and tables of today."""
    said = {name: figure_text(name, value) for name, value in story_answer(story.claim_id).values.items()}
    return t(f"story.{story.claim_id}", **said)


def open_story(claim_id: str) -> None:
    """Sets the whole scenario and the recommender's limits as the story has them (a button's callback)."""
    story = stories()[claim_id]
    put(story_fields(story))
    put_limits(story.constraints)
    st.session_state[_CHOSEN] = claim_id
    st.session_state[_TURN] = True


def page_to_open() -> str:
    """File name of the page of a story chosen since the last run; blank where none was."""
    story = chosen_story()
    return story.page if st.session_state.pop(_TURN, False) and story is not None else ""


def close_story() -> None:
    """Takes the story's note away (a button's callback)."""
    st.session_state.pop(_CHOSEN, None)


def chosen_story() -> Story | None:
    """The story whose note is shown."""
    return stories().get(st.session_state.get(_CHOSEN, ""))


def next_story(story: Story) -> Story | None:
    """The next one of the tour; none after the last."""
    order = list(stories().values())
    place = order.index(story) + 1
    return order[place] if place < len(order) else None


def changed_since(story: Story) -> bool:
    """Whether the sidebar no longer holds what the story set up."""
    return any(st.session_state.get(name) != value for name, value in story_fields(story).items())
