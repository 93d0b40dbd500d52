"""What every chart of horizontal bars shares: ranges as whiskers, and words at the bars' ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ui.charts.palette import INK


def add_whiskers(figure: go.Figure, middle: Any, low: Any, high: Any, rows: Sequence[float], cap_px: float = 4) -> None:
    """The range low..high of each row as a line over its bar; ``cap_px``: length of the strokes at its ends."""
    figure.add_scatter(
        x=middle,
        y=rows,
        mode="markers",
        marker={"size": 1, "color": INK},
        error_x={
            "type": "data",
            "array": np.maximum(high - middle, 0),
            "arrayminus": np.maximum(middle - low, 0),
            "color": INK,
            "thickness": 1.5,
            "width": cap_px,
        },
        hoverinfo="skip",
        showlegend=False,
    )


def add_end_texts(
    figure: go.Figure, ends: Any, rows: Sequence[float], texts: Sequence[str], colours: Sequence[str], size: float
) -> None:
    """A text right of each row's end, in its own colour."""
    figure.add_scatter(
        x=ends,
        y=rows,
        mode="text",
        text=[f"  {text}" for text in texts],
        textposition="middle right",
        textfont={"color": colours, "size": size},
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )
