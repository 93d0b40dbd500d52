"""Constraints of the recommender in the session and in the link (its ``r`` parameter)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st
from pydantic import ValidationError

from calc.market import at_rates_of
from calc.recommend import Constraints
from calc.scenario import Money
from gpudata.prices import convert
from ui.data import tables
from ui.links import pack, unpack

LIMITS_VERSION = 1
DEFAULTS: dict[str, Any] = Constraints().model_dump()
AMOUNTS = ("budget_once", "budget_per_month")
_PREFIX = "limit_"
_CURRENCY = "_limit_currency"
_DAMAGED = "_limits_damaged"


def key_of(name: str) -> str:
    """Session key of a constraint's widget."""
    return f"{_PREFIX}{name}"


def limit_bounds(name: str) -> tuple[float, float]:
    """Smallest and largest allowed value of a numeric constraint."""
    low, high = 0.0, math.inf
    for rule in Constraints.model_fields[name].metadata:
        low, high = getattr(rule, "ge", low), getattr(rule, "le", high)
    return low, high


def usable_limits(values: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Every constraint with a value its widget can show, and whether all given ones could be kept."""
    kept = {name: value for name, value in values.items() if name in DEFAULTS}
    whole = len(kept) == len(values)
    while True:
        try:
            return Constraints(**kept).model_dump(), whole
        except ValidationError as error:
            whole = False
            for name in {str(entry["loc"][0]) for entry in error.errors()}:
                kept.pop(name, None)


def put_limits(values: Mapping[str, Any]) -> None:
    """Sets every constraint, missing ones to their defaults (in a callback or before any widget)."""
    usable, _ = usable_limits({**DEFAULTS, **values})
    for name, value in usable.items():
        st.session_state[key_of(name)] = list(value) if isinstance(value, tuple) else value


def set_limit(name: str, value: Any) -> None:
    """Sets one constraint (a button's callback)."""
    put_limits({**limits().model_dump(), name: value})


def reset_limits() -> None:
    """Takes all constraints away (a button's callback)."""
    put_limits(DEFAULTS)


def restore_limits() -> None:
    """Gives every constraint a value: from the link once a session, else as it is. Must run before any widget."""
    state = st.session_state
    if key_of("goal") not in state:
        put_limits({})
        if "r" in st.query_params:
            content, whole = unpack(st.query_params["r"])
            content.pop("version", None)
            values, kept = usable_limits(content)
            put_limits(values)
            state[_DAMAGED] = not (whole and kept)
    for name, value in DEFAULTS.items():
        state.setdefault(key_of(name), list(value) if isinstance(value, tuple) else value)
    _convert_amounts()


def _convert_amounts() -> None:
    """Budgets stay what they are worth when the currency changes."""
    state, now = st.session_state, st.session_state["currency"]
    before = state.get(_CURRENCY, now)
    state[_CURRENCY] = now
    if before != now:
        terms = Money(usd_cny=state["usd_cny"], eur_usd=state["eur_usd"])
        factor = float(convert(1.0, before, now, at_rates_of(terms, tables()).rates))
        for name in AMOUNTS:
            if state[key_of(name)]:
                amount = float(f"{state[key_of(name)] * factor:.4g}")
                state[key_of(name)] = min(amount, limit_bounds(name)[1])


def limits() -> Constraints:
    """The constraints as they stand; empty boxes mean no limit."""
    state = st.session_state
    values = {name: state.get(key_of(name), value) for name, value in DEFAULTS.items()}
    given = {name: DEFAULTS[name] if value is None else value for name, value in values.items()}
    return Constraints(**given)


def idle(found: Constraints, money: Money) -> bool:
    """Whether steady use is asked for and comes to no hours at all."""
    return found.use == "steady" and found.runs_per_month == 0 and money.utilisation == 0


def damaged() -> bool:
    """Whether the opened link's constraints could not all be read."""
    return bool(st.session_state.get(_DAMAGED, False))


def encode_limits(found: Constraints) -> str:
    """Link text of the constraints that are set; blank where none is."""
    values = {name: value for name, value in found.model_dump().items() if value != DEFAULTS[name]}
    return pack({"version": LIMITS_VERSION, **values}) if values else ""
