"""Saved scenarios of a session: kept in the link as its ``c`` parameter, no account needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from calc.scenario import FLAT_FIELDS, SCENARIO_VERSION, Scenario, scenario_from_flat
from ui.links import pack, unpack
from ui.state import combination_problem, put, read_scenario, usable_values

MAX_SAVED = 4
MAX_NAME = 40
LETTERS = "ABCD"
_SAVED = "_saved"
_LOST = "_saved_lost"


@dataclass(frozen=True)
class Saved:
    """One saved scenario; ``name`` is blank until the user gives one."""

    fields: Mapping[str, Any]
    name: str = ""

    @property
    def scenario(self) -> Scenario:
        """The scenario of its fields."""
        return scenario_from_flat(self.fields)


def saved() -> list[Saved]:
    """Saved scenarios in the order they were added."""
    found: list[Saved] = st.session_state.setdefault(_SAVED, [])
    return found


def _store(rows: Sequence[Saved]) -> None:
    st.session_state[_SAVED] = list(rows)


def place_of(scenario: Scenario) -> int | None:
    """Where this very scenario is saved already."""
    fields = _fields(scenario)
    return next((place for place, row in enumerate(saved()) if row.fields == fields), None)


def _fields(scenario: Scenario) -> dict[str, Any]:
    return {name: value for name, value in scenario.flat().items() if name in FLAT_FIELDS}


def add_current() -> None:
    """Saves the sidebar's scenario, unless it is saved already or there is no room (a button's callback)."""
    now, _ = read_scenario()
    if len(saved()) < MAX_SAVED and place_of(now) is None:
        _store([*saved(), Saved(_fields(now))])


def remove(place: int) -> None:
    """Forgets one saved scenario (a button's callback)."""
    _store([row for other, row in enumerate(saved()) if other != place])


def rename(place: int, name: str) -> None:
    """Gives a saved scenario a name; blank takes the name away."""
    _store([replace(row, name=name.strip()[:MAX_NAME]) if other == place else row for other, row in enumerate(saved())])


def open_again(place: int) -> None:
    """Puts a saved scenario back into the sidebar (a button's callback)."""
    put(saved()[place].fields)


def encode_saved(rows: Sequence[Saved]) -> str:
    """Link text of saved scenarios: the first in full, of each other one what differs from the first. Blank for none.

    One flat object with keys such as ``1.gpu``, so that a damaged text still gives the scenarios before the break.
    """
    if not rows:
        return ""
    content: dict[str, Any] = {"version": SCENARIO_VERSION, "count": len(rows)}
    first = rows[0].fields
    for place, row in enumerate(rows):
        content[f"{place}.name"] = row.name
        for name in FLAT_FIELDS:
            if place == 0 or row.fields[name] != first[name]:
                content[f"{place}.{name}"] = row.fields[name]
    return pack(content)


def decode_saved(text: str) -> tuple[list[Saved], int]:
    """Saved scenarios of a link, and how many could not be kept. Never raises for any text.

    Of a damaged text the scenario in which it breaks off is left out: it would pass for another one.
    """
    content, whole = unpack(text)
    count = content.get("count")
    known = isinstance(count, int) and not isinstance(count, bool) and 1 <= count <= MAX_SAVED
    parts: list[dict[str, Any]] = [{} for _ in range(MAX_SAVED)]
    for key, value in content.items():
        place, _, name = str(key).partition(".")
        if place.isdecimal() and int(place) < MAX_SAVED and (name in FLAT_FIELDS or name == "name"):
            parts[int(place)][name] = value
    last = max((place for place, part in enumerate(parts) if part), default=-1)
    total = int(str(count)) if known else last + 1
    complete = last + 1 if whole else last
    rows: list[Saved] = []
    for part in parts[: min(complete, total)]:
        name = part.pop("name", "")
        values, _ = usable_values({**parts[0], **part})
        if not combination_problem(values):
            rows.append(Saved(values, name[:MAX_NAME] if isinstance(name, str) else ""))
    return rows, max(total - len(rows), 0 if rows else 1)


def restore_saved() -> None:
    """Takes saved scenarios from the link, once a session."""
    if _SAVED in st.session_state:
        return
    _store([])
    if "c" in st.query_params:
        rows, st.session_state[_LOST] = decode_saved(st.query_params["c"])
        _store(rows)


def lost() -> int:
    """How many saved scenarios of the opened link could not be read."""
    return int(st.session_state.get(_LOST, 0))
