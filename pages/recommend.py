"""From limits to a plan: what to take for this training, money and time, and why."""

import streamlit as st

from ui.cards import opening
from ui.i18n import t
from ui.recommend_form import constraints_form
from ui.recommend_guide import guide_note
from ui.recommend_parts import (
    front_chart,
    job_words,
    nothing_fits,
    plan_cards,
    plan_note,
    searched,
    searched_line,
    why_not,
)
from ui.recommend_state import damaged, idle, limits
from ui.recommend_words import recommend_sentence
from ui.state import scenario

now, wanted = scenario(), limits()
currency = now.money.currency
if damaged():
    st.warning(t("recommend.damaged"))
plan_note()
found = searched(now, wanted)
resting = idle(wanted, now.money)
sentence = t("recommend.sentence_idle") if resting else recommend_sentence(found, job_words(now), currency)
opening(sentence, searched_line(found))
if not resting:
    guide_note(found, currency)
form, answers = st.columns((1, 2.4), gap="medium")
with form:
    constraints_form(wanted)
with answers:
    if resting:
        st.info(t("recommend.idle_help"))
    elif found.plans.empty:
        nothing_fits(found, now)
    else:
        front_chart(found, now)
        plan_cards(found, now)
    if not resting:
        why_not(found, now)
