"""Constraints in a link and the words made of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from calc.recommend import REASONS, Binding, Constraints
from calc.recommend_constraints import CONSTRAINT_FIELDS, GOALS
from calc.recommend_rank import ORDERS
from ui.i18n import LANGUAGES, words
from ui.links import unpack
from ui.recommend_form import limit_value
from ui.recommend_state import DEFAULTS, encode_limits, usable_limits
from ui.recommend_words import relaxed

SET = Constraints(goal="fastest", methods=("lora", "dora"), budget_once=10_000.0, term_weeks=3.0, needs_ecc=True)


def test_what_goes_in_comes_out_and_no_limits_need_no_room() -> None:
    content, whole = unpack(encode_limits(SET))
    assert whole
    del content["version"]
    values, kept = usable_limits(content)
    assert kept
    assert Constraints(**values) == SET
    assert encode_limits(Constraints()) == ""
    assert len(encode_limits(SET)) < 200


def test_unusable_values_fall_back_and_are_reported() -> None:
    values, kept = usable_limits({"term_weeks": -1, "goal": "richest", "budget_once": 5_000.0, "colour": "red"})
    assert not kept
    assert values == {**DEFAULTS, "budget_once": 5_000.0}


@given(st.dictionaries(st.sampled_from(CONSTRAINT_FIELDS), st.one_of(st.none(), st.text(), st.floats(), st.booleans())))
def test_any_content_gives_valid_limits(content: dict[str, object]) -> None:
    values, _ = usable_limits(content)
    assert Constraints(**values)


def test_every_constraint_has_a_name() -> None:
    for language in LANGUAGES:
        assert [name for name in CONSTRAINT_FIELDS if f"limit.{name}" not in words(language)] == []


@given(st.floats(1e-3, 1e7))
def test_a_relaxed_limit_is_round_and_enough(needed: float) -> None:
    below, above = needed * (1 - 1e-9), needed * (1 + 1e-9)
    assert below <= relaxed(Binding("budget_once", 1.0, needed, {})) <= needed * 1.11
    assert above >= relaxed(Binding("runs_per_month", 1.0, needed, {})) >= needed * 0.89
    assert below <= relaxed(Binding("max_num_gpus", 1, needed, {})) < max(needed * 1.11, needed + 1) + 1


def test_relaxed_choices() -> None:
    assert relaxed(Binding("needs_ecc", True, False, {})) is False
    assert relaxed(Binding("availability", "local", "anywhere", {})) == "anywhere"
    assert relaxed(Binding("methods", ("lora",), "qlora-4bit", {})) == ("lora", "qlora-4bit")


def test_values_in_words() -> None:
    assert limit_value("budget_once", 10_000.0, "CNY") == "10,000 CNY"
    assert limit_value("budget_once", 0.0, "CNY") == "no limit"
    assert limit_value("methods", ("lora",), "CNY") == "LoRA"
    assert limit_value("methods", (), "CNY") == "whatever works"
    assert limit_value("needs_ecc", True, "CNY") == "yes"
    assert limit_value("sides", "own", "CNY") == "Buy"


def test_every_quantity_and_reason_of_a_ranking_has_words() -> None:
    for language in LANGUAGES:
        known = words(language)
        assert [name for order in ORDERS.values() for name in order if f"recommend.quantity.{name}" not in known] == []
        assert [reason for reason in REASONS if f"recommend.why.{reason}" not in known] == []
        assert [goal for goal in GOALS if f"limit.goal.{goal}" not in known] == []
