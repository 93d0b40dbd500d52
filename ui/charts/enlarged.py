"""The same figure with larger type: everything that is measured in pixels grows by one factor."""

from __future__ import annotations

import re
from typing import Any

import plotly.graph_objects as go

# Properties in pixels, by the dictionary that holds them ("" for any). All others are data, shares or colours.
_PIXELS: dict[str, frozenset[str]] = {
    "": frozenset(
        {
            *("xshift", "yshift", "ax", "ay", "arrowwidth", "standoff", "borderpad", "borderwidth"),
            *("thickness", "gridwidth", "ticklabelstandoff", "tracegroupgap", "xpad", "ypad"),
        }
    ),
    "font": frozenset({"size"}),
    "marker": frozenset({"size"}),
    "pattern": frozenset({"size"}),
    "line": frozenset({"width"}),
    "error_x": frozenset({"width"}),
    "margin": frozenset({"l", "r", "t", "b"}),
    "pad": frozenset({"l", "r", "t", "b"}),
}
_FONT_SIZE = re.compile(r"font-size:(\d+(?:\.\d+)?)px")


def enlarged(figure: go.Figure, times: float) -> go.Figure:
    """A copy whose type, lines, marks and margins are ``times`` as large; it takes the height of its place."""
    content = _grown(figure.to_plotly_json(), "", times)
    content["layout"].pop("height", None)
    return go.Figure(content)


def _grown(value: Any, name: str, times: float) -> Any:
    if isinstance(value, dict):
        holder = "font" if name.endswith("font") else name
        own = _PIXELS.get(holder, frozenset())
        return {
            key: _scaled(inner, times) if key in _PIXELS[""] or key in own else _grown(inner, key, times)
            for key, inner in value.items()
        }
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], dict):
        return [_grown(inner, name, times) for inner in value]
    if isinstance(value, str):
        return _FONT_SIZE.sub(lambda found: f"font-size:{float(found[1]) * times:g}px", value)
    return value


def _scaled(value: Any, times: float) -> Any:
    if isinstance(value, (list, tuple)):
        return [_scaled(inner, times) for inner in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return round(value * times) if isinstance(value, int) else value * times  # some properties take whole numbers only
