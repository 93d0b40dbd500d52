"""How stories are offered and told: the sidebar's menu, cards for a tour, and the note above the page."""

from __future__ import annotations

import streamlit as st

from ui.i18n import t
from ui.stories import (
    WHO,
    changed_since,
    chosen_story,
    close_story,
    next_story,
    open_story,
    page_to_open,
    stories,
    story_sentences,
    story_title,
)

_COLUMNS = 3


def story_menu() -> None:
    """Folded menu of all stories for the sidebar; the chosen one is set up and its page opened."""
    part = st.expander(t("story.menu"), icon=":material/auto_stories:", key="stories", on_change="rerun")
    if not part.open:
        return
    with part:
        chosen = st.selectbox(
            t("story.menu"),
            tuple(stories()),
            key="story_choice",
            format_func={
                claim: f"{t(f'story.who.{story.who}')}: {story_title(story)}" for claim, story in stories().items()
            }.__getitem__,
            label_visibility="collapsed",
            persist_state="session",
        )
        st.button(
            t("story.open"), key="story_open", on_click=open_story, args=(chosen,), type="primary", width="stretch"
        )


def story_note() -> None:
    """What the product sees in the chosen story, with the way to the next one; nothing where none is chosen.

    A story chosen just now first opens its page.
    """
    page = page_to_open()
    if page:
        st.switch_page(f"pages/{page}.py")
    story = chosen_story()
    if story is None:
        return
    order, following = list(stories()), next_story(story)
    with st.container(border=True, key="story_note"):
        place = t("story.place", n=order.index(story.claim_id) + 1, total=len(order))
        st.markdown(f":material/auto_stories: **{story_title(story)}** :gray[· {place}]")
        st.markdown(story_sentences(story))
        if changed_since(story):
            st.caption(t("story.changed"))
        with st.container(horizontal=True):
            if following:
                title = t("story.next", title=story_title(following))
                st.button(title, key="story_next", on_click=open_story, args=(following.claim_id,))
            st.button(t("action.dismiss"), key="story_close", on_click=close_story)


def story_cards() -> None:
    """The tour as cards: students first, then teams, then companies."""
    for who in WHO:
        st.markdown(f"#### {t(f'story.who.{who}')}")
        mine = [story for story in stories().values() if story.who == who]
        for first in range(0, len(mine), _COLUMNS):
            for column, story in zip(st.columns(_COLUMNS), mine[first : first + _COLUMNS], strict=False):
                with column.container(border=True, height="stretch"):
                    st.markdown(f"**{story_title(story)}**")
                    st.caption(t(f"page.{story.page}"))
                    key = f"story_{story.claim_id}"
                    st.button(t("story.open"), key=key, on_click=open_story, args=(story.claim_id,))
