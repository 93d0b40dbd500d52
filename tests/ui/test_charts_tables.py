"""Names of saved files and the table "Show the numbers"."""

from __future__ import annotations

import re

import chart_frames as frames
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from calc.scenario import Hardware, Scenario, Workload
from ui.export import file_stem, numbers_table, slug


@given(st.text(max_size=40))
def test_slugs_are_safe_in_every_file_system(text: str) -> None:
    assert re.fullmatch(r"[\w.-]+", slug(text))
    assert slug(text)[0] not in ".-"


def test_file_is_named_after_the_scenario() -> None:
    scenario = Scenario(workload=Workload(model="by-size", model_size_b=70.0), hardware=Hardware(gpu="A10", num_gpus=2))
    assert file_stem(scenario, "vram fit") == "vram-fit_70b_lora_2x-a10"


def test_table_has_words_units_and_per_cent() -> None:
    table = numbers_table(frames.fit())
    assert list(table.columns)[:3] == ["Card", "Usable (GiB)", "Peak (GiB)"]
    assert set(table["Verdict"]) == {"fits", "tight", "does not fit"}
    assert table["Needed / usable (%)"].iloc[2] == pytest.approx(95.2, abs=0.1)


def test_money_columns_name_their_currency() -> None:
    table = numbers_table(frames.cumulative(), currency="CNY")
    assert "Own, low (CNY)" in table.columns


def test_chosen_columns_only() -> None:
    assert list(numbers_table(frames.fit(), ["gpu", "peak_gib"]).columns) == ["Card", "Peak (GiB)"]


def page() -> None:
    import chart_frames as frames

    from calc.scenario import Scenario
    from ui.charts.memory import memory_bars
    from ui.charts.template import Heading
    from ui.export import show_chart

    show_chart(memory_bars(frames.fit(), Heading("Message")), "memory", frames.fit(), Scenario())


def test_page_shows_chart_and_numbers() -> None:
    app = AppTest.from_function(page, default_timeout=30).run()
    assert not app.exception
    assert "Message" in app.get("plotly_chart")[0].proto.spec
    assert app.expander[0].label == "Show the numbers"
    assert len(app.dataframe) == 0  # made when it is opened
    app.session_state["memory_numbers"] = True
    assert len(app.run().dataframe[0].value) == len(frames.fit())
