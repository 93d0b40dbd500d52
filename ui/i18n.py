"""Words of the page in the chosen language: ``t("key", name=value)``."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

WORDS_DIR = Path(__file__).parent / "words"
LANGUAGES: dict[str, str] = {"en": "English", "zh": "中文"}
DEFAULT_LANGUAGE = "en"
_chosen: ContextVar[str | None] = ContextVar("language", default=None)


@lru_cache(maxsize=len(LANGUAGES))
def words(language: str) -> dict[str, str]:
    """Catalogue of one language, key to text. Raises KeyError where the language has none."""
    if language not in LANGUAGES:
        raise KeyError(f"no words for language '{language}'")
    catalogue: dict[str, str] = json.loads((WORDS_DIR / f"{language}.json").read_text(encoding="utf-8"))
    return catalogue


@contextmanager
def use_language(code: str) -> Iterator[None]:
    """Everything said inside speaks ``code``, with or without a page being drawn (exports, scripts, tests).

    Raises KeyError for a language without words.
    """
    words(code)
    token = _chosen.set(code)
    try:
        yield
    finally:
        _chosen.reset(token)


def language() -> str:
    """Code of the language in use: that of ``use_language``, else the page's; English where no page is being drawn."""
    forced = _chosen.get()
    if forced is not None:
        return forced
    if get_script_run_ctx(suppress_warning=True) is None:
        return DEFAULT_LANGUAGE
    chosen = st.session_state.get("lang", DEFAULT_LANGUAGE)
    return chosen if chosen in LANGUAGES else DEFAULT_LANGUAGE


def browser_language() -> str:
    """The browser's language where we speak it, else English."""
    code = (st.context.locale or "").split("-")[0].lower()
    return code if code in LANGUAGES else DEFAULT_LANGUAGE


class _Counting(string.Formatter):
    """Fills in ``{n:month|months}`` as "1 month" or "36 months", everything else as ``str.format`` does."""

    def format_field(self, value: Any, format_spec: str) -> str:
        one, bar, many = format_spec.partition("|")
        if not bar:
            return str(format(value, format_spec))
        return f"{value} {one if str(value) in _ONE else many}"


_COUNTING = _Counting()
_ONE = ("1", "1.0")


def t(key: str, **values: object) -> str:
    """Text of ``key`` with its ``{placeholders}`` filled in. Raises KeyError for an unknown key or a missing value.

    A placeholder that counts something carries the noun in both numbers: ``{n:month|months}``.
    """
    text = words(language())[key]
    if not values:
        return text
    return _COUNTING.vformat(text, (), values) if "|" in text else text.format(**values)
