"""Saved scenarios and limits travel in the address: a copied link and a reload bring both back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from steps import settle
from test_app import load

pytestmark = pytest.mark.e2e


@pytest.fixture(name="page")
def _page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    yield context.new_page()
    context.close()


def part(page: Any, name: str) -> str:
    return str(page.evaluate(f"new URL(window.location.href).searchParams.get('{name}') ?? ''"))


def test_saved_scenarios_and_limits_come_back(page: Any, address: str, browser: Any) -> None:
    load(page, f"{address}/what-to-take?lang=en")
    assert (part(page, "c"), part(page, "r")) == ("", "")
    budget = page.locator(".st-key-limit_budget_once input")
    budget.fill("5000")
    budget.press("Enter")
    settle(page)
    page.locator(".st-key-add_to_compare button").click()
    settle(page)
    kept = {name: part(page, name) for name in "scr"}
    assert all(kept.values())
    page.reload()
    page.wait_for_selector(".st-key-copy_link button", timeout=60_000)
    settle(page)
    assert {name: part(page, name) for name in "scr"} == kept
    assert page.locator(".st-key-limit_budget_once input").input_value() == "5000"
    page.locator(".st-key-copy_link button").click()
    link = page.locator(".st-key-copy_link button").get_attribute("data-link")
    other = browser.new_page()
    load(other, link.replace("what-to-take", "side-by-side"))
    assert {name: part(other, name) for name in "scr"} == kept
    assert other.locator("[class*=st-key-compare_open_]").count() == 1
    other.close()
