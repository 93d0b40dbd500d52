"""Time of one full recomputation of the own-or-rent page, against a plain loop over a few of the same draws.

Run: ``python tests/bench/bench_cost.py``. Prints milliseconds and the ratio measured in the same run.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np  # noqa: E402

from calc.cost import evaluate  # noqa: E402
from calc.cost_map import break_even_price_curve, saving_map  # noqa: E402
from calc.cost_scenario import CostScenario, OwnCost, RentCost, with_values  # noqa: E402
from calc.uncertainty import Range, draw, simulate, tornado  # noqa: E402

LOOPED = 200
SCENARIO = CostScenario(
    horizon_months=36,
    discount_rate=0.08,
    own=OwnCost(
        num_gpus=8, gpu_price=28_000, host_price=4_000, gpu_power_w=700, host_power_w=575, idle_power_w=200,
        load_factor=0.76, pue=1.54, electricity_price=0.0826, maintenance_rate=0.05, resale_fraction=0.3,
        staff_per_month=2_000,
    ),
    rent=RentCost(price_per_gpu_hour=3.8, annual_price_change=-0.05),
)  # fmt: skip
RANGES = {
    "utilisation": Range(0.3, 0.6, 0.9),
    "discount_rate": Range(0.0, 0.08, 0.12),
    "own.gpu_price": Range(25_000, 28_000, 40_000),
    "own.host_price": Range(2_000, 4_000, 10_000),
    "own.load_factor": Range(0.7, 0.76, 0.82),
    "own.idle_power_w": Range(70, 200, 300),
    "own.pue": Range(1.1, 1.54, 1.9),
    "own.electricity_price": Range(0.06, 0.0826, 0.3),
    "own.maintenance_rate": Range(0.01, 0.05, 0.15),
    "own.resale_fraction": Range(0.2, 0.3, 0.46),
    "own.staff_per_month": Range(500, 2_000, 6_000),
    "rent.price_per_gpu_hour": Range(1.5, 3.8, 12.0),
    "rent.annual_price_change": Range(-0.44, -0.05, 0.4),
}


def page() -> None:
    """Everything the page shows for one scenario."""
    evaluate(SCENARIO)
    simulate(SCENARIO, RANGES)
    tornado(SCENARIO, RANGES)
    saving_map(SCENARIO, np.linspace(0.0, 1.0, 51), 72)
    for path, span in RANGES.items():
        break_even_price_curve(SCENARIO, path, np.linspace(span.low, span.high, 41))


def loop() -> None:
    """The same draws one at a time."""
    values = draw(RANGES, LOOPED)
    for place in range(LOOPED):
        evaluate(with_values(SCENARIO, {path: float(array[place]) for path, array in values.items()}))


def milliseconds(work: Callable[[], None], repeats: int) -> float:
    """Best of ``repeats`` runs, in processor time."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best * 1000.0


def main() -> None:
    """Prints the figures."""
    page()
    whole = milliseconds(page, 7)
    draws = milliseconds(lambda: simulate(SCENARIO, RANGES) and None, 7)
    looped = milliseconds(loop, 1) / LOOPED * 10_000
    print(
        f"one page: {whole:.0f} ms of one core ({draws:.0f} ms of it 10,000 draws x {SCENARIO.horizon_months} months)"
    )
    print(f"the same draws one at a time: {looped:.0f} ms; vectorised is {looped / draws:.0f} times as fast")


if __name__ == "__main__":
    main()
