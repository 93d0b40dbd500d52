"""Both READMEs say the same: structure, commands, code in the text, figures of the tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENGLISH, CHINESE = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
PARTS = re.split(r"^## .*$", ENGLISH, flags=re.M), re.split(r"^## .*$", CHINESE, flags=re.M)


def blocks(text: str) -> list[str]:
    return re.findall(r"^```\n(.*?)^```", text, flags=re.M | re.S)


def test_they_link_to_each_other() -> None:
    assert "(README.zh.md)" in ENGLISH.split("## ")[0]
    assert "(README.md)" in CHINESE.split("## ")[0]


def test_same_headings_in_the_same_order() -> None:
    levels = [[len(marks) for marks in re.findall(r"^(#+) ", text, flags=re.M)] for text in (ENGLISH, CHINESE)]
    assert levels[0] == levels[1]
    assert len(PARTS[0]) == len(PARTS[1]) > 7


def test_same_commands() -> None:
    assert blocks(ENGLISH) == blocks(CHINESE)
    assert len(blocks(ENGLISH)) >= 4


def test_each_part_names_the_same_code_pictures_and_points() -> None:
    for english, chinese in zip(*PARTS, strict=True):
        for pattern in (r"`[^`\n]+`", r"\]\((?!README)([^)]+)\)", r"^- ", r"^\|"):
            found = [sorted(re.findall(pattern, text, flags=re.M)) for text in (english, chinese)]
            assert found[0] == found[1]


def test_each_part_gives_the_same_figures() -> None:
    for english, chinese in zip(*PARTS, strict=True):
        percent = [re.findall(r"[\d.]+ %", text) for text in (english, chinese)]
        assert percent[0] == percent[1]


def test_pages_are_called_as_in_the_app() -> None:
    for parts, language in zip(PARTS, ("en", "zh"), strict=True):
        words = json.loads((ROOT / "ui" / "words" / f"{language}.json").read_text(encoding="utf-8"))
        named = set(re.findall(r"^\| ([^|]+?) \|", parts[3], flags=re.M))
        assert {title for key, title in words.items() if key.startswith("page.")} <= named
