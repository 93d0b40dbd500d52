"""Both languages say the same things, and the code says nothing that a language lacks."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

from calc.scenario import FLAT_FIELDS
from ui.i18n import LANGUAGES, WORDS_DIR, t, words
from ui.state import choices

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [ROOT / "app.py", *(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def spoken() -> tuple[set[str], set[str]]:
    """Word keys in the code: whole ones, and regular expressions of those put together at run time."""
    whole: set[str] = set()
    patterns: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole.add(node.value)
            if isinstance(node, ast.JoinedStr):
                parts = [re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in node.values]
                patterns.add("".join(parts))
    return whole, {pattern for pattern in patterns if re.match(r"[a-z_]+\\\.", pattern) or pattern.startswith(".+\\.")}


def literal_calls() -> set[str]:
    found: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "t" and node.args:
                for part in ast.walk(node.args[0]):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and "." in part.value:
                        found.add(part.value)
    return found


def test_both_languages_have_the_same_keys_and_placeholders() -> None:
    first, *others = LANGUAGES
    for other in others:
        assert words(first).keys() == words(other).keys()
        wrong = [key for key in words(first) if placeholders(words(first)[key]) != placeholders(words(other)[key])]
        assert wrong == []


def test_no_text_is_empty_or_left_in_english() -> None:
    for language in LANGUAGES:
        assert [key for key, text in words(language).items() if not text] == []
    chinese = re.compile(r"[\u4e00-\u9fff]")
    same = [
        key
        for key, text in words("zh").items()
        if key.startswith(("sentence.", "help.", "problem.", "link.", "empty.", "page.", "group.", "action."))
        and not chinese.search(text)
        and text not in {".", "。", "{low} 至 {high}", "（{span}）。"}
    ]
    assert same == []


def test_every_key_in_the_code_exists() -> None:
    keys = words("en").keys()
    missing = {
        key
        for key in literal_calls()
        if key not in keys and not key.endswith(".") and not any(known.startswith(key) for known in keys)
    }
    assert missing == set()


def test_no_text_is_unused() -> None:
    whole, patterns = spoken()
    unused = [key for key in words("en") if key not in whole and not any(re.fullmatch(form, key) for form in patterns)]
    assert unused == []


def test_every_field_and_choice_has_a_name() -> None:
    for name in FLAT_FIELDS:
        assert t(f"field.{name}")
        assert [value for value in choices(name) if f"option.{name}.{value}" not in words("en")] == []


def test_the_files_are_sorted_so_that_changes_show_in_a_diff() -> None:
    for language in LANGUAGES:
        assert list(words(language)) == sorted(words(language))
        assert (WORDS_DIR / f"{language}.json").read_text(encoding="utf-8").endswith("}\n")


def test_an_unknown_language_or_key_is_an_error() -> None:
    with pytest.raises(KeyError):
        words("xx")
    with pytest.raises(KeyError):
        t("no.such.key")


# Nouns that follow a number in the English texts, by their plural.
COUNTED = (
    "assumptions|cards|charts|dates|days|epochs|hours|methods|months|offers|places|plans|points|providers|runs|samples"
    "|scenarios|settings|sources|statements|stories|tokens|years"
)


def test_nouns_after_a_number_come_in_both_numbers() -> None:
    fixed = re.compile(rf"\{{\w+\}}\*{{0,2}} (?:more |published |saved )?(?:{COUNTED})\b(?!:)")
    # cards over a link: one card is never compared with itself; more tokens: after a share
    known = {"chart.title.scaling", "chart.title.scaling_gap", "guides.answer.c48"}
    assert {key for key, text in words("en").items() if fixed.search(text)} - known == set()


def test_one_of_a_thing_is_not_two_of_it() -> None:
    counted = re.compile(r"\{(\w+):([^{}|]+)\|([^{}|]+)\}")
    found = {key: counted.findall(text) for key, text in words("en").items() if "|" in text}
    assert len(found) > 40
    for key, places in found.items():
        assert places, f"{key}: a bar outside a counted placeholder"
        names = placeholders(words("en")[key])
        for name, one, many in places:
            assert f"1 {one}" in t(key, **{**dict.fromkeys(names, "7"), name: "1"})
            assert f"1,200 {many}" in t(key, **{**dict.fromkeys(names, "7"), name: "1,200"})


def test_chinese_needs_no_plural() -> None:
    assert [key for key, text in words("zh").items() if "|" in text] == []
