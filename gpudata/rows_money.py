"""Row models of prices, exchange rates and cost parameters."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from gpudata.row_types import Count, Currency, Month, Positive, SourcedRow, Text

Market = Literal["China", "US", "Europe", "global"]
PriceKind = Literal["market", "list", "model", "placeholder"]


class RentalRow(SourcedRow):
    """One offer, prices per card and hour (``monthly_per_gpu`` per card and month) before tax unless the note says so.

    ``in_summary`` is false where the note says why the figure must not enter a median. ``market`` is where the offer
    is served from: the country named, or the provider's seat for the European ones; "global" where neither is known.
    """

    provider: Text
    region: str | None = None
    country: str | None = None
    gpu: Text
    gpu_as_listed: Text
    gpus_per_instance: Count | None = None
    instance_type: str | None = None
    on_demand_per_gpu_hour: Annotated[float, Field(gt=0, lt=200)] | None = None
    spot_per_gpu_hour: Annotated[float, Field(gt=0, lt=200)] | None = None
    reserved_1y_per_gpu_hour: Annotated[float, Field(gt=0, lt=200)] | None = None
    reserved_3y_per_gpu_hour: Annotated[float, Field(gt=0, lt=200)] | None = None
    monthly_per_gpu: Positive | None = None
    currency: Currency
    includes_nvlink: bool | None = None
    note: str | None = None
    market: Market
    in_summary: bool

    @model_validator(mode="after")
    def _has_a_price(self) -> Self:
        prices = (
            self.on_demand_per_gpu_hour,
            self.spot_per_gpu_hour,
            self.reserved_1y_per_gpu_hour,
            self.reserved_3y_per_gpu_hour,
            self.monthly_per_gpu,
        )
        if all(price is None for price in prices):
            raise ValueError("the row holds no price")
        return self


class PriceRangeRow(SourcedRow):
    """A price to buy at: low, typical and high in ``currency``, of which at least one is given."""

    condition: Literal["new", "used"]
    price_low: Positive | None = None
    price_typical: Positive | None = None
    price_high: Positive | None = None
    currency: Currency
    country: str | None = None
    note: str | None = None
    price_kind: PriceKind

    @model_validator(mode="after")
    def _prices_are_ordered(self) -> Self:
        given = [price for price in (self.price_low, self.price_typical, self.price_high) if price is not None]
        if not given:
            raise ValueError("the row holds no price")
        if given != sorted(given):
            raise ValueError("price_low <= price_typical <= price_high does not hold")
        return self


class PurchaseRow(PriceRangeRow):
    """Price of one card. ``price_kind``: market offer, list price, modelled value or a figure its author made up."""

    gpu: Text
    gpu_as_listed: Text
    market: Market


class ServerRow(PriceRangeRow):
    """Price of a whole machine (``num_gpus`` cards of ``gpu``) or of a part of one; ``gpu`` blank for parts."""

    item: Text
    gpu: str | None = None
    num_gpus: Count | None = None


class PriceHistoryRow(SourcedRow):
    """One point of a price series: per card and hour for rentals, per card for purchases."""

    gpu: Text
    kind: Literal["purchase-new", "purchase-used", "rental"]
    price: Positive
    currency: Currency
    note: str | None = None
    series: Text


class PriceTrendRow(SourcedRow):
    """Yearly price change of a series in per cent with its 95 % range, from a log-linear fit of ``n`` points."""

    series: Text
    gpu: Text
    kind: Literal["purchase-new", "purchase-used", "rental"]
    annual_change_pct: float
    lo95: float
    hi95: float
    n: Count
    start: Month
    end: Month
    first: Positive
    last: Positive
    R2: Annotated[float, Field(ge=0, le=1)]

    @model_validator(mode="after")
    def _range_holds_the_estimate(self) -> Self:
        if not self.lo95 <= self.annual_change_pct <= self.hi95:
            raise ValueError("annual_change_pct lies outside lo95..hi95")
        return self


class ExchangeRateRow(SourcedRow):
    """``rate`` units of the second currency of ``pair`` for one unit of the first."""

    pair: Literal["USD/CNY", "EUR/USD", "EUR/CNY"]
    rate: Annotated[float, Field(gt=0.01, lt=100)]
    note: str | None = None


class CostParameterRow(SourcedRow):
    """Low, typical and high value of one line of the cost of owning; the note tells read from second-hand figures."""

    parameter: Text
    value_low: float | None = None
    value_typical: float | None = None
    value_high: float | None = None
    unit: Text
    region: Text
    note: str | None = None

    @model_validator(mode="after")
    def _values_are_ordered(self) -> Self:
        given = [v for v in (self.value_low, self.value_typical, self.value_high) if v is not None]
        if not given:
            raise ValueError("the row holds no value")
        if given != sorted(given):
            raise ValueError("value_low <= value_typical <= value_high does not hold")
        return self
