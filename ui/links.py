"""A whole scenario in one short piece of text that survives chat programs: the ``s`` parameter of a link.

Saved scenarios (``c``) and constraints (``r``) travel the same way.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from calc.scenario import FLAT_FIELDS, SCENARIO_VERSION

MAX_LINK_CHARS = 8_000  # proxies cut addresses at about 8,190
_MAX_JSON_BYTES = 65_536
_FIELD = re.compile(r'[{,]("(?:[^"\\]|\\.)*"):')  # its name in a flat compact object


@dataclass(frozen=True)
class Opened:
    """What came out of a link: usable values by flat field name, and what was wrong with it.

    ``damaged``: part of the text could not be read. ``version``: the version written in it (0 where unreadable).
    ``unknown``: names that this version does not know.
    """

    values: dict[str, Any] = field(default_factory=dict)
    damaged: bool = False
    version: int = 0
    unknown: tuple[str, ...] = ()

    @property
    def newer(self) -> bool:
        """Whether a later version of the app wrote it."""
        return self.version > SCENARIO_VERSION

    @property
    def older(self) -> bool:
        """Whether an earlier version of the app wrote it."""
        return 0 < self.version < SCENARIO_VERSION


def pack(content: Mapping[str, Any]) -> str:
    """Short text of a flat JSON object: compact JSON, zlib, URL-safe base64 without padding."""
    plain = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
    return base64.urlsafe_b64encode(zlib.compress(plain, 9)).rstrip(b"=").decode()


def unpack(text: str) -> tuple[dict[str, Any], bool]:
    """What ``pack`` wrote, as far as it can be read, and whether all of it is intact. Never raises for any text."""
    if not text or len(text) > MAX_LINK_CHARS:
        return {}, False
    plain, whole = _unpack(text.strip())
    content, complete = _parse(plain)
    return content, whole and complete


def encode(values: Mapping[str, Any]) -> str:
    """Text of all flat fields and their version."""
    return pack({"version": SCENARIO_VERSION, **{name: values[name] for name in FLAT_FIELDS if name in values}})


def _unpack(text: str) -> tuple[str, bool]:
    """As much of the JSON text as can be had, and whether all of it is intact."""
    whole = True
    usable = text[: len(text) - 1] if len(text) % 4 == 1 else text
    try:
        packed = base64.b64decode(usable + "=" * (-len(usable) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return "", False
    unpacker = zlib.decompressobj()
    plain = bytearray()
    try:
        for byte in packed:  # one at a time: a broken stream still gives what came before the break
            plain += unpacker.decompress(bytes((byte,)), _MAX_JSON_BYTES)
            if len(plain) > _MAX_JSON_BYTES:
                return "", False
        plain += unpacker.flush()
        whole = unpacker.eof and usable == text
    except zlib.error:
        whole = False
    return plain.decode("utf-8", errors="ignore"), whole


def _parse(plain: str) -> tuple[dict[str, Any], bool]:
    """The JSON object and True, or the fields before the place where it breaks off and False."""
    try:
        content, whole = json.loads(plain), True
    except (ValueError, RecursionError):
        content, whole = _fields_before_break(plain), False
    return (content, whole) if isinstance(content, dict) and _is_text(content) else ({}, False)


def _is_text(content: Mapping[str, Any]) -> bool:
    """Whether all of it can be written again: JSON may spell half a surrogate pair, which is no text."""
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _fields_before_break(plain: str) -> dict[str, Any]:
    """Every field that ends before the break, in one pass: a hostile text must not keep the server busy."""
    found: dict[str, Any] = {}
    reader, place = json.JSONDecoder(), 0
    try:
        while name := _FIELD.match(plain, place):
            value, place = reader.raw_decode(plain, name.end())
            if plain[place : place + 1] not in (",", "}"):
                break  # a number that breaks off would pass for another one
            found[json.loads(name[1])] = value
    except (ValueError, RecursionError):
        return found
    return found


def decode(text: str) -> Opened:
    """Reads what ``encode`` wrote, keeping what a damaged text still holds. Never raises for any text."""
    content, whole = unpack(text)
    version = content.pop("version", 0)
    readable = isinstance(version, int) and not isinstance(version, bool) and version > 0
    return Opened(
        values={name: value for name, value in content.items() if name in FLAT_FIELDS},
        damaged=not (whole and readable),
        version=version if readable else 0,
        unknown=tuple(sorted(str(name)[:40] for name in content if name not in FLAT_FIELDS)),
    )
