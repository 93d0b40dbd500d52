"""Saved scenarios in a link: short, complete, and honest where damaged."""

from __future__ import annotations

import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calc.recommend import Constraints
from ui.compare_state import MAX_SAVED, Saved, decode_saved, encode_saved
from ui.links import encode, pack
from ui.recommend_state import encode_limits
from ui.state import DEFAULTS

BASE = {**DEFAULTS, "epochs": 1.0, "utilisation": 37.5}
TYPICAL = [
    Saved(DEFAULTS),
    Saved({**DEFAULTS, "method": "qlora-4bit", "micro_batch": 4}, "小团队方案"),
    Saved({**DEFAULTS, "model": "Llama-3.1-70B", "model_size_b": 70.0, "gpu": "H100-SXM5-80GB", "num_gpus": 8}),
    Saved(
        {**DEFAULTS, "gpu": "L40S 48GB", "market": "China", "currency": "CNY", "own": {"gpu_price": 60000.0}}, "L40S"
    ),
]


def test_what_goes_in_comes_out() -> None:
    for count in range(1, MAX_SAVED + 1):
        assert decode_saved(encode_saved(TYPICAL[:count], BASE), BASE) == (TYPICAL[:count], 0, True)
    assert encode_saved([], BASE) == ""


def test_the_whole_address_of_four_typical_scenarios_is_short() -> None:
    limits = encode_limits(Constraints(budget_once=10_000.0, term_weeks=3.0, methods=("lora",), needs_ecc=True))
    parts = f"s={encode(BASE)}&c={encode_saved(TYPICAL, BASE)}&r={limits}&lang=zh"
    assert len(f"https://planner.example.org/side-by-side?{parts}") < 2_000


@given(cut=st.integers(1, 400))
def test_a_cut_link_keeps_whole_scenarios_and_counts_the_lost(cut: int) -> None:
    rows, lost, whole = decode_saved(encode_saved(TYPICAL, BASE)[:-cut], BASE)
    assert rows == TYPICAL[: len(rows)]
    assert lost == len(TYPICAL) - len(rows) or not rows
    assert not whole


def test_a_link_cut_near_its_end_keeps_the_first_ones() -> None:
    rows, lost, _ = decode_saved(encode_saved(TYPICAL, BASE)[:-20], BASE)
    assert (len(rows), lost) == (3, 1)


@given(st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    rows, lost, _ = decode_saved(text, BASE)
    assert rows or lost


@pytest.mark.parametrize(
    "content",
    [
        {
            "count": 2,
            "0.gpu": "no such card",
            "0.name": "",
            "1.num_gpus": -4,
            "1.name": "",
            "9.gpu": "RTX 4090",
            "x": 1,
        },
        {"count": True, "0.own": "text", "0.name": "", "1.name": 7},
        {"count": 99, "0.model": "custom", "0.custom_heads": 7, "0.custom_kv_heads": 2, "0.name": ""},
    ],
)
def test_unusable_values_fall_back_or_are_left_out(content: dict[str, object]) -> None:
    rows, _, _ = decode_saved(pack({**content, "base": zlib.crc32(json.dumps(BASE, sort_keys=True).encode())}), BASE)
    assert len(rows) <= 2
    for row in rows:
        assert row.scenario.hardware.num_gpus == 1
        assert isinstance(row.name, str)


def test_saved_scenarios_are_not_read_against_another_scenario() -> None:
    assert decode_saved(encode_saved(TYPICAL, BASE), DEFAULTS) == ([], len(TYPICAL), True)


def test_a_value_that_cannot_be_used_is_not_replaced_in_silence() -> None:
    rows, lost, whole = decode_saved(encode_saved([Saved({**BASE, "own": {"gpu_price": 1e300}})], BASE), BASE)
    assert (len(rows), lost, whole) == (1, 0, False)
    assert rows[0].fields["own"] == {}
