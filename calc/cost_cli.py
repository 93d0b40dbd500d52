"""``python -m calc cost SCENARIO.json``: own against rent, month by month, as JSON on standard output."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from pydantic import ValidationError

from calc.cost import evaluate
from calc.cost_scenario import CostScenario, problems_of_cost

REFUSED = 2


def _scenario(path: str) -> CostScenario:
    """Scenario of a JSON file; ValueError with one line that says what is wrong."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must hold one JSON object")
    try:
        return CostScenario.model_validate(content)
    except ValidationError as error:
        raise ValueError("; ".join(problems_of_cost(error))) from error


def main(argv: list[str]) -> int:
    """Prints the answers; returns 0, or 2 with one line on standard error where the scenario cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m calc cost", description=__doc__)
    parser.add_argument("scenario", help="JSON file")
    options = parser.parse_args(argv)
    try:
        scenario = _scenario(options.scenario)
    except ValueError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return REFUSED
    json.dump(evaluate(scenario).as_json(), sys.stdout, indent=1, allow_nan=False)
    print()
    return 0
