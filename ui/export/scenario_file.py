"""A scenario as a JSON file: written for people, read strictly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from calc.cost_scenario import bounds_of as cost_bounds
from calc.scenario import (
    FLAT_FIELDS,
    MODEL_BY_SIZE,
    MODEL_CUSTOM,
    SCENARIO_VERSION,
    Hardware,
    Money,
    Scenario,
    TrainingSetup,
    Workload,
    problems_of,
    scenario_from_flat,
)
from calc.tables import Tables
from ui.format import number
from ui.state import COST_MODELS, bounds

_PARTS: dict[str, type[BaseModel]] = {
    "workload": Workload,
    "setup": TrainingSetup,
    "hardware": Hardware,
    "money": Money,
}


class ScenarioFileError(ValueError):
    """What is wrong with a scenario file, in one line that names the field and what it may hold."""


def scenario_text(scenario: Scenario) -> str:
    """The scenario as JSON: its fields under workload, setup, hardware and money, and the version."""
    return json.dumps(scenario.model_dump(), indent=1, ensure_ascii=False) + "\n"


def read_scenario(text: str, tables: Tables) -> Scenario:
    """Reads what ``scenario_text`` writes, or the same fields without their groups; missing ones take the default.

    Raises ScenarioFileError for text that is no JSON object, an unknown name, a value out of its range, a model or
    card that is not in the tables.
    """
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ScenarioFileError(f"not valid JSON: {error}") from error
    except RecursionError as error:
        raise ScenarioFileError("not valid JSON: nested too deeply") from error
    if not isinstance(content, dict):
        raise ScenarioFileError('a scenario must be a JSON object, like {"gpu": "RTX 4090"}')
    values = _flat(content)
    _check_names(values, tables)
    try:
        return scenario_from_flat(values)
    except ValidationError as error:
        raise ScenarioFileError(_first_problem(error)) from error


def _flat(content: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in content.items():
        if name == "version":
            if value != SCENARIO_VERSION:
                raise ScenarioFileError(f"version: {value!r} was given, this program reads version {SCENARIO_VERSION}")
        elif name in _PARTS:
            if not isinstance(value, dict):
                raise ScenarioFileError(f"{name}: must be an object with the fields of that group")
            unknown = [inner for inner in value if inner not in _PARTS[name].model_fields]
            if unknown:
                raise ScenarioFileError(
                    f"{name}.{unknown[0]}: unknown; allowed: {', '.join(_PARTS[name].model_fields)}"
                )
            values |= value
        elif name in FLAT_FIELDS:
            values[name] = value
        else:
            raise ScenarioFileError(f"{name}: unknown; allowed: {', '.join((*_PARTS, *FLAT_FIELDS))}")
    return values


def _check_names(values: Mapping[str, Any], tables: Tables) -> None:
    cards = {str(name) for name in tables.devices.index}
    known = {
        "model": {MODEL_BY_SIZE, MODEL_CUSTOM, *(str(name) for name in tables.models["model"])},
        "gpu": cards,
        "rent_gpu": {"", *cards},
    }
    for name, allowed in known.items():
        if isinstance(values.get(name), str) and values[name] not in allowed:
            few = ", ".join(sorted(allowed - {""})[:5])
            raise ScenarioFileError(f"{name}: {values[name]!r} is not among the {len(allowed)} known, like {few}")
    for side, model in COST_MODELS.items():
        lines = values.get(side, {})
        for line, value in lines.items() if isinstance(lines, dict) else ():
            if line not in model.model_fields:
                raise ScenarioFileError(f"{side}.{line}: unknown; allowed: {', '.join(model.model_fields)}")
            low, high = cost_bounds(f"{side}.{line}")
            if not isinstance(value, (int, float)):
                continue  # the scenario itself says what is wrong with it
            if model.model_fields[line].annotation is int and not float(value).is_integer():
                raise ScenarioFileError(f"{side}.{line}: {value!r} is no whole number")
            if not low <= value <= high:
                raise ScenarioFileError(f"{side}.{line}: {value!r} is outside {number(low, 7)} to {_top(high)}")


def _top(high: float) -> str:
    return "any number" if high == float("inf") else number(high, 7)


def _first_problem(error: ValidationError) -> str:
    name, sentence = next(iter(problems_of(error).items()))
    field = name.split(".")[0]
    if field not in FLAT_FIELDS:  # a rule between fields, whose sentence names them
        return sentence.removeprefix(f"{name}: ").split(" (got {")[0]
    low, high = bounds(field)
    if low is not None and high is not None:
        return f"{sentence}; allowed: {number(low, 7)} to {number(high, 7)}"
    return sentence
