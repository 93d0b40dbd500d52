"""Shared test settings."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Two busy cores make wall-clock deadlines flaky; the number of examples bounds the time instead.
settings.register_profile("house", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
