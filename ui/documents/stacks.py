"""Bars made of pieces, as deck and report both draw them: words, colours and lengths, no drawing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from ui.charts.palette import COMPONENTS, TIME_PARTS, VERDICTS
from ui.format import gib, hours, percent
from ui.i18n import t

PALE_SHARE = 0.35  # as in ui/charts/training_time.py
_LEAST_SHARE = 0.005  # of the whole: smaller pieces are left out


@dataclass(frozen=True)
class Part:
    """One piece of every bar: its word, fill and edge colour, and its length in each row (None: not there)."""

    word: str
    fill: str
    edge: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Stack:
    """Rows from the top down. ``texts``: what is written on or beside each row, with the colour of the type.

    ``pale``: rows to draw pale.
    """

    rows: tuple[str, ...]
    parts: tuple[Part, ...]
    texts: tuple[tuple[str, str], ...]
    pale: frozenset[int] = frozenset()

    def total(self, row: int) -> float:
        """Length of a whole bar."""
        return sum(part.values[row] or 0.0 for part in self.parts)


def memory_stack(frame: pd.DataFrame, chosen: str) -> Stack:
    """The job piece by piece, and under it what each card offers, with the verdict.

    frame: rows of ``answers.fit_by_card`` whose verdict is known (GiB). The chosen card's row stands for the job.
    """
    job = frame[frame["gpu"] == chosen].iloc[0] if chosen in set(frame["gpu"]) else frame.iloc[0]
    least = _LEAST_SHARE * float(job["peak_gib"])
    others: tuple[None, ...] = (None,) * len(frame)
    parts = [
        Part(t(f"chart.component.{name}"), code, "#FFFFFF", (float(job[name]), *others))
        for name, code in COMPONENTS.items()
        if float(job[name]) > least
    ]
    for verdict, look in VERDICTS.items():
        pairs = zip(frame["usable_gib"], frame["verdict"], strict=True)
        offered = tuple(float(usable) if found == verdict else None for usable, found in pairs)
        if any(value is not None for value in offered):
            parts.append(Part(t(f"chart.verdict.{verdict}"), look.fill, look.edge, (None, *offered)))
    verdicts = [
        (f"{t(f'chart.verdict.{verdict}')} · {percent(share)}", VERDICTS[verdict].text)
        for verdict, share in zip(frame["verdict"], frame["share"], strict=True)
    ]
    rows = (f"{t('chart.memory.your_job')} · {gib(float(job['peak_gib']))}", *map(str, frame["short"]))
    return Stack(rows, tuple(parts), (("", "#FFFFFF"), *verdicts))


def time_stack(frame: pd.DataFrame) -> Stack:
    """Hours of one run on each card, split by what holds a step up (rows of ``answers.time_by_card``)."""
    whole = float(frame["hours"].sum())
    parts = tuple(
        Part(t(f"chart.time.{part}"), code, "#FFFFFF", tuple(float(value) for value in frame[part]))
        for part, code in TIME_PARTS.items()
        if float(frame[part].sum()) > _LEAST_SHARE * whole
    )
    texts = [(hours(float(value)), VERDICTS[verdict].text) for value, verdict in frame[["hours", "verdict"]].to_numpy()]
    pale = frozenset(row for row, verdict in enumerate(frame["verdict"]) if verdict == "no")
    return Stack(tuple(map(str, frame["short"])), parts, tuple(texts), pale)


def paler(code: str, share: float = PALE_SHARE) -> str:
    """``#RRGGBB`` mixed with white: ``share`` of the colour stays."""
    channels = [int(code[start : start + 2], 16) for start in (1, 3, 5)]
    return "#" + "".join(f"{round(255 + (channel - 255) * share):02X}" for channel in channels)


def round_step(low: float, high: float, most: int = 8) -> float:
    """Step of 1, 2 or 5 times a power of ten that cuts ``low`` to ``high`` into at most ``most`` pieces.

    ValueError unless ``high`` lies above ``low``.
    """
    if not high > low:
        raise ValueError(f"high {high} must lie above low {low}")
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    return next(power * size for size in (1, 2, 5, 10) if (high - low) / (power * size) <= most)
