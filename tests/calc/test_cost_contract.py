"""The interface of scripts: keys, defaults, definitions and exit codes of ``python -m calc cost``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy_financial as npf
import pytest

from calc.cost import evaluate
from calc.cost_cli import main
from calc.cost_scenario import MOST, CostScenario, OwnCost, RentCost, bounds_of

KEYS = {
    *("own_total", "rent_total", "saving", "crossover_month_cash", "crossover_month_npv", "break_even_utilisation"),
    *("break_even_hours", "own_cost_per_useful_gpu_hour", "rent_cost_per_useful_gpu_hour", "npv_saving"),
    *("monthly_payment", "cumulative"),
}
OWN_DEFAULTS = {
    **dict.fromkeys(("gpu_price", "other_capex", "sales_tax_rate", "gpu_power_w", "host_power_w", "idle_power_w"), 0),
    **dict.fromkeys(("electricity_price", "cost_per_hour_on", "fixed_per_month", "colocation_per_kw_month"), 0),
    **dict.fromkeys(("maintenance_rate", "resale_fraction", "loan_rate", "loan_months"), 0),
    **dict.fromkeys(("load_factor", "pue", "relative_speed", "useful_fraction"), 1.0),
}
RENT_DEFAULTS = {
    **{"price_per_gpu_hour": 3.0, "annual_price_change": 0.0, "fixed_per_month": 0, "upfront": 0},
    **{"always_on": False, "relative_speed": 1.0, "useful_fraction": 1.0},
}
FULL: dict[str, Any] = {
    "currency": "EUR",
    "horizon_months": 48,
    "hours_per_month": 720,
    "utilisation": 0.7,
    "discount_rate": 0.1,
    "own": {
        **{"num_gpus": 4, "gpu_price": 9000, "other_capex": 12000, "sales_tax_rate": 0.19, "gpu_power_w": 400},
        **{"host_power_w": 150, "idle_power_w": 90, "load_factor": 0.8, "pue": 1.4, "electricity_price": 0.18},
        **{"cost_per_hour_on": 0.3, "fixed_per_month": 250, "colocation_per_kw_month": 120},
        **{"maintenance_rate": 0.05, "resale_fraction": 0.25, "relative_speed": 1.5, "useful_fraction": 0.95},
    },
    "rent": {
        **{"price_per_gpu_hour": 1.9, "annual_price_change": -0.1, "fixed_per_month": 80, "upfront": 500},
        **{"relative_speed": 1.2, "useful_fraction": 0.9},
    },
}


def by_hand(case: dict[str, Any]) -> dict[str, float]:
    """The definitions written out month by month, without any of the project's functions."""
    own, rent, months = case["own"], case["rent"], case["horizon_months"]
    n, hours, use = own["num_gpus"], case["hours_per_month"], case["utilisation"]
    capex = (n * own["gpu_price"] + own["other_capex"]) * (1 + own["sales_tax_rate"])
    rated = n * (own["gpu_power_w"] + own["host_power_w"]) / 1000
    kwh = rated * own["load_factor"] * use * hours + n * own["idle_power_w"] / 1000 * (1 - use) * hours
    monthly = kwh * own["pue"] * own["electricity_price"] + own["cost_per_hour_on"] * use * hours
    monthly += own["fixed_per_month"] + rated * own["colocation_per_kw_month"] + capex * own["maintenance_rate"] / 12
    scale = own["relative_speed"] / rent["relative_speed"] * own["useful_fraction"] / rent["useful_fraction"]
    own_flows, rent_flows, own_sum, rent_sum = [capex], [rent["upfront"]], capex, rent["upfront"]
    cash = npv_month = None
    d = (1 + case["discount_rate"]) ** (1 / 12) - 1
    own_pv, rent_pv, gap, gap_pv = capex, rent["upfront"], capex - rent["upfront"], 0.0 - rent["upfront"]
    for t in range(1, months + 1):
        price = rent["price_per_gpu_hour"] * (1 + rent["annual_price_change"]) ** (t / 12)
        bill = n * hours * use * scale * price + rent["fixed_per_month"]
        own_flows.append(monthly)
        rent_flows.append(bill)
        own_sum, rent_sum = own_sum + monthly, rent_sum + bill
        if cash is None and own_sum <= rent_sum:
            cash = t - 1 + gap / (gap - (own_sum - rent_sum))
        gap = own_sum - rent_sum
        own_pv, rent_pv = own_pv + monthly / (1 + d) ** t, rent_pv + bill / (1 + d) ** t
        worth = capex * (1 - (1 - own["resale_fraction"]) * t / months) / (1 + d) ** t
        now = own_pv - worth - rent_pv
        if npv_month is None and now <= 0:
            npv_month = t - 1 + (gap_pv / (gap_pv - now) if gap_pv > 0 else 0.0)
        gap_pv = now
    own_flows[-1] -= capex * own["resale_fraction"]
    payment = -npf.pmt(case["discount_rate"] / 12, months, capex)
    useful = n * use * hours * months
    own_hour = (months * payment + months * monthly - capex * own["resale_fraction"]) / useful
    machine = n * rent["price_per_gpu_hour"] * scale - own["cost_per_hour_on"]
    machine -= rated * own["load_factor"] * own["pue"] * own["electricity_price"]
    return {
        "own_total": sum(own_flows),
        "rent_total": sum(rent_flows),
        "saving": sum(rent_flows) - sum(own_flows),
        "npv_saving": npf.npv(d, rent_flows) - npf.npv(d, own_flows),
        "crossover_month_cash": cash,
        "crossover_month_npv": npv_month,
        "monthly_payment": payment,
        "own_cost_per_useful_gpu_hour": own_hour,
        "rent_cost_per_useful_gpu_hour": sum(rent_flows) / useful,
        "break_even_hours": capex / machine,
    }


def run(tmp_path: Path, content: Any, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    path = tmp_path / "scenario.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    status = main([str(path)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_documented_defaults() -> None:
    own, rent, scenario = OwnCost().model_dump(), RentCost().model_dump(), CostScenario()
    assert {name: own[name] for name in OWN_DEFAULTS} == OWN_DEFAULTS
    assert {name: rent[name] for name in RENT_DEFAULTS} == RENT_DEFAULTS
    assert (scenario.currency, scenario.horizon_months, scenario.hours_per_month) == ("USD", 36, 730)
    assert (scenario.utilisation, scenario.discount_rate) == (0.6, 0.0)


def test_every_definition_written_out_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(tmp_path, FULL, capsys)
    answer = json.loads(out)
    assert (status, err) == (0, "")
    assert answer.keys() >= KEYS
    expected = by_hand(FULL)
    assert expected["crossover_month_cash"] is not None
    assert {name: answer[name] for name in expected} == pytest.approx(expected, rel=1e-9)


def test_fields_beyond_the_simple_form_change_nothing_at_their_defaults() -> None:
    simple = evaluate(CostScenario.model_validate(FULL))
    fields = {"own": OwnCost().model_dump(), "rent": RentCost().model_dump()}
    spelled = {**FULL, "own": {**fields["own"], **FULL["own"]}, "rent": {**fields["rent"], **FULL["rent"]}}
    assert evaluate(CostScenario.model_validate(spelled)).as_json() == simple.as_json()


def test_cumulative_starts_today_and_leaves_the_resale_out() -> None:
    result = evaluate(CostScenario.model_validate(FULL))
    first, last = result.cumulative()[0], result.cumulative()[-1]
    assert first == pytest.approx({"month": 0, "own": 48_000 * 1.19, "rent": 500})
    assert last["month"] == 48
    assert last["own"] == pytest.approx(result.own_total + 48_000 * 1.19 * 0.25)
    assert last["rent"] == pytest.approx(result.rent_total)


def test_lines_stack_to_the_totals() -> None:
    result = evaluate(
        CostScenario.model_validate({**FULL, "own": {**FULL["own"], "loan_rate": 0.1, "loan_months": 60}})
    )
    assert sum(line.sum() for line in result.own_lines.values()) == pytest.approx(result.own_total)
    assert sum(line.sum() for line in result.rent_lines.values()) == pytest.approx(result.rent_total)
    assert {line.shape for line in (*result.own_lines.values(), *result.rent_lines.values())} == {(49,)}


def test_a_loan_replaces_the_purchase_by_its_payments() -> None:
    case = {**FULL, "own": {**FULL["own"], "loan_rate": 0.08, "loan_months": 24}}
    result, cash = evaluate(CostScenario.model_validate(case)), evaluate(CostScenario.model_validate(FULL))
    payment = -npf.pmt(0.08 / 12, 24, cash.capex)
    assert result.monthly_payment == pytest.approx(payment)
    assert result.cumulative_own[0] == 0
    assert result.own_total == pytest.approx(cash.own_total - cash.capex + 24 * payment)


def test_a_loan_longer_than_the_horizon_leaves_its_debt_in_the_total() -> None:
    own = {"gpu_price": 10_000, "loan_rate": 0.12, "loan_months": 60}
    result = evaluate(CostScenario.model_validate({"horizon_months": 36, "own": own}))
    debt = 10_000.0
    for _ in range(36):
        debt = debt * 1.01 - result.monthly_payment
    assert result.own_lines["loan_balance"][-1] == pytest.approx(debt)
    assert result.own_total == pytest.approx(36 * result.monthly_payment + debt)


def test_a_reservation_bills_every_hour() -> None:
    result = evaluate(CostScenario(utilisation=0.25, rent=RentCost(price_per_gpu_hour=2, always_on=True)))
    assert result.rent_total == pytest.approx(2 * 730 * 36)
    assert result.rent_cost_per_useful_gpu_hour == pytest.approx(8)


def test_no_crossover_and_no_use_are_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    never = {"utilisation": 0, "own": {"gpu_price": 1e6}, "rent": {"price_per_gpu_hour": 0.1}}
    status, out, _ = run(tmp_path, never, capsys)
    answer = json.loads(out)
    assert status == 0
    assert answer["crossover_month_cash"] is None
    assert answer["crossover_month_npv"] is None
    assert answer["break_even_utilisation"] is None
    assert answer["own_cost_per_useful_gpu_hour"] is None
    assert answer["break_even_hours"] == pytest.approx(1e7)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"utilisation": 1.2}, "utilisation"),
        ({"horizon_months": 0}, "horizon_months"),
        ({"currency": "dollars"}, "currency"),
        ({"own": {"pue": 0.9}}, "own.pue"),
        ({"own": {"num_gpus": 0}}, "own.num_gpus"),
        ({"own": {"gpu_price": -1}}, "own.gpu_price"),
        ({"own": {"gpu_price": "dear"}}, "own.gpu_price"),
        ({"rent": {"useful_fraction": 0}}, "rent.useful_fraction"),
        ({"rent": {"annual_price_change": -1}}, "rent.annual_price_change"),
        ({"rent": {"price": 2}}, "rent.price"),
        ('{"own": {"gpu_price": Infinity}}', "own.gpu_price"),
        ("{not json", "not JSON"),
        ("[1, 2]", "JSON object"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: Any, named: str
) -> None:
    status, out, err = run(tmp_path, content, capsys)
    assert (status, out) == (2, "")
    assert named in err
    assert err.count("\n") == 1


def test_a_missing_file_is_one_line_and_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_messages_tell_the_range(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "allowed: 1 to 5" in run(tmp_path, {"own": {"pue": 0.9}}, capsys)[2]
    assert bounds_of("own.pue") == (1.0, 5.0)
    assert bounds_of("rent.annual_price_change")[0] > -1
    assert bounds_of("own.gpu_price") == (0.0, MOST)
    assert "allowed: 0 to 1e+12" in run(tmp_path, {"own": {"gpu_price": 2e12}}, capsys)[2]
    assert np.isinf(bounds_of("rent.hours_per_run")[1])
