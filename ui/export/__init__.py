"""Charts that leave the app: the camera on the page, and picture files for scripts (``python -m ui.export``)."""

from ui.export.page import (
    DARK_INVERT,
    chart_css,
    file_stem,
    numbers_table,
    show_chart,
    show_numbers,
    slug,
    table_of_lines,
)

__all__ = [
    "DARK_INVERT",
    "chart_css",
    "file_stem",
    "numbers_table",
    "show_chart",
    "show_numbers",
    "slug",
    "table_of_lines",
]
