"""What a list of changed scenarios needs and takes: one call of the memory and time models for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from calc.answers_hours import hours_with_range
from calc.answers_memory import memory_with_range
from calc.cases import Cases, take
from calc.scenario import Scenario
from calc.scenario_cases import scenario_cases
from calc.tables import Tables
from calc.verdict import memory_verdict

RANK = {"": 0, "no": 0, "tight": 1, "fits": 2}
# Main memory that offloading can count on: a desktop board takes four modules of 64 GB, a DGX H100 comes with 2 TB.
DESKTOP_RAM_GIB, SERVER_RAM_GIB = 256.0, 2048.0


def changed_cases(scenario: Scenario, tables: Tables, overrides: Sequence[Mapping[str, Any]]) -> Cases:
    """Cases of a scenario under each of the given flat field overrides."""
    flat = scenario.flat()
    names = {name for fields in overrides for name in fields} | {"micro_batch"}
    columns = {name: [fields.get(name, flat[name]) for fields in overrides] for name in names}
    gpus, methods = columns.pop("gpu", None), columns.pop("method", None)
    return scenario_cases(scenario, tables, gpus=gpus, methods=methods, **columns)


def memory_of(cases: Cases, tables: Tables) -> pd.DataFrame:
    """Peak and usable memory in GiB, verdict, main memory a machine needs, and a rank: 2 fits, 1 tight, 0 no.

    A job that offloads more than the machine's main memory can hold ranks 0.
    """
    estimate, peak, low, high = memory_with_range(cases, tables)
    assert cases.device is not None
    usable = np.asarray(cases.device.memory_gib_usable, dtype=float)
    verdict = np.broadcast_to(memory_verdict(estimate, low / peak, high / peak, usable), peak.shape)
    host = np.broadcast_to(np.asarray(estimate.host_ram_gib, dtype=float), peak.shape)
    limit = np.where(np.asarray(cases.device.segment) == "datacenter", SERVER_RAM_GIB, DESKTOP_RAM_GIB)
    rank = np.array([RANK[str(word)] for word in verdict])
    return pd.DataFrame(
        {
            "peak_gib": peak,
            "usable_gib": np.broadcast_to(usable, peak.shape),
            "verdict": verdict,
            "rank": np.where(host > limit, 0, rank),
            "host_ram_gib": host,
            "host_fits": host <= limit,
        }
    )


def hours_of(scenario: Scenario, cases: Cases, tables: Tables, rows: np.ndarray) -> np.ndarray:
    """Hours of the whole run for some of the cases, in the order of ``rows``."""
    return hours_with_range(scenario, take(cases, rows), tables)[1]
