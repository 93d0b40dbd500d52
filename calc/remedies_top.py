"""The few changes that help most: to make a job fit, to save time, to save money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calc.market import at_rates_of, rental_prices
from calc.remedies import Remedy, cards_for_sale, remedies, remedy_of
from calc.remedies_changes import COUNTS, MACHINE, SETTINGS, Change, combined
from calc.remedies_effects import changed_cases, hours_of, memory_of
from calc.remedies_room import WORTH, faster
from calc.scenario import Scenario
from calc.tables import Tables

SHOWN = 3
FELT = 0.95  # of the hours: less of a saving is not felt, and comes last


@dataclass(frozen=True)
class TopChange:
    """A change worth making: its aim (``fit``, ``time`` or ``money``), what it does, and the rent of a run against now.

    ``cost_factor``: rent of one run over the present one, NaN where a price is missing.
    """

    aim: str
    remedy: Remedy
    cost_factor: float


def top_changes(scenario: Scenario, tables: Tables, cards: Sequence[str] | None = None) -> list[TopChange]:
    """Up to three changes that help most.

    For a job that does not fit, the least sufficient sets, then what frees most memory. Otherwise: what turns a tight
    fit into a safe one, what saves most time on the same machine, what saves most rent a run, and twice the cards.
    cards: other cards to consider where the market has a price for them, default all of the same maker.
    """
    found: list[TopChange] = []
    verdict = str(memory_of(changed_cases(scenario, tables, [{}]), tables)["verdict"][0])
    if verdict in ("no", "tight"):
        known = remedies(scenario, tables, cards)
        if verdict == "no":
            return _enough(known.ways, sorted(known.singles, key=lambda way: -way.frees_gib))
        if known.least is not None:
            found.append(TopChange("fit", known.least, np.nan))
    if verdict in ("fits", "tight"):
        quicker = [TopChange("time", way, way.time_factor) for way in faster(scenario, tables).singles]
        first = [change for change in quicker[:1] if change.remedy.time_factor <= FELT]
        found += [*first, *_machines(scenario, tables, cards), *quicker[len(first) :]]
    return _unlike(found)


def _unlike(changes: Sequence[TopChange]) -> list[TopChange]:
    """The first changes of different kinds."""
    kinds = dict.fromkeys(change.remedy.kinds for change in changes)
    return [next(change for change in changes if change.remedy.kinds == kind) for kind in list(kinds)[:SHOWN]]


def _enough(ways: Sequence[Remedy], singles: Sequence[Remedy]) -> list[TopChange]:
    helpful = [single for single in singles if single.frees_gib > 0 and single.host_fits]
    return _unlike([TopChange("fit", way, np.nan) for way in (*ways, *helpful)])


def _machines(scenario: Scenario, tables: Tables, cards: Sequence[str] | None) -> list[TopChange]:
    """The change that saves most rent a run, then twice the cards; only what holds the job as well as now."""
    now = scenario.hardware
    others = [name for name in cards_for_sale(scenario, tables) if name != now.gpu and (cards is None or name in cards)]
    doubled = max(min(now.num_gpus * 2, COUNTS[-1]), now.num_gpus)
    choices = [
        Change("more_cards", "machine", MACHINE, {"num_gpus": doubled}, doubled / now.num_gpus),
        Change("spot", "rent", SETTINGS, {"rent_mode": "spot"}),
        *(Change("another_card", "machine", MACHINE, {"gpu": name, "rent_gpu": ""}) for name in others),
    ]
    sets: list[tuple[Change, ...]] = [(), *((change,) for change in choices)]
    cases = changed_cases(scenario, tables, [combined(scenario, chosen) for chosen in sets])
    frame = memory_of(cases, tables)
    frame["hours"] = hours_of(scenario, cases, tables, np.arange(len(sets)))
    gpus = [now.gpu, now.gpu, scenario.money.rent_gpu or now.gpu, *others]
    cost = frame["hours"].to_numpy() * np.asarray(cases.num_gpus) * _prices(scenario, tables, gpus)
    factor = cost / cost[0]
    holds = frame["rank"].to_numpy() >= frame["rank"][0]

    def change(row: int, aim: str) -> TopChange:
        return TopChange(aim, remedy_of(scenario, sets[row], frame, row), float(factor[row]))

    cheaper = [row for row in range(2, len(sets)) if holds[row] and factor[row] < 1 - WORTH]
    found = [change(min(cheaper, key=lambda row: factor[row]), "money")] if cheaper else []
    twice = change(1, "time")
    return [*found, twice] if holds[1] and twice.remedy.time_factor <= FELT else found


def _prices(scenario: Scenario, tables: Tables, gpus: Sequence[str]) -> np.ndarray:
    """Rent per card-hour of the present, of twice the cards, of the spot market and of each other card.

    NaN for spot and other cards where the user typed a price: it would no longer hold.
    """
    money = scenario.money
    table = rental_prices(at_rates_of(money, tables), money.market, money.currency)
    price = table[f"{money.rent_mode}_typical"].reindex(list(gpus)).to_numpy(dtype=float).copy()
    price[0] = price[1] = table[f"{money.rent_mode}_typical"].get(money.rent_gpu or gpus[0], np.nan)
    price[2] = table["spot_typical"].get(gpus[2], np.nan) if money.rent_mode == "on_demand" else np.nan
    if "price_per_gpu_hour" in money.rent or money.rent_gpu not in ("", scenario.hardware.gpu):
        price[2:] = np.nan
    return price
