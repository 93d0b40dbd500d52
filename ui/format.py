"""Numbers as people read them: three significant digits, thousands separated, units in the chosen language."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date

from ui.i18n import t

NOTHING = "–"
_DAY_H = 24.0
_YEAR_H = 365.25 * _DAY_H
_SHORTEST_S = 0.1  # no estimate here means anything below


def plain(text: str) -> str:
    """Text of a user that Markdown must not read as anything else."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#+-.!|~$:" else char for char in text)


def number(value: float | None, digits: int = 3) -> str:
    """``value`` to ``digits`` significant digits (more where the whole part has more), thousands separated.

    Missing and infinite values give a dash.
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    text = f"{abs(rounded):,.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"−{text}" if rounded < 0 else text


def _one_decimal(value: float) -> str:
    """Quantities of everyday size: one decimal below 100, three significant digits above, two far below 1."""
    if value != 0 and abs(value) < 0.1:
        return number(value, 2)
    if abs(value) < 99.95:
        text = f"{abs(value):.1f}"
        return f"−{text}" if value < 0 and float(text) > 0 else text
    return number(value)


def gib_number(value: float | None) -> str:
    """Memory in GiB without its unit: 22.5, 141, 1,230."""
    return NOTHING if value is None or not math.isfinite(value) else _one_decimal(value)


def gib(value: float | None) -> str:
    """Memory in GiB with its unit."""
    return NOTHING if gib_number(value) == NOTHING else t("chart.unit.gib", value=gib_number(value))


def hours(value: float | None) -> str:
    """A time in hours as seconds, minutes, hours, days or years, whichever reads best."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if 0 < value * 3600 < _SHORTEST_S:
        return t("chart.unit.under_seconds", value=number(_SHORTEST_S))
    if abs(value) * 3600 < 59.5:
        return t("chart.unit.seconds", value=number(value * 3600, 2))
    if abs(value) * 60 < 59.5:
        return t("chart.unit.minutes", value=number(value * 60, 2))
    if abs(value) < 2 * _DAY_H:
        return t("chart.unit.hours", value=_one_decimal(value))
    if abs(value) < 2 * _YEAR_H:
        return t("chart.unit.days", value=_one_decimal(value / _DAY_H))
    return t("chart.unit.years", value=_one_decimal(value / _YEAR_H))


def money_number(value: float | None) -> str:
    """An amount without its currency: cents below 100, whole units above."""
    if value is None or not math.isfinite(value):
        return NOTHING
    size = abs(value)
    text = number(size, 2) if 0 < size < 0.01 else f"{size:,.2f}" if size < 99.995 else f"{size:,.0f}"
    return f"−{text}" if value < 0 and any(char in "123456789" for char in text) else text


def money(value: float | None, currency: str) -> str:
    """An amount with its currency: 38,200 CNY."""
    return NOTHING if money_number(value) == NOTHING else f"{money_number(value)} {currency}"


def money_short(value: float | None) -> str:
    """An amount for an axis or a cell: three significant digits, 240k and 5.99M, in Chinese 24万 and 599万."""
    if value is None or not math.isfinite(value):
        return NOTHING
    for power, letter in (entry.split(" ") for entry in t("number.sizes").split(",")):
        size = 10.0 ** int(power)
        if abs(value) >= size * 0.9995:
            return f"{number(value / size)}{letter}"
    return number(value)


def money_brief(value: float | None, currency: str) -> str:
    """An amount with its currency for a card: three significant digits from a million on (5.99M CNY, 599万 CNY)."""
    if value is None or not math.isfinite(value) or abs(value) < 999_500:
        return money(value, currency)
    return f"{money_short(value)} {currency}"


def percent(share: float | None) -> str:
    """A share (1 = all) as per cent."""
    if share is None or not math.isfinite(share):
        return NOTHING
    return t("chart.unit.percent", value=per_cent_number(share))


LEAST_PER_CENT = 0.1  # finer shares than this are below what any of the models can tell apart


def per_cent_number(share: float) -> str:
    """A share as per cent without the sign: one decimal below 10, whole numbers above."""
    value = share * 100
    if 0 < value < LEAST_PER_CENT:
        return f"<{LEAST_PER_CENT}"
    return number(value, 2) if abs(value) < 9.5 else number(round(value), 9)


def months(value: float | None) -> str:
    """A whole number of months with its unit."""
    return (
        t("chart.unit.months", value=number(None if value is None else round(value), 4)) if _given(value) else NOTHING
    )


def month_number(value: float | None) -> str:
    """The month, counted from 1, in which a point lies that is ``value`` months after the start."""
    return NOTHING if value is None or not math.isfinite(value) else f"{max(1, math.ceil(value - 1e-9)):,}"


def calendar_month(value: float | None, today: date | None = None) -> str:
    """Calendar month in which month ``month_number(value)``, counted from ``today``, ends: January 2028."""
    if value is None or not math.isfinite(value):
        return NOTHING
    start = today or date.today()
    ahead = start.year * 12 + start.month - 1 + max(1, math.ceil(value - 1e-9))
    return t("date.month_year", month=t("date.months").split(",")[ahead % 12], year=str(ahead // 12))


def written_date(text: str) -> str:
    """A date of the tables ("2026-10", "2026-10-04") as the language writes it: 2026 年 10 月, 2026 年 10 月 4 日."""
    parts = text.split("-")
    if not all(part.isdigit() for part in parts) or len(parts) not in (2, 3):
        return text
    year, month, *day = (int(part) for part in parts)
    if not day:
        return t("date.month", year=year, month=month)
    return t("date.day", year=year, month=month, day=day[0])


def times(value: float | None) -> str:
    """A factor: 1.87×."""
    return f"{number(value)}×" if _given(value) else NOTHING


def between(low: float | None, high: float | None, form: Callable[[float], str]) -> str:
    """A range in words, each end written by ``form``; one value where both ends read the same."""
    if not _given(low) or not _given(high):
        return NOTHING
    assert low is not None
    assert high is not None
    first, last = form(low), form(high)
    return first if first == last else t("chart.unit.range", low=first, high=last)


def _given(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
