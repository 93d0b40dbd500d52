"""Configurations of real models, each with a trap, against their known shapes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from gpudata.hf_config import model_row_from_hf_config

FOLDER = Path(__file__).parent / "hf_configs"
EXPECTED = list(csv.DictReader((FOLDER / "expected.csv").open(encoding="utf-8")))
NOT_SHAPES = {"file", "model", "trap", "basis", "params_total", "params_active"}


def read(file: str) -> dict[str, Any]:
    return json.loads((FOLDER / file).read_text(encoding="utf-8"))


def cell(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else "" if value is None else str(value)


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda row: row["file"])
def test_shapes(expected: dict[str, str]) -> None:
    row = model_row_from_hf_config(read(expected["file"]), name=expected["model"])
    columns = [column for column in expected if column not in NOT_SHAPES]
    assert {c: cell(getattr(row, c)) for c in columns} == {c: expected[c] for c in columns}
    assert row.model == expected["model"]


def test_all_sixteen_traps_are_there() -> None:
    assert len(EXPECTED) == 16


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("hidden_size", r"lacks hidden_size / n_embd"),
        ("num_hidden_layers", r"lacks num_hidden_layers"),
        ("num_attention_heads", r"lacks num_attention_heads"),
        ("intermediate_size", r"lacks intermediate_size.*ffn"),
        ("vocab_size", r"lacks vocab_size"),
        ("model_type", r"lacks model_type"),
    ],
)
def test_a_missing_key_is_named(key: str, message: str) -> None:
    config = read("llama-1-7b.json")
    del config[key]
    with pytest.raises(ValueError, match=message):
        model_row_from_hf_config(config)


def test_broken_values_are_named() -> None:
    with pytest.raises(ValueError, match=r"num_hidden_layers.* is 'many'"):
        model_row_from_hf_config(read("llama-1-7b.json") | {"num_hidden_layers": "many"})
    with pytest.raises(ValueError, match=r"heads \(32\) is not a multiple of kv_heads \(7\)"):
        model_row_from_hf_config(read("llama-1-7b.json") | {"num_key_value_heads": 7})
    with pytest.raises(ValueError, match="one JSON object"):
        model_row_from_hf_config([1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lacks v_head_dim"):
        model_row_from_hf_config({k: v for k, v in read("deepseek-v3.json").items() if k != "v_head_dim"})


def test_what_the_columns_cannot_say_is_in_extra() -> None:
    assert model_row_from_hf_config(read("gpt2.json")).extra["learned_pos"] == 1024 * 768
    assert model_row_from_hf_config(read("falcon-7b.json")).extra["norms_per_layer"] == 1
    assert model_row_from_hf_config(read("qwen3-30b-a3b.json")).extra == {"qk_norm": "head"}
