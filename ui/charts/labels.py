"""Room for text: how wide words are, where to break lines, how to keep labels from touching."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

_TAG = re.compile(r"<[^>]+>")
_LATIN_EM = 0.53  # mean advance of a proportional sans-serif letter, in units of the font size
_NARROW_EM = 0.30
_NEVER_FIRST = set(",.;:%)]!?\u3001\u3002\uff0c\uff1b\uff1a\uff05\uff09\u300d\uff01\uff1f")  # of a line
_NARROW = set(" .,:;·'|iljtfI()[]/")


def plain(text: str) -> str:
    """Text without the few HTML tags that Plotly understands."""
    return _TAG.sub("", text.replace("<br>", " "))


def text_width(text: str, size: float) -> float:
    """Width in pixels (an estimate, rather too wide than too narrow) of the widest line at font ``size`` in pixels."""
    return max(
        (
            size
            * sum(
                1.0
                if unicodedata.east_asian_width(char) in "WF"
                else _NARROW_EM
                if char in _NARROW
                else 0.68
                if char.isupper()
                else _LATIN_EM
                for char in _TAG.sub("", line)
            )
            for line in text.split("<br>")
        ),
        default=0.0,
    )


def _pieces(text: str) -> list[str]:
    """Smallest parts a line may be broken between: words, and single signs of Chinese."""
    pieces: list[str] = []
    for char in text:
        wide = unicodedata.east_asian_width(char) in "WF"
        closing = char in _NEVER_FIRST
        if pieces and (closing or not (wide or pieces[-1].endswith(" ") or _is_wide(pieces[-1][-1]))):
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def wrap(text: str, size: float, width: float) -> list[str]:
    """Lines of at most ``width`` pixels at font ``size``; a single longer word stays whole."""
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and text_width((lines[-1] + piece).rstrip(), size) > width:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Moves ``positions`` apart until neighbours are at least ``gap`` apart, staying between ``low`` and ``high``.

    Order is kept and moves are as small as a one-dimensional pooling of touching labels allows. Where there is no
    room for all at ``gap``, they share the room evenly.
    """
    count = len(positions)
    if count == 0:
        return []
    order = np.argsort(np.asarray(positions, dtype=float), kind="stable")
    gap = min(gap, (high - low) / max(count - 1, 1))
    groups: list[tuple[float, int]] = []  # centre, members
    for index in order:
        groups.append((float(positions[index]), 1))
        while len(groups) > 1:
            (lower, n_lower), (upper, n_upper) = groups[-2], groups[-1]
            if upper - lower >= gap * (n_lower + n_upper) / 2:
                break
            centre = (lower * n_lower + upper * n_upper) / (n_lower + n_upper)
            groups[-2:] = [(centre, n_lower + n_upper)]
    placed: list[float] = []
    for centre, members in groups:
        placed += [centre + gap * (place - (members - 1) / 2) for place in range(members)]
    for place in range(count):
        placed[place] = max(placed[place], low if place == 0 else placed[place - 1] + gap)
    for place in reversed(range(count)):
        placed[place] = min(placed[place], high if place == count - 1 else placed[place + 1] - gap)
    moved = [0.0] * count
    for place, index in enumerate(order):
        moved[index] = placed[place]
    return moved


Box = tuple[float, float, float, float]


def _overlap(one: Box, other: Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0.0) * max(high, 0.0)


def place_beside(
    points: Sequence[tuple[float, float]], texts: Sequence[str], size: float, width: float, height: float
) -> list[tuple[str, bool]]:
    """A side for each label so that labels neither touch each other nor leave a frame of ``width`` x ``height``.

    points: pixel places of the dots, y upwards. Returns for each the Plotly text position and whether the label
    can be shown without a collision (the caller drops the others: hovering still names the dot).
    """
    taken: list[Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in points]
    found: list[tuple[str, bool]] = []
    for (x, y), text in zip(points, texts, strict=True):
        wide, half = text_width(text, size), size * 0.65
        # Up and to the right first: the line that joins the best trade-offs falls from left to right.
        options: dict[str, Box] = {
            "top right": (x + 4, y + 5, x + 4 + wide, y + 5 + 2 * half),
            "bottom left": (x - 4 - wide, y - 5 - 2 * half, x - 4, y - 5),
            "middle right": (x + 9, y - half, x + 9 + wide, y + half),
            "middle left": (x - 9 - wide, y - half, x - 9, y + half),
            "top center": (x - wide / 2, y + 8, x + wide / 2, y + 8 + 2 * half),
            "bottom center": (x - wide / 2, y - 8 - 2 * half, x + wide / 2, y - 8),
        }
        costs = {
            side: sum(_overlap(box, other) for other in taken)
            + (1e6 if box[0] < 0 or box[2] > width or box[1] < 0 or box[3] > height else 0.0)
            for side, box in options.items()
        }
        best = min(costs, key=lambda side: costs[side])
        free = costs[best] < 1.0
        if free:
            taken.append(options[best])
        found.append((best, free))
    return found
