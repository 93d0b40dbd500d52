"""All charts of one scenario as files: ``python -m ui.export SCENARIO.json --out folder``."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from ui.i18n import DEFAULT_LANGUAGE, LANGUAGES, use_language

_WRONG = 2  # exit status of every failure, as argparse has it


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the charts and lists them; 0 when all were written, 2 after one line that says what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m ui.export", description=__doc__)
    parser.add_argument("scenario", type=Path, help="JSON file with scenario fields; {} gives the defaults")
    parser.add_argument("--out", type=Path, required=True, help="folder for the files, made where it is missing")
    parser.add_argument("--lang", choices=tuple(LANGUAGES), default=DEFAULT_LANGUAGE)
    parser.add_argument("--format", choices=("png", "svg"), default="png")
    asked = parser.parse_args(arguments)
    # Imported late, so that --help answers at once.
    from calc.tables import load_tables
    from ui.export.files import NoPicturesError, write_pictures
    from ui.export.scenario_file import ScenarioFileError, read_scenario
    from ui.slides import slides

    logging.getLogger("kaleido").setLevel(logging.CRITICAL)
    logging.getLogger("choreographer").setLevel(logging.CRITICAL)
    tables = load_tables()
    try:
        scenario = read_scenario(asked.scenario.read_text(encoding="utf-8"), tables)
        with use_language(asked.lang):
            written = write_pictures(slides(scenario, tables), scenario, asked.out, asked.format)
    except ScenarioFileError as error:
        return _say(f"{asked.scenario}: {error}")
    except UnicodeDecodeError:
        return _say(f"{asked.scenario}: not a text file in UTF-8")
    except (NoPicturesError, OSError) as error:
        return _say(str(error))
    print("\n".join(str(path) for path in written))
    return 0


def _say(problem: str) -> int:
    print(f"error: {problem}", file=sys.stderr)
    return _WRONG


if __name__ == "__main__":
    raise SystemExit(main())
