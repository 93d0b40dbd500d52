"""What to change so that a job fits: single remedies, and the least set of them that is enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from calc.market import purchase_prices, rental_prices
from calc.remedies_changes import (
    CARDS_OF_ONE_SERVER,
    MACHINE,
    TRAINING,
    Change,
    combined,
    more_cards,
    other_cards,
    other_machines,
    small_changes,
)
from calc.remedies_effects import RANK, changed_cases, hours_of, memory_of
from calc.scenario import Scenario
from calc.tables import Tables

MOST_CHANGES = 4
MOST_BESIDE_MACHINE = 2
TWICE = 2.0
SLOW = 1.5  # a set that stretches the run further than this comes after those that do not
ALIKE = 1.1
NOTICED_GIB = 0.05  # less is not seen in the driver's figure
WAYS = 3

Set = tuple[Change, ...]


@dataclass(frozen=True)
class Remedy:
    """One or several changes made together, with what they do.

    ``fields``: flat scenario fields to set. ``frees_gib``: GiB less on each card (negative: more). ``time_factor``:
    hours of the run over the present ones. ``touches``: 0 settings, 1 what is trained, 2 the machine.
    ``host_fits``: whether a machine has the main memory that offloading takes.
    """

    kinds: tuple[str, ...]
    fields: dict[str, Any] = field(hash=False)
    touches: int
    peak_gib: float
    usable_gib: float
    frees_gib: float
    hours: float
    time_factor: float
    verdict: str
    host_ram_gib: float
    host_fits: bool


@dataclass(frozen=True)
class Remedies:
    """Single remedies that help, those that do not, and sets that are enough.

    ``ways``: up to three least sufficient sets of different reach (settings only; what is trained; more cards; another
    card), the lesser reach first. No proper subset of a way is enough for the verdict that it promises.
    """

    verdict: str
    peak_gib: float
    usable_gib: float
    hours: float
    singles: list[Remedy]
    without_effect: list[Remedy]
    ways: list[Remedy]

    @property
    def least(self) -> Remedy | None:
        """The least sufficient set: fits rather than tightly, at most twice the time, lesser reach, in this order."""
        ranked = sorted(self.ways, key=lambda way: (-RANK[way.verdict], not way.time_factor <= TWICE, way.touches))
        return ranked[0] if ranked else None


def cards_for_sale(scenario: Scenario, tables: Tables) -> list[str]:
    """Cards of the chosen one's maker with a purchase or rental price in the scenario's market."""
    money = scenario.money
    bought = purchase_prices(tables, money.market, money.currency)["typical"]
    rented = rental_prices(tables, money.market, money.currency)["on_demand_typical"]
    names, maker = tables.devices.index, tables.devices["vendor"]
    priced = bought.reindex(names).notna() | rented.reindex(names).notna()
    return [str(name) for name in names[priced & (maker == maker[scenario.hardware.gpu])]]


def remedies(scenario: Scenario, tables: Tables, cards: Sequence[str] | None = None) -> Remedies:
    """Remedies of a scenario that does not fit, or only tightly.

    cards: other cards to consider where the market has a price for them, default all of the same maker.
    """
    usable = tables.devices["memory_gib_usable"]
    wanted = cards_for_sale(scenario, tables)
    larger = [
        name for name in wanted if usable[name] > usable[scenario.hardware.gpu] and (cards is None or name in cards)
    ]
    sets = [(), *_sets(scenario, larger)]
    cases = changed_cases(scenario, tables, [combined(scenario, chosen) for chosen in sets])
    frame = memory_of(cases, tables)
    rank = frame["rank"].to_numpy()
    better = np.flatnonzero((rank > rank[0]) | (np.array([len(chosen) for chosen in sets]) <= 1))
    hours = np.full(len(sets), np.nan)
    hours[better] = hours_of(scenario, cases, tables, better)
    frame["hours"] = hours
    # machines within a tenth of one another in memory count as equally large
    machine_gib = frame["usable_gib"] * np.asarray(cases.num_gpus, dtype=float)
    frame["machine_size"] = np.round(np.log(machine_gib) / np.log(ALIKE))

    def remedy(row: int) -> Remedy:
        return remedy_of(scenario, sets[row], frame, row)

    singles, idle = _singles(sets, frame)
    return Remedies(
        verdict=str(frame["verdict"][0]),
        peak_gib=float(frame["peak_gib"][0]),
        usable_gib=float(frame["usable_gib"][0]),
        hours=float(hours[0]),
        singles=[remedy(row) for row in singles],
        without_effect=[remedy(row) for row in idle],
        ways=[remedy(row) for row in _ways(sets, frame)],
    )


def _sets(scenario: Scenario, cards: Sequence[str]) -> Iterator[Set]:
    """Sets to try: small changes up to four, a change of machine with up to two small ones beside it."""
    small = small_changes(scenario)
    for size in range(1, MOST_CHANGES + 1):
        yield from _apart(small, size)
    beside: list[Set] = [(), *(chosen for size in range(1, MOST_BESIDE_MACHINE + 1) for chosen in _apart(small, size))]
    for machine in (*more_cards(scenario), *other_cards(scenario, cards)):
        yield from ((machine, *chosen) for chosen in beside)
    for machine in other_machines(scenario, cards):
        whole = machine.fields["num_gpus"] > CARDS_OF_ONE_SERVER
        yield from ((machine, *chosen) for chosen in beside if len(chosen) <= (0 if whole else 1))


def _apart(changes: Sequence[Change], size: int) -> Iterator[Set]:
    for chosen in combinations(changes, size):
        if len({change.axis for change in chosen}) == size:
            yield chosen


def remedy_of(scenario: Scenario, chosen: Set, frame: pd.DataFrame, row: int) -> Remedy:
    """The remedy in one row of effects, against the present in row 0."""
    peak, hours = float(frame["peak_gib"][row]), float(frame["hours"][row])
    return Remedy(
        kinds=tuple(change.kind for change in chosen),
        fields=combined(scenario, chosen),
        touches=_touches(chosen),
        peak_gib=peak,
        usable_gib=float(frame["usable_gib"][row]),
        frees_gib=float(frame["peak_gib"][0]) - peak,
        hours=hours,
        time_factor=hours / float(frame["hours"][0]),
        verdict=str(frame["verdict"][row]),
        host_ram_gib=float(frame["host_ram_gib"][row]),
        host_fits=bool(frame["host_fits"][row]),
    )


def _touches(chosen: Set) -> int:
    return max((change.touches for change in chosen), default=0)


def _singles(sets: Sequence[Set], frame: pd.DataFrame) -> tuple[list[int], list[int]]:
    """Rows of the single changes worth showing, the lesser reach and then the larger saving first; rows of idle ones.

    Of several steps of one kind (halves, counts, cards) the first that is enough is shown, else the furthest. Another
    card and another count at once are shown only where neither is enough.
    """
    names = ("peak_gib", "usable_gib", "rank", "hours", "machine_size")
    peak, usable, rank, hours, size = (frame[name].to_numpy() for name in names)
    by_kind: dict[str, list[int]] = {}
    for row, chosen in enumerate(sets):
        if len(chosen) == 1:
            by_kind.setdefault(chosen[0].kind, []).append(row)
    rows, idle = [], []
    for kind, steps in by_kind.items():
        steps.sort(key=lambda row: (size[row], hours[row] if sets[row][0].touches == MACHINE else -peak[row]))
        enough = [row for goal in (RANK["fits"], RANK["tight"]) for row in steps if rank[row] >= goal]
        row = enough[0] if enough else steps[-1]
        helps = peak[row] < peak[0] - NOTICED_GIB or rank[row] > rank[0] or usable[row] > usable[0] + NOTICED_GIB
        if helps and (enough or kind not in ("another_card", "another_machine")):
            rows.append(row)
        elif not helps:
            idle.append(row)
    one_change = {"more_cards", "another_card"} & {sets[row][0].kind for row in rows if rank[row] > rank[0]}
    rows = [row for row in rows if sets[row][0].kind != "another_machine" or not one_change]
    rows.sort(key=lambda row: (sets[row][0].touches, -(peak[0] - peak[row]), usable[row]))
    return rows, idle


def _ways(sets: Sequence[Set], frame: pd.DataFrame) -> list[int]:
    """Rows of up to three least sufficient sets: the least of each group, the lesser reach first."""
    rank, hours, machine = (frame[name].to_numpy() for name in ("rank", "hours", "machine_size"))
    factor = np.nan_to_num(hours / hours[0], nan=np.inf)
    size = np.array([len(chosen) for chosen in sets])
    reach = [_touches(chosen) for chosen in sets]
    touches = np.array(reach)
    # another machine comes first where training stays as it is
    retrains = np.array([any(change.touches == TRAINING for change in chosen) for chosen in sets])
    retrains &= touches == MACHINE
    order = np.lexsort((factor, machine, size, factor > SLOW, retrains, touches))  # the last key counts first
    found: dict[str, int] = {}
    for goal in range(RANK["fits"], int(rank[0]), -1):
        enough = [row for row in order.tolist() if rank[row] >= goal and size[row]]
        sufficient = {frozenset(map(id, sets[row])) for row in enough if len(sets[row]) < MOST_CHANGES}
        for row in enough:
            group = sets[row][0].kind if reach[row] == MACHINE else str(reach[row])
            if group not in found and not any(part in sufficient for part in _parts(sets[row])):
                found[group] = row
    place = {row: position for position, row in enumerate(order.tolist())}
    return sorted(found.values(), key=place.__getitem__)[:WAYS]


def _parts(chosen: Set) -> Iterator[frozenset[int]]:
    """Proper, non-empty subsets."""
    for size in range(1, len(chosen)):
        yield from map(frozenset, combinations(map(id, chosen), size))
