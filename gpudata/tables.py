"""Reads a CSV table, checks every row with its row model, and hands it over as a pandas frame."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, get_args

import pandas as pd
from pydantic import BaseModel, TypeAdapter, ValidationError

FOLDER = Path(__file__).parent


class TableError(ValueError):
    """A table that cannot be used; the message names file, line, column and reason.

    Attributes: ``file`` (name), ``line`` (1 is the header), ``column`` (empty for a rule over several columns),
    ``reason``.
    """

    def __init__(self, file: str, line: int, column: str, reason: str) -> None:
        self.file, self.line, self.column, self.reason = file, line, column, reason
        where = f", column {column}" if column else ""
        super().__init__(f"{file}, line {line}{where}: {reason}")


def _columns_of(row_type: type[BaseModel]) -> dict[str, str]:
    """Column name -> attribute name, in the model's order."""
    return {(field.alias or name): name for name, field in row_type.model_fields.items()}


def _raw_rows(path: Path, row_type: type[BaseModel]) -> tuple[list[dict[str, str]], list[int], list[str]]:
    """Cells of all rows with blanks left out, the line each row ends on, and the header."""
    with path.open(encoding="utf-8", newline="") as handle:
        reader = csv.reader(handle, strict=True)
        header = next(reader, [])
        known = _columns_of(row_type)
        for column in header:
            if column not in known:
                raise TableError(path.name, 1, column, f"unknown column; known are {', '.join(known)}")
        for column, attribute in known.items():
            if column not in header and row_type.model_fields[attribute].is_required():
                raise TableError(path.name, 1, column, "the column is missing")
        if len(set(header)) < len(header):
            raise TableError(path.name, 1, "", "a column name occurs twice")
        rows, lines = [], []
        for cells in reader:
            if len(cells) != len(header):
                reason = f"{len(cells)} cells where the header has {len(header)}"
                raise TableError(path.name, reader.line_num, "", reason)
            rows.append({column: cell for column, cell in zip(header, cells, strict=True) if cell})
            lines.append(reader.line_num)
    return rows, lines, header


def _first_problem(path: Path, lines: list[int], error: ValidationError) -> TableError:
    problem, *others = error.errors(include_url=False)
    index, *where = problem["loc"]
    reason = str(problem["msg"]).removeprefix("Value error, ")
    if problem["type"] == "missing":
        reason = "the cell is blank"
    elif isinstance(problem["input"], (str, int, float)):
        reason += f" (the cell says '{problem['input']}')"
    if others:
        reason += f"; {len(others)} more problems in this table"
    return TableError(path.name, lines[int(index)], str(where[0]) if where else "", reason)


def _kinds(annotation: Any) -> set[type]:
    """Plain Python types a column's annotation allows."""
    if isinstance(annotation, type):
        return {annotation}
    found: set[type] = set()
    for part in get_args(annotation):
        if isinstance(part, type) or get_args(part):
            found |= _kinds(part)
        else:
            found.add(type(part))
    return found


def _series(values: list[Any], annotation: Any) -> pd.Series:
    kinds = _kinds(annotation)
    missing = any(value is None for value in values)
    if bool in kinds:
        return pd.Series(values, dtype=object if missing else bool)
    if int in kinds and not missing:
        return pd.Series(values, dtype="int64")
    if kinds & {int, float}:
        return pd.Series(values, dtype=float)
    return pd.Series(values, dtype="str")


def read_table(path: Path, row_type: type[BaseModel], unique: tuple[str, ...] = ()) -> pd.DataFrame:
    """Frame of the CSV table at ``path``; every row passed ``row_type``.

    Numbers are floats (whole numbers int64 where no cell is blank), yes/no cells are booleans, a blank cell is NaN
    (None in a yes/no column). ``unique`` names columns that together may not repeat. Raises TableError for the first
    bad row, FileNotFoundError where there is no such file.
    """
    raw, lines, header = _raw_rows(path, row_type)
    try:
        rows = TypeAdapter(list[row_type]).validate_python(raw)  # type: ignore[valid-type]
    except ValidationError as error:
        raise _first_problem(path, lines, error) from None
    attributes = _columns_of(row_type)
    frame = pd.DataFrame(
        {
            column: _series(
                [getattr(row, attributes[column]) for row in rows], row_type.model_fields[attributes[column]].annotation
            )
            for column in header
        }
    )
    if unique:
        repeated = frame.duplicated(list(unique))
        if repeated.any():
            index = int(repeated.to_numpy().argmax())
            said = ", ".join(str(frame.iloc[index][column]) for column in unique)
            raise TableError(path.name, lines[index], unique[0], f"'{said}' occurs twice")
    return frame
