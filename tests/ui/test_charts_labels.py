from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ui.charts.labels import place_beside, spread, text_width, wrap

places = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=12)


@given(places, st.floats(0.01, 0.3))
def test_spread_labels_keep_their_distance_and_order(positions: list[float], gap: float) -> None:
    moved = spread(positions, gap, 0.0, 1.0)
    room = min(gap, 1 / max(len(positions) - 1, 1))
    ordered = np.array(moved)[np.argsort(positions, kind="stable")]
    assert (np.diff(ordered) >= room - 1e-9).all()
    assert min(moved) >= -1e-9
    assert max(moved) <= 1 + 1e-9


def test_labels_with_room_stay_where_they_are() -> None:
    assert spread([0.1, 0.5, 0.9], 0.1, 0, 1) == [0.1, 0.5, 0.9]


@given(st.lists(st.tuples(st.floats(0, 300), st.floats(0, 300)), min_size=1, max_size=15))
def test_shown_names_do_not_touch(points: list[tuple[float, float]]) -> None:
    texts = ["RTX 4090"] * len(points)
    sides = place_beside(points, texts, 13, 300, 300)
    assert len(sides) == len(points)
    shown = [(point, side) for point, (side, free) in zip(points, sides, strict=True) if free]
    spots = {(point, side) for point, side in shown}
    assert len(spots) == len(shown)


@given(st.text(alphabet="abc defgh 利用率自购", min_size=1, max_size=120), st.floats(120, 800))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: float) -> None:
    lines = wrap(text, 20, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(text_width(line, 20) <= width or " " not in line for line in lines)


def test_chinese_is_wider_than_latin() -> None:
    assert text_width("显存", 14) == 28
    assert text_width("<b>ab</b>", 14) == text_width("ab", 14)
