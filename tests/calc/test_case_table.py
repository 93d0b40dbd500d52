from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from calc.predict import read_cases
from calc.tables import load_tables

ROW: dict[str, Any] = {
    "case_id": "x-1",
    "model": "Llama-3.1-8B",
    "method": "lora",
    "gpu": "RTX 4090",
    "seq_len": "2048",
    "micro_batch": "1",
}


def read(**changes: Any) -> Any:
    return read_cases(pd.DataFrame([{**ROW, **changes}]), load_tables())


def test_blanks_take_the_usual_defaults() -> None:
    cases = read().cases
    assert cases.base_weights[0] == "bf16"
    assert cases.parallelism[0] == "single"
    assert cases.num_gpus[0] == 1
    assert cases.mem_kind[0] == "reserved"
    assert read(num_gpus="4").cases.parallelism[0] == "ddp"
    assert read(num_gpus="4", method="full").cases.parallelism[0] == "fsdp"
    assert read(method="qlora").cases.base_weights[0] == "nf4"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"method": "magic"}, ("method", "magic", "qlora")),
        ({"seq_len": ""}, ("seq_len", "blank")),
        ({"seq_len": "long"}, ("seq_len", "long", "not a number")),
        ({"micro_batch": "0"}, ("micro_batch", "0", "allowed range")),
        ({"precision": "int2"}, ("precision", "allowed are")),
        ({"model": "Llama-3.1-8X"}, ("Llama-3.1-8X", "Llama-3.1-8B")),
        ({"gpu": "RTX 4091"}, ("RTX 4091", "RTX 4090")),
        ({"gpu": "A100"}, ("A100", "A100-SXM4-80GB")),
        ({"model": ""}, ("model is blank",)),
        ({"num_nodes": "2"}, ("num_nodes", "1 GPUs")),
        ({"interconnect": "string"}, ("interconnect", "nvlink")),
    ],
)
def test_a_bad_cell_is_named_in_plain_words(changes: dict[str, str], words: tuple[str, ...]) -> None:
    table = read(**changes)
    assert table.cases is None
    for word in words:
        assert word in table.errors[0]


def test_one_bad_row_does_not_stop_the_others() -> None:
    frame = pd.DataFrame([{**ROW, "method": "magic"}, ROW, {**ROW, "gpu": ""}])
    table = read_cases(frame, load_tables())
    assert table.positions.tolist() == [1, 2]
    assert list(table.errors) == [0]
    assert np.isnan(table.cases.device.memory_gib_usable[1])  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["4090", "RTX 4090 24GB", "NVIDIA GeForce RTX 4090"])
def test_usual_gpu_names_are_understood(name: str) -> None:
    assert read(gpu=name).cases.device.name[0] == "RTX 4090"


@pytest.mark.parametrize("name", ["meta-llama/Llama-3.1-8B", "Llama-3.1-8B-Instruct", "llama-3.1-8b"])
def test_usual_model_names_are_understood(name: str) -> None:
    assert read(model=name).cases.arch.layers[0] == 32


def test_shape_columns_override_the_preset() -> None:
    cases = read(layers="4").cases
    assert cases.arch.layers[0] == 4
    assert cases.arch.hidden[0] == 4096


def test_a_model_may_be_given_by_its_shape_alone() -> None:
    shape = {"model": "", "layers": "2", "hidden": "256", "heads": "4", "vocab": "1000"}
    assert read(**shape).cases.arch.ffn[0] == 1024


def test_missing_columns_are_named() -> None:
    with pytest.raises(ValueError, match="missing columns: method, micro_batch"):
        read_cases(pd.DataFrame([{"case_id": "a", "model": "Llama-3.1-8B", "seq_len": "1"}]), load_tables())
