"""Cost per unit of work, and equal work on both sides."""

from __future__ import annotations

import numpy as np
import pytest

from calc.cost import evaluate
from calc.cost_answers import cost_per_billion_tokens, cost_per_quality_point, cost_per_run
from calc.cost_own import sale_value
from calc.cost_scenario import CostScenario, OwnCost, RentCost, with_values


def test_cost_per_run_tokens_and_points() -> None:
    assert cost_per_run(2.0, 4, 10.0) == 80.0
    assert cost_per_billion_tokens(3.6, np.array([1_000.0, 2_000.0])) == pytest.approx([1_000.0, 500.0])
    assert cost_per_quality_point(120.0, 2.0) == 60.0
    assert np.isnan(cost_per_quality_point(120.0, 0.0))
    assert np.isnan(cost_per_billion_tokens(3.6, 0.0))


def test_a_card_twice_as_fast_is_rented_for_half_the_hours() -> None:
    scenario = CostScenario(utilisation=0.5, rent=RentCost(price_per_gpu_hour=2.0))
    equal = evaluate(scenario).rent_total
    assert evaluate(with_values(scenario, {"rent.relative_speed": 2.0})).rent_total == pytest.approx(equal / 2)
    assert evaluate(with_values(scenario, {"own.relative_speed": 2.0})).rent_total == pytest.approx(equal * 2)
    assert evaluate(with_values(scenario, {"own.throttle_factor": 0.9})).rent_total == pytest.approx(equal * 0.9)
    assert evaluate(with_values(scenario, {"rent.useful_fraction": 0.8})).rent_total == pytest.approx(equal / 0.8)


def test_detailed_lines_of_the_purchase_are_taxed_and_add_up() -> None:
    own = OwnCost(
        num_gpus=8, gpu_price=1_000, spares_fraction=0.05, host_price=100, network_price=10, storage_price=20,
        installation_price=30, other_capex=40, sales_tax_rate=0.1,
    )  # fmt: skip
    assert evaluate(CostScenario(own=own)).capex == pytest.approx((8_000 + 400 + 800 + 100) * 1.1)


def test_yearly_lines_and_refresh() -> None:
    own = OwnCost(
        gpu_price=1_200, insurance_rate=0.01, maintenance_rate=0.05, replacement_rate=0.1, staff_per_month=7,
        refresh_every_months=12, refresh_fraction=0.5,
    )  # fmt: skip
    lines = evaluate(CostScenario(horizon_months=36, own=own)).own_lines
    assert lines["insurance"].sum() == pytest.approx(36)
    assert lines["maintenance"].sum() == pytest.approx(180)
    assert lines["replacements"].sum() == pytest.approx(360)
    assert lines["staff"].sum() == pytest.approx(252)
    # at the horizon itself nothing is bought anew
    assert np.flatnonzero(lines["refresh"]).tolist() == [12, 24]
    assert lines["refresh"].sum() == pytest.approx(1_200)


def test_storage_egress_support_and_tax_are_on_the_bill() -> None:
    rent = RentCost(
        price_per_gpu_hour=1.0, storage_gb=1_000, storage_price_per_gb_month=0.02, egress_gb_per_month=100,
        egress_price_per_gb=0.1, support_rate=0.05, sales_tax_rate=0.2, fixed_per_month=10, upfront=100,
    )  # fmt: skip
    total = evaluate(CostScenario(horizon_months=10, utilisation=1.0, rent=rent)).rent_total
    assert total == pytest.approx(1.2 * (100 + 10 * (730 * 1.05 + 20 + 10 + 10)))


def test_sale_value_runs_from_the_price_to_the_resale_and_on_to_zero() -> None:
    own = OwnCost(gpu_price=1_000, resale_fraction=0.4, selling_cost_fraction=0.1)
    values = sale_value(CostScenario(horizon_months=30, own=own), np.array([0.0, 15.0, 30.0, 60.0]))
    assert values == pytest.approx([900.0, 630.0, 360.0, 0.0])
