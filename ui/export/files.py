"""Charts as picture files without a page: needs the optional package kaleido and a Chrome or Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from calc.scenario import Scenario
from ui.export.page import file_stem
from ui.slides import SLIDE_HEIGHT_PX, SLIDE_SCALE, SLIDE_WIDTH_PX, Slide

PictureFormat = Literal["png", "svg"]


class NoPicturesError(RuntimeError):
    """Pictures cannot be drawn on this machine; the text says what is missing, in one line."""


def write_pictures(
    slides: Sequence[Slide], scenario: Scenario, folder: Path, picture_format: PictureFormat = "png"
) -> list[Path]:
    """Writes each slide's figure to ``folder`` as 2560 x 1440 pixels (SVG: the same layout), one browser for all.

    Raises NoPicturesError without kaleido or a browser, OSError where the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [slide for slide in slides if slide.figure is not None]
    paths = [folder / f"{file_stem(scenario, slide.key)}.{picture_format}" for slide in drawn]
    for path, picture in zip(paths, asyncio.run(_pictures(drawn, picture_format)), strict=True):
        path.write_bytes(picture)
    return paths


async def _pictures(slides: Sequence[Slide], picture_format: PictureFormat) -> list[bytes]:
    try:
        import kaleido
        from choreographer.errors import BrowserFailedError, ChromeNotFoundError
    except ImportError as error:
        raise NoPicturesError("pictures need kaleido: pip install -r requirements-export.txt") from error
    size = {"width": SLIDE_WIDTH_PX, "height": SLIDE_HEIGHT_PX, "scale": SLIDE_SCALE}
    try:
        # MathJax would come from the network, and no chart uses it.
        async with kaleido.Kaleido(n=1, mathjax=False) as browser:
            return [await browser.calc_fig(slide.figure, opts={"format": picture_format, **size}) for slide in slides]
    except (ChromeNotFoundError, BrowserFailedError) as error:
        raise NoPicturesError(
            "pictures need Chrome or Chromium: install one, or name it in the environment variable BROWSER_PATH"
        ) from error
