"""What the recommender says: a plan's name, why it is there, why a card is not, what stands in the way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from calc.recommend import Binding, Recommendation, WhyNot
from gpudata.names import short_gpu_name
from ui.format import between, gib, hours, money, money_number, number, percent, times
from ui.i18n import t
from ui.inputs_widgets import option_label
from ui.recommend_form import limit_value

Plan = Mapping[str, Any]
_ALIKE = 0.02  # ratios nearer to one read as "the same"


def machine(plan: Plan) -> str:
    """How many of which card."""
    gpu, count = short_gpu_name(str(plan["gpu"])), int(plan["num_gpus"])
    return t("sentence.one_card", gpu=gpu) if count == 1 else t("sentence.many_cards", gpu=gpu, n=number(count, 7))


def plan_name(plan: Plan) -> str:
    """Method, cards and way of paying in a few words."""
    return t(
        "recommend.plan",
        method=option_label("method", str(plan["method"])),
        cards=machine(plan),
        mode=t(f"recommend.mode.{plan['mode']}"),
    )


def setup_name(plan: Plan) -> str:
    """Method and cards without the way of paying."""
    return t("recommend.setup", method=option_label("method", str(plan["method"])), cards=machine(plan))


def point_label(plan: Plan) -> str:
    """The cards alone, for the words at a point of the chart."""
    count, gpu = int(plan["num_gpus"]), short_gpu_name(str(plan["gpu"]))
    return gpu if count == 1 else f"{number(count, 5)} × {gpu}"


def why(plan: Plan, currency: str) -> str:
    """One sentence: what speaks for the plan, with the figure that says so."""
    said = {
        "peak": gib(float(plan["peak_gib"])),
        "usable": gib(float(plan["usable_gib"])),
        "cost": money(float(plan["cost_per_run"]), currency),
        "total": money(float(plan["cost_total"]), currency),
        "hours": hours(float(plan["hours"])),
        "free": percent(float(plan["memory_headroom"])),
        "cost_gap": _gap("cost", float(plan["cost_per_run_ratio"])),
        "time_gap": _gap("time", float(plan["hours_ratio"])),
    }
    return t(f"recommend.why.{plan['reason']}", **said)


def _gap(kind: str, ratio: float) -> str:
    """How a plan's cost or time stands to the first plan's: as much, so many times, so much less."""
    if not math.isfinite(ratio) or abs(ratio - 1) < _ALIKE:
        return t(f"recommend.gap.{kind}_same")
    if ratio > 1:
        return t(f"recommend.gap.{kind}_more", times=times(ratio))
    return t(f"recommend.gap.{kind}_less", share=percent(1 - ratio))


def settings(plan: Plan) -> str:
    """How the training runs: batch, checkpointing, and for several cards link and sharding."""
    parts = [
        t("recommend.settings.batch", batch=int(plan["micro_batch"]), accum=int(plan["grad_accum"])),
        t(
            "recommend.settings.checkpointing",
            value=option_label("activation_checkpointing", str(plan["activation_checkpointing"])),
        ),
    ]
    if int(plan["num_gpus"]) > 1:
        parts += [option_label("parallelism", str(plan["parallelism"])), t(f"chart.link.{plan['link']}")]
    if plan["cpu_offload"] != "none":
        value = option_label("cpu_offload", str(plan["cpu_offload"]))
        parts.append(t("recommend.settings.offload", value=value, gib=gib(float(plan["host_ram_gib"]))))
    if plan["fp8"]:
        parts.append("FP8")
    return " · ".join(parts)


def cost_cell(plan: Plan, currency: str, project: bool) -> tuple[str, str]:
    """The amount that decides, and what stands under it."""
    if project:
        once, total = float(plan["cost_once"]), float(plan["cost_total"])
        run = float(plan["cost_per_run"])
        low, high = (float(plan[f"cost_per_run_{end}"]) / run if run else 1.0 for end in ("low", "high"))
        below = between(once * low, once * high, money_number)
        if plan["mode"] == "own":
            below = t("recommend.cell.after_sale", amount=money(total, currency))
        return money(once, currency), below
    once, month = float(plan["cost_once"]), float(plan["cost_per_month"])
    below = (
        t("recommend.cell.at_start", amount=money(once, currency)) if once > 0 else t("recommend.cell.nothing_first")
    )
    return t("recommend.cell.a_month", amount=money(month, currency)), below


def run_cell(plan: Plan, currency: str) -> tuple[str, str]:
    """Cost of one training and its range."""
    low, high = float(plan["cost_per_run_low"]), float(plan["cost_per_run_high"])
    return money(float(plan["cost_per_run"]), currency), between(low, high, money_number)


def time_cell(plan: Plan) -> tuple[str, str]:
    """Hours of one training and their range."""
    return hours(float(plan["hours"])), between(float(plan["hours_low"]), float(plan["hours_high"]), hours)


def memory_cell(plan: Plan) -> tuple[str, str]:
    """Memory to spare and what is used."""
    used = t("recommend.cell.used", peak=gib(float(plan["peak_gib"])), usable=gib(float(plan["usable_gib"])))
    return percent(float(plan["memory_headroom"])), used


def recommend_sentence(found: Recommendation, job: str, currency: str) -> str:
    """The first plan in one breath, or that nothing keeps all limits."""
    if found.plans.empty:
        if found.n_fit == 0:
            return t("recommend.sentence_no_memory", job=job)
        return t("recommend.sentence_none", job=job)
    plan = found.plans.iloc[0].to_dict()
    project = found.constraints.use == "project"
    cost, _ = cost_cell(plan, currency, project)
    owned = "_own" if project and plan["mode"] == "own" else ""
    return t(
        f"recommend.sentence{owned}" if project else "recommend.sentence_steady",
        job=job,
        after=money(float(plan["cost_total"]), currency),
        start=_start(float(plan["cost_once"]), currency),
        plan=plan_name(plan),
        cost=cost,
        hours=hours(float(plan["hours"])),
        range=between(float(plan["hours_low"]), float(plan["hours_high"]), hours),
        confidence=t(f"recommend.confidence.{plan['confidence']}"),
    )


def _start(amount: float, currency: str) -> str:
    """What is paid before the monthly bills, as part of a sentence; blank for nothing."""
    return t("recommend.sentence_start", amount=money(amount, currency)) if amount > 0 else ""


def binding_sentence(binding: Binding, currency: str) -> str:
    """Which limit stands in the way, and what its smallest change would allow."""
    return t(
        "recommend.binding",
        limit=t(f"limit.{binding.field}"),
        current=limit_value(binding.field, binding.current, currency),
        needed=limit_value(binding.field, relaxed(binding), currency),
        plan=plan_name(binding.plan),
    )


def relaxed(binding: Binding) -> Any:
    """The constraint's new value, rounded so that it is still enough."""
    needed = binding.needed
    if binding.field == "methods":
        return (*binding.current, str(needed)) if binding.current else ()
    if isinstance(needed, str | bool):
        return needed
    value = float(needed)
    size = 10.0 ** (math.floor(math.log10(value)) - 1) if value > 0 else 1.0
    fewer = binding.field == "runs_per_month"
    rounded = (math.floor if fewer else math.ceil)(round(value / size, 9)) * size
    kind = type(binding.current)
    return math.ceil(rounded) if kind is int else float(f"{rounded:.6g}")


def why_not_sentence(found: WhyNot, result: Recommendation, currency: str) -> str:
    """Why a card is not the first plan, or that it is."""
    gpu = short_gpu_name(found.gpu)
    if "memory" in found.failed:
        return t("recommend.why_not.memory", gpu=gpu, needed=gib(float(found.needed.get("memory", math.nan))))
    if found.plan is None:
        return t("recommend.why_not.price" if "price" in found.failed else "recommend.why_not.figures", gpu=gpu)
    name = plan_name(found.plan)
    if found.rank == 1:
        return t("recommend.why_not.first", gpu=gpu, plan=name)
    if found.rank is not None and found.behind is None:
        risks = number(int(found.plan["risks"]))
        return t("recommend.why_not.riskier", gpu=gpu, plan=name, rank=found.rank, risks=risks)
    if found.rank is not None:
        said = {"gpu": gpu, "plan": name, "rank": found.rank}
        quantity = t(f"recommend.quantity.{found.quantity}")
        if found.behind is None:
            return t("recommend.why_not.more", quantity=quantity, **said)
        first = result.plans.iloc[0]
        gaps = {
            f"{kind}_gap": _gap(kind, float(found.plan[name]) / float(first[name]) if first[name] else math.nan)
            for kind, name in (("cost", "cost_per_run"), ("time", "hours"))
        }
        return t("recommend.why_not.behind", quantity=quantity, times=times(found.behind), **said, **gaps)
    missed = "; ".join(missed_limits(found, result, currency))
    return t("recommend.why_not.failed", gpu=gpu, plan=name, missed=missed)


def missed_limits(found: WhyNot, result: Recommendation, currency: str) -> list[str]:
    """Each limit that a plan misses, with what it would need."""
    return [
        t(
            "recommend.why_not.limit",
            limit=t(f"limit.{name}"),
            needed=limit_value(name, found.needed[name], currency),
            current=limit_value(name, getattr(result.constraints, name), currency),
        )
        for name in found.failed
        if name != "memory"
    ]
