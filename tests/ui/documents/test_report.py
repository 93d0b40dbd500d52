"""The report: one file that needs nothing else and says what the app says."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from document_scenarios import HOPELESS, LINK, scenario, tables

from calc.answers import money
from ui.documents.report import report
from ui.documents.report_charts import money_svg
from ui.format import money as money_words
from ui.i18n import use_language
from ui.slides import slides

VOID = {"meta", "img", "br"}


class Tags(HTMLParser):
    """Open tags, addresses, and tags that were not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.addresses += [value or "" for name, value in attrs if name == "src"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(name: str, code: str = "en", link: str = LINK) -> Tags:
    now = scenario(name)
    with use_language(code):
        content = report(slides(now, tables()), now, tables(), link).decode()
    tags = Tags()
    tags.feed(content)
    assert tags.open == []
    return tags


@pytest.mark.parametrize(("name", "code"), [("yuan", "zh"), ("reserved", "en")])
def test_it_stands_alone_and_gives_both_totals(name: str, code: str) -> None:
    tags = parsed(name, code)
    assert "script" not in tags.seen
    assert all(address.startswith("data:") for address in tags.addresses)
    assert tags.seen.count("svg") == 3
    answer = money(scenario(name), tables())
    for total in (answer.own_total, answer.rent_total):
        assert money_words(total, answer.costs.currency) in tags.text


def test_pictures_have_finite_coordinates_inside_their_frame() -> None:
    now = scenario("yuan")
    content = report(slides(now, tables()), now, tables(), LINK).decode()
    for picture in re.findall(r"<svg.*?</svg>", content, re.DOTALL):
        width, height = (float(part) for part in re.search(r'viewBox="0 0 (\S+) (\S+)"', picture).groups())  # type: ignore[union-attr]
        for x, y in re.findall(r'<(?:rect|text) x="([^"]+)" y="([^"]+)"', picture):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height
        assert "nan" not in picture
        assert 'aria-label="' in picture


def test_without_a_price_or_an_address_it_says_so() -> None:
    now = scenario("default", **HOPELESS)
    entries = slides(now, tables())
    content = report(entries, now, tables()).decode()
    assert "<img" not in content
    money_entry = next(entry for entry in entries if entry.key == "own-versus-rent")
    assert money_entry.plain_sentence.split(".")[0][:30] in content.replace("<strong>", "").replace("</strong>", "")


def test_the_line_of_owning_ends_at_its_total() -> None:
    frame = pd.DataFrame({"month": [0.0, 12.0]} | {f"own{end}": [50.0, 80.0] for end in ("", "_low", "_high")})
    frame = frame.assign(rent=[0.0, 70.0], rent_low=[0.0, 70.0], rent_high=[0.0, 70.0])
    drawn = money_svg(frame, None, "USD", "title", back=30.0)
    assert "Own 50" in drawn
    assert "Rent 70" in drawn
