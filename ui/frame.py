"""What surrounds every page: the list of pages and what has to be said before any of them."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.i18n import t
from ui.state import dismiss_notes, link_notes
from ui.story_parts import story_note

# File, address, icon; the first is the landing page. An address must differ from its file's name: until st.navigation
# has been called, Streamlit serves the folder pages/ by file names and would show such a page without app.py.
PAGES: tuple[tuple[str, str, str], ...] = (
    ("overview", "summary", "insights"),
    ("vram_fit", "vram-fit", "memory"),
    ("training_time", "training-time", "timer"),
    ("own_versus_rent", "own-versus-rent", "balance"),
    ("recommend", "what-to-take", "recommend"),
    ("compare", "side-by-side", "compare_arrows"),
    ("present", "present-mode", "slideshow"),
    ("export_all", "export", "download"),
    ("gpu_table", "gpu-table", "table"),
    ("accuracy", "how-accurate", "target"),
    ("guides", "what-guides-say", "menu_book"),
)

# Pages that share a menu of the top bar; the others stand in the bar themselves.
MENUS: dict[str, tuple[str, ...]] = {
    "menu.meeting": ("compare", "present", "export_all"),
    "menu.evidence": ("gpu_table", "accuracy", "guides"),
}


def pages() -> dict[str, list[st.Page]]:
    """Pages by menu in the order of the top bar, titles in the chosen language, addresses fixed.

    The pages under the blank name are links of their own.
    """
    menu_of = {file: menu for menu, files in MENUS.items() for file in files}
    found: dict[str, list[st.Page]] = {"": [], **{t(menu): [] for menu in MENUS}}
    for file, path, icon in PAGES:
        page = st.Page(
            f"pages/{file}.py",
            title=t(f"page.{file}"),
            icon=f":material/{icon}:",
            url_path=path,
            default=file == PAGES[0][0],
        )
        found[t(menu_of[file]) if file in menu_of else ""].append(page)
    return {menu: members for menu, members in found.items() if members}


def notes(problem: str) -> None:
    """A contradiction in the sidebar and what was wrong with the opened link, where there is any."""
    st.html(Path(__file__).with_name("frame.css"))
    if problem:
        st.warning(f"{problem} {t('problem.last_valid')}")
    found = link_notes()
    if found:
        with st.container(border=True):
            st.markdown("\n".join(f"- {text}" for text in found))
            st.button(t("action.dismiss"), key="dismiss_notes", on_click=dismiss_notes)
    story_note()


def page_button(file: str) -> None:
    """Link from a small chart to the page that says more."""
    st.page_link(f"pages/{file}.py", label=t("action.more", page=t(f"page.{file}")), icon=":material/arrow_forward:")
