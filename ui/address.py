"""The browser's address always holds the whole session, so reload, bookmark and "Copy link" all give it back.

Streamlit's own ways do not do: writing ``st.query_params`` adds one step to the browser's history per move of a
slider, which breaks Back; bound widgets leave out values equal to the default, so a link changes its meaning when a
default changes. Replacing the address in the browser has neither fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from ui.i18n import language, t

_HTML = '<button type="button"></button>'
_CSS = """
button {
  width: 100%; min-height: 2.5rem; padding: 0.25rem 0.75rem; cursor: pointer; font: inherit; font-size: 0.875rem;
  color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, 0.5rem);
}
button:hover, button:focus-visible {
  border-color: var(--st-primary-color); color: var(--st-primary-color); outline: none;
}
"""
# The folder is called pages/, so the first visit after a start goes through Streamlit's older page search, which does
# not know our addresses and says "Page not found" although the right page is then shown.
_JS = """
function closeFalseAlarm(tries = 20) {
  const dialog = document.querySelector('[role="dialog"]');
  if (dialog && dialog.textContent.includes("Page not found")) dialog.querySelector("button")?.click();
  else if (tries > 0) setTimeout(() => closeFalseAlarm(tries - 1), 100);
}
export default function (component) {
  const { data, parentElement } = component;
  const place = new URL(window.location.href);
  for (const [name, value] of Object.entries(data.parts)) {
    if (value) place.searchParams.set(name, value); else place.searchParams.delete(name);
  }
  place.searchParams.set("lang", data.lang);
  if (place.href !== window.location.href) window.history.replaceState(window.history.state, "", place);
  document.documentElement.lang = data.lang === "zh" ? "zh-CN" : data.lang;
  closeFalseAlarm();
  const button = parentElement.querySelector("button");
  button.textContent = data.label;
  button.onclick = async () => {
    const link = new URL(window.location.href);
    link.search = "";
    link.hash = "";
    for (const [name, value] of Object.entries(data.parts)) if (value) link.searchParams.set(name, value);
    button.dataset.link = link.href;
    try {
      await navigator.clipboard.writeText(link.href);
    } catch {
      const area = document.createElement("textarea");
      area.value = link.href;
      document.body.appendChild(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = data.done;
    setTimeout(() => { button.textContent = data.label; }, 2000);
  };
}
"""


@lru_cache(maxsize=1)
def _component() -> ComponentRenderer:
    return st.components.v2.component("address", html=_HTML, css=_CSS, js=_JS)


def address_and_copy(parts: Mapping[str, str], page: str) -> None:
    """Keeps the parts in the address (blank ones out of it) and draws the button that copies the full link.

    parts: ``s`` the scenario, ``c`` saved scenarios, ``r`` constraints. page: path of the page, so that a page switch
    (which clears the address) writes it again.
    """
    _component()(
        key="copy_link",
        data={
            "parts": dict(parts),
            "lang": language(),
            "page": page,
            "label": t("action.copy"),
            "done": t("action.copied"),
        },
    )
