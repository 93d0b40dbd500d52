"""Shared test settings."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import HealthCheck, settings

from calc import answers_money, recommend_space
from calc.uncertainty import simulate

# Two busy cores make wall-clock deadlines flaky; the number of examples bounds the time instead.
settings.register_profile("house", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# Figures and frames are many small objects; collecting cycles after every 700 of them takes a tenth of the run.
gc.set_threshold(50_000, 20, 20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Longest first: the short tests then even out what each process has left to do."""
    items.sort(key=lambda item: not any(part in item.nodeid for part in ("random_scenarios", "e2e")))


@pytest.fixture(scope="module", autouse=True, name="less_work")
def _less_work(request: pytest.FixtureRequest) -> Iterator[None]:
    """A tenth of the draws and smaller machines outside tests/calc: bands and searches are checked there.

    The draws are a third of the time of a page about money, the large machines half of a recommendation's.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "calc" not in request.path.parts:
            patch.setattr(answers_money, "simulate", partial(simulate, draws=1_000))
            patch.setattr(recommend_space, "COUNTS", (1, 2, 4))
        yield
