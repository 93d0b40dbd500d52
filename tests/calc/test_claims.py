"""Every statement of the guides has an answer, and the answers carry the right figures."""

from __future__ import annotations

import dataclasses
import math

import pytest

import gpudata
from calc.claims import VERDICTS, Answer, answer_claims
from calc.claims_common import agrees, judge, overlaps
from calc.claims_specs import pcie_gb_s
from calc.tables import Tables, load_tables


@pytest.fixture(scope="module")
def tables() -> Tables:
    return load_tables()


@pytest.fixture(scope="module")
def answers(tables: Tables) -> dict[str, Answer]:
    found = answer_claims(tables, gpudata.load_popular_claims(), gpudata.load_mtbf_to_stretch())
    return {answer.claim_id: answer for answer in found}


def number(answer: Answer, name: str) -> float:
    value = answer.values[name]
    assert isinstance(value, float)
    return value


def test_every_statement_is_answered_in_order(answers: dict[str, Answer]) -> None:
    assert list(answers) == gpudata.load_popular_claims()["claim_id"].tolist()
    assert all(answer.verdict in VERDICTS for answer in answers.values())


def test_figures_are_known(answers: dict[str, Answer]) -> None:
    unknown = {
        (claim, name)
        for claim, answer in answers.items()
        for name, value in answer.values.items()
        if isinstance(value, float) and math.isnan(value) and name != "narrow_tflops"
    }
    assert not unknown


@pytest.mark.parametrize(
    ("claim", "name", "value", "verdict"),
    [
        ("c05", "dense_tflops", 165.2, "contradicted"),
        ("c05", "narrow_tflops", 330.3, "contradicted"),
        ("c07", "dense_tflops", 312, "contradicted"),
        ("c07", "sparse_tflops", 624, "contradicted"),
        ("c08", "small_gb_s", 1555, "confirmed"),
        ("c09", "sxm_w", 400, "depends"),
        ("c10", "dense_tflops", 989.4, "contradicted"),
        ("c11", "link_gb_s", 900, "confirmed"),
        ("c12", "dense_tflops", 125, "contradicted"),
        ("c13", "one_way_gb_s", 31.5, "confirmed"),
        ("c32", "bill_cny", 1440, "confirmed"),
        ("c40", "down_h", 8.76, "depends"),
    ],
)
def test_figures_of_datasheets(answers: dict[str, Answer], claim: str, name: str, value: float, verdict: str) -> None:
    assert number(answers[claim], name) == pytest.approx(value, rel=1e-3)
    assert answers[claim].verdict == verdict


def test_seven_billion_in_pure_bf16_peaks_near_67_gb(answers: dict[str, Answer]) -> None:
    # 6.74 B parameters x 10 bytes: weights 2, gradients 2, Adam 4, the step's copy 2.
    assert number(answers["c01"], "pure_gb") == pytest.approx(67.4, rel=0.03)
    assert number(answers["c01"], "mixed_gb") > 16 * 6.738  # FP32 weights, gradients and Adam alone
    assert answers["c01"].verdict == "depends"


def test_four_4090_do_not_hold_seven_billion_by_data_parallel(answers: dict[str, Answer]) -> None:
    found = answers["c02"]
    assert found.verdict == "confirmed"
    assert found.values["pure_verdict"] == found.values["mixed_verdict"] == "no"
    assert found.values["qlora_verdict"] == "fits"
    assert number(found, "offloaded_gib") < number(found, "sharded_gib") < number(found, "pure_gib")


def test_pcie_is_behind_the_bridge(answers: dict[str, Answer]) -> None:
    found = answers["c03"]
    assert number(found, "pcie_times") < number(found, "nvlink_times") <= 2.001
    assert 0 < number(found, "waiting_share") < 1


def test_thirteen_billion_in_16_bit_is_refused_by_a_4090(answers: dict[str, Answer]) -> None:
    assert answers["c29"].values["lora_verdict"] == "no"
    assert answers["c29"].values["qlora_verdict"] == "fits"
    assert number(answers["c29"], "ten_h") == pytest.approx(10 * number(answers["c29"], "run_h"))


def test_a10_is_slower_than_a_4090(answers: dict[str, Answer]) -> None:
    # The lower of the two datasheet ratios: 165.2 / 125 in arithmetic, 1008 / 600 in bandwidth.
    assert number(answers["c30"], "ratio_times") > 165.2 / 125
    assert answers["c30"].verdict == "contradicted"


def test_seventy_billion_on_one_a100_only_as_qlora(answers: dict[str, Answer]) -> None:
    assert answers["c31"].values["lora_verdict"] == "no"
    assert answers["c31"].values["qlora_verdict"] in ("fits", "tight")
    assert 4 < number(answers["c31"], "eight_times") <= 8.001


def test_answers_follow_the_tables(tables: Tables, answers: dict[str, Answer]) -> None:
    gpus = tables.gpus.copy()
    gpus.loc[gpus["gpu"] == "RTX 4090", "fp16_dense_tflops"] = 330.0
    changed = answer_claims(
        dataclasses.replace(tables, gpus=gpus),
        gpudata.load_popular_claims().query("claim_id == 'c05'"),
        gpudata.load_mtbf_to_stretch(),
    )
    assert answers["c05"].verdict == "contradicted"
    assert changed[0].verdict == "confirmed"


def test_pcie_rates_double_with_each_generation() -> None:
    assert pcie_gb_s(4) == pytest.approx(2 * pcie_gb_s(3))
    assert pcie_gb_s(5, lanes=8) == pytest.approx(pcie_gb_s(4, lanes=16))


def test_agreement_is_within_a_tenth() -> None:
    assert agrees(66, 60, 60)
    assert not agrees(67, 60, 60)
    assert overlaps(1, 2, 2.1, 3)
    assert not overlaps(1, 2, 2.5, 3)


@pytest.mark.parametrize(
    ("value", "low", "high", "verdict"),
    [(2.5, 2, 3, "confirmed"), (1.5, 1, 2.2, "depends"), (1.0, 0.8, 1.2, "contradicted")],
)
def test_judgement(value: float, low: float, high: float, verdict: str) -> None:
    assert judge(value, low, high, (2.0, 3.0)) == verdict
