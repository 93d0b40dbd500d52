"""The opening sentences: number of cards, verb, unknown prices, both languages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from calc.scenario import Scenario, scenario_from_flat
from ui.sentences import fit_sentence, overview_sentence, run_line, task_line, time_sentence


def scenario(**fields: Any) -> Scenario:
    return scenario_from_flat(fields)


def row(verdict: str, **fields: Any) -> Any:
    usual = {"peak_gib": 30.0, "low_gib": 28.0, "high_gib": 33.0, "usable_gib": 23.6, "verdict": verdict}
    time = {"hours": 5.0, "hours_low": 4.0, "hours_high": 7.0, "tokens_per_s": 100.0, "bottleneck": "compute"}
    return SimpleNamespace(**{**usual, **time, "money": SimpleNamespace(priced=False), **fields})


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.i18n.language", lambda: "zh")


@pytest.mark.parametrize(
    ("num_gpus", "verdict", "expected"),
    [
        (1, "fits", "needs **30.0 GiB** (28.0 to 33.0); **one RTX 4090** holds it, with 23.6 GiB usable."),
        (2, "fits", "needs **30.0 GiB** (28.0 to 33.0) on each card; **2 × RTX 4090** hold it, with 23.6 GiB usable."),
        (1, "tight", "**one RTX 4090** just holds it, with 23.6 GiB usable."),
        (2, "tight", "**2 × RTX 4090** just hold it, with 23.6 GiB usable."),
        (1, "no", "**one RTX 4090** does not hold it: 6.4 GiB more than the 23.6 GiB usable."),
        (2, "no", "**2 × RTX 4090** do not hold it: 6.4 GiB more than the 23.6 GiB usable."),
    ],
)
def test_one_card_and_several_take_their_own_verb(num_gpus: int, verdict: str, expected: str) -> None:
    now = scenario(num_gpus=num_gpus)
    assert fit_sentence(now, row(verdict)).endswith(expected)
    assert ("on each card" in overview_sentence(now, row(verdict))) == (num_gpus > 1)


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("num_gpus", "verdict", "expected"),
    [
        (1, "fits", "，需要 **30.0 GiB**（28.0 至 33.0）；**一张 RTX 4090** 放得下，可用显存 23.6 GiB。"),
        (
            2,
            "no",
            "，每张卡需要 **30.0 GiB**（28.0 至 33.0）；**2 张 RTX 4090** 放不下：可用显存 23.6 GiB，还差 6.4 GiB。",
        ),
    ],
)
def test_the_same_in_chinese(num_gpus: int, verdict: str, expected: str) -> None:
    assert fit_sentence(scenario(num_gpus=num_gpus), row(verdict)).endswith(expected)


def test_pretraining_is_named_once() -> None:
    now = scenario(method="pretrain", epochs=1000)
    text = overview_sentence(now, row("no"))
    assert text.startswith("Pre-training **Llama-3.1-8B** on 20,000 samples × 1,000 epochs needs")
    assert fit_sentence(now, row("no")).startswith("Pre-training Llama-3.1-8B needs")
    assert "× 1,000 epochs" in run_line(now)


def test_a_card_without_a_price_is_said_to_have_none() -> None:
    text = overview_sentence(scenario(), row("fits"))
    assert "no purchase or rental price of this card is known in this market" in text


def test_the_time_of_a_job_that_does_not_fit_starts_with_a_capital() -> None:
    assert time_sentence(scenario(), row("no")).startswith("This job is too big for **one RTX 4090**;")


def test_what_stays_in_main_memory_is_named_wherever_the_scenario_is() -> None:
    for line in (task_line, run_line):
        assert "main memory" not in line(scenario())
        assert line(scenario(cpu_offload="params+optimizer")).endswith(" · weights and optimizer in main memory")
        assert line(scenario(cpu_offload="optimizer")).endswith(" · optimizer in main memory")


def test_main_memory_that_offload_takes_is_part_of_the_answer() -> None:
    assert "main memory" not in fit_sentence(scenario(), row("fits", host_ram_gib=0.4))
    said = fit_sentence(scenario(), row("fits", host_ram_gib=526.2))
    assert said.endswith(" Besides, the machine needs **526 GiB** of main memory.")
