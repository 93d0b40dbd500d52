"""Saved scenarios of a session: kept in the link as its ``c`` parameter, no account needed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from calc.scenario import FLAT_FIELDS, SCENARIO_VERSION, Scenario, scenario_from_flat
from ui.i18n import t
from ui.links import decode, pack, unpack
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


def _mark(base: Mapping[str, Any]) -> int:
    """Check sum of the scenario that saved ones are told by their differences from."""
    return zlib.crc32(json.dumps(dict(base), sort_keys=True).encode())


def encode_saved(rows: Sequence[Saved], base: Mapping[str, Any]) -> str:
    """Link text of saved scenarios: of each one its name and what differs from ``base``. Blank for none.

    base: flat fields of the scenario in the same link. One flat object with keys such as ``1.gpu``, so that a damaged
    text still gives the scenarios before the break; the last key of each is its name, which shows that it is complete.
    """
    if not rows:
        return ""
    known = {name: base[name] for name in FLAT_FIELDS if name in base}
    content: dict[str, Any] = {"version": SCENARIO_VERSION, "count": len(rows), "base": _mark(known)}
    for place, row in enumerate(rows):
        content |= {f"{place}.{name}": value for name, value in row.fields.items() if known.get(name) != value}
        content[f"{place}.name"] = row.name
    return pack(content)


def decode_saved(text: str, base: Mapping[str, Any]) -> tuple[list[Saved], int, bool]:
    """Saved scenarios of a link, how many could not be kept, whether the text is intact. Never raises for any text.

    base: what the link's scenario said, field by field. Where that is not what the saved ones were told by, none can be
    kept; of a damaged text the scenario in which it breaks off is left out, since it would pass for another one.
    """
    content, whole = unpack(text)
    count = content.get("count")
    known = isinstance(count, int) and not isinstance(count, bool) and 1 <= count <= MAX_SAVED
    total = int(str(count)) if known else 1
    rows: list[Saved] = []
    for place in range(total if content.get("base") == _mark(base) else 0):
        part = {key.partition(".")[2]: value for key, value in content.items() if key.startswith(f"{place}.")}
        name = part.pop("name", None)
        values, wrong = usable_values({**base, **part})
        whole = whole and not wrong
        if isinstance(name, str) and not combination_problem(values):
            rows.append(Saved(values, name[:MAX_NAME]))
    return rows, total - len(rows), whole


def restore_saved() -> None:
    """Takes saved scenarios from the link, once a session."""
    if _SAVED in st.session_state:
        return
    _store([])
    if "c" in st.query_params:
        base = decode(st.query_params.get("s", "")).values
        rows, lost, whole = decode_saved(st.query_params["c"], base)
        st.session_state[_LOST] = (lost, whole)
        _store(rows)


def damage() -> str:
    """Sentence about saved scenarios of the opened link that could not be read, or not surely; blank for none."""
    lost, whole = st.session_state.get(_LOST, (0, True))
    if lost:
        return t("compare.lost", n=lost)
    return "" if whole else t("compare.damaged")
