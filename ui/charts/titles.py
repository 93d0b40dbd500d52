"""What each figure says in one line, worked out from the result it shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from ui.charts.money_views import line_name
from ui.format import calendar_month, gib, hours, money, month_number, number, percent, times, written_date
from ui.i18n import t

_WAITING_SHARE = 0.15  # of a run spent on communication, above which the title says so
_FLAT_SHARE = 0.01  # price moves below this are no moves
_NAMED_FLIPS = 3  # that many names fit into a title
_HALF = 0.5


def _cards(gpu_short: str, num_gpus: int) -> str:
    return (
        t("chart.title.one_card", gpu=gpu_short)
        if num_gpus == 1
        else t("chart.title.many_cards", n=number(num_gpus, 5), gpu=gpu_short)
    )


def memory_title(gpu_short: str, num_gpus: int, peak_gib: float, usable_gib: float, verdict: str) -> str:
    """ "One RTX 4090 holds it, with 1.1 GiB to spare" or how much is missing, per card.

    A tight job may peak above what is usable, since part of the peak is reserve; nothing is to spare then.
    """
    if verdict not in ("fits", "tight", "no"):
        return t("chart.title.fit_unknown", gpu=gpu_short)
    cards, one = _cards(gpu_short, num_gpus), num_gpus == 1
    if verdict == "no":
        verb = t("chart.title.does" if one else "chart.title.do")
        return t("chart.title.no", cards=cards, verb=verb, missing=gib(peak_gib - usable_gib))
    verb = t("chart.title.holds" if one else "chart.title.hold")
    if peak_gib >= usable_gib:
        return t("chart.title.tight_full", cards=cards, verb=verb)
    return t(f"chart.title.{verdict}", cards=cards, verb=verb, spare=gib(usable_gib - peak_gib))


def cards_title(frame: pd.DataFrame) -> str:
    """Which is the smallest card of ``answers.fit_by_card`` that holds the job."""
    able = frame[frame["verdict"].isin(["fits", "tight"])]
    if able.empty:
        return t("chart.title.none_fits")
    return t("chart.title.smallest", gpu=able.sort_values("usable_gib")["short"].iloc[0])


def methods_title(frame: pd.DataFrame, gpu: str) -> str:
    """How many methods of ``answers.fit_map`` the card ``gpu`` holds."""
    mine = frame[frame["gpu"] == gpu]
    able = int(mine["verdict"].isin(["fits", "tight"]).sum())
    short = str(mine["short"].iloc[0]) if len(mine) else gpu
    return t("chart.title.methods", gpu=short, n=able, total=len(mine))


def breaks_title(frame: pd.DataFrame, gpu_short: str, usable_gib: float, micro_batch: int) -> str:
    """Longest sequence of ``answers.memory_sweep`` whose peak stays within ``usable_gib`` at one micro batch.

    It speaks of the peak, as the lines show it: a job whose peak is a little above may still run, tightly.
    """
    if not math.isfinite(usable_gib):
        return t("chart.title.fit_unknown", gpu=gpu_short)
    mine = frame[frame["micro_batch"] == micro_batch].sort_values("seq_len")
    able = mine[mine["peak_gib"] <= usable_gib]
    if able.empty:
        return t("chart.title.always_breaks", gpu=gpu_short, batch=micro_batch)
    if len(able) == len(mine):
        return t("chart.title.never_breaks", gpu=gpu_short, batch=micro_batch)
    longest = int(able["seq_len"].max())
    return t("chart.title.breaks", length=f"{longest:,}", batch=micro_batch, gpu=gpu_short)


def time_title(frame: pd.DataFrame, gpu: str) -> str:
    """Hours of the chosen card of ``answers.time_by_card``, and what is notable about them."""
    able = frame[(frame["verdict"] != "no") & frame["hours"].notna()].sort_values("hours")
    if able.empty:
        return t("chart.title.time_none")
    fastest = able.iloc[0]
    mine = frame[(frame["gpu"] == gpu) & frame["hours"].notna()]
    if mine.empty or mine["verdict"].iloc[0] == "no":
        return t("chart.title.time_is_fastest", gpu=fastest["short"], hours=hours(fastest["hours"]))
    row = mine.iloc[0]
    waiting = float(row["communication_h"]) / float(row["hours"])
    if waiting > _WAITING_SHARE:
        return t("chart.title.time_waiting", gpu=row["short"], hours=hours(row["hours"]), share=percent(waiting))
    if fastest["gpu"] == gpu:
        return t("chart.title.time_is_fastest", gpu=row["short"], hours=hours(row["hours"]))
    return t(
        "chart.title.time_fastest",
        gpu=row["short"],
        hours=hours(row["hours"]),
        other=fastest["short"],
        other_hours=hours(fastest["hours"]),
    )


def scaling_title(frame: pd.DataFrame) -> str:
    """Best against worst link of ``answers.scaling`` at the largest number of cards."""
    most = int(frame["num_gpus"].max())
    last = frame[frame["num_gpus"] == most].sort_values("speedup")
    best, worst = last.iloc[-1], last.iloc[0]
    link, other = t(f"chart.link.{best['link']}"), t(f"chart.link.{worst['link']}")
    if times(best["speedup"]) == times(worst["speedup"]):
        return t("chart.title.scaling", n=number(most, 5), link=link, speedup=times(best["speedup"]))
    return t(
        "chart.title.scaling_gap",
        n=number(most, 5),
        link=link,
        best=times(best["speedup"]),
        worst=times(worst["speedup"]),
        other=other,
    )


def cost_time_title(frame: pd.DataFrame, currency: str) -> str:
    """The card that is cheapest to rent for one run, of those that hold it."""
    able = frame[(frame["verdict"] != "no") & frame["hours"].notna() & frame["rent_cost"].notna()]
    if able.empty:
        return t("chart.title.scatter_none")
    cheapest = able.iloc[int(able["rent_cost"].to_numpy().argmin())]
    both = float(cheapest["hours"]) <= float(able["hours"].min())
    key = "chart.title.scatter_both" if both else "chart.title.scatter"
    return t(key, gpu=cheapest["short"], cost=money(float(cheapest["rent_cost"]), currency))


def crossover_title(
    crossover_month: float | None,
    utilisation_share: float,
    horizon_months: float,
    saving: float = 0.0,
    view: str = "cash",
) -> str:
    """The month in which owning has paid back; else which side is cheaper in all (``saving``: by owning).

    view: "cash", or "npv" for the value today with the cards sold in that month.
    """
    horizon = number(horizon_months, 4)
    if crossover_month is None or not math.isfinite(crossover_month):
        if view == "npv":
            return t("chart.title.rent_cheaper_npv", horizon=horizon)
        if saving > 0:
            return t("chart.title.own_with_sale", horizon=horizon)
        return t("chart.title.rent_cheaper", horizon=horizon)
    if saving < 0:
        key = "chart.title.ahead_for_a_while_npv" if view == "npv" else "chart.title.ahead_for_a_while"
        date = calendar_month(crossover_month)
        return t(key, month=month_number(crossover_month), date=date, horizon=horizon)
    if crossover_month <= 0:
        return t("chart.title.own_at_once_npv" if view == "npv" else "chart.title.own_at_once")
    return t(
        "chart.title.ahead_npv" if view == "npv" else "chart.title.pays_back",
        month=month_number(crossover_month),
        date=calendar_month(crossover_month),
        use=percent(utilisation_share),
    )


def win_map_title(break_even_share: float | None, horizon_months: float, below: bool = False) -> str:
    """The utilisation (share of all hours) above which owning wins at the chosen horizon, or ``below`` which."""
    if break_even_share is None or not math.isfinite(break_even_share) or break_even_share > 1:
        return t("chart.title.rent_always", horizon=number(horizon_months, 4))
    if break_even_share <= 0:
        return t("chart.title.own_always", horizon=number(horizon_months, 4))
    key = "chart.title.break_even_below" if below else "chart.title.break_even_use"
    return t(key, use=percent(break_even_share))


def waterfall_title(lines: Mapping[str, float], horizon_months: float, currency: str, side: str = "own") -> str:
    """What one side ("own" or "rent") costs in all and which line is the largest part of what is paid."""
    paid = {name: float(value) for name, value in lines.items() if value > 0}
    total, horizon = money(sum(float(value) for value in lines.values()), currency), number(horizon_months, 4)
    if side == "rent" and len(paid) < 2:
        return t("chart.title.bill_rent_plain", total=total, horizon=horizon)
    largest = max(paid, key=lambda name: paid[name])
    word = line_name(largest)
    return t(
        "chart.title.bill_rent" if side == "rent" else "chart.title.bill",
        total=total,
        horizon=horizon,
        line=word[0].lower() + word[1:],
        share=percent(paid[largest] / sum(paid.values())),
    )


def tornado_title(frame: pd.DataFrame, currency: str, name_of: Callable[[str], str]) -> str:
    """Which assumptions alone turn the answer, the strongest first; where none does, the one that matters most.

    name_of: a field's path in words.
    """
    ends = frame[["saving_low", "saving_high"]]
    swings = (frame["saving_high"] - frame["saving_low"]).abs().sort_values(ascending=False, kind="stable")
    turning = [label for label in swings.index if ends.loc[label].min() < 0 < ends.loc[label].max()]
    names = [name_of(str(frame.loc[label, "field"])) for label in (turning or swings.index[:1])]
    if not turning:
        low, high = sorted(ends.loc[swings.index[0]].tolist())
        return t("chart.title.tornado", field=names[0], low=money(low, currency), high=money(high, currency))
    if len(names) == 1:
        return t("chart.title.tornado_flips", field=names[0])
    if len(names) > _NAMED_FLIPS:
        return t("chart.title.tornado_flips_many", n=len(names), field=names[0])
    words = [names[0], *(name if name[:2].isupper() else name[0].lower() + name[1:] for name in names[1:])]
    fields = t("chart.title.either", first=t("chart.title.comma").join(words[:-1]), last=words[-1])
    return t("chart.title.tornado_flips", field=fields)


def strongest_row(frame: pd.DataFrame) -> int:
    """Position of the row of ``tornado`` with the widest swing."""
    swing = (frame["saving_high"] - frame["saving_low"]).abs()
    return int(swing.to_numpy().argmax())


def probability_title(frame: pd.DataFrame, typical_saving: float = 0.0) -> str:
    """How likely owning is cheaper by the end of the horizon, and that the typical values say otherwise if they do.

    typical_saving: by owning, value today, at the typical values.
    """
    last = frame.sort_values("month").iloc[-1]
    share = float(last["own_wins"])
    winner = "own" if share < _HALF and typical_saving > 0 else "rent" if share > _HALF and typical_saving < 0 else ""
    key = f"chart.title.probability_but_{winner}" if winner else "chart.title.probability"
    return t(key, month=number(last["month"], 4), share=percent(share))


def price_title(frame: pd.DataFrame, gpu_short: str) -> str:
    """How the typical price moved from the first to the last date."""
    frame = frame.sort_values("date")
    first, last = float(frame["typical"].iloc[0]), float(frame["typical"].iloc[-1])
    change = last / first - 1
    date = written_date(pd.to_datetime(frame["date"].iloc[0]).strftime("%Y-%m"))
    if abs(change) < _FLAT_SHARE:
        return t("chart.title.price_flat", gpu=gpu_short, date=date)
    key = "chart.title.price_fell" if change < 0 else "chart.title.price_rose"
    return t(key, gpu=gpu_short, share=percent(abs(change)), date=date)


def accuracy_title(frame: pd.DataFrame) -> str:
    """Median and 90th percentile of the absolute relative error."""
    errors = np.abs(frame["predicted"].to_numpy(dtype=float) / frame["measured"].to_numpy(dtype=float) - 1)
    return t(
        "chart.title.accuracy",
        n=f"{len(errors):,}",
        half=percent(float(np.median(errors))),
        ninety=percent(float(np.quantile(errors, 0.9))),
    )
