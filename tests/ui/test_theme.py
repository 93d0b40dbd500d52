"""Colours that everyone can tell apart, on paper and in both themes."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import numpy as np
import pytest

from ui.charts.palette import COMPONENTS, INK, MUTED, OWN, PALETTE, PAPER, RENT, SERIES, TIME_PARTS, VERDICTS, ramp
from ui.export import DARK_INVERT

CONFIG = tomllib.loads((Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml").read_text("utf-8"))

# Machado, Oliveira, Fernandes (2009), severity 1.0, on linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour: str) -> np.ndarray:
    value = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: str, other: str, sight: str) -> float:
    return float(np.linalg.norm(lab(SIGHT[sight] @ linear(one)) - lab(SIGHT[sight] @ linear(other))))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((float(TO_XYZ[1] @ linear(colour)) for colour in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def turned_over(colour: str) -> str:
    """What the dark page's filter makes of a colour: CSS invert, then hue-rotate(180deg) (both in sRGB)."""
    value = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    inverted = value * (1 - 2 * DARK_INVERT) + DARK_INVERT
    luma = np.array([0.213, 0.715, 0.072])
    rotated = 2 * (luma @ inverted) - inverted
    return "#" + "".join(f"{round(255 * channel):02X}" for channel in np.clip(rotated, 0, 1))


@pytest.mark.parametrize("sight", SIGHT)
def test_palette_is_told_apart(sight: str) -> None:
    assert len(set(PALETTE)) == 10
    assert min(distance(a, b, sight) for a, b in itertools.combinations(PALETTE, 2)) > 7


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(
    ("group", "least"),
    [
        ((OWN, RENT), 18),
        (tuple(TIME_PARTS.values()), 18),
        (tuple(verdict.edge for verdict in VERDICTS.values()), 12),  # told apart by pattern and word as well
    ],
    ids=["sides", "time", "verdicts"],
)
def test_colours_that_meet_in_one_chart_differ_clearly(group: tuple[str, ...], least: float, sight: str) -> None:
    assert min(distance(a, b, sight) for a, b in itertools.combinations(group, 2)) > least


def test_own_and_rent_are_reserved() -> None:
    others = {*SERIES, *COMPONENTS.values(), *TIME_PARTS.values(), *(v.edge for v in VERDICTS.values())}
    assert not others & {OWN, RENT}
    assert PALETTE[:2] == (OWN, RENT) == ("#0072B2", "#D55E00")


def test_memory_ramp_runs_from_dark_to_light() -> None:
    lightness = [lab(linear(colour))[0] for colour in COMPONENTS.values()]
    assert len(lightness) == 10
    assert all(later - earlier > 4 for earlier, later in itertools.pairwise(lightness))


def test_ramp_ends_at_the_colour() -> None:
    assert ramp("#882255", 4)[-1] == "#882255"
    assert ramp("#882255", 1) == ["#882255"]
    assert len(set(ramp("#882255", 4))) == 4


@pytest.mark.parametrize("colour", [INK, MUTED, *(verdict.text for verdict in VERDICTS.values())])
def test_words_can_be_read_on_paper_and_on_the_dark_page(colour: str) -> None:
    assert contrast(colour, PAPER) >= 4.5
    assert contrast(turned_over(colour), turned_over(PAPER)) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_theme_has_exactly_ten_chart_colours_and_readable_contrast(theme: str) -> None:
    colours = CONFIG["theme"][theme]
    assert len(colours["chartCategoricalColors"]) == 10
    assert tuple(colours["chartCategoricalColors"][:9]) == PALETTE[:9]
    assert contrast(colours["textColor"], colours["backgroundColor"]) >= 7
    for ground in ("backgroundColor", "secondaryBackgroundColor"):
        assert contrast(colours["primaryColor"], colours[ground]) >= 4.5


def test_dark_page_is_white_paper_turned_over() -> None:
    assert turned_over(PAPER) == CONFIG["theme"]["dark"]["backgroundColor"].upper() == "#121212"


@pytest.mark.parametrize("colour", [OWN, RENT])
def test_own_and_rent_keep_their_hue_on_the_dark_page(colour: str) -> None:
    before, after = lab(linear(colour))[1:], lab(linear(turned_over(colour)))[1:]
    assert float(before @ after) / (np.linalg.norm(before) * np.linalg.norm(after)) > 0.9
    assert contrast(turned_over(colour), turned_over(PAPER)) >= 3


def test_users_see_no_tracebacks_and_nothing_is_sent_home() -> None:
    assert CONFIG["client"] == {"showErrorDetails": "none", "showErrorLinks": False, "toolbarMode": "minimal"}
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["server"]["maxUploadSize"] <= 2
