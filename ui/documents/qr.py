"""The scenario's link and its code for a telephone's camera."""

from __future__ import annotations

import base64
import io
from urllib.parse import urlsplit, urlunsplit

import segno

from calc.scenario import Scenario
from ui.links import encode

_QUIET_ZONE = 4  # free modules round the code, ISO/IEC 18004


def scenario_link(scenario: Scenario, address: str | None) -> str:
    """Address of the landing page with the whole scenario; blank where the app's ``address`` is not known.

    address: any page of the app, as the browser shows it.
    """
    if not address:
        return ""
    parts = urlsplit(address)
    folder = parts.path.rpartition("/")[0]
    return urlunsplit((parts.scheme, parts.netloc, f"{folder}/", f"s={encode(scenario.flat())}", ""))


def qr_png(link: str, scale: int = 8) -> bytes:
    """The code of ``link`` as a black and white PNG, ``scale`` pixels a module.

    Raises segno.DataOverflowError beyond 2,953 characters.
    """
    stream = io.BytesIO()
    segno.make(link, error="l", micro=False).save(stream, kind="png", scale=scale, border=_QUIET_ZONE)
    return stream.getvalue()


def qr_data_url(link: str) -> str:
    """The code as an address that holds the picture itself, for pages that must work alone."""
    return f"data:image/png;base64,{base64.b64encode(qr_png(link, 4)).decode()}"
