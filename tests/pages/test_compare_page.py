"""The compare page: adding, renaming, opening again, removing, and what a link brings back."""

from __future__ import annotations

import json

from app_driver import assert_no_error, go, opening, start, with_fields
from streamlit.testing.v1 import AppTest

from ui.compare_state import Saved, encode_saved
from ui.links import encode
from ui.state import DEFAULTS

ROWS = [
    Saved(DEFAULTS),
    Saved({**DEFAULTS, "method": "full-mixed"}, "All | weights"),
    Saved({**DEFAULTS, "gpu": "A100-SXM4-80GB", "num_gpus": 2, "own": {"pue": 1.4}, "horizon_months": 24}),
]


def tables(app: AppTest) -> list[str]:
    return [text.value for text in app.markdown if text.value.startswith("| ")]


def test_scenarios_are_added_from_any_page_and_opened_again() -> None:
    app = go(start(), "compare")
    assert_no_error(app)
    assert "Nothing to compare yet" in opening(app)
    app.button(key="compare_add").click().run()
    assert "in the sidebar is saved as A" in " ".join(text.value for text in app.caption)
    app.button(key="compare_add").click().run()
    assert len(app.session_state["_saved"]) == 1
    assert "One scenario is saved" in opening(app)
    go(app, "vram_fit")
    with_fields(app, {"gpu": "RTX 3090", "method": "qlora-4bit"})
    app.button(key="add_to_compare").click().run()
    go(app, "compare")
    assert opening(app).startswith("### Of 2 scenarios, ")
    answers, differ = tables(app)
    assert "| B − A |" in answers.split("\n")[0]
    assert "| Fine-tuning method | LoRA | :violet-background[QLoRA 4-bit] |" in differ
    app.button(key="compare_open_0").click().run()
    assert (app.session_state["gpu"], app.session_state["method"]) == ("RTX 4090", "lora")
    app.text_input(key="compare_name_1").set_value("cheap *one*").run()
    assert any("cheap \\*one\\*" in text.value for text in app.markdown)
    app.button(key="compare_remove_0").click().run()
    assert_no_error(app)
    assert [row.name for row in app.session_state["_saved"]] == ["cheap *one*"]


def test_a_link_brings_them_back_with_what_does_not_fit() -> None:
    app = go(start(s=encode(DEFAULTS), c=encode_saved(ROWS, DEFAULTS), lang="zh"), "compare")
    assert_no_error(app)
    assert app.session_state["_saved"] == ROWS
    assert "B" in opening(app)
    assert "放不下" in tables(app)[0]
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert len(figures) == 4
    assert [len(figure["layout"]["yaxis"]["tickvals"]) for figure in figures] == [3, 3, 3, 3]


def test_a_damaged_link_says_how_many_are_lost() -> None:
    app = go(start(s=encode(DEFAULTS), c=encode_saved(ROWS, DEFAULTS)[:-20]), "compare")
    assert_no_error(app)
    assert app.warning[0].value.startswith("1 of the link's saved scenarios")
    assert len(app.session_state["_saved"]) == 2
