"""Saved scenarios in a link: short, complete, and honest where damaged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.compare_state import MAX_SAVED, Saved, decode_saved, encode_saved
from ui.links import encode, pack
from ui.state import DEFAULTS

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
        assert decode_saved(encode_saved(TYPICAL[:count])) == (TYPICAL[:count], 0)
    assert encode_saved([]) == ""


def test_the_whole_address_of_four_typical_scenarios_is_short() -> None:
    address = f"https://planner.example.org/side-by-side?s={encode(DEFAULTS)}&c={encode_saved(TYPICAL)}&lang=zh"
    assert len(address) < 2_000


@given(cut=st.integers(1, 400))
def test_a_cut_link_keeps_whole_scenarios_and_counts_the_lost(cut: int) -> None:
    rows, lost = decode_saved(encode_saved(TYPICAL)[:-cut])
    assert rows == TYPICAL[: len(rows)]
    assert lost == max(len(TYPICAL) - len(rows), 1) if not rows else lost == len(TYPICAL) - len(rows)
    assert lost >= 1


def test_a_link_cut_near_its_end_keeps_the_first_ones() -> None:
    rows, lost = decode_saved(encode_saved(TYPICAL)[:-4])
    assert (len(rows), lost) == (3, 1)


@given(st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    rows, lost = decode_saved(text)
    assert rows or lost


@pytest.mark.parametrize(
    "content",
    [
        {"version": 1, "count": 2, "0.gpu": "no such card", "1.num_gpus": -4, "9.gpu": "RTX 4090", "x": 1},
        {"version": 1, "count": True, "0.own": "text", "1.name": 7},
        {"version": 1, "count": 99, "0.model": "custom", "0.custom_heads": 7, "0.custom_kv_heads": 2},
    ],
)
def test_unusable_values_fall_back_or_are_left_out(content: dict[str, object]) -> None:
    rows, _ = decode_saved(pack(content))
    assert len(rows) <= 2
    for row in rows:
        assert row.scenario.hardware.num_gpus == 1
        assert isinstance(row.name, str)
