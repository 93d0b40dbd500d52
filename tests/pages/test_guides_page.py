"""What the guides say: every statement once, filters, links, in both languages."""

from __future__ import annotations

import pytest
from app_driver import assert_no_error, go, opening, start
from streamlit.testing.v1 import AppTest

import gpudata
from ui.guide_parts import TOPICS, answer_text, answers, figure_text
from ui.i18n import LANGUAGES, words

CLAIMS = gpudata.load_popular_claims()["claim_id"].tolist()


@pytest.fixture(scope="module", name="untouched")
def _untouched() -> AppTest:
    return go(start(), "guides")


@pytest.fixture
def app() -> AppTest:
    return go(start(), "guides")


def rows(app: AppTest) -> list[str]:
    """Table lines below their headers, over all topics."""
    tables = [text.value for text in app.markdown if text.value.startswith("| ")]
    return [line for table in tables for line in table.split("\n")[2:]]


def test_every_statement_has_a_topic_a_wording_and_an_answer() -> None:
    assert sorted(claim for ids in TOPICS.values() for claim in ids) == CLAIMS
    for language in LANGUAGES:
        for claim in CLAIMS:
            assert words(language)[f"guides.claim.{claim}"]
            assert words(language)[f"guides.answer.{claim}"]


def test_every_statement_is_on_the_page_with_a_verdict(untouched: AppTest) -> None:
    assert_no_error(untouched)
    assert len(rows(untouched)) == len(CLAIMS)
    assert all("-badge[" in row for row in rows(untouched))
    assert opening(untouched).startswith(f"### Of {len(CLAIMS)} statements")


def test_answers_show_their_figures_and_sources(untouched: AppTest) -> None:
    row = next(row for row in rows(untouched) if "RTX 4090: 330 TFLOPS" in row)
    assert "165.2 TFLOPS" in row
    assert "contradicted" in row
    assert "](https://" in row
    row = next(row for row in rows(untouched) if "7B model needs about 66 GB" in row)
    assert "67.4 GB" in row


def test_no_figure_is_missing(untouched: AppTest) -> None:
    assert [row for row in rows(untouched) if " – " in row or "nan" in row or " – " in row] == []


@pytest.mark.parametrize("verdict", ["confirmed", "depends", "contradicted"])
def test_the_verdict_filter(app: AppTest, verdict: str) -> None:
    app.button_group(key="guide_verdicts").set_value([verdict]).run()
    assert_no_error(app)
    wanted = [answer for answer in answers() if answer.verdict == verdict]
    assert len(rows(app)) == len(wanted)
    assert all(f": {verdict}]" in row for row in rows(app))


def test_the_topic_filter(app: AppTest) -> None:
    app.selectbox(key="guide_topic").set_value("spec").run()
    assert len(rows(app)) == len(TOPICS["spec"])


def test_filters_that_leave_nothing_say_so(app: AppTest) -> None:
    confirmed = {answer.claim_id for answer in answers() if answer.verdict == "confirmed"}
    empty = next(topic for topic, ids in TOPICS.items() if not confirmed & set(ids))
    app.selectbox(key="guide_topic").set_value(empty)
    app.button_group(key="guide_verdicts").set_value(["confirmed"]).run()
    assert rows(app) == []
    assert len(app.info) == 1


def test_it_speaks_chinese() -> None:
    app = start()
    app.session_state["lang"] = "zh"
    go(app, "guides")
    assert_no_error(app)
    assert len(rows(app)) == len(CLAIMS)
    assert opening(app).startswith("### 流行攻略的")


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("peak_gib", 23.64, "23.6 GiB"),
        ("dense_tflops", 165.2, "165.2 TFLOPS"),
        ("idle_share", 0.805, "80 %"),
        ("desk_share", float("inf"), "never"),
        ("same_month", float("inf"), "not within ten years"),
        ("same_month", 13.7, "in month 14"),
        ("claimed_exact_share", 0.999, "99.9 %"),
        ("lora_verdict", "no", "does not fit"),
        ("cheapest_gpu", "A100-SXM4-80GB", "A100 80GB SXM"),
    ],
)
def test_figures_read_by_their_unit(name: str, value: float | str, text: str) -> None:
    assert figure_text(name, value) == text


def test_a_figure_without_a_unit_is_an_error() -> None:
    with pytest.raises(ValueError, match="no known unit"):
        figure_text("something", 1.0)


def test_model_answers_name_their_origin() -> None:
    plain = next(answer for answer in answers() if not answer.sources)
    assert answer_text(plain).endswith("(models of this app)")
