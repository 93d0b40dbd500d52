"""Stories and advice of the popular guides as ready scenarios, in the order of a newcomer's tour."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Who = Literal["student", "team", "company"]
GUIDES_TERMS = {"market": "China", "currency": "CNY"}
"""The guides speak of Chinese prices."""


@dataclass(frozen=True)
class Story:
    """One statement of ``popular_claims.csv`` set up as a scenario.

    ``who``: whose question it is. ``page``: file name of the page that shows the answer. ``fields``: what differs from
    the app's defaults, by the flat names of ``calc.scenario``. ``constraints``: the same for ``calc.recommend``.
    ``guide``: what the guide advises, by the names of a plan's columns; empty where it advises nothing.
    """

    claim_id: str
    who: Who
    page: str
    fields: dict[str, Any]
    constraints: dict[str, Any] = field(default_factory=dict)
    guide: dict[str, Any] = field(default_factory=dict)


def load_stories() -> tuple[Story, ...]:
    """Rows of ``stories.json`` in their order."""
    path = Path(__file__).with_name("stories.json")
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return tuple(Story(**{**row, "fields": {**GUIDES_TERMS, **row["fields"]}}) for row in rows)
