"""Where the recommendation differs from the guide whose story is open, and why."""

from __future__ import annotations

from typing import Any

import streamlit as st

from calc.recommend import Recommendation
from gpudata.stories import Story
from ui.format import gib, money
from ui.i18n import t
from ui.inputs_widgets import option_label
from ui.recommend_words import machine, plan_name, setup_name, why_not_sentence
from ui.stories import chosen_story, story_title


def guide_sentences(found: Recommendation, story: Story, currency: str) -> list[str]:
    """One sentence for each point in which the first plan is not what the guide advises; empty where it is."""
    first, advice = found.plans.iloc[0].to_dict(), story.guide
    said = []
    if "gpus" in advice and first["gpu"] not in advice["gpus"]:
        said += [why_not_sentence(found.why_not(gpu), found, currency) for gpu in advice["gpus"]]
    if "methods" in advice and first["method"] not in advice["methods"]:
        wanted = ", ".join(option_label("method", method) for method in advice["methods"])
        said.append(t("recommend.guide.method", wanted=wanted, method=option_label("method", first["method"])))
    if "side" in advice and (first["mode"] == "own") != (advice["side"] == "own"):
        said.append(_other_side(found, first, advice["side"], currency))
    if int(first["num_gpus"]) < advice.get("num_gpus", 0):
        used = {"peak": gib(float(first["peak_gib"])), "usable": gib(float(first["usable_gib"]))}
        method = option_label("method", first["method"])
        said.append(t("recommend.guide.fewer", method=method, cards=machine(first), **used))
    return said


def _other_side(found: Recommendation, first: dict[str, Any], side: str, currency: str) -> str:
    """What the best plan of the guide's way of paying would cost in all."""
    others = found.plans[(found.plans["mode"] == "own") == (side == "own")]
    ours = money(float(first["cost_total"]), currency)
    if others.empty:
        return t(f"recommend.guide.no_{side}", cost=ours)
    best = others.iloc[0].to_dict()
    cost = money(float(best["cost_total"]), currency)
    return t(f"recommend.guide.{side}", plan=setup_name(best), cost=cost, first=plan_name(first), ours=ours)


def guide_note(found: Recommendation, currency: str) -> None:
    """Agreement or disagreement with the open story's guide; nothing where no story with advice is open."""
    story = chosen_story()
    if story is None or not story.guide or found.plans.empty:
        return
    said = guide_sentences(found, story, currency)
    with st.container(border=True, key="guide_note"):
        if not said:
            st.markdown(f":material/check: {t('recommend.guide.agrees', claim=story_title(story))}")
            return
        st.markdown(f":material/alt_route: **{t('recommend.guide.differs', claim=story_title(story))}**")
        st.markdown("\n".join(f"- {text}" for text in said))
