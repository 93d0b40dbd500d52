"""One-click scenarios that repeat what popular guides claim, with what the model makes of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from calc.cost import CostResult, evaluate
from calc.cost_scenario import CostScenario
from calc.uncertainty import Range

Answer = Literal[
    "capex",
    "own_total",
    "rent_per_month",
    "saving_per_month",
    "rent_cost_per_useful_gpu_hour",
    "break_even_utilisation",
    "crossover_month_cash",
]


class CostPreset(BaseModel):
    """A scenario, the claim it repeats (id in ``popular_claims.csv``), the claimed answer and the computed one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    claim_id: str
    title: str
    scenario: CostScenario
    ranges: dict[str, tuple[float, float, float]] = {}
    answer: Answer
    claimed_low: float
    claimed_high: float
    expected: float
    note: str

    def spans(self) -> dict[str, Range]:
        """The claim's own ranges by field path."""
        return {path: Range(*values) for path, values in self.ranges.items()}

    def result(self) -> CostResult:
        """Every answer of the cost model to the claim's figures."""
        return evaluate(self.scenario)

    def computed(self) -> float | None:
        """What the cost model answers to the claim's question."""
        return answer_of(self.result(), self.answer, self.scenario.horizon_months)

    def given(self) -> dict[str, Any]:
        """The figures the claim sets, by field path ("own.gpu_price"); all others are nothing or neutral."""
        nested = self.scenario.model_dump(exclude_unset=True)
        top = {name: value for name, value in nested.items() if not isinstance(value, dict)}
        parts = {f"{side}.{name}": value for side in ("own", "rent") for name, value in nested.get(side, {}).items()}
        return {**top, **parts}


def answer_of(result: CostResult, answer: Answer, horizon_months: int) -> float | None:
    """The named answer of a result; the ``per_month`` ones are means over the horizon."""
    if answer == "rent_per_month":
        return result.rent_total / horizon_months
    if answer == "saving_per_month":
        return result.saving / horizon_months
    value: float | None = getattr(result, answer)
    return value


def cost_presets(rows: Iterable[Mapping[str, Any]]) -> dict[str, CostPreset]:
    """Presets by id, in order. Raises pydantic.ValidationError naming the field for a bad row."""
    presets = (CostPreset.model_validate(dict(row)) for row in rows)
    return {preset.id: preset for preset in presets}
