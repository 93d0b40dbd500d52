from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from calc.scenario import (
    FLAT_FIELDS,
    METHOD_CHOICES,
    SIZE_STEPS_B,
    Hardware,
    Scenario,
    problems_of,
    scenario_from_flat,
    scenario_from_flat_lenient,
)

JSON_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-10, 10**7),
    st.floats(allow_nan=True),
    st.text(max_size=8),
    st.just({"x": "y"}),
)


def test_flat_fields_are_unique_and_round_trip() -> None:
    assert len(FLAT_FIELDS) == len(set(FLAT_FIELDS))
    scenario = Scenario()
    assert scenario_from_flat(scenario.flat()) == scenario


def test_a_bad_field_is_named_with_its_range() -> None:
    with pytest.raises(ValidationError) as caught:
        scenario_from_flat({"seq_len": 1})
    assert "seq_len" in (sentence := problems_of(caught.value)["seq_len"])
    assert "64" in sentence


def test_heads_that_do_not_divide_are_refused_only_for_a_custom_model() -> None:
    assert scenario_from_flat({"custom_heads": 7}).workload.custom_heads == 7
    with pytest.raises(ValidationError, match="custom_kv_heads is 8; it must divide custom_heads"):
        scenario_from_flat({"model": "custom", "custom_heads": 7})


def test_lenient_reading_keeps_the_good_fields() -> None:
    scenario, problems = scenario_from_flat_lenient({"method": "nope", "epochs": 5, "num_gpus": 0, "unknown": 1})
    assert scenario.workload.epochs == 5
    assert scenario.workload.method == Scenario().workload.method
    assert set(problems) == {"method", "num_gpus"}


@given(st.dictionaries(st.sampled_from(FLAT_FIELDS), JSON_VALUES, max_size=6))
def test_lenient_reading_never_fails(values: dict[str, object]) -> None:
    scenario, problems = scenario_from_flat_lenient(values)
    dropped = {name.split(".")[0] for name in problems}
    for name, value in values.items():
        if name not in dropped and "scenario" not in dropped:
            assert scenario.flat()[name] == pytest.approx(value) if isinstance(value, float) else True
    assert scenario_from_flat(scenario.flat()) == scenario


@pytest.mark.parametrize(("cards", "nodes"), [(1, 1), (8, 1), (9, 2), (64, 8)])
def test_nodes_follow_from_cards(cards: int, nodes: int) -> None:
    assert Hardware(num_gpus=cards).num_nodes == nodes


def test_choices_run_from_lightest_to_heaviest() -> None:
    assert METHOD_CHOICES[0] == "qlora-4bit"
    assert list(SIZE_STEPS_B) == sorted(set(SIZE_STEPS_B))
    assert SIZE_STEPS_B[0] == 0.5
    assert SIZE_STEPS_B[-1] == 405
