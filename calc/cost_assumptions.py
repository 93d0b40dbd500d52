"""Sourced cost parameters: looked up, converted to one currency, stated as assumptions of a scenario."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Sourced:
    """A low, typical and high value with unit, source, address and date."""

    low: float
    typical: float
    high: float
    unit: str
    source: str
    url: str
    date: str

    def map(self, function: Callable[[float], float], unit: str | None = None) -> Sourced:
        """The same source with every value passed through ``function`` (rising or falling)."""
        low, typical, high = function(self.low), function(self.typical), function(self.high)
        return replace(self, low=min(low, high), typical=typical, high=max(low, high), unit=unit or self.unit)

    def times(self, factor: float, unit: str | None = None) -> Sourced:
        """Every value times ``factor``."""
        return self.map(lambda value: value * factor, unit)

    def between(self, low: Sourced | None = None, high: Sourced | None = None) -> Sourced:
        """The same typical value with the ends taken from other sources, which are named too."""
        ends = [end for end in (low, high) if end is not None and end.source != self.source]
        names = "; ".join(dict.fromkeys([self.source, *(end.source for end in ends)]))
        return replace(
            self,
            low=min(self.typical, low.low if low else self.low),
            high=max(self.typical, high.high if high else self.high),
            source=names,
        )

    def as_assumption(self, field: str) -> Assumption:
        """States it as the value of a scenario field."""
        return Assumption(**vars(self), field=field)


@dataclass(frozen=True)
class Assumption(Sourced):
    """A sourced value of one field of the cost scenario (money already converted)."""

    field: str


def _text(value: Any) -> str:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)


def number(value: Any) -> float:
    """The value as a float, not-a-number where blank."""
    return math.nan if value is None or value == "" else float(value)


class Parameters:
    """The table of cost parameters (columns of ``cost_parameters.csv``), money converted to one currency.

    ``rates``: units of the wanted currency for one unit of USD, EUR and CNY.
    """

    def __init__(self, frame: pd.DataFrame, currency: str, rates: Mapping[str, float]) -> None:
        self.currency = currency
        self.rates = dict(rates)
        self._rows = [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]
        self._found: dict[tuple[str, str], Sourced] = {}

    def money(self, amount: float, currency: str) -> float:
        """An amount in the wanted currency; ValueError without a rate."""
        if currency not in self.rates:
            raise ValueError(f"no exchange rate from {currency} to {self.currency}")
        return amount * self.rates[currency]

    def get(self, parameter: str, region: str = "") -> Sourced:
        """The newest row of a parameter whose region holds ``region``; blank ends take the typical value.

        A blank typical value takes the middle of the ends. KeyError where there is no such row.
        """
        key = (parameter, region)
        if key not in self._found:
            self._found[key] = self._read(parameter, region)
        return self._found[key]

    def _read(self, parameter: str, region: str) -> Sourced:
        found = [
            row
            for row in self._rows
            if row["parameter"] == parameter and region.lower() in _text(row["region"]).lower()
        ]
        if not found:
            raise KeyError(f"no cost parameter {parameter} for '{region}'")
        row = max(found, key=lambda row: _text(row["date"]))
        low, typical, high = (number(row[f"value_{name}"]) for name in ("low", "typical", "high"))
        if math.isnan(typical):
            typical = (low + high) / 2.0
        low, high = typical if math.isnan(low) else low, typical if math.isnan(high) else high
        unit = _text(row["unit"])
        url = _text(row["source_url"])
        address = url if url.startswith("http") else ""  # some say in words that none was recorded
        source = Sourced(low, typical, high, unit, _text(row["source"]), address, _text(row["date"]))
        for known in self.rates:
            if unit.startswith(known):
                factor = self.money(1.0, known)
                return source.times(factor, self.currency + unit.removeprefix(known))
        return source
