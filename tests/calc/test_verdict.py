"""The fit verdict: its rule, its monotony in memory, and its errors on published runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpudata
from calc.answers_memory import fit_by_card
from calc.scenario import scenario_from_flat
from calc.tables import Tables, load_tables
from calc.verdict import fit_verdict
from calc.verdict_errors import VerdictErrors, verdict_errors

_RANK = {"no": 0, "tight": 1, "fits": 2}


@pytest.fixture(scope="module")
def tables() -> Tables:
    return load_tables()


@pytest.fixture(scope="module")
def errors(tables: Tables) -> VerdictErrors:
    return verdict_errors(gpudata.load_measurements(), gpudata.load_oom(), tables)


@pytest.mark.parametrize(
    ("least", "most", "usable", "word"),
    [
        (10, 12, 16, "fits"),
        (10, 16, 16, "fits"),
        (15, 17, 16, "tight"),
        (16, 17, 16, "tight"),
        (17, 19, 16, "no"),
        (10, 12, np.nan, ""),
        (np.nan, 1, 16, ""),
        (1, np.nan, 16, ""),
    ],
)
def test_rule(least: float, most: float, usable: float, word: str) -> None:
    assert fit_verdict(least, most, usable) == word


def test_takes_arrays() -> None:
    assert fit_verdict([10, 15, 17], [12, 17, 19], 16).tolist() == ["fits", "tight", "no"]


@given(least=st.floats(0.1, 500), spread=st.floats(1, 2), usable=st.floats(1, 300), more=st.floats(0, 300))
def test_more_memory_never_fits_less(least: float, spread: float, usable: float, more: float) -> None:
    words = fit_verdict(least, least * spread, np.array([usable, usable + more]))
    assert _RANK[str(words[0])] <= _RANK[str(words[1])]


@given(
    size=st.sampled_from([0.5, 1.5, 3.0, 7.0, 8.0, 13.0, 32.0, 70.0]),
    method=st.sampled_from(["qlora-4bit", "lora", "full-16bit", "full-mixed"]),
    seq_len=st.sampled_from([512, 2048, 8192, 32768]),
    num_gpus=st.sampled_from([1, 4]),
)
def test_a_larger_card_never_fits_less(size: float, method: str, seq_len: int, num_gpus: int) -> None:
    scenario = scenario_from_flat(
        {"model": "by-size", "model_size_b": size, "method": method, "seq_len": seq_len, "num_gpus": num_gpus}
    )
    known = load_tables()
    bf16 = known.devices["bf16_dense_tflops"].notna() & known.devices["memory_gib_usable"].notna()
    frame = fit_by_card(scenario, known, list(known.devices.index[bf16]))
    ranks = [_RANK[word] for word in frame["verdict"]]
    assert ranks == sorted(ranks)


def test_counts_add_up(errors: VerdictErrors) -> None:
    assert errors.ran > 900
    assert errors.ran_out > 60
    assert len(errors.accepted) + errors.tight_ran_out < errors.ran_out
    assert len(errors.refused) + errors.tight_ran < errors.ran


def test_few_runs_out_of_memory_are_accepted(errors: VerdictErrors) -> None:
    assert errors.accepted_share <= 0.05, errors.accepted["case_id"].tolist()


def test_few_runs_that_ran_are_refused(errors: VerdictErrors) -> None:
    assert errors.refused_share <= 0.04, errors.refused["case_id"].tolist()


def test_refusing_everything_would_show(tables: Tables) -> None:
    run = {"case_id": "x-1", "model": "Llama-2-7B", "method": "full", "seq_len": 2048, "micro_batch": 1}
    runs = pd.DataFrame([{**run, "gpu": "RTX 4090"}, {**run, "case_id": "x-2", "gpu": ""}])
    found = verdict_errors(runs, runs, tables)
    assert (found.ran, len(found.refused), found.refused_share, found.accepted_share) == (1, 1, 1.0, 0.0)
    assert found.refused["case_id"].tolist() == ["x-1"]


def test_weights_alone_refuse_a_card_whatever_the_range(tables: Tables) -> None:
    # 13.0 B parameters x 2 bytes = 24.2 GiB, and a 4090 offers 23.6.
    scenario = scenario_from_flat({"model": "Llama-2-13B", "method": "lora", "seq_len": 512})
    row = fit_by_card(scenario, tables, ["RTX 4090"]).iloc[0]
    assert row["weights"] > row["usable_gib"]
    assert row["verdict"] == "no"
