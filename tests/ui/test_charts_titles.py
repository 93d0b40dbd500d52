from __future__ import annotations

import math

import chart_frames as frames
import pytest

from ui.charts import titles
from ui.format import calendar_month, written_date


@pytest.fixture(params=["en", "zh"], autouse=True)
def _language(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.i18n.language", lambda: request.param)
    monkeypatch.setattr("ui.charts.money_views.language", lambda: request.param)


def english(request: pytest.FixtureRequest) -> bool:
    return "en" in request.node.callspec.id


def test_memory(request: pytest.FixtureRequest) -> None:
    said = [
        titles.memory_title("RTX 4090", 1, 22.5, 23.6, "fits"),
        titles.memory_title("RTX 4090", 2, 22.5, 23.6, "tight"),
        titles.memory_title("RTX 4090", 1, 31.2, 23.6, "no"),
    ]
    if english(request):
        assert said == [
            "One RTX 4090 holds it, with 1.1 GiB to spare",
            "2 × RTX 4090 just hold it, with 1.1 GiB to spare",
            "One RTX 4090 does not hold it: 7.6 GiB too little",
        ]
    else:
        assert said == [
            "一张 RTX 4090 放得下，还余 1.1 GiB",
            "2 张 RTX 4090 勉强放得下，仅余 1.1 GiB",
            "一张 RTX 4090 放不下：还差 7.6 GiB",
        ]


@pytest.mark.parametrize("peak_gib", [23.6, 24.9])
def test_a_tight_job_that_peaks_above_what_is_usable_has_nothing_to_spare(
    request: pytest.FixtureRequest, peak_gib: float
) -> None:
    said = titles.memory_title("RTX 4090", 1, peak_gib, 23.6, "tight")
    expected = (
        "One RTX 4090 just holds it, with nothing to spare"
        if english(request)
        else "一张 RTX 4090 勉强放得下，没有余量"
    )
    assert said == expected


def test_a_card_of_unknown_memory_is_said_to_be_so(request: pytest.FixtureRequest) -> None:
    expected = "The usable memory of MLU590 is not known" if english(request) else "MLU590 的可用显存未知"
    assert titles.memory_title("MLU590", 2, 22.5, math.nan, "") == expected
    assert titles.breaks_title(frames.sweep(), "MLU590", math.nan, 1) == expected


def test_crossing(request: pytest.FixtureRequest) -> None:
    said = [
        titles.crossover_title(14.0, 0.6, 36),
        titles.crossover_title(14.2, 0.6, 36),
        titles.crossover_title(None, 0.6, 36),
        titles.crossover_title(math.inf, 0.6, 36),
    ]
    if english(request):
        assert said == [
            f"Buying pays back in month 14 ({calendar_month(14)}) at 60 % use",
            f"Buying pays back in month 15 ({calendar_month(15)}) at 60 % use",
            "Renting stays cheaper over 36 months",
            "Renting stays cheaper over 36 months",
        ]
    else:
        assert said[0] == f"利用率 60% 时，自购第 14 个月（{calendar_month(14)}）回本"


def test_crossing_at_its_value_today(request: pytest.FixtureRequest) -> None:
    title, never = titles.crossover_title(9.5, 0.6, 36, 1.0, "npv"), titles.crossover_title(None, 0.6, 36, 1.0, "npv")
    if english(request):
        assert title == f"In today's value, buying is ahead from month 10 ({calendar_month(10)}) at 60 % use"
        assert never == "In today's value, renting stays cheaper over 36 months"
        at_once = titles.crossover_title(0.0, 0.6, 36, 1.0, "npv")
        assert at_once == "In today's value, owning is cheaper from the first month on"
        lost = titles.crossover_title(9.5, 0.6, 36, -1.0)
        assert lost == f"Buying is ahead from month 10 ({calendar_month(10)}), yet renting costs less over 36 months"
    else:
        assert title == f"利用率 60% 时，按现值计，自购自第 10 个月（{calendar_month(10)}）起更划算"


def test_smallest_card_and_none(request: pytest.FixtureRequest) -> None:
    assert "A10" in titles.cards_title(frames.fit())
    assert titles.cards_title(frames.fit(40)) == (
        "None of these cards holds it" if english(request) else "这些显卡都放不下"
    )


def test_lengths_that_break() -> None:
    frame = frames.sweep()
    assert "4,096" in titles.breaks_title(frame, "RTX 4090", 23.6, 1)
    assert "RTX 4090" in titles.breaks_title(frame, "RTX 4090", 1e9, 1)
    assert titles.breaks_title(frame, "RTX 4090", 1e9, 1) != titles.breaks_title(frame, "RTX 4090", 1.0, 1)


def test_time_names_waiting_only_where_there_is_much() -> None:
    frame = frames.times()
    assert "37" in titles.time_title(frame, "H100-SXM5-80GB")
    assert "B200" in titles.time_title(frame, "RTX 4060 Ti 16GB")
    assert "B200" in titles.time_title(frame, "L40S 48GB")
    assert titles.time_title(frame.assign(verdict="no"), "L40S 48GB") in (
        "None of these cards can run it",
        "这些显卡都无法运行",
    )


@pytest.mark.parametrize(
    ("share", "expected"), [(0.41, "41"), (None, "36"), (1.3, "36"), (0.0, "36"), (math.nan, "36")]
)
def test_break_even(share: float | None, expected: str) -> None:
    assert expected in titles.win_map_title(share, 36)


def test_others_name_their_figures() -> None:
    assert "3.60 USD" in titles.cost_time_title(frames.times(), "USD")
    assert "16" in titles.scaling_title(frames.scaling())
    assert "36,000 CNY" in titles.waterfall_title(frames.cost_lines(), 36, "CNY")
    assert "Price" in titles.tornado_title(frames.tornado(), "CNY", lambda path: "Price")
    assert titles.strongest_row(frames.tornado()) == 0
    assert "36" in titles.probability_title(frames.probability())
    assert written_date("2024-01") in titles.price_title(frames.prices(), "H100")
    assert "700" in titles.accuracy_title(frames.accuracy())
    assert "2" in titles.methods_title(frames.fit_map(), "RTX 4090")
