"""How large the window is, told by the browser, so that a chart's type can grow with it."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

# Type is as large as on a slide of this size that fills the window; steps keep a resized window from redrawing often.
_WIDTH_PX, _HEIGHT_PX, _STEPS = 1024, 560, 20
PROJECTOR_TIMES = 1.9  # of a 1920 x 1080 window, until the browser has answered

_JS = f"""
const times = () => Math.max(1, Math.round(
  {_STEPS} * Math.min(window.innerWidth / {_WIDTH_PX}, window.innerHeight / {_HEIGHT_PX})) / {_STEPS});
export default function ({{ data, setStateValue }}) {{
  let told = data.times;
  const tell = () => {{
    if (times() !== told) setStateValue("times", (told = times()));
  }};
  let waiting;
  const later = () => {{
    clearTimeout(waiting);
    waiting = setTimeout(tell, 200);
  }};
  window.addEventListener("resize", later);
  tell();
  return () => window.removeEventListener("resize", later);
}}
"""


@lru_cache(maxsize=1)
def _component() -> ComponentRenderer:
    return st.components.v2.component("present_room", js=_JS, html="<span></span>")


def window_times() -> float:
    """How many times larger than on a page a chart's type is to be drawn in this window."""
    state = st.session_state.get("present_room") or {}
    known = state.get("times") or PROJECTOR_TIMES
    _component()(key="present_room", data={"times": known}, on_times_change=lambda: None)
    return float(known)
