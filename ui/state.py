"""The scenario of this session: where it comes from, what is wrong with it, how it is put back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import streamlit as st
from pydantic import BaseModel, ValidationError

from calc.cost_scenario import OwnCost, RentCost
from calc.cost_scenario import bounds_of as cost_bounds
from calc.scenario import (
    FLAT_FIELDS,
    MODEL_BY_SIZE,
    MODEL_CUSTOM,
    SIZE_STEPS_B,
    Hardware,
    Money,
    Scenario,
    TrainingSetup,
    Workload,
    scenario_from_flat,
    scenario_from_flat_lenient,
)
from ui.data import gpu_names, model_names, nearest_size_step, preset_size_step
from ui.format import number, plain
from ui.i18n import LANGUAGES, browser_language, t
from ui.links import decode

DEFAULTS: dict[str, Any] = {name: value for name, value in Scenario().flat().items() if name in FLAT_FIELDS}
_FIELDS = {
    name: info for part in (Workload, TrainingSetup, Hardware, Money) for name, info in part.model_fields.items()
}
COST_MODELS: dict[str, type[BaseModel]] = {"own": OwnCost, "rent": RentCost}
OVERRIDES = "line."  # keys of the boxes that replace one cost line
_STORE = "_scenario"
_NOTES = "_link_notes"
_MOST_UNKNOWN = 5  # names shown; a hostile link may hold thousands


@dataclass(frozen=True)
class Note:
    """One thing to tell about an opened link: a word key and the field it is about."""

    key: str
    name: str = ""


def bounds(name: str) -> tuple[float | None, float | None]:
    """Smallest and largest allowed value of a numeric field, None where there is no limit."""
    low = high = None
    for rule in _FIELDS[name].metadata:
        low = getattr(rule, "ge", getattr(rule, "gt", low))
        high = getattr(rule, "le", getattr(rule, "lt", high))
    return low, high


def choices(name: str) -> tuple[Any, ...]:
    """Allowed values of a field that takes one of a list; empty for other fields."""
    annotation = _FIELDS[name].annotation
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def allowed(name: str) -> str:
    """The allowed range in words, blank where any text goes."""
    low, high = bounds(name)
    if low is None or high is None:
        return ""
    return t("problem.range", low=number(low, 7), high=number(high, 7))


def label(name: str) -> str:
    """Name of a field as the sidebar writes it."""
    return t(f"field.{name}")


def usable_values(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Values that every widget can show, and the names of those that had to fall back."""
    # The rule between the fields of an own architecture is checked later, so that what was typed stays.
    plain = {**values, "model": MODEL_BY_SIZE} if values.get("model") == MODEL_CUSTOM else dict(values)
    scenario, problems = scenario_from_flat_lenient(plain)
    good = {name: value for name, value in scenario.flat().items() if name in FLAT_FIELDS}
    wrong = [name for name in dict.fromkeys(key.split(".")[0] for key in problems) if name in FLAT_FIELDS]
    if plain.get("model") != values.get("model"):
        good["model"] = MODEL_CUSTOM
    menus: dict[str, Callable[[Any], bool]] = {
        "model": lambda value: value in model_names(),
        "gpu": lambda value: value in gpu_names(),
        "rent_gpu": lambda value: value == "" or value in gpu_names(),
    }
    for name, known in menus.items():
        if not known(good[name]):
            good[name] = DEFAULTS[name]
            wrong.append(name)
    for side in ("own", "rent"):
        kept = {line: value for line, value in good[side].items() if _line_usable(side, line, value)}
        if kept != good[side]:
            good[side] = kept
            wrong.append(side)
    step = preset_size_step(good["model"])
    if step is not None:  # the slider follows a preset, also one that came with a link
        good["model_size_b"] = step
    elif good["model_size_b"] not in SIZE_STEPS_B:
        good["model_size_b"] = nearest_size_step(good["model_size_b"])
        wrong += ["model_size_b"] if good["model"] == MODEL_BY_SIZE else []
    return good, wrong


def _line_usable(side: str, line: str, value: float) -> bool:
    if line not in COST_MODELS[side].model_fields or not math.isfinite(value):
        return False
    low, high = cost_bounds(f"{side}.{line}")
    return low <= value <= high and (value.is_integer() or COST_MODELS[side].model_fields[line].annotation is not int)


def _open_link(text: str) -> tuple[dict[str, Any], list[Note]]:
    opened = decode(text)
    values, wrong = usable_values(opened.values)
    notes = [Note("link.damaged" if opened.values else "link.unreadable")] if opened.damaged else []
    notes += [Note("link.newer")] if opened.newer else []
    notes += [Note("link.older")] if opened.older else []
    if opened.unknown:
        shown = [plain(name) for name in opened.unknown[:_MOST_UNKNOWN]]
        rest = ["…"] if len(opened.unknown) > _MOST_UNKNOWN else []
        notes.append(Note("link.unknown", ", ".join(shown + rest)))
    return values, notes + [Note("link.field", name) for name in wrong]


def seed() -> None:
    """Gives every field a value its widget can show: from the link once a session, else as it is, else the default.

    Must run before any widget.
    """
    state = st.session_state
    if "_seeded" not in state:
        state["_seeded"] = True
        asked = st.query_params.get("lang", "")
        state.setdefault("lang", asked if asked in LANGUAGES else browser_language())
        if "s" in st.query_params:
            values, state[_NOTES] = _open_link(st.query_params["s"])
            for name, value in values.items():
                state.setdefault(name, value)
    if state.get("lang") not in LANGUAGES:
        state["lang"] = browser_language()
    present = {name: state[name] for name in FLAT_FIELDS if name in state and state[name] is not None}
    values, _ = usable_values(present)
    for name, value in values.items():
        if name not in state or state[name] != value or type(state[name]) is not type(value):
            state[name] = value


def put(values: Mapping[str, Any]) -> None:
    """Sets every field, missing ones to their defaults, and forgets what a link said (in a button's callback)."""
    state = st.session_state
    usable, _ = usable_values({**DEFAULTS, **values})
    for name, value in usable.items():
        state[name] = dict(value) if isinstance(value, dict) else value
    state["_typed_currency"] = usable["currency"]  # amounts come with their currency: nothing to convert
    for name in [key for key in state if str(key).startswith(OVERRIDES)]:
        del state[name]
    dismiss_notes()


def reset() -> None:
    """Puts every field back to its default (a button's callback)."""
    put(DEFAULTS)


def dismiss_notes() -> None:
    """Hides what was said about the opened link."""
    st.session_state[_NOTES] = []


def link_notes() -> list[str]:
    """Sentences about the link this session was opened with."""
    return [
        t(
            _note_key(note),
            field=_field_of(note.name),
            range=_range_of(note.name),
        )
        for note in st.session_state.get(_NOTES, [])
    ]


def _field_of(name: str) -> str:
    return label(name) if name in FLAT_FIELDS else name


def _note_key(note: Note) -> str:
    return "link.field_menu" if note.key == "link.field" and not _range_of(note.name) else note.key


def _range_of(name: str) -> str:
    return allowed(name) if name in FLAT_FIELDS else ""


def combination_problem(values: Any) -> str:
    """Sentence about fields of an own architecture that do not go together, blank where they do."""
    heads, kv_heads, hidden = (int(values[f"custom_{name}"]) for name in ("heads", "kv_heads", "hidden"))
    if values["model"] != MODEL_CUSTOM:
        return ""
    if heads % kv_heads:
        return t("problem.kv_heads", kv_heads=kv_heads, heads=heads)
    return t("problem.hidden", hidden=hidden, heads=heads) if hidden % heads else ""


def read_scenario() -> tuple[Scenario, str]:
    """Scenario of the fields as they stand; where they contradict each other the last valid one, with a sentence."""
    values = {name: st.session_state[name] for name in FLAT_FIELDS}
    problem = combination_problem(values)
    if not problem:
        try:
            st.session_state[_STORE] = scenario_from_flat(values)
        except ValidationError as error:
            names = ", ".join(dict.fromkeys(label(str(entry["loc"][0])) for entry in error.errors() if entry["loc"]))
            problem = t("problem.other", fields=names)
    return st.session_state.get(_STORE, Scenario()), problem


def scenario() -> Scenario:
    """The scenario that the page answers (set by the sidebar in the same run).

    A page asked for by its file's name before anyone has opened the app runs without ``app.py``; calling
    st.navigation ends that way of serving pages, and the run starts again with the sidebar.
    """
    if _STORE not in st.session_state:
        st.navigation([st.Page("pages/overview.py")], position="hidden")
        st.rerun()
    found: Scenario = st.session_state[_STORE]
    return found
