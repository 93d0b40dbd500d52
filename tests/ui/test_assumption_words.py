"""Units and sources of assumptions in both languages."""

from __future__ import annotations

import re

import pytest

from calc.answers_costs import cost_defaults
from calc.scenario import scenario_from_flat
from calc.tables import load_tables
from ui.assumption_words import places_of, source_words, unit_words
from ui.charts.money_views import SHARE_FIELDS
from ui.i18n import use_language

TERMS = (
    {"gpu": "H100-SXM5-80GB", "num_gpus": 16, "market": "China", "currency": "CNY", "rent_mode": "spot"},
    {"gpu": "RTX 4090", "market": "Europe", "currency": "EUR"},
)


def test_every_unit_of_an_assumption_is_known() -> None:
    for terms in TERMS:
        found = cost_defaults(scenario_from_flat(terms), load_tables()).assumptions
        units = {line.unit for line in found if line.field.rpartition(".")[2] not in SHARE_FIELDS}
        with use_language("zh"):
            left = {unit for unit in units if re.search(r"[a-z]{2}", unit_words(unit))}
        assert left <= {"share of hours"}
        with use_language("en"):
            assert {unit_words(unit) for unit in units} == {
                unit.replace("GPU", "card") for unit in units if unit != "W/GPU"
            } | {"W/card"}


@pytest.mark.parametrize(
    ("source", "places", "chinese"),
    [
        (
            "market prices in US, converted at USD/CNY 6.72 (2026-10-04); range widened for its age and to used prices"
            " of 2026-03",
            ("US",),
            "市场价：美国，按 USD/CNY 6.72 (2026-10-04) 折算; 因报价较旧放宽区间，并计入 2026-03 的二手价",
        ),
        ("offers in US and Europe and worldwide", ("US", "Europe", "worldwide"), "报价：美国、欧洲、全球"),
        ("offers worldwide; so few (2) that the range is taken from other cards", ("worldwide",), None),
        ("data sheet (gpus.csv)", (), "数据表（gpus.csv）"),
        ("Kokolis et al. arXiv 2410.21680; derived from Llama 3", (), None),
    ],
)
def test_sources_this_program_words_itself(source: str, places: tuple[str, ...], chinese: str | None) -> None:
    assert places_of(source) == places
    with use_language("zh"):
        said = source_words(source)
    if chinese is not None:
        assert said == chinese
    assert ("Kokolis" in source) == (said == source)


def test_links_of_assumptions_are_addresses() -> None:
    for terms in TERMS:
        found = cost_defaults(scenario_from_flat(terms), load_tables()).assumptions
        assert {line.url.partition("://")[0] for line in found} <= {"", "http", "https"}
