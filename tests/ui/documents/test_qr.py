"""The link in the documents opens the scenario, and the code holds it."""

from __future__ import annotations

import struct
from urllib.parse import parse_qs, urlsplit

import pytest
from document_scenarios import SCENARIOS, scenario

from calc.scenario import FLAT_FIELDS
from ui.documents.qr import qr_data_url, qr_png, scenario_link
from ui.links import decode


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_link_holds_every_choice_in_few_characters(name: str) -> None:
    now = scenario(name)
    link = scenario_link(now, "https://planner.example/gpu/export")
    assert link.startswith("https://planner.example/gpu/?s=")
    assert len(link) < 2_000
    values = decode(parse_qs(urlsplit(link).query)["s"][0]).values
    assert values == {field: now.flat()[field] for field in FLAT_FIELDS}


def test_no_address_no_link() -> None:
    assert scenario_link(scenario("default"), None) == ""


def test_the_code_is_a_square_png_with_a_quiet_zone() -> None:
    data = qr_png("https://planner.example/?s=abc", 8)
    width, height = struct.unpack(">II", data[16:24])
    assert width == height
    assert width % 8 == 0
    assert qr_data_url("https://planner.example/").startswith("data:image/png;base64,")
