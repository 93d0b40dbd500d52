"""Scenario files: what is written is read back; what is wrong is said in one line that names the field."""

from __future__ import annotations

import json

import pytest

from calc.scenario import MODEL_CUSTOM, Scenario, scenario_from_flat
from calc.tables import load_tables
from ui.export.scenario_file import ScenarioFileError, read_scenario, scenario_text

FIELDS = {"gpu": "L40S 48GB", "num_gpus": 4, "currency": "CNY", "own": {"gpu_price": 50_000.0, "loan_months": 12.0}}


def test_a_written_scenario_is_read_back() -> None:
    scenario = scenario_from_flat(FIELDS)
    assert read_scenario(scenario_text(scenario), load_tables()) == scenario


def test_fields_may_stand_without_their_groups_and_missing_ones_take_the_default() -> None:
    assert read_scenario(json.dumps(FIELDS), load_tables()) == scenario_from_flat(FIELDS)
    assert read_scenario("{}", load_tables()) == Scenario()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("3", "JSON object"),
        ('{"version": 99}', "version: 99"),
        ('{"workload": 3}', "workload: must be an object"),
        ('{"workload": {"gpu": "RTX 4090"}}', "workload.gpu: unknown"),
        ('{"cards": 3}', "cards: unknown; allowed: workload, "),
        ('{"gpu": "RTX 9999"}', "gpu: 'RTX 9999' is not among"),
        ('{"gpu": ["RTX 4090"]}', "gpu: "),
        ('{"model": "GPT-9"}', "model: 'GPT-9' is not among"),
        ('{"micro_batch": 0}', "micro_batch: .*allowed: 1 to 1,024"),
        ('{"epochs": NaN}', "epochs: "),
        ('{"market": "Mars"}', "market: .*'China'"),
        (f'{{"model": "{MODEL_CUSTOM}", "custom_heads": 31}}', "must divide custom_heads"),
        ('{"own": {"gpu_price": -3}}', "own.gpu_price: -3 is outside 0 to 1,000,000,000,000"),
        ('{"own": {"gpu_price": "x"}}', "own.gpu_price: "),
        ('{"own": {"loan_months": 1.5}}', "own.loan_months: 1.5 is no whole number"),
        ('{"own": {"gold": 1}}', "own.gold: unknown"),
        ('{"rent": 4}', "rent: "),
    ],
)
def test_a_wrong_file_is_said_in_one_line(text: str, says: str) -> None:
    with pytest.raises(ScenarioFileError, match=says) as caught:
        read_scenario(text, load_tables())
    assert "\n" not in str(caught.value)
