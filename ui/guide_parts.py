"""Statements of popular guides with their answers, as tables by topic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import streamlit as st

import gpudata
from calc.claims import VERDICTS, Answer, answer_claims
from gpudata.names import short_gpu_name
from ui.data import tables
from ui.format import NOTHING, gib, hours, money, number, percent
from ui.i18n import t

TOPICS: dict[str, tuple[str, ...]] = {
    "memory": ("c01", "c02", "c21", "c22", "c23", "c27", "c38", "c45", "c46"),
    "time": ("c03", "c24", "c28", "c29", "c30", "c31", "c39", "c40", "c41", "c48"),
    "cost": ("c04", "c17", "c20", "c32", "c35", "c36", "c37", "c42", "c44"),
    "price": ("c06", "c14", "c15", "c16", "c18", "c19", "c26", "c33", "c34"),
    "spec": ("c05", "c07", "c08", "c09", "c10", "c11", "c12", "c13", "c47"),
    "advice": ("c25", "c43"),
}
_BADGES = {
    "confirmed": ":green-badge[:material/check: {word}]",
    "depends": ":gray-badge[:material/alt_route: {word}]",
    "contradicted": ":red-badge[:material/close: {word}]",
}


def _unit(unit: str) -> Callable[[float], str]:
    # four digits: the datasheets' own precision
    return lambda value: NOTHING if not math.isfinite(value) else f"{number(value, 4)} {unit}"


def _or_never(form: Callable[[float], str], key: str = "guides.never") -> Callable[[float], str]:
    return lambda value: t(key) if value == math.inf else form(value)


# How a figure reads, by the end of its name; the longer ending first.
_FORMS: tuple[tuple[str, Callable[[float], str]], ...] = (
    ("_gib", gib),
    ("_gb_s", _unit("GB/s")),
    ("_gb", lambda value: f"{number(value)} GB"),
    ("_cny", lambda value: money(value, "CNY")),
    ("_usd", lambda value: money(value, "USD")),
    ("_exact_share", lambda value: t("chart.unit.percent", value=number(value * 100, 4))),
    ("_share", _or_never(percent)),
    ("_times", lambda value: f"{number(value, 2)}×"),
    ("_tflops", _unit("TFLOPS")),
    ("_month", _or_never(lambda value: t("guides.month", n=number(value, 2)), "guides.not_in_time")),
    ("_h", hours),
    ("_s", lambda value: t("chart.unit.seconds", value=number(value, 2))),
    ("_w", _unit("W")),
    ("_n", lambda value: t("guides.more") if value == math.inf else number(value)),
)


@st.cache_resource(show_spinner=False)
def answers() -> list[Answer]:
    """Answers to all statements, once a process."""
    return answer_claims(tables(), gpudata.load_popular_claims(), gpudata.load_mtbf_to_stretch())


def figure_text(name: str, value: float | str) -> str:
    """One figure as people read it, by the unit its name ends on; ValueError for a name without a unit."""
    if isinstance(value, str):
        if name.endswith("_verdict"):
            return t(f"chart.verdict.{value}")
        if name.endswith("_condition"):
            return t(f"guides.condition.{value}")
        return short_gpu_name(value) if name.endswith("_gpu") else value
    for ending, form in _FORMS:
        if name.endswith(ending):
            return form(value)
    raise ValueError(f"{name} ends on no known unit")


def answer_text(answer: Answer) -> str:
    """The answer in words with its figures and links to their sources."""
    said = {name: figure_text(name, value) for name, value in answer.values.items()}
    text = t(f"guides.answer.{answer.claim_id}", **said)
    links = [url.split(" ")[0] for url in answer.sources if url.startswith("http")]
    if not links:
        return f"{text} ({t('guides.source.model')})"
    word = t("guides.source")
    return f"{text} ({', '.join(f'[{word}]({url})' for url in links)})"


def guides_sentence(found: Sequence[Answer]) -> tuple[str, str]:
    """How many statements hold, and what the answers rest on."""
    counts = Counter[str](answer.verdict for answer in found)
    said = {verdict: str(counts.get(verdict, 0)) for verdict in VERDICTS}
    return t("guides.sentence", n=number(len(found)), **said), t("guides.line")


def guide_filters() -> tuple[list[str], str]:
    """Chosen verdicts (none: all) and topic (blank: all)."""
    left, right = st.columns(2)
    with left:
        verdicts = st.pills(
            t("guides.filter.verdict"),
            VERDICTS,
            selection_mode="multi",
            key="guide_verdicts",
            format_func=lambda code: t(f"guides.verdict.{code}"),
            persist_state="session",
        )
    with right:
        topic = st.selectbox(
            t("guides.filter.topic"),
            ("", *TOPICS),
            key="guide_topic",
            format_func=lambda code: t(f"guides.topic.{code}") if code else t("guides.filter.all"),
            persist_state="session",
        )
    return list(verdicts or ()), str(topic or "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("~", "\\~").replace("$", "\\$")


def guide_tables(found: Sequence[Answer], verdicts: Sequence[str], topic: str) -> int:
    """Draws one table a topic of the statements that pass both filters; returns how many there are."""
    by_id = {answer.claim_id: answer for answer in found}
    shown = 0
    for name, ids in TOPICS.items():
        rows = [by_id[claim] for claim in ids if not verdicts or by_id[claim].verdict in verdicts]
        if not rows or (topic and topic != name):
            continue
        shown += len(rows)
        lines = [
            "| " + " | ".join(t(f"guides.column.{column}") for column in ("claim", "verdict", "answer")) + " |",
            "| :--- | :--- | :--- |",
        ]
        for answer in rows:
            badge = _BADGES[answer.verdict].format(word=t(f"guides.verdict.{answer.verdict}"))
            lines.append(f"| {_cell(t(f'guides.claim.{answer.claim_id}'))} | {badge} | {_cell(answer_text(answer))} |")
        with st.container(key=f"guide_{name}"):
            st.markdown(f"#### {t(f'guides.topic.{name}')}")
            st.markdown("\n".join(lines))
    return shown
