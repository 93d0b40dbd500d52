"""The sidebar: what follows what, what is kept, what is refused, what a link brings back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from calc.cost_scenario import MOST
from calc.scenario import FLAT_FIELDS, scenario_from_flat
from ui.inputs_model import read_config
from ui.links import decode, encode
from ui.state import DEFAULTS, bounds, choices

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "tests" / "gpudata" / "hf_configs"


def start(**params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in params.items():
        app.query_params[name] = value
    return app.run()


@pytest.fixture(scope="module", name="app")
def _app() -> AppTest:
    return start()


def values(app: AppTest) -> dict[str, Any]:
    return {name: app.session_state[name] for name in FLAT_FIELDS}


def said(app: AppTest) -> str:
    return " ".join(part.value for part in app.markdown)


def test_the_first_visit_shows_the_defaults(app: AppTest) -> None:
    assert values(app) == DEFAULTS
    for name in ("model_size_b", "method"):
        assert app.select_slider(key=name).value == DEFAULTS[name]
    for name in ("utilisation", "horizon_months"):
        assert app.slider(key=name).value == DEFAULTS[name]


def test_size_and_preset_follow_each_other() -> None:
    app = start()
    app.selectbox(key="model").set_value("Llama-3.1-70B").run()
    assert app.session_state["model_size_b"] == 70
    app.select_slider(key="model_size_b").set_value(13.0).run()
    assert app.session_state["model"] == "by-size"
    app.selectbox(key="model").set_value("custom").run()
    assert app.number_input(key="custom_layers").value == DEFAULTS["custom_layers"]


def test_values_are_kept_on_every_page(app: AppTest) -> None:
    app.selectbox(key="gpu").set_value("H20-96GB").run()
    app.slider(key="utilisation").set_value(77.0).run()
    app.number_input(key="seq_len").set_value(4096).run()
    kept = values(app)
    for page in ("vram_fit", "training_time", "own_versus_rent", "overview"):
        app.switch_page(f"pages/{page}.py").run()
        assert values(app) == kept
    app.button(key="reset").click().run()
    assert values(app) == DEFAULTS


def test_a_link_restores_everything() -> None:
    fields = {
        **DEFAULTS,
        **{"model": "Qwen2.5-32B", "model_size_b": 32.0, "method": "qlora-4bit", "gpu": "L40S 48GB", "num_gpus": 4},
        **{"utilisation": 37.5, "currency": "CNY", "market": "China", "own": {"gpu_price": 60000.0}, "epochs": 0.5},
    }
    app = start(s=encode(fields), lang="zh")
    assert values(app) == fields
    assert app.session_state["lang"] == "zh"
    assert app.session_state["_scenario"] == scenario_from_flat(fields)


def test_the_size_slider_follows_the_preset_of_a_link() -> None:
    app = start(s=encode({**DEFAULTS, "model": "Llama-3.1-70B"}))
    assert app.select_slider(key="model_size_b").value == 70


def test_a_bad_value_in_a_link_is_named_with_its_range_and_the_rest_is_kept() -> None:
    app = start(s=encode({**DEFAULTS, "num_gpus": 0, "gpu": "RTX 9999", "seq_len": 4096, "own": {"nothing": 1.0}}))
    assert (app.session_state["num_gpus"], app.session_state["gpu"], app.session_state["seq_len"]) == (
        1,
        "RTX 4090",
        4096,
    )
    assert app.session_state["own"] == {}
    assert "Count: the link's value cannot be used and was replaced. Allowed: 1 to 16,384" in said(app)
    assert "Card: the link's value cannot be used" in said(app)
    app.button(key="dismiss_notes").click().run()
    assert "cannot be used" not in said(app)


@pytest.mark.parametrize(("cut", "words"), [(40, "The link is damaged"), (600, "The link cannot be read")])
def test_a_damaged_link_says_so(cut: int, words: str) -> None:
    app = start(s=encode(DEFAULTS)[:-cut] if cut < 400 else "!!!")
    assert [error.message for error in app.exception] == []
    assert words in said(app)


def test_an_impossible_pair_is_named_and_the_last_valid_answer_stays() -> None:
    app = start()
    app.selectbox(key="model").set_value("custom").run()
    app.number_input(key="custom_kv_heads").set_value(7).run()
    assert [error.value for error in app.error] == ["Key-value heads: 7 must divide the 32 attention heads."]
    assert "last valid scenario" in app.warning[0].value
    assert app.session_state["custom_kv_heads"] == 7
    assert app.session_state["_scenario"].workload.custom_kv_heads == 8
    app.number_input(key="custom_kv_heads").set_value(4).run()
    assert not app.error


def test_a_change_of_currency_keeps_the_worth_of_typed_prices() -> None:
    fields = {**DEFAULTS, "own": {"gpu_price": 1000.0, "pue": 1.4}, "rent": {"price_per_gpu_hour": 1.0}}
    app = start(s=encode(fields))
    app.button_group(key="currency").set_value("CNY").run()
    own, rent = app.session_state["own"], app.session_state["rent"]
    rate = rent["price_per_gpu_hour"]
    assert 5 < rate < 10
    assert own["gpu_price"] == pytest.approx(1000 * rate, rel=1e-4)
    assert own["pue"] == 1.4
    app.button_group(key="currency").set_value("USD").run()
    assert app.session_state["own"]["gpu_price"] == pytest.approx(1000, rel=1e-4)


def test_an_amount_at_its_bound_stays_usable_in_another_currency() -> None:
    app = start(s=encode({**DEFAULTS, "own": {"staff_per_month": MOST}}))
    app.button_group(key="currency").set_value("CNY").run()
    assert not app.exception
    assert app.session_state["own"] == {"staff_per_month": MOST}


def test_a_typed_cost_line_replaces_the_typical_one_and_can_be_taken_back() -> None:
    app = start()
    app.switch_page("pages/own_versus_rent.py").run()
    app.session_state["cost_editor"] = True
    app.run()
    app.number_input(key="line.own.gpu_price").set_value(123.0).run()
    assert app.session_state["own"] == {"gpu_price": 123.0}
    assert app.session_state["_scenario"].money.own == {"gpu_price": 123.0}
    app.number_input(key="line.own.gpu_price").set_value(None).run()
    assert app.session_state["own"] == {}


def test_every_number_box_has_the_bounds_of_the_scenario(app: AppTest) -> None:
    boxes = {box.key: box for box in app.number_input if box.key in FLAT_FIELDS}
    assert len(boxes) >= 9
    for name, box in boxes.items():
        low, high = bounds(name)
        assert box.max == high
        assert box.min == (0.01 if name == "epochs" else low)
        assert "Allowed:" in box.help


def test_menus_offer_exactly_what_the_scenario_allows(app: AppTest) -> None:
    for name in ("optimizer", "attention", "parallelism", "link", "rent_mode"):
        assert len(app.selectbox(key=name).options) == len(choices(name))
    assert choices("samples") == ()


def test_a_config_file_fills_the_own_architecture() -> None:
    fields, note = read_config((CONFIGS / "llama-3.1-70b.json").read_text())
    assert (fields["custom_layers"], fields["custom_hidden"], fields["custom_kv_heads"]) == (80, 8192, 8)
    assert note.startswith("Read")
    scenario_from_flat({**DEFAULTS, **fields, "model": "custom"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "one JSON object"),
        ("{}", "model_type"),
        (json.dumps({"model_type": "llama"}), "config.json lacks"),
        ((CONFIGS / "mixtral-8x7b.json").read_text(), "presets only"),
        ((CONFIGS / "deepseek-v3.json").read_text(), "presets only"),
    ],
)
def test_an_unusable_config_file_is_explained(text: str, words: str) -> None:
    fields, note = read_config(text)
    assert fields == {}
    assert words in note


def test_the_address_holds_the_whole_scenario(app: AppTest) -> None:
    assert decode(encode(app.session_state["_scenario"].flat())).values == values(app)


@pytest.mark.parametrize("name", ["hidden_size", "num_hidden_layers", "vocab_size", "num_experts"])
def test_an_endless_number_in_a_config_is_refused_in_words(name: str) -> None:
    config = {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
    text = json.dumps({**config, "intermediate_size": 14336, "vocab_size": 32000, name: 1e999})
    fields, said = read_config(text)
    assert fields == {}
    assert said.startswith("config.json cannot be used")
    assert f"{name} " in said
    assert "inf, not a whole number above 0" in said
