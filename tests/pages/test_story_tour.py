"""The tour of stories as a newcomer takes it: opened from the sidebar, then one after the other."""

from __future__ import annotations

from app_driver import assert_no_error, go, start, widgets
from streamlit.testing.v1 import AppTest

from ui.state import DEFAULTS
from ui.stories import stories, story_fields, story_sentences

ON_PAGE = {
    "vram_fit": "fit_view",
    "training_time": "time_log",
    "recommend": "recommend_model",
    "own_versus_rent": "money_utilisation",
}


def shown_keys(app: AppTest) -> set[str]:
    return set(widgets(app))


def test_the_whole_tour_opens_every_story_on_its_page() -> None:
    app = start()
    app.session_state["stories"] = True
    app.run()
    order = list(stories().values())
    app.selectbox(key="story_choice").set_value(order[0].claim_id).run()
    app.button(key="story_open").click().run()
    for place, story in enumerate(order):
        assert_no_error(app)
        said = [text.value for text in app.main.markdown]
        assert story_sentences(story) in said
        fields = story_fields(story)
        assert {name: app.session_state[name] for name in fields} == fields
        for name, value in story.constraints.items():
            assert app.session_state[f"limit_{name}"] == value
        assert {name for name, part in ON_PAGE.items() if part in shown_keys(app)} == {story.page}
        if story.claim_id == "c44":
            assert any("The guides say otherwise" in text for text in said)
            assert any("The guides would buy" in text for text in said)
        if place + 1 < len(order):
            app.button(key="story_next").click().run()
    assert "story_next" not in [button.key for button in app.button]
    app.button(key="story_close").click().run()
    assert story_sentences(order[-1]) not in [text.value for text in app.main.markdown]


def test_the_note_says_when_the_scenario_is_no_longer_the_storys() -> None:
    app = go(start(), "guides")
    app.session_state["tour"] = True
    app.run()
    assert len([button for button in app.button if str(button.key).startswith("story_c")]) == len(stories())
    app.button(key="story_c38").click().run()
    assert_no_error(app)
    assert app.session_state["gpu"] == "RTX 4070 12GB"
    changed = "The scenario has been changed since"
    assert changed not in " ".join(text.value for text in app.caption)
    app.select_slider(key="method").set_value("qlora-4bit").run()
    assert changed in " ".join(text.value for text in app.caption)
    app.button(key="reset").click().run()
    assert app.session_state["gpu"] == DEFAULTS["gpu"]
