"""What the guides say: popular statements held against today's models and prices."""

import streamlit as st

from ui.cards import opening
from ui.guide_parts import answers, guide_filters, guide_tables, guides_sentence
from ui.i18n import t
from ui.stories import stories
from ui.story_parts import story_cards

found = answers()
opening(*guides_sentence(found))
tour = st.expander(t("story.tour", n=len(stories())), icon=":material/auto_stories:", key="tour", on_change="rerun")
if tour.open:
    with tour:
        story_cards()
if not guide_tables(found, *guide_filters()):
    st.info(t("guides.empty"))
