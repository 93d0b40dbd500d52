"""The grids of the search hold what the one-by-one calculation gives, and only what can be built."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calc.answers_costs import cost_scenario
from calc.answers_hours import hours_with_range
from calc.answers_memory import memory_with_range
from calc.cost import evaluate
from calc.recommend import PLAN_COLUMNS, Constraints, plan_fields
from calc.recommend_market import card_facts
from calc.recommend_money import MODES
from calc.recommend_plans import checks, described, machines_for, priced
from calc.recommend_space import COUNTS, SHARDINGS, configurations, layouts_of, techniques_of
from calc.scenario import METHOD_CHOICES, Scenario, scenario_from_flat
from calc.scenario_cases import scenario_cases
from calc.tables import load_tables
from calc.verdict import memory_verdict

CARDS = (
    "RTX 2080 Ti 11GB",
    "V100-SXM2-32GB",
    "RTX 3090",
    "RTX 4090",
    "A100-PCIe-80GB",
    "H100-SXM5-80GB",
    "MI300X 192GB",
)
SCENARIO = scenario_from_flat({"market": "US", "micro_batch": 2, "grad_accum": 8})
WIDE = Constraints(max_num_gpus=16, methods=METHOD_CHOICES, runs=3)


def sampled(constraints: Constraints, scenario: Scenario = SCENARIO, size: int = 30):  # type: ignore[no-untyped-def]
    found = configurations(scenario, constraints, load_tables(), CARDS, keep_all=True)
    picked = np.sort(np.random.default_rng(20_261_130).choice(len(found.hours), size, replace=False))
    bought = machines_for(found, scenario, constraints, load_tables())
    plans = priced(found, picked, bought, scenario, constraints)
    return found, bought, plans, described(plans, found, bought, scenario, constraints, load_tables())


def test_memory_and_hours_equal_the_calculation_of_each_configuration_alone() -> None:
    _, bought, plans, rows = sampled(WIDE)
    for place, row in rows.iterrows():
        one = scenario_from_flat({**SCENARIO.flat(), **plan_fields(row)})
        cases = scenario_cases(one, load_tables())
        estimate, peak, low, high = memory_with_range(cases, load_tables())
        _, hours, hours_low, hours_high = hours_with_range(one, cases, load_tables())
        stretch = bought.stretch[plans.machine[place]]
        assert row["peak_gib"] == pytest.approx(peak[0])
        assert (row["low_gib"], row["high_gib"]) == pytest.approx((low[0], high[0]))
        assert (row["hours"], row["hours_low"], row["hours_high"]) == pytest.approx(
            (hours[0] * stretch, hours_low[0] * stretch, hours_high[0] * stretch)
        )
        assert row["verdict"] == memory_verdict(estimate, low / peak, high / peak, row["usable_gib"])[0]


@pytest.mark.parametrize("use", ["project", "steady"])
def test_costs_equal_those_of_the_money_page(use: str) -> None:
    constraints = WIDE.model_copy(update={"use": use, "term_weeks": 9.0, "runs_per_month": 4.0})
    found, _, plans, rows = sampled(constraints)
    months = 3 if use == "project" else SCENARIO.money.horizon_months
    runs = 3.0 / months if use == "project" else 4.0
    hours_a_month = SCENARIO.money.hours_per_month
    for place, row in rows.iterrows():
        commitment = int(card_facts(load_tables(), "US", "USD").at[row["gpu"], "commitment"])
        paid = max(months, commitment) if row["mode"] == "reserved" else months
        use_share = runs * found.hours[plans.config[place]] / hours_a_month
        if use_share > 1:
            continue
        one = scenario_from_flat(
            {**SCENARIO.flat(), **plan_fields(row), "horizon_months": paid, "utilisation": 100 * use_share}
        )
        result = evaluate(cost_scenario(one, load_tables())[0])
        total = result.own_total if row["mode"] == "own" else result.rent_total
        assert row["cost_total"] == pytest.approx(total)
        assert row["cost_per_run"] == pytest.approx(total / (runs * months))
        start = result.capex if row["mode"] == "own" else 0.0
        bills = row["cost_per_month"] * paid
        assert row["cost_once"] == pytest.approx(start + bills if use == "project" else start)
        if row["mode"] != "own":
            assert bills == pytest.approx(total)


@given(st.sampled_from(METHOD_CHOICES), st.booleans(), st.booleans())
def test_techniques_are_those_that_software_offers(method: str, fp8: bool, single: bool) -> None:
    ways = techniques_of([method], fp8, single)
    assert len(set(ways)) == len(ways)
    for _, sharding, _, offload, eight in ways:
        assert sharding == "single" if single else sharding in (*SHARDINGS, "auto")
        assert offload != "params+optimizer" or sharding in ("single", "zero3", "auto")
        assert not (eight and method.startswith("qlora"))
        assert not (sharding == "tp" and method.startswith("qlora"))


@given(st.sampled_from(COUNTS), st.sampled_from(["none", "bridge", "nvlink"]))
def test_links_are_those_that_the_cards_have(most: int, kind: str) -> None:
    layouts = layouts_of(most, kind, 8)
    assert len(set(layouts)) == len(layouts)
    assert max(count for count, _ in layouts) == most
    bridges = [count for count, link in layouts if link == "nvlink"]
    assert bridges == ([2] if kind == "bridge" and most >= 2 else [])
    assert all(count > 8 and kind != "nvlink" for count, link in layouts if link == "pcie+infiniband")


def test_every_plan_keeps_the_sequences_of_a_step() -> None:
    found = configurations(SCENARIO, WIDE, load_tables(), CARDS)
    counts = np.array([n for n, _ in found.layouts])[found.layout]
    sharding = np.array([way[1] for way in found.techniques])[found.technique]
    ranks = np.where(sharding == "pp", 1, np.where(sharding == "tp", np.maximum(counts / 8, 1), counts))
    sequences = found.micro_batch * found.grad_accum * ranks
    assert (sequences[found.micro_batch > 1] <= 16).all()
    assert (sequences == np.maximum(16, ranks)).all()


def test_what_is_left_out_of_a_kind_is_slower_and_fuller() -> None:
    found = configurations(SCENARIO, WIDE, load_tables(), CARDS[:4])
    methods = np.array([way[0] for way in found.techniques])[found.technique]
    best = set(found.best.tolist())
    for place in np.random.default_rng(1).choice(len(found.hours), 200):
        same = (found.card == found.card[place]) & (found.layout == found.layout[place]) & (methods == methods[place])
        kept = [i for i in np.nonzero(same)[0].tolist() if i in best]
        assert min(found.hours[kept]) <= found.hours[place]
        assert min(found.peak_gib[kept]) <= found.peak_gib[place]


def test_each_constraint_refuses_what_it_names() -> None:
    found, bought, plans, rows = sampled(WIDE, size=400)
    strict = Constraints(
        needs_ecc=True, quiet_home=True, allow_spot=False, sides="own", max_power_w=900, max_num_gpus=16
    )
    by_field = {c.field: c.ok for c in checks(plans, found, bought, SCENARIO, strict, load_tables())}
    assert set(by_field) <= set(Constraints.model_fields)
    assert (by_field["needs_ecc"] == rows["ecc"]).all()
    own = rows["mode"] == "own"
    assert (by_field["sides"] == own).all()
    assert (by_field["allow_spot"] == (rows["mode"] != "spot")).all()
    assert (by_field["allow_offload"] == (rows["cpu_offload"] == "none")).all()
    assert (by_field["quiet_home"] == ~(own & (rows["segment"] == "datacenter"))).all()
    assert (by_field["max_power_w"] == ~(own & (rows["power_w"] > 900))).all()
    assert (by_field["any_vendor"] == (rows["vendor"] == "NVIDIA")).all()
    assert set(rows["mode"]) == set(MODES)
    assert set(PLAN_COLUMNS) <= set(rows.columns)
