"""The sentence that opens each page, and the lines that name the scenario under a figure's title."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from calc.scenario import MODEL_BY_SIZE, MODEL_CUSTOM, Scenario
from gpudata.names import short_gpu_name
from ui.format import between, calendar_month, gib, gib_number, hours, money, month_number, number, percent
from ui.i18n import t
from ui.inputs_widgets import option_label

_NOTABLE_GIB = 1.0  # of main memory; any machine has so little free


def model_name(scenario: Scenario) -> str:
    """The model in words: a preset's name, a size, or the user's own."""
    work = scenario.workload
    if work.model == MODEL_BY_SIZE:
        return t("sentence.model_by_size", size=f"{work.model_size_b:g}")
    return t("sentence.model_custom") if work.model == MODEL_CUSTOM else work.model


def cards(scenario: Scenario) -> str:
    """How many of which card: "one RTX 4090", "8 × H100 SXM"."""
    gpu, count = short_gpu_name(scenario.hardware.gpu), scenario.hardware.num_gpus
    return t("sentence.one_card", gpu=gpu) if count == 1 else t("sentence.many_cards", gpu=gpu, n=number(count, 7))


def method_name(scenario: Scenario) -> str:
    """Fine-tuning method in words."""
    return option_label("method", scenario.workload.method)


def task_line(scenario: Scenario) -> str:
    """Model, method and what sets the memory, for the grey line under a figure's title."""
    setup = scenario.setup
    return t(
        "sentence.task_line",
        model=model_name(scenario),
        method=method_name(scenario),
        seq_len=number(setup.seq_len, 7),
        micro_batch=number(setup.micro_batch, 7),
        checkpointing=option_label("activation_checkpointing", setup.activation_checkpointing),
    ) + offload_note(setup.cpu_offload)


def offload_note(cpu_offload: str) -> str:
    """What is kept in main memory, as the end of a line; blank where all stays on the cards."""
    return "" if cpu_offload == "none" else t(f"sentence.offload.{cpu_offload}")


def run_line(scenario: Scenario) -> str:
    """Data set and machine, for figures about time."""
    work = scenario.workload
    return t(
        "sentence.run_line",
        model=model_name(scenario),
        method=method_name(scenario),
        samples=number(work.samples, 10),
        tokens=number(work.tokens_per_sample, 7),
        epochs=number(work.epochs, 7),
        count=number(scenario.hardware.num_gpus, 7),
    ) + offload_note(scenario.setup.cpu_offload)


def money_line(scenario: Scenario) -> str:
    """Machine, market and terms, for figures about money."""
    terms = scenario.money
    return t(
        "sentence.money_line",
        cards=cards(scenario),
        market=option_label("market", terms.market),
        horizon=terms.horizon_months,
        use=percent_of(terms.utilisation),
    ) + (t("sentence.rented_card", gpu=other) if (other := _other_rented(scenario)) else "")


def _other_rented(scenario: Scenario) -> str:
    """The card that is rented for the same work, where it is not the one that is bought; else blank."""
    rented = scenario.money.rent_gpu
    return short_gpu_name(rented) if rented not in ("", scenario.hardware.gpu) else ""


def percent_of(value: float) -> str:
    """A value in per cent as per cent."""
    return percent(value / 100)


def _need(scenario: Scenario, row: Any) -> dict[str, str]:
    one, refused = scenario.hardware.num_gpus == 1, row.verdict == "no"
    verb = ("does" if one else "do") if refused else ("holds" if one else "hold")
    return {
        "model": model_name(scenario),
        "method": method_name(scenario),
        "cards": cards(scenario),
        "peak": gib(row.peak_gib),
        "range": between(row.low_gib, row.high_gib, gib_number),
        "usable": gib(row.usable_gib),
        "missing": gib(row.peak_gib - row.usable_gib),
        "verb": t(f"chart.title.{verb}"),
        "each": "" if one else t("sentence.each_card"),
    }


def fit_sentence(scenario: Scenario, row: Any) -> str:
    """What the job needs of each card, and whether the chosen one holds it (a row of ``fit_by_card``)."""
    need = _need(scenario, row)
    need["job"] = t("sentence.job_pretraining" if _pretrains(scenario) else "sentence.job", **need)
    if row.verdict not in ("fits", "tight", "no"):
        return t("sentence.fit_unknown", **need)
    host = getattr(row, "host_ram_gib", 0.0)
    also = t("sentence.host_memory", gib=gib(host)) if host > _NOTABLE_GIB else ""
    return t("sentence.need", **need) + t(f"sentence.verdict_{row.verdict}", **need) + also


def _pretrains(scenario: Scenario) -> bool:
    return scenario.workload.method == "pretrain"


def time_sentence(scenario: Scenario, row: Any) -> str:
    """How long a run takes on the chosen machine and what holds it back (a row of ``time_by_card``)."""
    if not _known(row.hours):
        return t("sentence.time_unknown", cards=cards(scenario))
    key = "sentence.time_if_fits" if row.verdict == "no" else "sentence.time"
    text = t(
        key,
        cards=cards(scenario),
        hours=hours(row.hours),
        range=between(row.hours_low, row.hours_high, hours),
        speed=number(row.tokens_per_s),
    )
    if scenario.hardware.num_gpus > 1:
        return text + t("sentence.waiting", share=percent(row.communication_h / row.hours))
    return text + t("sentence.limited", what=t(f"chart.bottleneck.{row.bottleneck}"))


def _known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def pay_back(answer: Any) -> str:
    """Month in which owning has paid for itself, or that it has not by the horizon, or not for good."""
    month = answer.crossover_month_cash
    if _known(month):
        return t("money.not_lasting") if answer.saving < 0 else t("money.month", month=month_number(month))
    return t("money.at_sale") if answer.saving > 0 else t("money.not_within")


def pay_back_range(answer: Any) -> str:
    """Range of the pay-back month in words, or that it counts a sale of the cards; blank where there is no month."""
    if not _known(answer.crossover_month_cash):
        return t("money.counting_resale") if answer.saving > 0 else ""
    low, high = answer.crossover_low, answer.crossover_high
    if _known(low) and _known(high):
        first, last = month_number(low), month_number(high)
        return t("money.month", month=first) if first == last else t("money.month_range", low=first, high=last)
    return t("money.month_from", low=month_number(low)) if _known(low) else ""


def money_sentence(scenario: Scenario, answer: Any) -> str:
    """Break-even rental price first, then the pay-back month or the plain statement that renting stays cheaper."""
    terms = scenario.money
    values = {
        "price": money(answer.break_even_rent_per_gpu_hour, terms.currency),
        "today": _rent_today(scenario, answer),
        "use": percent_of(terms.utilisation),
        "horizon": str(terms.horizon_months),
        "cards": cards(scenario),
        "saving": money(abs(answer.saving), terms.currency),
    }
    price = answer.break_even_rent_per_gpu_hour
    key = "no_break_even_price" if not _known(price) else "break_even_price" if price > 0 else "any_price"
    return t(f"sentence.{key}", **values) + _pay_back_sentence(answer, values) + _value_note(scenario, answer)


def _rent_today(scenario: Scenario, answer: Any) -> str:
    """Rent of a card-hour, with the card's name where another one than the bought is rented."""
    price, other = money(answer.costs.rent.price_per_gpu_hour, scenario.money.currency), _other_rented(scenario)
    return t("sentence.price_of", price=price, gpu=other) if other else price


def _value_note(scenario: Scenario, answer: Any) -> str:
    """What the value today says, where it and the cash paid name different winners; else blank."""
    value = answer.result.npv_saving
    if value * answer.saving >= 0:
        return ""
    amount = money(abs(value), scenario.money.currency)
    winner = "own" if value > 0 else "rent"
    return t(f"sentence.value_{winner}", rate=percent(scenario.money.discount_rate), amount=amount)


def _pay_back_sentence(answer: Any, values: dict[str, str]) -> str:
    month = answer.crossover_month_cash
    if not _known(month):
        if answer.saving <= 0:
            return t("sentence.renting_stays_cheaper", **values)
        return t("sentence.resale_decides", **values)
    values = {**values, "month": month_number(month), "date": calendar_month(month)}
    if answer.saving < 0:
        return t("sentence.ahead_for_a_while", **values)
    if month <= 0:
        return t("sentence.own_at_once", **values) + t("sentence.stop")
    text, span = t("sentence.pays_back", **values), pay_back_range(answer)
    return text + t("sentence.span", span=span) if span else text + t("sentence.stop")


def overview_sentence(scenario: Scenario, headline: Any) -> str:
    """Memory, time and money in one breath; where the card does not hold the job, only that."""
    work = scenario.workload
    need = {
        **_need(scenario, headline),
        "samples": number(work.samples, 10),
        "epochs": number(work.epochs, 7),
    }
    need["job"] = t("sentence.pretraining" if _pretrains(scenario) else "sentence.finetuning", **need)
    text = t("sentence.overview", **need)
    if headline.verdict not in ("fits", "tight"):
        return text + t(f"sentence.verdict_{headline.verdict or 'unknown'}", **need)
    text += t(f"sentence.overview_{headline.verdict}", **need)
    if _known(headline.hours):
        text += t(
            "sentence.overview_time",
            hours=hours(headline.hours),
            range=between(headline.hours_low, headline.hours_high, hours),
        )
    if not headline.money.priced:
        return text + t("sentence.overview_no_price")
    return text + _overview_money(scenario, headline.money) + _value_note(scenario, headline.money)


def _overview_money(scenario: Scenario, answer: Any) -> str:
    month, terms = answer.crossover_month_cash, scenario.money
    values = {
        "use": percent_of(terms.utilisation),
        "horizon": terms.horizon_months,
        "saving": money(answer.saving, terms.currency),
        "month": month_number(month),
    }
    if not _known(month):
        return t("sentence.overview_resale" if answer.saving > 0 else "sentence.overview_rent", **values)
    if answer.saving < 0:
        return t("sentence.overview_ahead_for_a_while", **values)
    return t("sentence.overview_at_once" if month <= 0 else "sentence.overview_buy", **values)


def row_of(frame: pd.DataFrame, gpu: str) -> Any:
    """The row of one card."""
    return next(frame[frame["gpu"] == gpu].itertuples())
