"""The GPU table page: sentence, filters, download, contradictions, in both languages."""

from __future__ import annotations

import pandas as pd
import pytest
from app_driver import assert_no_error, go, opening, start, with_fields
from streamlit.testing.v1 import AppTest

from ui.data import tables
from ui.i18n import words


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return go(start(), "gpu_table")


def shown(app: AppTest) -> pd.DataFrame:
    return app.dataframe[0].value


def test_every_card_with_the_chosen_one_first(app: AppTest) -> None:
    with_fields(app, {"gpu": "H20-96GB", "market": "China", "currency": "CNY"})
    assert_no_error(app)
    assert opening(app).startswith(f"### {len(tables().gpus)} cards;")
    assert len(shown(app)) == len(tables().gpus)
    assert shown(app)["Card"].iloc[0] == "H20 96GB"
    assert "New (CNY)" in shown(app)
    assert shown(app)["New, as of"].str.contains("· old").any()
    assert app.get("download_button")


def test_figures_are_rounded_as_on_the_other_pages(app: AppTest) -> None:
    """22.49 GiB of an A10 read 22.5, also where the table cuts what lies beyond a column's step."""
    table = shown(app).set_index("Card")
    usable = table.filter(regex=r"^Usable").iloc[:, 0]
    assert usable[["A10", "H100 SXM"]].tolist() == pytest.approx([22.5, 79.7], rel=1e-8)
    assert (usable.dropna() >= usable.dropna().round(1)).all()


def test_filters_narrow_the_table_or_say_so(app: AppTest) -> None:
    app.multiselect(key="gpus_vendor").set_value(["AMD"]).run()
    assert 0 < len(shown(app)) < 20
    app.button_group(key="gpus_segment").set_value(["consumer"])
    app.select_slider(key="gpus_memory").set_value(192).run()
    assert_no_error(app)
    assert [note.value for note in app.info] == ["No card passes all three filters. Clear one of them."]
    app.multiselect(key="gpus_vendor").set_value([])
    app.button_group(key="gpus_segment").set_value([])
    app.select_slider(key="gpus_memory").set_value(0).run()


def test_contradictions_are_told_with_their_source(app: AppTest) -> None:
    app.session_state["gpus_disputes"] = True
    app.run()
    said = [text.value for text in app.markdown]
    assert any(text.startswith("- **A10**") and "contradicted by" in text and "](https://" in text for text in said)


def test_it_speaks_chinese(app: AppTest) -> None:
    app.session_state["lang"] = "zh"
    app.run()
    assert_no_error(app)
    assert words("zh")["gpus.column.short"] in shown(app)
    assert opening(app).startswith("### 共 ")
