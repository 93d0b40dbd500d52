"""Time of one whole search on one core, against the same configurations calculated one by one.

Run: ``python tests/bench/bench_recommend.py``. Prints configurations, seconds of the processor and the ratio measured
in the same run. "First" holds nothing in memory but the tables; "limits moved" is a search after a constraint changed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np  # noqa: E402

from calc import recommend_space  # noqa: E402
from calc.answers_hours import hours_with_range  # noqa: E402
from calc.answers_memory import memory_with_range  # noqa: E402
from calc.market import purchase_prices, rental_prices  # noqa: E402
from calc.recommend import Constraints, recommend  # noqa: E402
from calc.recommend_space import TECHNIQUE_FIELDS, Configurations, configurations  # noqa: E402
from calc.scenario import Scenario, scenario_from_flat  # noqa: E402
from calc.scenario_cases import scenario_cases  # noqa: E402
from calc.tables import load_tables  # noqa: E402

SINGLE = 200
REPEATS = 5
SCENARIO = scenario_from_flat({"market": "China", "currency": "CNY"})


def seconds(run: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    run()
    return time.process_time() - start


def alone(found: Configurations, place: int, scenario: Scenario) -> None:
    """Memory and hours of one configuration, as the pages calculate them."""
    count, link = found.layouts[found.layout[place]]
    way = dict(zip(TECHNIQUE_FIELDS, found.techniques[found.technique[place]], strict=True))
    way["parallelism"] = "auto" if way["parallelism"] == "single" else way["parallelism"]
    batch, accumulation = int(found.micro_batch[place]), int(found.grad_accum[place])
    fields = {"gpu": found.cards[found.card[place]], "num_gpus": count, "link": link, **way}
    one = scenario_from_flat({**scenario.flat(), **fields, "micro_batch": batch, "grad_accum": accumulation})
    cases = scenario_cases(one, load_tables())
    memory_with_range(cases, load_tables())
    hours_with_range(one, cases, load_tables())


def main() -> None:
    """Prints the figures."""
    tables, limits = load_tables(), Constraints(budget_once=10_000, term_weeks=3)
    rental_prices(tables, "China", "CNY")
    purchase_prices(tables, "China", "CNY")
    configurations(SCENARIO, limits, tables, ["RTX 4090"])
    first = seconds(lambda: recommend(SCENARIO, limits, tables))
    space = []
    for _ in range(REPEATS):
        recommend_space.cached_configurations.cache_clear()
        space.append(seconds(lambda: configurations(SCENARIO, limits, tables)))
    moved = []
    for budget in (5_000.0, 7_000.0, 9_000.0, 11_000.0, 13_000.0):
        changed = limits.model_copy(update={"budget_once": budget})
        moved.append(seconds(partial(recommend, SCENARIO, changed, tables)))
    found = recommend(SCENARIO, limits, tables)
    fitting = configurations(SCENARIO, limits, tables)
    picked = np.random.default_rng(1).choice(len(fitting.hours), SINGLE, replace=False)
    single = sum(seconds(partial(alone, fitting, int(place), SCENARIO)) for place in picked) / SINGLE
    technical = min(space)
    print(f"configurations searched       {found.n_searched:>12,}")
    print(f"priced in all ways of paying  {found.n_priced:>12,}")
    print(f"memory and hours of all       {technical:>12.3f} s")
    print(f"first recommendation          {first:>12.3f} s")
    print(f"after limits moved            {min(moved):>12.3f} s")
    print(f"one configuration alone       {single * 1e3:>12.3f} ms")
    print(f"one by one over all at once   {single * found.n_searched / technical:>12,.0f} x")


if __name__ == "__main__":
    main()
