"""The Present page on a projector: one screen, no frame of the app, arrow keys, live sliders, and back again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from steps import settle

pytestmark = pytest.mark.e2e

CHROME = ("stHeader", "stSidebar", "stToolbar", "stDecoration", "stStatusWidget", "stExpandSidebarButton")
LAST = 8
# Everything that could scroll, and everything that reaches out of the window.
SCROLLS = """() => [document.scrollingElement, ...document.querySelectorAll("[data-testid=stMain], .st-key-present *")]
  .filter((part) => {
    const style = getComputedStyle(part);
    const may = (way) => ["auto", "scroll"].includes(way);
    return part === document.scrollingElement
      ? part.scrollHeight > window.innerHeight || part.scrollWidth > window.innerWidth
      : part.clientHeight > 0 && ((may(style.overflowY) && part.scrollHeight > part.clientHeight + 1)
        || (may(style.overflowX) && part.scrollWidth > part.clientWidth + 1));
  }).map((part) => part.className)"""
OUTSIDE = """() => [...document.querySelectorAll(".st-key-present_words h3, .st-key-present_middle .js-plotly-plot, "
  + ".st-key-present_middle table, .st-key-present_middle [data-testid=stMetric], "
  + ".st-key-present_controls .stButton button")]
  .map((part) => [part.tagName, part.getBoundingClientRect()])
  .filter(([, box]) => box.bottom > window.innerHeight + 1 || box.right > window.innerWidth + 1 || box.height < 20)
  .map(([name, box]) => `${name} ${box.width} x ${box.height} to ${box.bottom}`)"""
OVERLAP = """() => {
  const middle = document.querySelector(".st-key-present_middle").getBoundingClientRect();
  return [...document.querySelectorAll(".st-key-present_middle .js-plotly-plot, .st-key-present_middle table")]
    .filter((part) => part.getBoundingClientRect().bottom > middle.bottom + 1).length;
}"""


@pytest.fixture(name="page")
def _page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    yield context.new_page()
    context.close()


def opened(page: Any, address: str, query: str = "") -> None:
    page.goto(f"{address}/present-mode{query}")
    page.wait_for_selector(".st-key-present_next button", timeout=60_000)
    settle(page)


def place(page: Any) -> str:
    return str(page.locator(".st-key-present_controls p").filter(has_text="of 8").first.inner_text())


def press(page: Any, key: str, wanted: int) -> None:
    page.keyboard.press(key)
    page.get_by_text(f"{wanted} of {LAST}", exact=True).wait_for(timeout=30_000)
    settle(page)


def test_every_slide_fills_one_screen_without_scroll_bars_or_chrome(page: Any, address: str) -> None:
    opened(page, address)
    for number in range(1, LAST + 1):
        assert [name for name in CHROME if page.get_by_test_id(name).first.is_visible()] == []
        if number not in (1, LAST):
            page.wait_for_selector(".st-key-present_chart .xtick text", timeout=30_000)
            sizes = page.eval_on_selector_all(
                ".st-key-present_chart :is(.xtick, .ytick) text",
                "texts => texts.map((text) => parseFloat(getComputedStyle(text).fontSize))",
            )
            assert min(sizes) >= 18
            assert page.locator(".st-key-present_chart .js-plotly-plot").bounding_box()["height"] > 600
        assert page.evaluate(SCROLLS) == []
        assert page.evaluate(OUTSIDE) == []
        assert page.evaluate(OVERLAP) == 0
        if number < LAST:
            press(page, "ArrowRight", number + 1)
    assert page.locator(".st-key-present_next button").is_disabled()
    assert page.locator(".st-key-present_table tbody tr").count() == 8
    press(page, "ArrowLeft", LAST - 1)

    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_timeout(600)
    settle(page)
    sizes = page.eval_on_selector_all(
        ".st-key-present_chart .xtick text", "texts => texts.map((text) => parseFloat(getComputedStyle(text).fontSize))"
    )
    assert 14 <= min(sizes) < 24
    assert page.evaluate(SCROLLS) == page.evaluate(OUTSIDE) == []


def test_sliders_answer_live_and_leaving_keeps_what_was_chosen(page: Any, address: str) -> None:
    opened(page, address)
    before = page.locator(".st-key-present_words h3").inner_text()
    slider = page.locator(".st-key-present_utilisation input[type=range]")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.get_by_text("57 %", exact=True).first.wait_for(timeout=30_000)
    settle(page)
    assert place(page) == f"1 of {LAST}"
    after = page.locator(".st-key-present_words h3").inner_text()
    assert "57 %" in after
    assert after != before
    page.get_by_text("Leave").click()
    page.wait_for_selector("[data-testid=stSidebar] .st-key-utilisation", timeout=30_000)
    settle(page)
    assert "57 %" in page.locator("[data-testid=stMain] h3").first.inner_text()
    assert page.locator(".st-key-utilisation input[type=range]").input_value() == "57"
