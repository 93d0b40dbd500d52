"""A person at the browser: moves every slider, switches pages, reloads, follows a link, saves a picture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from steps import settle, size_and_first_pixel

from ui.links import decode

pytestmark = pytest.mark.e2e

SLIDERS = ("model_size_b", "method", "utilisation", "horizon_months")


@pytest.fixture(name="page")
def _page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1920, "height": 1080}, accept_downloads=True)
    yield context.new_page()
    context.close()


def load(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("[data-testid=stMain] h3", timeout=60_000)
    page.wait_for_selector(".st-key-copy_link button", timeout=60_000)
    settle(page)


def sentence(page: Any) -> str:
    return str(page.locator("[data-testid=stMain] h3").first.inner_text())


def press(page: Any, slider: str, key: str = "ArrowRight") -> None:
    page.locator(f".st-key-{slider} input[type=range]").focus()
    page.keyboard.press(key)
    settle(page)


def linked(page: Any) -> dict[str, Any]:
    """The scenario in the address."""
    return decode(page.evaluate("new URL(window.location.href).searchParams.get('s')")).values


def go(page: Any, place: int) -> None:
    page.locator("[data-testid=stTopNavLink]").nth(place).click()
    page.wait_for_timeout(500)
    settle(page)


def test_sliders_pages_reload_and_back(page: Any, address: str) -> None:
    # The very first visit goes to a sub-page: no dialog may cover it.
    load(page, f"{address}/vram-fit")
    page.wait_for_timeout(1500)
    assert page.locator("[role=dialog]").count() == 0
    before = linked(page)
    said = {sentence(page)}
    for slider in SLIDERS:
        press(page, slider)
        said.add(sentence(page))
    moved = linked(page)
    assert {name for name in SLIDERS if moved[name] != before[name]} == set(SLIDERS)
    assert moved["model"] == "by-size"
    assert len(said) == 3  # size and method change what is needed; money does not
    steps = page.evaluate("history.length")
    for place in (2, 3, 0, 1):
        go(page, place)
        assert linked(page) == moved
    assert sentence(page) in said
    page.go_back()
    page.wait_for_timeout(500)
    settle(page)
    assert linked(page) == moved
    assert page.evaluate("history.length") == steps + 4  # pages, but no moves of a slider
    page.reload()
    page.wait_for_selector(".st-key-copy_link button", timeout=60_000)
    settle(page)
    assert linked(page) == moved


def test_a_language_switch_keeps_every_choice(page: Any, address: str) -> None:
    load(page, f"{address}/training-time")
    press(page, "method")
    wanted = linked(page)
    page.locator(".st-key-lang").get_by_text("中文").click()
    settle(page)
    press(page, "utilisation")
    assert linked(page) == {**wanted, "utilisation": wanted["utilisation"] + 1}
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    page.locator(".st-key-lang").get_by_text("English").click()
    settle(page)
    press(page, "utilisation", "ArrowLeft")
    assert linked(page) == wanted


def test_a_copied_link_restores_everything(page: Any, address: str, browser: Any) -> None:
    load(page, address)
    press(page, "horizon_months")
    page.locator(".st-key-copy_link button").click()
    link = page.locator(".st-key-copy_link button").get_attribute("data-link")
    assert len(link) < 2_000
    other = browser.new_page()
    load(other, link)
    assert linked(other) == linked(page)
    other.goto(link[:-60])
    other.wait_for_selector("text=The link is damaged")
    other.close()


def test_a_number_out_of_range_is_refused_where_it_is_typed(page: Any, address: str) -> None:
    load(page, f"{address}/vram-fit")
    before = linked(page)
    box = page.locator(".st-key-num_gpus input")
    box.fill("99999")
    box.press("Enter")
    settle(page)
    assert "between 1 and 16384" in page.locator(".st-key-num_gpus").inner_text()
    assert linked(page) == before


def test_the_camera_saves_a_large_white_picture(page: Any, address: str, tmp_path: Path) -> None:
    load(page, f"{address}/vram-fit")
    chart = page.locator("[data-testid=stPlotlyChart]").first
    chart.wait_for()
    chart.hover()
    with page.expect_download() as download:
        chart.locator(".modebar-btn[data-title*='PNG' i], .modebar-btn[data-title*='Download' i]").first.click()
    target = tmp_path / download.value.suggested_filename
    download.value.save_as(target)
    width, height, pixel = size_and_first_pixel(target.read_bytes())
    assert width >= 1920
    assert height >= 1080
    assert pixel[:3] == (255, 255, 255)
    assert target.name.startswith("vram-fit_llama-3.1-8b_lora_1x-rtx-4090")
