"""All tables: sources, dates, name joins, and how a bad row is reported."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

import gpudata
from gpudata import rows, rows_money, rows_runs
from gpudata.tables import TableError, read_table

FOLDER = Path(gpudata.__file__).parent
LOADERS = [name for name in gpudata.__all__ if name.startswith("load_")]
SOURCED = [name for name in LOADERS if name != "load_frameworks"]
# A path or "ours" says nothing to a reader.
FORBIDDEN = re.compile(r"(?:^|[\s(])/[a-z]+/|\bours?\b", re.I)


@pytest.mark.parametrize("name", LOADERS)
def test_tables_load_and_are_not_empty(name: str) -> None:
    assert len(getattr(gpudata, name)()) > 0


@pytest.mark.parametrize("name", SOURCED)
def test_every_row_has_source_address_and_date(name: str) -> None:
    frame = getattr(gpudata, name)()
    date = "date" if "date" in frame else "source_date"
    source = "source" if "source" in frame else "mtbf_source"
    assert frame[[source, "source_url", date]].notna().all().all()
    years = frame[date].str[:4].astype(int)
    assert years.between(1974, 2026).all()


def test_most_addresses_are_known() -> None:
    tables = ("gpus", "models", "measurements", "rental_prices", "purchase_prices", "price_history", "cost_parameters")
    for name in tables:
        urls = getattr(gpudata, f"load_{name}")()["source_url"]
        assert urls.str.contains("http").mean() > 0.8, name


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.csv")), ids=lambda path: path.name)
def test_cells_hold_no_workshop_words(path: Path) -> None:
    assert [line for line in path.read_text(encoding="utf-8").splitlines() if FORBIDDEN.search(line)] == []


@pytest.mark.parametrize(
    "name", ["rental_prices", "purchase_prices", "price_history", "price_trends", "multi_gpu_scaling"]
)
def test_gpu_names_join(name: str) -> None:
    assert set(getattr(gpudata, f"load_{name}")()["gpu"]) <= set(gpudata.load_gpus()["gpu"])


@pytest.mark.parametrize("name", ["measurements", "oom", "server_prices"])
def test_gpu_names_join_where_given(name: str) -> None:
    assert set(getattr(gpudata, f"load_{name}")()["gpu"].dropna()) <= set(gpudata.load_gpus()["gpu"])


@pytest.mark.parametrize("name", ["measurements", "oom", "fake_tensor_runs"])
def test_models_of_runs_are_presets_or_carry_their_shapes(name: str) -> None:
    frame = getattr(gpudata, f"load_{name}")()
    strange = frame[~frame["model"].isin(gpudata.load_models()["model"])]
    assert strange.empty or strange[["layers", "hidden", "heads", "ffn", "vocab"]].notna().all().all()


def test_measured_rows_measure_something() -> None:
    runs = gpudata.load_measurements()
    figures = runs[["peak_mem_gb", "tokens_per_s_per_gpu", "step_s", "train_minutes"]]
    assert figures.notna().any(axis=1).all()
    assert (runs["peak_mem_gb"].notna() == runs["mem_kind"].notna()).all()


def test_scaling_is_not_far_above_linear() -> None:
    scaling = gpudata.load_multi_gpu_scaling().dropna(subset=["speedup"])
    assert (scaling["speedup"] <= 1.3 * scaling["n2"] / scaling["n1"]).all()


def test_trends_agree_with_their_history() -> None:
    history, trends = gpudata.load_price_history(), gpudata.load_price_trends()
    assert trends[["gpu", "kind"]].merge(history[["gpu", "kind"]].drop_duplicates()).shape[0] == len(trends)
    assert (trends["start"] < trends["end"]).all()


def test_yes_and_no_become_booleans_and_blanks_become_missing() -> None:
    runs = gpudata.load_measurements()
    assert set(runs["packed"].dropna()) == {True, False}
    assert runs["packed"].isna().any()
    assert gpudata.load_models()["gated_mlp"].dtype == bool
    assert pd.isna(gpudata.load_gpus().set_index("gpu").loc["V100-PCIe-16GB", "bf16_dense_tflops"])
    assert gpudata.load_models()["layers"].dtype == "int64"


def rates(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "rates.csv"
    path.write_text("\n".join(("pair,date,rate,source,source_url,note", *lines)) + "\n", encoding="utf-8")
    return path


GOOD = "USD/CNY,2026-07-15,6.8,a bank,https://example.org,"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("USD/CNY,2026-07-16,-1,a bank,https://example.org,", r"rates\.csv, line 3, column rate: .*greater than.*'-1'"),
        ("USD/CNY,2026-13-16,6.8,a bank,https://example.org,", r"rates\.csv, line 3, column date: .*'2026-13-16'"),
        ("USD/CNY,2026-07-16,six,a bank,https://example.org,", r"rates\.csv, line 3, column rate: .*number.*'six'"),
        ("USD/CNY,2026-07-16,6.8,,https://example.org,", r"rates\.csv, line 3, column source: the cell is blank"),
        ("USD/XYZ,2026-07-16,6.8,a bank,https://example.org,", r"rates\.csv, line 3, column pair: .*'USD/XYZ'"),
        ("USD/CNY,2026-07-16,6.8,a bank,ftp-somewhere,", r"rates\.csv, line 3, column source_url: "),
        ("USD/CNY,2026-07-16,6.8", r"rates\.csv, line 3: 3 cells where the header has 6"),
        (GOOD, r"rates\.csv, line 3, column pair: 'USD/CNY, 2026-07-15' occurs twice"),
    ],
)
def test_a_bad_row_is_named_by_file_line_column_and_reason(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read_table(rates(tmp_path, GOOD, line), rows_money.ExchangeRateRow, ("pair", "date"))


def test_a_bad_header_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text("pair,date,rate,source,source_url,colour\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"rates\.csv, line 1, column colour: unknown column"):
        read_table(path, rows_money.ExchangeRateRow)
    path.write_text("pair,date,source,source_url,note\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"rates\.csv, line 1, column rate: the column is missing"):
        read_table(path, rows_money.ExchangeRateRow)


def test_rules_over_several_columns_are_reported(tmp_path: Path) -> None:
    header = (FOLDER / "gpus.csv").read_text(encoding="utf-8").splitlines()[0]
    cells = dict.fromkeys(header.split(","), "")
    cells |= {"gpu": "X", "vendor": "V", "segment": "consumer", "source": "s", "source_url": "https://e.org"}
    cells |= {"basis": "b", "date": "2026-11", "memory_gb": "24", "memory_gib_usable": "25"}
    path = tmp_path / "gpus.csv"
    path.write_text(header + "\n" + ",".join(cells.values()) + "\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"gpus\.csv, line 2: memory_gib_usable is above memory_gb"):
        read_table(path, rows.GpuRow)


def test_runs_refuse_an_unknown_method(tmp_path: Path) -> None:
    lines = (FOLDER / "oom.csv").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "oom.csv"
    broken = lines[1].replace(",lora,", ",magic,", 1).replace(",full,", ",magic,", 1)
    path.write_text(f"{lines[0]}\n{broken}\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"oom\.csv, line 2, column method: .*'magic'"):
        read_table(path, rows_runs.RunRow)
