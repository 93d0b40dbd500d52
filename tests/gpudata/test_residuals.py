"""Residuals of sources left out belong to rows of the measurements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import gpudata
from gpudata.residuals import load_memory_residuals, load_time_residuals

LOADERS = (load_memory_residuals, load_time_residuals)


@pytest.mark.parametrize("load", LOADERS)
def test_rows_are_rows_of_the_measurements(load: Callable[[], pd.DataFrame]) -> None:
    residuals, measured = load(), gpudata.load_measurements()
    assert len(residuals) > 400
    assert residuals["case_id"].tolist() == measured["case_id"].iloc[residuals["position"]].tolist()
    assert (residuals["source"] == residuals["case_id"].str.split("-").str[0]).all()


@pytest.mark.parametrize("load", LOADERS)
def test_log_ratio_is_that_of_the_figures(load: Callable[[], pd.DataFrame]) -> None:
    residuals = load()
    ratio = np.log(residuals["measured"] / residuals["predicted"])
    assert np.allclose(residuals["log_ratio"], ratio, atol=2e-4)


@pytest.mark.parametrize("load", LOADERS)
def test_no_row_of_low_trust(load: Callable[[], pd.DataFrame]) -> None:
    trust = gpudata.load_measurements().set_index("case_id")["trust"]
    assert not trust.loc[load()["case_id"]].eq("C").any()
