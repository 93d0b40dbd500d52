"""What a person sets before a recommendation: limits, wishes and the goal by which plans are ranked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from calc.scenario import METHOD_CHOICES, MethodChoice

Goal = Literal["least", "cheapest-run", "cheapest-horizon", "fastest", "safest"]
GOALS: tuple[Goal, ...] = ("least", "cheapest-run", "cheapest-horizon", "fastest", "safest")
SIDES = ("either", "own", "rent")
USES = ("project", "steady")
AVAILABILITIES = ("local", "anywhere")
WHATEVER_WORKS: tuple[MethodChoice, ...] = ("qlora-4bit", "qlora-8bit", "lora", "dora", "full-16bit", "full-mixed")
"""Methods searched when none is named: those that adapt every layer of a given model."""
WEEKS_PER_MONTH = 365.25 / 12 / 7
HOURS_PER_WEEK = 168.0


class Constraints(BaseModel):
    """Limits of a search; 0 or an empty tuple means "no limit". Amounts are in the scenario's currency.

    Market, currency, horizon, utilisation and hours a month are the scenario's. ``use`` says what is paid for:
    "project" is ``runs`` trainings within ``term_weeks``, "steady" is ``runs_per_month`` trainings every month of the
    horizon (0: the machine works the scenario's utilisation of all hours, whatever it gets done).

    ``budget_once`` limits what is paid at the start: the purchase or an upfront fee; a project's bills count too.
    ``budget_per_month`` limits the bill of a month: rent, or electricity and upkeep. ``deadline_hours`` limits one run
    at the upper end of its 80 % range when ``sure_of_deadline``, else at its estimate.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    goal: Goal = "least"
    methods: tuple[MethodChoice, ...] = ()
    sides: Literal["either", "own", "rent"] = "either"
    use: Literal["project", "steady"] = "project"
    runs: int = Field(1, ge=1, le=100_000)
    term_weeks: float = Field(4.0, ge=0.1, le=520)
    runs_per_month: float = Field(0.0, ge=0, le=10_000)
    budget_once: float = Field(0.0, ge=0, le=1e12)
    budget_per_month: float = Field(0.0, ge=0, le=1e12)
    deadline_hours: float = Field(0.0, ge=0, le=100_000)
    sure_of_deadline: bool = False
    allow_tight: bool = False  # plans whose memory range reaches beyond the card
    allow_spot: bool = True
    allow_offload: bool = False  # weights or optimizer states kept in host memory
    allow_fp8: bool = False  # 8-bit arithmetic
    any_vendor: bool = False  # cards of other makers than NVIDIA too, whose software differs
    needs_ecc: bool = False
    continuous_duty: bool = False  # cards sold for 24/7 use: data-centre or workstation class
    quiet_home: bool = False  # no owned data-centre cards: they have no fans and need a server's airflow
    max_power_w: float = Field(0.0, ge=0, le=1e9)  # cards and host share of the whole owned machine
    max_num_gpus: int = Field(8, ge=1, le=1024)
    availability: Literal["local", "anywhere"] = "local"  # offers in the scenario's market, or in any
    allow_restricted: bool = False  # buying, in China, cards whose export there is restricted

    @property
    def searched_methods(self) -> tuple[MethodChoice, ...]:
        """Methods of the search, in the order of the method slider."""
        wanted = self.methods or WHATEVER_WORKS
        return tuple(method for method in METHOD_CHOICES if method in wanted)


CONSTRAINT_FIELDS: tuple[str, ...] = tuple(Constraints.model_fields)
