import numpy as np
import pandas as pd
import pytest

from calc.case_table import cases_from_frame
from calc.devices import device_table
from calc.fit_memory import fit_memory, leave_one_source_out, log_errors, memory_rows
from calc.intervals import source_weights, weighted_quantile
from calc.memory_constants import PRIORS, MemoryConstants
from gpudata import loaders
from gpudata.constants import FOLDER, load_memory_constants


def table_of(name):
    frame = pd.read_csv(FOLDER / name)
    frame = frame[frame["peak_mem_gb"].notna()].reset_index(drop=True)
    devices = device_table(pd.read_csv(FOLDER / "gpus.csv"), pd.read_csv(FOLDER / "achievable_matmul.csv"))
    names = pd.read_csv(FOLDER / "frameworks.csv")
    return frame, cases_from_frame(frame, devices, loaders.load_models(), names, str, str)


@pytest.fixture(scope="module")
def measured():
    frame, table = table_of("measurements.csv")
    return frame, memory_rows(frame, table)


def spread(error, source):
    weights = source_weights(pd.Series(source))
    return [weighted_quantile(np.abs(error), weights, share) for share in (0.5, 0.9)]


def test_runs_counted_on_fake_tensors():
    rows = memory_rows(*table_of("fake_tensor_runs.csv"))
    error = np.abs(np.expm1(log_errors(rows, MemoryConstants.from_mapping(load_memory_constants()))))
    assert len(error) >= 29
    assert np.median(error) < 0.02
    assert np.quantile(error, 0.9) < 0.06


def test_sources_left_out_whole(measured):
    frame, rows = measured
    left = leave_one_source_out(rows)
    error = left["predicted"] / left["measured"] - 1
    middle, high = spread(error, left["source"])
    assert middle < 0.07
    assert high < 0.30
    exact = (frame.loc[left["position"], "mem_kind"] == "allocated").to_numpy()
    middle, high = spread(error[exact], left["source"][exact])
    assert middle < 0.03
    assert high < 0.12


def test_every_row_is_predicted(measured):
    frame, rows = measured
    assert len(rows.measured) >= 0.98 * frame["trust"].isin(["A", "B"]).sum()


def test_the_committed_constants_are_what_the_fit_gives(measured):
    _, rows = measured
    fitted = fit_memory(rows).table()
    for name, entry in load_memory_constants().items():
        assert fitted[name]["value"] == pytest.approx(entry["value"], rel=0.05)
    assert set(fitted) == set(PRIORS)
