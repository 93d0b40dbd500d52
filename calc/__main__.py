"""``python -m calc predict | accuracy | cost | fit``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import pandas as pd

from calc import cost_cli
from calc.accuracy import comparison, format_report, report
from calc.fit import fit_all
from calc.predict import predict_table, read_cases
from calc.tables import load_tables
from gpudata.constants import FOLDER as TABLES_FOLDER

UNREADABLE = 2
READER_GONE = 128 + 13  # as a shell reports a program ended by SIGPIPE


def _read_csv(path: str) -> pd.DataFrame:
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise ValueError(f"{path} cannot be read as CSV: {reason}") from error


def _predict(options: argparse.Namespace) -> int:
    tables = load_tables()
    predicted = predict_table(read_cases(_read_csv(options.cases), tables), tables)
    text = predicted.to_csv(index=False, float_format="%.6g")
    if options.output:
        try:
            Path(options.output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise ValueError(f"{options.output} cannot be written: {error.strerror}") from error
    else:
        sys.stdout.write(text)
    return 0


def _accuracy(options: argparse.Namespace) -> int:
    tables = load_tables()
    frame = _read_csv(options.cases)
    table = read_cases(frame, tables)
    if frame.empty:
        raise ValueError(f"{options.cases} has no rows")
    result = report(comparison(frame, predict_table(table, tables), table))
    print(json.dumps(result, indent=1).replace("NaN", "null") if options.json else format_report(result))
    return 0


def _fit(options: argparse.Namespace) -> int:
    frame = _read_csv(options.cases)
    found = fit_all(frame, read_cases(frame, load_tables()), Path(options.folder))
    for name, left_out in found.items():
        print(f"{name}, sources left out whole: {json.dumps(left_out)}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit status (2 where the input cannot be read)."""
    parser = argparse.ArgumentParser(prog="python -m calc", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    predict = commands.add_parser("predict", help="memory and speed for a table of training runs")
    predict.add_argument("cases", help="CSV in the format of gpudata/measurements.csv")
    predict.add_argument("-o", "--output", help="file to write (default: standard output)")
    predict.set_defaults(run=_predict)
    accuracy = commands.add_parser("accuracy", help="error against measured memory and speed")
    accuracy.add_argument("cases", help="CSV with peak_mem_gb, mem_unit, tokens_per_s_per_gpu or step_s filled")
    accuracy.add_argument("--json", action="store_true", help="for machines")
    accuracy.set_defaults(run=_accuracy)
    cost = commands.add_parser("cost", help="own against rent, month by month, as JSON")
    cost.add_argument("scenario", help="JSON file")
    cost.set_defaults(run=lambda options: cost_cli.main([options.scenario]))
    fit = commands.add_parser("fit", help="fit the constants and the 80 % ranges again")
    fit.add_argument("cases", nargs="?", default=str(TABLES_FOLDER / "measurements.csv"))
    fit.add_argument("--folder", default=str(TABLES_FOLDER), help="where to write (default: beside the tables)")
    fit.set_defaults(run=_fit)
    options = parser.parse_args(arguments)
    try:
        status = int(options.run(options))
        sys.stdout.flush()  # a reader that has gone away is noticed here, not while Python shuts down
        return status
    except BrokenPipeError:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return READER_GONE
    except ValueError as error:
        print(str(error).splitlines()[0], file=sys.stderr)
        return UNREADABLE


if __name__ == "__main__":
    sys.exit(main())
