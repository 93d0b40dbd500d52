"""Units and sources of assumptions in the reader's language: the calculation writes both in English."""

from __future__ import annotations

import re

from ui.i18n import t
from ui.inputs_widgets import option_label

_UNITS = {
    "W/card": "watts_card",
    "W/GPU": "watts_card",
    "/card": "card",
    "/GPU-hour": "card_hour",
    "/kWh": "kwh",
    "/month": "month",
    "/GB": "gb",
    "/GB-month": "gb_month",
    "/kW-month": "kw_month",
    ", whole purchase": "whole",
    "ratio": "ratio",
    "h": "hours",
}
_CURRENCY = re.compile(r"^[A-Z]{3}(?=[/,])")
_PRICES = re.compile(
    r"^(?P<kind>market prices|list prices|offers)"
    r"(?: in (?P<places>(?:China|US|Europe)(?: and (?:China|US|Europe))*))?"
    r"(?P<world>(?: and)? worldwide)?"
    r"(?:, converted at (?P<rates>.+))?$"
)
_PHRASES = (
    (re.compile(r"^range widened for its age and to used prices of (?P<date>[\d-]+)$"), "widened_used"),
    (re.compile(r"^range widened for its age$"), "widened"),
    (re.compile(r"^so few \((?P<n>\d+)\) that the range is taken from other cards$"), "few"),
    (re.compile(r"^firms recover it, others pay it$"), "tax"),
    (re.compile(r"^list price at launch$"), "launch"),
    (re.compile(r"^data sheet \(gpus\.csv\)$"), "data_sheet"),
    (re.compile(r"^your plan, ten points either way$"), "plan"),
)


def unit_words(unit: str) -> str:
    """A unit such as "CNY/GPU-hour" in words; one without an entry stays as it is."""
    found = _CURRENCY.match(unit)
    currency = found.group() if found else ""
    name = _UNITS.get(unit[len(currency) :])
    return unit if name is None else t(f"cost.unit.{name}", currency=currency)


def places_of(basis: str) -> tuple[str, ...]:
    """Markets that prices come from ("China", "US", "Europe", "worldwide"), by the words for their basis."""
    found = _PRICES.match(basis.partition(";")[0])
    if found is None:
        return ()
    places = tuple((found["places"] or "").split(" and ")) if found["places"] else ()
    return (*places, "worldwide") if found["world"] else places


def place_words(places: tuple[str, ...]) -> str:
    """Markets in words, joined."""
    names = [t("cost.source.worldwide") if place == "worldwide" else option_label("market", place) for place in places]
    return t("cost.source.and").join(names)


def source_words(source: str) -> str:
    """A source with what this program says about it in words; names of publications stay as they are."""
    return "; ".join(_part(part) for part in source.split("; "))


def _part(text: str) -> str:
    found = _PRICES.match(text)
    if found is not None:
        kind = t(f"cost.source.{found['kind'].replace(' ', '_')}")
        said = t("cost.source.prices", kind=kind, places=place_words(places_of(text)))
        return t("cost.source.converted", prices=said, rates=found["rates"]) if found["rates"] else said
    for pattern, name in _PHRASES:
        match = pattern.match(text)
        if match is not None:
            return t(f"cost.source.{name}", **match.groupdict())
    return text
