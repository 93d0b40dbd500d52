from __future__ import annotations

import base64
import json
import time
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calc.scenario import FLAT_FIELDS, SCENARIO_VERSION, Scenario, scenario_from_flat
from ui.links import MAX_LINK_CHARS, decode, encode, unpack
from ui.state import DEFAULTS


def packed(content: object) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(content).encode())).rstrip(b"=").decode()


def test_a_link_holds_every_field_also_those_at_their_default() -> None:
    opened = decode(encode(Scenario().flat()))
    assert set(opened.values) == set(FLAT_FIELDS)
    assert opened.values == DEFAULTS
    assert (opened.damaged, opened.version, opened.unknown) == (False, SCENARIO_VERSION, ())


@given(
    samples=st.integers(1, 1_000_000_000),
    utilisation=st.floats(0, 100),
    method=st.sampled_from(["lora", "full-mixed"]),
    own=st.dictionaries(st.sampled_from(["gpu_price", "pue", "resale_fraction"]), st.floats(0, 1e9)),
)
def test_what_goes_in_comes_out(samples: int, utilisation: float, method: str, own: dict[str, float]) -> None:
    wanted = scenario_from_flat({"samples": samples, "utilisation": utilisation, "method": method, "own": own})
    code = encode(wanted.flat())
    assert scenario_from_flat(decode(code).values) == wanted
    assert len(code) < 1_900
    assert set(code) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_a_link_with_every_cost_line_stays_short() -> None:
    own = {f"cost_line_number_{n}": 1234.5678 * n for n in range(40)}
    assert len(encode({**DEFAULTS, "own": own})) < 1_900


@settings(max_examples=300)
@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    opened = decode(text)
    assert opened.damaged or opened.values or opened.unknown or opened.version


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_are_survived(data: bytes) -> None:
    decode(base64.urlsafe_b64encode(data).decode())
    decode(base64.urlsafe_b64encode(zlib.compress(data)).decode())


@given(cut=st.integers(1, 400))
def test_a_cut_link_keeps_its_first_fields_and_says_so(cut: int) -> None:
    code = encode({**DEFAULTS, "model": "Qwen2.5-7B"})
    opened = decode(code[:-cut])
    assert opened.damaged
    for name, value in opened.values.items():
        if name != "model":
            assert value == DEFAULTS[name]


def test_a_link_cut_in_half_still_gives_the_model() -> None:
    code = encode({**DEFAULTS, "model": "Qwen2.5-7B"})
    assert decode(code[: len(code) * 2 // 3]).values["model"] == "Qwen2.5-7B"


def test_a_newer_link_keeps_what_is_known() -> None:
    opened = decode(packed({"version": SCENARIO_VERSION + 1, "samples": 7, "colour": "red"}))
    assert (opened.newer, opened.older, opened.damaged) == (True, False, False)
    assert opened.values == {"samples": 7}
    assert opened.unknown == ("colour",)


def test_a_link_without_a_usable_version_counts_as_damaged() -> None:
    for version in (None, "1", True, -1, 1.5):
        assert decode(packed({"version": version, "samples": 7})).damaged
    assert decode(packed({"samples": 7})).damaged


def test_what_is_no_object_or_far_too_long_is_refused() -> None:
    assert decode(packed([1, 2])).values == {}
    assert decode("A" * (MAX_LINK_CHARS + 1)) == decode("")
    assert decode(packed({"version": 1, "model": "x" * 1_000_000})).values == {}


@pytest.mark.parametrize("body", ['{"version":1,"a":[' + "1," * 32_000, "{" + "," * 65_000, '{"a":"' + "x," * 32_000])
def test_a_hostile_link_does_not_keep_the_server_busy(body: str) -> None:
    code = base64.urlsafe_b64encode(zlib.compress(body.encode())).decode()
    began = time.process_time()
    assert decode(code).damaged
    assert time.process_time() - began < 2.0


def test_half_a_surrogate_pair_is_no_text() -> None:
    assert unpack(packed({"version": 1, "0.name": "\ud800"})) == ({}, False)
    assert decode(packed({"version": 1, "own": {"\udfff": 1.0}})).damaged


def test_a_value_at_the_break_is_dropped_rather_than_shortened() -> None:
    body = b'{"version":1,"samples":7,"seq_len":1024'
    opened = decode(base64.urlsafe_b64encode(zlib.compress(body)).decode())
    assert opened.values == {"samples": 7}
