"""Tables as CSV files that a spreadsheet opens as text and numbers, never as formulas."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import pandas as pd

# A spreadsheet takes a cell that starts with one of these for a formula
# (OWASP, CSV injection, https://owasp.org/www-community/attacks/CSV_Injection).
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?\d[\d.,]*(e[+-]?\d+)?%?", re.IGNORECASE)
BYTE_ORDER_MARK = "\ufeff"  # without it Excel reads Chinese as the system's old code page


def safe_text(value: Any) -> Any:
    """A text that could be taken for a formula with an apostrophe before it; everything else as it is.

    Texts that are nothing but a number ("-4.2") stay: they can do no harm and are wanted as numbers.
    """
    if not isinstance(value, str) or not value.lstrip(" ").startswith(FORMULA_STARTS) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"


def csv_bytes(table: pd.DataFrame) -> bytes:
    """The table as UTF-8 with a byte-order mark; headers and texts made safe."""
    safe = table.map(safe_text)
    safe.columns = [safe_text(str(name)) for name in table.columns]
    return (BYTE_ORDER_MARK + safe.to_csv(index=False, lineterminator="\r\n")).encode("utf-8")


def csv_zip(tables: Mapping[str, pd.DataFrame]) -> bytes:
    """One zip of CSV files; ``tables`` by file name without its ending."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, table in tables.items():
            archive.writestr(f"{name}.csv", csv_bytes(table))
    return stream.getvalue()
