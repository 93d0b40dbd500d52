"""The GPU table repeats the tables it comes from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from calc.gpu_table import CONDITIONS, gpu_table, selected
from calc.tables import Tables, load_tables
from gpudata.prices import convert, rental_summary


@pytest.fixture(scope="module", name="tables")
def _tables() -> Tables:
    return load_tables()


@pytest.fixture(scope="module", name="frame")
def _frame(tables: Tables) -> pd.DataFrame:
    return gpu_table(tables, "US", "USD", "on_demand")


def test_every_card_once_with_its_published_figures(tables: Tables, frame: pd.DataFrame) -> None:
    assert frame["gpu"].tolist() == tables.gpus["gpu"].tolist()
    assert frame["short"].is_unique
    for column in ("memory_gb", "memory_gib_usable", "memory_bandwidth_gb_s", "tdp_w"):
        assert frame[column].to_numpy() == pytest.approx(tables.gpus[column].to_numpy(dtype=float), nan_ok=True)
    card = frame.set_index("gpu").loc["RTX 4090"]
    assert (card["dense16_tflops"], card["year"], card["link"]) == (165.2, 2022, "")


def test_cards_without_bf16_show_their_fp16_rate(tables: Tables, frame: pd.DataFrame) -> None:
    gpus, old = tables.gpus.set_index("gpu"), frame.set_index("gpu")
    names = gpus.index[gpus["bf16_dense_tflops"].isna() & gpus["fp16_dense_tflops"].notna()]
    assert len(names) > 0
    assert old.loc[names, "dense16_tflops"].tolist() == gpus.loc[names, "fp16_dense_tflops"].tolist()


def test_prices_have_dates_and_missing_ones_neither_date_nor_flag(frame: pd.DataFrame) -> None:
    for name in (*CONDITIONS, "rent"):
        priced = frame[name].notna()
        assert priced.any()
        assert (~priced).any()
        assert ((frame[f"{name}_date"] != "") == priced).all()
        assert not frame.loc[~priced, f"{name}_stale"].any()


def test_rent_is_the_typical_price_of_the_market(tables: Tables, frame: pd.DataFrame) -> None:
    summary = rental_summary(tables.rental, tables.rates, "US", "USD")
    expected = summary.set_index("gpu")["on_demand_typical"].reindex(frame["gpu"])
    assert frame["rent"].to_numpy() == pytest.approx(expected.to_numpy(), nan_ok=True)
    yuan = gpu_table(tables, "US", "CNY", "on_demand")
    assert yuan["rent"].to_numpy() == pytest.approx(
        convert(frame["rent"].to_numpy(), "USD", "CNY", tables.rates), nan_ok=True
    )


def test_disputed_cards_are_those_whose_note_says_so(frame: pd.DataFrame) -> None:
    disputed = set(frame.loc[frame["disputed"], "gpu"])
    assert {"A10 24GB", "L4 24GB", "B300-SXM-288GB"} <= disputed
    assert "RTX 4090" not in disputed
    assert len(disputed) < 10


def test_filters(frame: pd.DataFrame) -> None:
    assert selected(frame, [], [], 0).equals(frame)
    found = selected(frame, ["NVIDIA", "AMD"], ["datacenter"], 80)
    assert set(found["vendor"]) == {"NVIDIA", "AMD"}
    assert set(found["segment"]) == {"datacenter"}
    assert found["memory_gb"].min() >= 80
    assert np.isnan(frame["memory_gb"]).any()
    assert not selected(frame, [], [], 12)["memory_gb"].isna().any()


def test_unknown_market_is_an_error(tables: Tables) -> None:
    with pytest.raises(ValueError, match="unknown market"):
        gpu_table(tables, "Mars", "USD", "on_demand")  # type: ignore[arg-type]
