"""Every page in both themes passes axe-core, and the keyboard alone reaches everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from steps import settle

from calc.scenario import FLAT_FIELDS
from ui.frame import PAGES

pytestmark = pytest.mark.e2e

# Follows a link without loading the app again, also from the page that shows no bar.
GO = "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')); }"
UNFOLD = "() => document.querySelectorAll('details:not([open]) summary').forEach(part => part.click())"
FOCUSED = """() => {
  let found = document.activeElement;
  while (found.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  const keyed = found.closest('[class*=st-key-]') ?? found.getRootNode().host?.closest('[class*=st-key-]');
  return {
    key: keyed ? /st-key-([\\w-]+)/.exec(keyed.className)[1] : '',
    kind: found.tagName,
    link: found.closest('[data-testid=stTopNavLink]') !== null,
    camera: found.matches('.modebar-btn'),
  };
}"""


def opened(browser: Any, address: str, theme: str) -> Any:
    page = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=theme).new_page()
    page.goto(address)
    page.wait_for_selector("[data-testid=stMain] h3", timeout=60_000)
    settle(page)
    return page


@pytest.fixture(scope="module", params=["light", "dark"], name="page")
def _page(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    page = opened(browser, address, request.param)
    yield page
    page.context.close()


@pytest.mark.parametrize("place", [path for _, path, _ in PAGES])
def test_axe_finds_nothing(page: Any, place: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.evaluate(GO, f"/{place}")
    settle(page)
    page.evaluate(UNFOLD)
    settle(page)
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()


def test_tab_reaches_inputs_links_cameras_and_folded_parts(browser: Any, address: str) -> None:
    page = opened(browser, f"{address}/vram-fit", "light")
    page.locator(".js-plotly-plot .modebar-btn").nth(4).wait_for(state="attached")
    settle(page)
    reached: list[dict[str, Any]] = []
    while len(reached) < 60 or (len(reached) < 150 and reached[-1] != reached[0]):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    keys = {part["key"] for part in reached}
    shown = page.evaluate(
        "() => [...document.querySelectorAll('[data-testid=stSidebar] [class*=st-key-]')]"
        ".filter(part => part.checkVisibility()).map(part => /st-key-([\\w-]+)/.exec(part.className)[1])"
    )
    inputs = set(shown) & {*FLAT_FIELDS, "lang", "reset", "copy_link", "how", "link_group"}
    assert len(inputs) >= 15
    assert inputs - keys == set()
    folded = page.locator("details summary").count()
    assert sum(part["kind"] == "SUMMARY" for part in reached) >= folded > 5
    assert sum(part["link"] for part in reached) >= page.locator("[data-testid=stTopNavLink]").count() > 3
    cameras = page.locator(".js-plotly-plot .modebar-btn").count()
    assert sum(part["camera"] for part in reached) >= cameras >= 3
    page.context.close()
