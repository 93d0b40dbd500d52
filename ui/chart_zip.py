"""All charts as one zip of pictures, drawn in the user's own browser: no server work, no package, Chinese right.

Figures are white with their own light template, so files look the same from a dark page. ``window.Plotly`` is no
documented part of Streamlit: without it the user is told that the camera buttons still work.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from ui.export import slug
from ui.i18n import t
from ui.slides import SLIDE_HEIGHT_PX, SLIDE_SCALE, SLIDE_WIDTH_PX, Slide

FORMATS = ("png", "svg")
_FILES = Path(__file__).parent
_HTML = (
    '<div class="row">'
    + "".join(
        f'<button type="button" data-format="{name}" data-testid="chart-zip-{name}"></button>' for name in FORMATS
    )
    + '<span role="status" data-testid="chart-zip-status"></span></div>'
)
# Streamlit loads Plotly with the first chart of a page; this one makes sure that there is a chart.
_LOADER = "chart_zip_loader"


@lru_cache(maxsize=1)
def _component() -> ComponentRenderer:
    return st.components.v2.component(
        "chart_zip",
        html=_HTML,
        css=(_FILES / "chart_zip.css").read_text(encoding="utf-8"),
        js=(_FILES / "chart_zip.js").read_text(encoding="utf-8"),
    )


def chart_zip(slides: Sequence[Slide], stem: str) -> None:
    """Buttons that save every figure as PNG (2560 x 1440) or SVG in one zip; nothing where there is no figure.

    stem: the zip's name without ``_png.zip``; files in it are called ``01_vram-fit.png`` and so on.
    """
    drawn = [slide for slide in slides if slide.figure is not None]
    if not drawn:
        return
    st.html(f"<style>.st-key-{_LOADER} {{ display: none; }}</style>")
    with st.container(key=_LOADER):
        st.plotly_chart(go.Figure(), key=f"{_LOADER}_chart", height=20)
    charts = [
        {"name": f"{place:02d}_{slug(slide.key)}", "figure": slide.figure.to_json()}
        for place, slide in enumerate(drawn, start=1)
        if slide.figure is not None
    ]
    _component()(
        key="chart_zip",
        data={
            "charts": charts,
            "stem": stem,
            "size": {"width": SLIDE_WIDTH_PX, "height": SLIDE_HEIGHT_PX, "scale": SLIDE_SCALE},
            "labels": {name: t(f"zip.{name}") for name in FORMATS},
            "working": t("zip.working"),
            "done": t("zip.done", n=len(charts)),
            "failed": t("zip.failed"),
        },
    )
