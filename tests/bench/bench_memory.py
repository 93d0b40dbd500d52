"""Prints how far the memory model is off on sources its constants never saw, and on counted fake-tensor runs.

Run: ``python tests/bench/bench_memory.py``
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from calc.case_table import CaseTable, cases_from_frame  # noqa: E402
from calc.devices import device_table  # noqa: E402
from calc.fit_memory import fit_memory, leave_one_source_out, log_errors, memory_rows  # noqa: E402
from calc.intervals import source_weights, weighted_quantile  # noqa: E402
from gpudata import loaders  # noqa: E402

DATA = ROOT / "gpudata"


def read(name: str) -> tuple[pd.DataFrame, CaseTable]:
    """One table of runs with a peak, and its cases; names in these tables are exact."""
    frame = pd.read_csv(DATA / name)
    frame = frame[frame["peak_mem_gb"].notna()].reset_index(drop=True)
    devices = device_table(pd.read_csv(DATA / "gpus.csv"), pd.read_csv(DATA / "achievable_matmul.csv"))
    names = pd.read_csv(DATA / "frameworks.csv")
    return frame, cases_from_frame(frame, devices, loaders.load_models(), names, str, str)


def line(name: str, error: np.ndarray, source: pd.Series) -> str:
    """Median and 90th percentile of the absolute error with every source weighing the same."""
    weights, size = source_weights(source), np.abs(error)
    middle, high = (weighted_quantile(size, weights, share) for share in (0.5, 0.9))
    return f"{name:28s} {len(error):4d} rows  median {middle:6.1%}  90th percentile {high:6.1%}"


def main() -> None:
    """Left-out accuracy overall, by kind and source, then the ten worst misses."""
    frame, table = read("measurements.csv")
    rows = memory_rows(frame, table)
    left = leave_one_source_out(rows)
    left["error"] = left["predicted"] / left["measured"] - 1
    left["kind"] = frame.loc[left["position"], "mem_kind"].to_numpy()
    left["case_id"] = frame.loc[left["position"], "case_id"].to_numpy()
    print(line("left out, all", left["error"].to_numpy(), left["source"]))
    for column in ("kind", "source"):
        for name, part in left.groupby(column):
            print(line(f"{column} {name}", part["error"].to_numpy(), part["source"]))
    coarse = memory_rows(frame, table, trust=("C",))
    constants = fit_memory(rows).constants
    print(line("trust C", np.expm1(log_errors(coarse, constants)), pd.Series(coarse.source)))
    counted = memory_rows(*read("fake_tensor_runs.csv"))
    print(line("fake-tensor runs", np.expm1(log_errors(counted, constants)), pd.Series(counted.source)))
    worst = left.reindex(left["error"].abs().sort_values(ascending=False).index).head(10)
    print(worst[["case_id", "measured", "predicted", "error"]].to_string(index=False))


if __name__ == "__main__":
    main()
