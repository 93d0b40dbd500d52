"""What is said about buying and renting: pay-back, value today, likelihood, what turns the answer."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from calc.answers import money as money_answer
from calc.scenario import Scenario, scenario_from_flat
from ui.charts import titles
from ui.data import tables
from ui.money_parts import price_cautions
from ui.sentences import money_line, money_sentence, overview_sentence, pay_back, pay_back_range

HOLDS = partial(
    SimpleNamespace,
    **{"peak_gib": 20.0, "low_gib": 18.0, "high_gib": 23.0, "usable_gib": 23.6, "verdict": "fits"},
    **{"hours": 5.0, "hours_low": 4.0, "hours_high": 7.0},
)


def money(month: float | None, saving: float, value: float | None = None, **fields: Any) -> Any:
    usual = {"crossover_month_cash": month, "saving": saving, "crossover_low": None, "crossover_high": None}
    found = {"result": SimpleNamespace(npv_saving=saving if value is None else value), "priced": True}
    rent = SimpleNamespace(rent=SimpleNamespace(price_per_gpu_hour=3.0))
    return SimpleNamespace(**{**usual, **found, "costs": rent, "break_even_rent_per_gpu_hour": 2.0, **fields})


@pytest.mark.parametrize(
    ("answer", "card", "sentence", "overview"),
    [
        (money(0.0, 9.0), "month 1", "cheaper from the first month on**.", "cheaper from the first month on**."),
        (money(2.0, 9.0), "month 2", "pays back in **month 2,", "pays back in **month 2**."),
        (money(0.0, -9.0), "not for good", "yet **renting costs less** over", "yet **renting costs less** over"),
        (
            money(None, 9.0),
            "at the sale",
            "in cash alone it does not pay back by then.",
            "sale of the cards at the end.",
        ),
        (money(None, -9.0), "not reached", "**renting stays cheaper** over", "**renting stays cheaper** over"),
        (
            money(None, 9.0, -250.0),
            "at the sale",
            "then. At its value today (8 % a year), renting is cheaper by **250 USD**.",
            "end. At its value today (8 % a year), renting is cheaper by **250 USD**.",
        ),
        (
            money(9.0, 9.0, -250.0),
            "month 9",
            "At its value today (8 % a year), renting is cheaper by **250 USD**.",
            "At its value today (8 % a year), renting is cheaper by **250 USD**.",
        ),
    ],
)
def test_every_way_to_pay_back_is_said_alike(answer: Any, card: str, sentence: str, overview: str) -> None:
    assert pay_back(answer) == card
    assert sentence in money_sentence(Scenario(), answer)
    assert overview in overview_sentence(Scenario(), HOLDS(money=answer))


def test_the_range_of_months_counts_from_one() -> None:
    assert pay_back_range(money(0.5, 9.0, crossover_low=0.0, crossover_high=6.2)) == "month 1 to 7"
    assert pay_back_range(money(0.0, 9.0, crossover_low=0.0, crossover_high=0.0)) == "month 1"


def test_any_rental_price_is_said_where_free_cards_cost_more() -> None:
    answer = money(3.0, 9.0, break_even_rent_per_gpu_hour=0.0)
    assert money_sentence(Scenario(), answer).startswith(
        "At any rental price buying **one RTX 4090** wins (now 3.00 USD"
    )


SWINGS = [(-9.0, 7.0), (-1.0, 3.0), (1.0, 4.0), (-2.0, 0.5), (-0.1, 0.2)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([2], "Rent c moves the result most, 1.00 USD to 4.00 USD; no assumption alone turns it"),
        ([2, 4], "Rent e alone can turn the answer"),
        ([1, 0, 2], "Rent a or rent b alone can turn the answer"),
        ([0, 1, 3], "Rent a, rent b or rent d alone can turn the answer"),
        ([0, 1, 2, 3, 4], "4 assumptions can each turn the answer alone, most of all: Rent a"),
    ],
)
def test_the_assumptions_that_turn_the_answer_are_named(rows: list[int], expected: str) -> None:
    frame = pd.DataFrame([("abcde"[row], *SWINGS[row]) for row in rows], columns=["field", "saving_low", "saving_high"])
    assert titles.tornado_title(frame, "USD", lambda path: f"Rent {path}") == expected


@pytest.mark.parametrize(
    ("share", "saving", "ending"),
    [
        (0.53, -9.0, "though renting is at typical values"),
        (0.53, 9.0, "53 % probability"),
        (0.4, 9.0, "though it is at typical values"),
        (0.4, -9.0, "40 % probability"),
    ],
)
def test_a_likelihood_against_the_typical_values_says_so(share: float, saving: float, ending: str) -> None:
    frame = pd.DataFrame({"month": [1, 36], "own_wins": [0.0, share]})
    assert titles.probability_title(frame, saving).endswith(ending)


def test_a_reservation_is_beaten_below_the_break_even_use() -> None:
    assert titles.win_map_title(0.41, 60, below=True) == "Owning wins below 41 % use"


def test_ahead_at_first_is_no_pay_back() -> None:
    for view in ("cash", "npv"):
        assert "renting costs less over 36 months" in titles.crossover_title(0.0, 0.6, 36, -1.0, view)


def test_another_rented_card_is_named_in_sentence_and_line() -> None:
    same, other = scenario_from_flat({}), scenario_from_flat({"rent_gpu": "A100-SXM4-80GB"})
    assert "(now 3.00 USD per card-hour)" in money_sentence(same, money(3.0, 9.0, break_even_rent_per_gpu_hour=0.0))
    assert "(now 3.00 USD for the A100 80GB SXM that would be rented" in money_sentence(other, money(3.0, 9.0))
    assert money_line(other) == f"{money_line(same)} · rented: A100 80GB SXM"


@pytest.mark.parametrize(
    ("fields", "board", "controlled"),
    [
        ({"gpu": "A100-SXM4-80GB", "market": "China"}, "boards of 4", True),
        ({"gpu": "A100-SXM4-80GB", "num_gpus": 8}, "", False),
        ({"gpu": "B200-SXM-180GB", "num_gpus": 4}, "boards of 8", False),
        ({"gpu": "RTX 3090", "market": "China"}, "", False),
    ],
)
def test_cards_that_cannot_be_bought_like_that_are_said_to_be(
    fields: dict[str, Any], board: str, controlled: bool
) -> None:
    scenario = scenario_from_flat(fields)
    said = " ".join(price_cautions(money_answer(scenario, tables()), scenario))
    assert ("boards of" in said, board in said) == (bool(board), True)
    assert ("export control" in said) == controlled
