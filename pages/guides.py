"""What the guides say: popular statements held against today's models and prices."""

import streamlit as st

from ui.cards import opening
from ui.guide_parts import answers, guide_filters, guide_tables, guides_sentence
from ui.i18n import t

found = answers()
opening(*guides_sentence(found))
if not guide_tables(found, *guide_filters()):
    st.info(t("guides.empty"))
