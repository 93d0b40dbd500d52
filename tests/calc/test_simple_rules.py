"""Rules of thumb give what their authors write."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from calc.cases import Cases
from calc.predict import read_cases
from calc.simple_rules import (
    GIB,
    RULES,
    bytes_times_parameters_gib,
    llama_factory_gib,
    rule_values,
    six_nd_tokens_per_s,
    sixteen_bytes_gib,
)
from calc.tables import load_tables

LLAMA_2_7B = 6_738_415_616


def cases(**columns: object) -> Cases:
    row = {
        "case_id": "x-1",
        "model": "Llama-2-7B",
        "method": "full",
        "seq_len": 2048,
        "micro_batch": 1,
        "gpu": "RTX 4090",
    }
    found = read_cases(pd.DataFrame([{**row, **columns}]), load_tables()).cases
    assert found is not None
    return found


def test_sixteen_bytes_a_parameter() -> None:
    assert sixteen_bytes_gib(cases())[0] == pytest.approx(16 * LLAMA_2_7B / GIB, rel=1e-6)
    sharded = sixteen_bytes_gib(cases(num_gpus=4, parallelism="fsdp"))
    assert sharded[0] == pytest.approx(4 * LLAMA_2_7B / GIB, rel=1e-6)


def test_sixteen_bytes_count_the_frozen_base_as_stored() -> None:
    adapters = 32 * 8 * 2 * (4096 + 4096)  # rank 8 on query and value of 32 layers
    lora = sixteen_bytes_gib(cases(method="lora", lora_rank=8, lora_targets="qv"))
    assert lora[0] == pytest.approx((2 * LLAMA_2_7B + 16 * adapters) / GIB, rel=1e-6)


def test_bytes_times_parameters() -> None:
    assert bytes_times_parameters_gib(cases(method="qlora"))[0] == pytest.approx(0.5 * LLAMA_2_7B / GIB, rel=1e-6)


@pytest.mark.parametrize(
    ("columns", "total_gb"),
    [
        ({"method": "full", "base_weights": "fp32"}, 120),
        ({"method": "full", "base_weights": "bf16"}, 60),
        ({"method": "lora"}, 16),
        ({"method": "qlora", "base_weights": "int8"}, 10),
        ({"method": "qlora"}, 6),
    ],
)
def test_llama_factory_table_at_its_smallest_size(columns: dict[str, object], total_gb: float) -> None:
    # Llama-2-7B has 6.74 B parameters; below 7 B the table is taken in proportion.
    expected = total_gb * LLAMA_2_7B / 7e9 * 1e9 / GIB
    assert llama_factory_gib(cases(**columns))[0] == pytest.approx(expected, rel=1e-6)


def test_six_operations_a_parameter_at_forty_per_cent() -> None:
    expected = 0.4 * 165.2e12 / (6 * LLAMA_2_7B)
    assert six_nd_tokens_per_s(cases())[0] == pytest.approx(expected, rel=1e-6)
    assert np.isnan(six_nd_tokens_per_s(cases(gpu=""))[0])


def test_every_rule_has_values() -> None:
    found = rule_values(cases())
    assert set(found) == {rule.code for rule in RULES}
    assert all(np.isfinite(values).all() for values in found.values())
