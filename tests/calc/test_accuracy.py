from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from calc.accuracy import measured_memory_gib, measured_speed, summary


def test_memory_is_read_in_its_unit() -> None:
    frame = pd.DataFrame({"peak_mem_gb": ["1.073741824", "2", ""], "mem_unit": ["GB", "GiB", ""]})
    assert measured_memory_gib(frame).tolist()[:2] == pytest.approx([1.0, 2.0])
    assert np.isnan(measured_memory_gib(frame)[2])


def test_speed_falls_back_to_the_step() -> None:
    frame = pd.DataFrame(
        {
            "seq_len": ["1000", "1000", "1000"],
            "micro_batch": ["2", "2", "2"],
            "grad_accum": ["4", "", "4"],
            "tensor_parallel": ["", "", "2"],
            "tokens_per_s_per_gpu": ["500", "", ""],
            "step_s": ["", "2", "2"],
        }
    )
    assert measured_speed(frame).tolist() == pytest.approx([500, 1000, 2000])


def test_summary_weighs_sources_not_rows() -> None:
    part = pd.DataFrame(
        {
            "source": ["a"] * 80 + ["b"] * 8,
            "error": [0.01] * 80 + [-0.5] * 8,
            "covered": [True] * 80 + [False] * 8,
        }
    )
    found = summary(part)
    assert found["coverage_80"] == pytest.approx(0.5)
    assert found["predicted_share"] == 1
    assert 0.01 < found["p90_abs_error"] <= 0.5


def test_summary_counts_what_was_not_predicted() -> None:
    part = pd.DataFrame({"source": ["a", "a"], "error": [0.1, np.nan], "covered": [True, False]})
    assert summary(part)["predicted_share"] == 0.5
