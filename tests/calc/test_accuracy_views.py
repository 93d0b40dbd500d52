"""What the accuracy page shows follows from the residuals."""

from __future__ import annotations

import pytest

import gpudata
from calc.accuracy_views import (
    FILTERS,
    Evidence,
    choices,
    chosen_rows,
    doubtful,
    error_table,
    framework_family,
    gather_evidence,
    headline,
    never_measured,
    rule_table,
    worst_misses,
)
from calc.tables import load_tables
from gpudata.residuals import load_memory_residuals, load_time_residuals


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return gather_evidence(gpudata.load_measurements(), load_memory_residuals(), load_time_residuals(), load_tables())


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("litgpt + Thunder", "litgpt"),
        ("lit-gpt@8641822, torch 2.1.0", "lit-gpt"),
        ("LLMQ (CUDA/C++)", "LLMQ"),
        ("Megatron-LM 23e00ed0, TransformerEngine 2.11", "Megatron-LM"),
        ("HF Trainer + PEFT", "HF Trainer"),
        ("torchtune", "torchtune"),
    ],
)
def test_framework_family(name: str, family: str) -> None:
    assert framework_family(name) == family


def test_every_residual_is_shown_with_its_labels(evidence: Evidence) -> None:
    rows = evidence.left_out
    assert len(rows) == len(load_memory_residuals()) + len(load_time_residuals())
    assert (rows["method"] != "").all()
    assert rows["source_url"].str.startswith("http").all()
    assert (rows["error"] == rows["predicted"] / rows["measured"] - 1).all()


@pytest.mark.parametrize(("quantity", "median", "ninety"), [("memory", 0.10, 0.40), ("speed", 0.20, 0.60)])
def test_accuracy_that_is_promised(evidence: Evidence, quantity: str, median: float, ninety: float) -> None:
    found = headline(evidence, quantity)
    assert found["median_abs_error"] < median
    assert found["p90_abs_error"] < ninety
    assert 0.72 < found["coverage_80"] < 0.90


@pytest.mark.parametrize("quantity", ["memory", "speed"])
def test_the_model_beats_every_simple_rule(evidence: Evidence, quantity: str) -> None:
    table = rule_table(evidence.left_out, quantity).set_index("code")
    rules = table.drop(index="model")
    assert (table.loc["model", "median"] < rules["median"] / 2).all()
    assert (rules["rows"] == table.loc["model", "rows"]).all()


def test_filters_narrow_and_empty_ones_do_not(evidence: Evidence) -> None:
    everything = chosen_rows(evidence.left_out, "memory", {})
    assert chosen_rows(evidence.left_out, "memory", dict.fromkeys(FILTERS, ())).equals(everything)
    some = chosen_rows(evidence.left_out, "memory", {"method": ["qlora"], "gpu": ["T4 16GB"]})
    assert 0 < len(some) < len(everything)
    assert set(some["method"]) == {"qlora"}
    assert set(some["gpu"]) == {"T4 16GB"}


@pytest.mark.parametrize("column", FILTERS)
def test_error_tables_count_every_row_once(evidence: Evidence, column: str) -> None:
    rows = chosen_rows(evidence.left_out, "speed", {})
    assert error_table(rows, column)["rows"].sum() == len(rows)


def test_choices_are_the_frequent_first(evidence: Evidence) -> None:
    found = choices(evidence.left_out, "method")
    counts = evidence.left_out["method"].value_counts()
    assert [counts[name] for name in found] == sorted(counts, reverse=True)


def test_worst_misses_are_the_largest_ratios(evidence: Evidence) -> None:
    rows = chosen_rows(evidence.left_out, "memory", {})
    worst = worst_misses(rows, 10)
    ratio = (rows["predicted"] / rows["measured"]).map(lambda value: max(value, 1 / value))
    assert ratio[worst.index].min() >= ratio.drop(worst.index).max()


def test_rows_of_low_trust_stand_apart(evidence: Evidence) -> None:
    low = gpudata.load_measurements().query("trust == 'C'")["case_id"]
    assert set(evidence.trust_c["case_id"]) <= set(low)
    assert not set(evidence.left_out["case_id"]) & set(low)
    assert doubtful(evidence, "memory")["rows"] > 0


def test_never_measured_names_what_no_row_has() -> None:
    missing = never_measured(gpudata.load_measurements(), load_tables())
    assert "freeze" in missing["memory"]["method"]
    assert "qlora" not in missing["memory"]["method"]
    assert "RTX 3060 12GB" in missing["memory"]["gpu"]
    assert "A100-SXM4-80GB" not in missing["speed"]["gpu"]
