from __future__ import annotations

import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import format as fmt
from ui.charts.axes import money_ticks

amounts = st.floats(-1e12, 1e12, allow_subnormal=False)
sizes = st.floats(1e-6, 1e9)


def read(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


@given(amounts.filter(lambda value: abs(value) > 1e-9))
def test_number_keeps_three_digits(value: float) -> None:
    assert read(fmt.number(value)) == pytest.approx(value, rel=0.005)


@given(sizes)
def test_number_has_no_more_than_three_digits_that_count(value: float) -> None:
    digits = fmt.number(value).replace(",", "").replace(".", "").strip("0")
    assert len(digits) <= 3


@given(st.floats(0.1, 1e7))
def test_gib_is_near_the_truth(value: float) -> None:
    assert read(fmt.gib(value).removesuffix(" GiB")) == pytest.approx(value, rel=0.005, abs=0.051)


@given(st.floats(1e-4, 1e5))
def test_hours_say_the_same_time_in_the_best_unit(value: float) -> None:
    amount, unit = fmt.hours(value).split(" ")
    seconds = {"s": 1.0, "min": 60.0, "h": 3600.0, "days": 86_400.0, "years": 31_557_600.0}[unit]
    assert read(amount) * seconds == pytest.approx(value * 3600, rel=0.06)
    assert 0 < read(amount) < 60 or (unit == "days" and read(amount) < 731) or unit == "years"


@given(amounts)
def test_money_rounds_to_cents_or_units(value: float) -> None:
    text = fmt.money(value, "CNY")
    assert text.endswith(" CNY")
    assert read(text.removesuffix(" CNY")) == pytest.approx(value, rel=0.005, abs=0.0051)


@given(st.one_of(st.just(0.0), st.floats(0.001, 20)))
def test_percent_is_within_half_a_point(share: float) -> None:
    assert read(fmt.percent(share).removesuffix(" %")) == pytest.approx(share * 100, abs=0.51, rel=0.005)


def test_shares_finer_than_any_model_are_not_spelled_out() -> None:
    assert fmt.percent(0.000042) == "<0.1 %"


@given(sizes, sizes)
def test_ranges_name_both_ends_once(one: float, other: float) -> None:
    low, high = sorted((one, other))
    text = fmt.between(low, high, fmt.number)
    assert text == fmt.number(low) if fmt.number(low) == fmt.number(high) else " to " in text


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_what_is_missing_is_a_dash(value: float | None) -> None:
    forms = (fmt.number, fmt.gib, fmt.hours, fmt.percent, fmt.times, fmt.months, fmt.money_short, fmt.month_number)
    assert {form(value) for form in forms} == {fmt.NOTHING}
    assert fmt.money(value, "USD") == fmt.NOTHING
    assert fmt.between(value, 1.0, fmt.number) == fmt.NOTHING


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (fmt.gib(22.5), "22.5 GiB"),
        (fmt.gib(1234), "1,230 GiB"),
        (fmt.gib(0.02), "0.02 GiB"),
        (fmt.hours(7.2), "7.2 h"),
        (fmt.hours(0.6), "36 min"),
        (fmt.hours(0.01), "36 s"),
        (fmt.hours(120), "5.0 days"),
        (fmt.hours(500 * 24), "500 days"),
        (fmt.hours(10 * 8766), "10.0 years"),
        (fmt.hours(1e-9), "under 0.1 s"),
        (fmt.hours(0), "0 s"),
        (fmt.money(38_200, "CNY"), "38,200 CNY"),
        (fmt.money(1.85, "USD"), "1.85 USD"),
        (fmt.money(-0.004, "USD"), "−0.004 USD"),
        (fmt.percent(0.6), "60 %"),
        (fmt.percent(0.004), "0.4 %"),
        (fmt.times(1.87), "1.87×"),
        (fmt.money_short(240_000), "240k"),
        (fmt.month_number(15.02), "16"),
        (fmt.month_number(15.0), "15"),
        (fmt.months(36), "36 months"),
        (fmt.between(5.9, 9.6, fmt.hours), "5.9 h to 9.6 h"),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert text == expected


def test_chinese_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.i18n.language", lambda: "zh")
    assert [fmt.hours(7.2), fmt.percent(0.6), fmt.hours(0.6)] == ["7.2 小时", "60%", "36 分钟"]


def test_an_amount_for_a_card_is_short_from_a_million_on() -> None:
    assert [fmt.money_brief(value, "CNY") for value in (4818.2, 999_400.0, 5_986_154.0, -10_252_984.0, None)] == [
        "4,818 CNY",
        "999,400 CNY",
        "5.99M CNY",
        "−10.3M CNY",
        "–",
    ]


def test_calendar_month_of_a_month_counted_from_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [fmt.calendar_month(value, date(2026, 11, 30)) for value in (0.0, 1.0, 1.2, 13.4, 14.0, 120.0)]
    assert said == [
        "December 2026",
        "December 2026",
        "January 2027",
        "January 2028",
        "January 2028",
        "November 2036",
    ]
    assert fmt.calendar_month(math.nan) == fmt.NOTHING
    monkeypatch.setattr("ui.i18n.language", lambda: "zh")
    assert fmt.calendar_month(14, date(2026, 11, 30)) == "2028 年 1 月"


def test_chinese_amounts_and_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    dates = ("2026-10", "2026-10-04", "2026", "")
    assert [fmt.written_date(date) for date in dates] == list(dates)
    assert [fmt.money_short(value) for value in (950, 38_200, 5.99e6, 2.5e9)] == ["950", "38.2k", "5.99M", "2.5B"]
    monkeypatch.setattr("ui.i18n.language", lambda: "zh")
    assert [fmt.written_date(date) for date in dates] == ["2026 年 10 月", "2026 年 10 月 4 日", "2026", ""]
    assert [fmt.money_short(value) for value in (950, 38_200, 5.99e6, 2.5e9)] == ["950", "3.82万", "599万", "25亿"]
    assert fmt.money_brief(5.99e6, "CNY") == "599万 CNY"


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.integers(2, 9))
def test_money_ticks_are_round_and_inside(low: float, span: float, count: int) -> None:
    high = low + span
    ticks = money_ticks(low, high, count)
    values = ticks["tickvals"]
    assert len(values) == len(ticks["ticktext"]) <= count + 1
    tolerance = 1e-6 * max(abs(low), abs(high), 1.0)
    assert all(low - tolerance <= value <= high + tolerance for value in values)


def test_money_ticks_read_well() -> None:
    assert money_ticks(0, 42_000, 4)["ticktext"] == ["0", "20k", "40k"]
