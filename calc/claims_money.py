"""Claims about what training costs: the cost model and the price tables have the answer."""

from __future__ import annotations

import math

from calc.answers_costs import cost_scenario
from calc.answers_time import time_by_card
from calc.claims_common import EXAMPLE_RUN, Answer, Answerer, Evidence, Verdict, agrees, judge, scenario_of, speed
from calc.claims_fit import B7, B13
from calc.claims_specs import A10, A100_80_SXM, H100_SXM, RTX_3090, RTX_4090
from calc.claims_time import GUIDE_STEP
from calc.cost import CostResult, evaluate
from calc.market import purchase_prices, rental_prices
from calc.tables import Tables

CHINA = {"market": "China", "currency": "CNY"}
HOURS_A_MONTH_RENTED = 720.0  # 30 days, as the guides count
MONTHS_SHOWN = 120


def _sums(result: CostResult, *names: str) -> float:
    return float(sum(result.own_lines[name].sum() for name in names if name in result.own_lines))


def _running(result: CostResult) -> float:
    return _sums(result, "energy_loaded", "energy_idle")


def _own_rent(tables: Tables, **choices: object) -> CostResult:
    return evaluate(cost_scenario(scenario_of(**CHINA, **choices), tables)[0])


def _rent(tables: Tables, gpu: str) -> tuple[float, float, float]:
    row = rental_prices(tables, "China", "CNY").loc[gpu]
    return tuple(float(row[f"on_demand_{end}"]) for end in ("low", "typical", "high"))  # type: ignore[return-value]


def _h100_month(e: Evidence) -> Answer:
    low, typical, high = _rent(e.tables, H100_SXM)
    gpus = (H100_SXM, A100_80_SXM, RTX_4090)
    runs = time_by_card(scenario_of(**CHINA, **EXAMPLE_RUN), e.tables, gpus).set_index("gpu")
    values: dict[str, float | str] = {
        "bill_cny": typical * HOURS_A_MONTH_RENTED,
        "bill_low_cny": low * HOURS_A_MONTH_RENTED,
        "bill_high_cny": high * HOURS_A_MONTH_RENTED,
    }
    for name, gpu in zip(("h100", "a100", "desk"), gpus, strict=True):
        values |= {f"{name}_cny": float(runs.loc[gpu, "rent_cost"]), f"{name}_h": float(runs.loc[gpu, "hours"])}
    cheaper = min(float(values["a100_cny"]), float(values["desk_cny"]))
    verdict: Verdict = "confirmed" if float(values["h100_cny"]) > cheaper else "depends"
    return Answer("c04", verdict, values)


def _starter_server(e: Evidence) -> Answer:
    result = _own_rent(e.tables, gpu=RTX_4090, num_gpus=2, horizon_months=24, utilisation=100.0)
    energy, claimed = _running(result), e.claimed("c17")
    total = result.capex + energy
    values: dict[str, float | str] = {
        "capex_cny": result.capex,
        "energy_cny": energy,
        "total_cny": total,
        "resale_cny": -_sums(result, "resale"),
        "rent_cny": result.rent_total,
    }
    right = [agrees(total, *claimed), agrees(energy, 10_000, 10_000), agrees(result.capex, 50_000, 50_000)]
    verdict: Verdict = "confirmed" if right[0] else "depends" if any(right) else "contradicted"
    return Answer("c17", verdict, values)


def _break_even(e: Evidence) -> Answer:
    values: dict[str, float | str] = {}
    shares = []
    for name, gpu, count in (("desk", RTX_4090, 1), ("a100", A100_80_SXM, 8), ("h100", H100_SXM, 8)):
        share = _own_rent(e.tables, gpu=gpu, num_gpus=count, horizon_months=36).break_even_utilisation
        shares.append(math.inf if share is None else share)
        values[f"{name}_share"] = shares[-1]
    right = [agrees(share, *e.claimed("c20")) for share in shares]
    verdict: Verdict = "confirmed" if all(right) else "depends" if min(shares) < math.inf else "contradicted"
    return Answer("c20", verdict, values)


def _a10_month(e: Evidence) -> Answer:
    hourly, hours_a_day, days = 6.0, 8.0, 30.0
    bill = hourly * hours_a_day * days
    low, typical, high = _rent(e.tables, A10)
    values: dict[str, float | str] = {
        "bill_cny": bill,
        "today_cny": typical * hours_a_day * days,
        "today_low_cny": low * hours_a_day * days,
        "today_high_cny": high * hours_a_day * days,
    }
    verdict: Verdict = "confirmed" if bill == e.claimed("c32")[0] else "contradicted"
    return Answer("c32", verdict, values)


def _simple_mode(e: Evidence) -> Answer:
    use, months = 60.0, 36
    result = _own_rent(e.tables, gpu=RTX_4090, utilisation=use, horizon_months=months)
    simple = result.capex + _running(result) + _sums(result, "maintenance")
    full = result.own_total
    values: dict[str, float | str] = {
        "use_share": use / 100,
        "simple_cny": simple,
        "full_cny": full,
        "resale_cny": -_sums(result, "resale"),
        "rent_cny": result.rent_total,
    }
    flips = (simple <= result.rent_total) != (full <= result.rent_total)
    verdict: Verdict = "confirmed" if agrees(simple, full, full) else "contradicted" if flips else "depends"
    return Answer("c35", verdict, values)


def _three_months(e: Evidence) -> Answer:
    # Guide B: 13B, 8 h a day; its cloud card is an A10 at 6 CNY an hour.
    work = {"model": B13, "method": "qlora-4bit", "gpu": RTX_4090, "utilisation": 100 * 8 / 24}
    work |= {"horizon_months": MONTHS_SHOWN, "tokens_per_sample": 512, "samples": 10_000}
    same = _own_rent(e.tables, **work)
    against_a10 = _own_rent(e.tables, **work, rent_gpu=A10, rent={"price_per_gpu_hour": 6.0})

    def month(result: CostResult) -> float:
        found = result.crossover_month_cash
        return math.inf if found is None else found

    values: dict[str, float | str] = {"same_month": month(same), "a10_month": month(against_a10)}
    soonest, latest = sorted((month(same), month(against_a10)))
    verdict = judge(month(same), soonest, latest, e.claimed("c36"))
    return Answer("c36", verdict, values)


def _a100_to_4090(e: Evidence) -> Answer:
    low, high = e.claimed("c37")
    rent_a100, rent_4090 = _rent(e.tables, A100_80_SXM)[1], _rent(e.tables, RTX_4090)[1]
    work = {**GUIDE_STEP, "model": B7, "method": "lora"}
    slower = speed(e.tables, **work, gpu=RTX_4090).hours / speed(e.tables, **work, gpu=A100_80_SXM).hours
    a100_hours = high / rent_a100
    bill = a100_hours * slower * rent_4090
    values: dict[str, float | str] = {
        "a100_cny": high,
        "a100_h": a100_hours,
        "desk_h": a100_hours * slower,
        "desk_cny": bill,
        "slower_times": slower,
        "claimed_cny": low,
    }
    verdict: Verdict = "confirmed" if agrees(bill, low, low) else "depends" if bill < high else "contradicted"
    return Answer("c37", verdict, values)


def _per_point(e: Evidence) -> Answer:
    low, high = e.claimed("c42")
    work = {**GUIDE_STEP, **CHINA, "model": B13, "method": "qlora-4bit"}
    runs = time_by_card(scenario_of(**work), e.tables, (RTX_4090, A10)).set_index("gpu")
    desk, server = float(runs.loc[RTX_4090, "rent_cost"]), float(runs.loc[A10, "rent_cost"])
    values: dict[str, float | str] = {
        "desk_cny": desk,
        "server_cny": server,
        "desk_points_n": desk / low,
        "server_points_n": server / high,
        "ratio_times": server / desk,
    }
    # The guide's ratio of A10 to consumer card is all that can be checked: the gain itself depends on the data.
    verdict: Verdict = "depends" if agrees(server / desk, high / (low + 10), high / low) else "contradicted"
    return Answer("c42", verdict, values)


def _budgets(e: Evidence) -> Answer:
    low, high = e.claimed("c43")
    price = purchase_prices(e.tables, "China", "CNY")["typical"]
    hour = _rent(e.tables, RTX_4090)[1]
    one_run = float(time_by_card(scenario_of(**CHINA, **EXAMPLE_RUN), e.tables, (RTX_4090,))["rent_cost"].iloc[0])
    values: dict[str, float | str] = {
        "personal_cny": low,
        "hours_n": low / hour,
        "runs_n": low / one_run,
        "old_cny": float(price[RTX_3090]),
        "new_cny": float(price[RTX_4090]),
        "team_cny": high,
        "cards_n": math.floor(high / float(price[RTX_4090])),
    }
    buys = [float(price[RTX_3090]) <= low, float(price[RTX_4090]) <= high]
    verdict: Verdict = "confirmed" if all(buys) else "depends" if any(buys) else "contradicted"
    return Answer("c43", verdict, values)


def _terms(e: Evidence) -> Answer:
    values: dict[str, float | str] = {}
    for name, share in (("day", 100 * 8 / 24), ("most", 60.0), ("full", 100.0)):
        work = {"gpu": RTX_4090, "utilisation": share, "horizon_months": MONTHS_SHOWN}
        found = _own_rent(e.tables, **work).crossover_month_cash
        values[f"{name}_month"] = math.inf if found is None else found
    soonest, usual = float(values["full_month"]), float(values["most_month"])
    verdict: Verdict = "confirmed" if usual <= 3 else "depends" if soonest <= 3 else "contradicted"
    return Answer("c44", verdict, values)


ANSWERS: dict[str, Answerer] = {
    "c04": _h100_month,
    "c17": _starter_server,
    "c20": _break_even,
    "c32": _a10_month,
    "c35": _simple_mode,
    "c36": _three_months,
    "c37": _a100_to_4090,
    "c42": _per_point,
    "c43": _budgets,
    "c44": _terms,
}
