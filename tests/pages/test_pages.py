"""Every page answers, in both languages, for every method and a few cards; empty states are sentences."""

from __future__ import annotations

import json
from itertools import cycle

import pytest
from app_driver import PAGE_FILES, assert_no_error, go, opening, start, with_fields
from streamlit.testing.v1 import AppTest

from calc.scenario import METHOD_CHOICES
from gpudata.names import short_gpu_name
from ui.data import COMMON_GPUS, OVERVIEW_GPUS, capacity_marks, gpu_names, shown_gpus


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return start()


def charts(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


@pytest.mark.parametrize("page", PAGE_FILES)
def test_each_page_opens_with_a_sentence_and_draws(app: AppTest, page: str) -> None:
    with_fields(go(app, page), {})
    assert_no_error(app)
    assert charts(app) or page in ("guides", "compare", "present", "gpu_table")
    assert len(app.metric) <= 4 or page == "accuracy"


# Every method and a few cards; the random scenarios try them crosswise.
@pytest.mark.parametrize(
    ("method", "gpu"), list(zip(METHOD_CHOICES, cycle(("RTX 4090", "V100-SXM2-32GB", "B200-SXM-180GB")), strict=False))
)
def test_every_method_on_one_of_a_few_cards(app: AppTest, method: str, gpu: str) -> None:
    go(app, "vram_fit")
    with_fields(app, {"method": method, "gpu": gpu, "num_gpus": 8})
    assert_no_error(app)
    assert short_gpu_name(gpu) in opening(app)


def test_the_overview_fits_one_screen_of_parts(app: AppTest) -> None:
    with_fields(go(app, "overview"), {})
    assert (len(app.metric), len(charts(app))) == (4, 3)


def test_a_job_that_fits_nowhere_is_said_in_words(app: AppTest) -> None:
    fields = {"model": "by-size", "model_size_b": 405.0, "method": "full-mixed", "gpu": "RTX 4060 Ti 16GB"}
    said = {"overview": "does not hold", "vram_fit": "does not hold", "training_time": "too big for"}
    for page, words in said.items():
        with_fields(go(app, page), fields)
        assert_no_error(app)
        assert words in opening(app)


def test_no_card_that_holds_the_job_is_not_called_a_missing_price(app: AppTest) -> None:
    with_fields(go(app, "training_time"), {"model": "Llama-3.1-405B", "method": "pretrain", "gpu": "T4 16GB"})
    assert_no_error(app)
    assert [box.value for box in app.info] == ["None of these cards holds the job, so there is no run to rent one for."]


def test_a_card_without_a_price_costs_a_dash_not_nothing(app: AppTest) -> None:
    fields = {"gpu": "RTX 4070 12GB", "model": "Llama-2-7B", "method": "qlora-4bit", "market": "China"}
    with_fields(go(app, "overview"), fields)
    assert_no_error(app)
    assert (app.metric[2].value, app.metric[2].delta) == ("–", "no price in this market")


def test_a_card_of_unknown_memory_has_both_views(app: AppTest) -> None:
    go(app, "vram_fit")
    for view in ("job", "cards"):
        app.session_state["fit_view"] = view
        with_fields(app, {"gpu": "Cambricon MLU590"})
        assert_no_error(app)
        assert "is not known" in opening(app)
        assert ("The usable memory of" in charts(app)[0]["layout"]["title"]["text"]) == (view == "job")


def test_a_card_without_a_price_leads_to_typing_one(app: AppTest) -> None:
    fields = {"gpu": "Biren BR100 64GB", "market": "Europe", "currency": "EUR"}
    with_fields(go(app, "own_versus_rent"), fields)
    assert_no_error(app)
    assert "No price is known" in opening(app)
    priced = {**fields, "own": {"gpu_price": 9000.0}, "rent": {"price_per_gpu_hour": 1.5}}
    with_fields(app, priced)
    assert_no_error(app)
    assert "1.50 EUR" in opening(app)
    assert charts(app)


def test_the_answer_follows_the_sliders(app: AppTest) -> None:
    go(app, "own_versus_rent")
    busy = opening(with_fields(app, {"utilisation": 95.0}))
    idle = opening(with_fields(app, {"utilisation": 5.0}))
    assert busy != idle
    assert "renting stays cheaper" in idle


def test_the_cards_shown_first_exist() -> None:
    known = set(gpu_names())
    assert set(COMMON_GPUS) | set(OVERVIEW_GPUS) <= known
    assert len(COMMON_GPUS) == 14
    assert shown_gpus("T4 16GB", ["L4 24GB", "no such card"])[-2:] == ["T4 16GB", "L4 24GB"]
    assert "RTX 3090" in capacity_marks("RTX 3090")
