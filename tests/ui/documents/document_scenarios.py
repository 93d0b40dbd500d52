"""Scenarios that exercise the documents: a loan, yuan with typed lines, spot, a reservation, a job too large."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from calc.scenario import Scenario, scenario_from_flat
from calc.tables import Tables, load_tables

LINK = "https://planner.example/?s=" + "eNo" * 180

SCENARIOS: dict[str, dict[str, Any]] = {
    "default": {},
    "loan": {
        "gpu": "H100-SXM5-80GB",
        "num_gpus": 16,
        "horizon_months": 24,
        "own": {"loan_rate": 0.09, "loan_months": 60, "refresh_every_months": 12, "refresh_fraction": 0.1},
    },
    "yuan": {
        "num_gpus": 8,
        "market": "China",
        "currency": "CNY",
        "horizon_months": 48,
        "utilisation": 75.0,
        "own": {"gpu_price": 20_000.0, "insurance_rate": 0.01},
        "rent": {
            **{"annual_price_change": -0.2, "price_floor_per_gpu_hour": 1.2, "upfront": 100.0, "support_rate": 0.1},
            **{"sales_tax_rate": 0.06, "storage_gb": 500.0, "hours_per_run": 3.3, "startup_hours": 0.2},
            "billing_increment_hours": 1.0,
        },
    },
    "spot": {
        "gpu": "A100-SXM4-80GB",
        "num_gpus": 32,
        "currency": "EUR",
        "market": "Europe",
        "rent_mode": "spot",
    },
    "reserved": {"gpu": "H100-SXM5-80GB", "num_gpus": 8, "rent_mode": "reserved", "utilisation": 20.0},
}


# A card without a price, a job far too large for any card here.
HOPELESS: dict[str, Any] = {"gpu": "Biren BR104 32GB", "model": "Llama-3.1-405B"}


@lru_cache(maxsize=1)
def tables() -> Tables:
    return load_tables()


def scenario(name: str, **changes: Any) -> Scenario:
    return scenario_from_flat({**SCENARIOS[name], **changes})
