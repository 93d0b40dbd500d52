"""Presets repeat the guides' figures; every money claim of the guides has one."""

from __future__ import annotations

import pytest

from calc.cost import evaluate
from calc.cost_presets import CostPreset, cost_presets
from calc.cost_scenario import with_values
from gpudata import load_popular_claims
from gpudata.cost_presets import load_cost_presets

PRESETS = cost_presets(load_cost_presets())
WRONG_BY_THEIR_OWN_INPUTS = {"three-month-rule"}


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_preset_gives_its_figure(preset: CostPreset) -> None:
    computed = preset.computed()
    assert computed == pytest.approx(preset.expected, rel=1e-4)
    low, high = preset.claimed_low * 0.9999, preset.claimed_high * 1.0001
    assert (low <= preset.expected <= high) == (preset.id not in WRONG_BY_THEIR_OWN_INPUTS)


def test_every_money_claim_has_its_preset_with_the_claims_figures() -> None:
    claims = load_popular_claims().set_index("claim_id")
    wanted = {f"c{number}" for number in (*range(16, 21), *range(32, 38))}
    assert {preset.claim_id for preset in PRESETS.values()} == wanted
    for preset in PRESETS.values():
        low, high = claims.loc[preset.claim_id, ["value_low", "value_high"]]
        # c35 is a formula and c37 two bills, whose difference is the claim
        if preset.claim_id == "c37":
            assert preset.claimed_low == high - low
        elif preset.claim_id != "c35":
            assert (preset.claimed_low, preset.claimed_high) == (low, high)


def test_starter_server_splits_into_fifty_and_ten_thousand() -> None:
    result = evaluate(PRESETS["starter-server"].scenario)
    assert result.capex == 50_000
    assert result.own_lines["energy_loaded"].sum() == pytest.approx(10_000, rel=1e-3)


def test_ranges_are_ordered_fields_of_the_scenario() -> None:
    for preset in PRESETS.values():
        for path, span in preset.spans().items():
            assert span.low < span.high
            with_values(preset.scenario, {path: span.low})
