"""Cost scenarios of the popular guides' claims, as they are stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def load_cost_presets() -> list[dict[str, Any]]:
    """Rows of ``cost_presets.json``; ``calc.cost_presets`` checks them."""
    path = Path(__file__).with_name("cost_presets.json")
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows
