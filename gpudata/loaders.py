"""One function a table; each returns a fresh copy of a pandas frame that was read and checked once a process."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import BaseModel, ValidationError

from gpudata import rows, rows_money, rows_runs
from gpudata.tables import FOLDER, TableError, read_table


@cache
def _cached(name: str, row_type: type[BaseModel], unique: tuple[str, ...] = ()) -> pd.DataFrame:
    return read_table(FOLDER / name, row_type, unique)


def read_model_extras(path: Path) -> dict[str, dict[str, Any]]:
    """Model name -> entries of ``ModelExtra`` that are given, from a JSON file. Raises TableError naming the model."""
    out = {}
    for line, (model, entry) in enumerate(json.loads(path.read_text(encoding="utf-8")).items(), start=1):
        try:
            out[model] = rows.ModelExtra.model_validate(entry).model_dump(exclude_none=True)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            column = ".".join(str(part) for part in problem["loc"])
            raise TableError(path.name, line, column, f"model {model}: {problem['msg']}") from None
    return out


@lru_cache(maxsize=1)
def _models() -> pd.DataFrame:
    frame = _cached("models.csv", rows.ModelRow, ("model",)).copy()
    extras = read_model_extras(FOLDER / "models_extra.json")
    unknown = sorted(set(extras) - set(frame["model"]))
    if unknown:
        raise TableError("models_extra.json", 1, "", f"no such model in models.csv: {', '.join(unknown)}")
    frame["extra"] = pd.Series([dict(extras.get(model, {})) for model in frame["model"]], dtype=object)
    return frame


def load_gpus() -> pd.DataFrame:
    """Accelerators, one a row, key ``gpu``; see ``GpuRow`` for units. Raises TableError (as all loaders do)."""
    return _cached("gpus.csv", rows.GpuRow, ("gpu",)).copy()


def load_achievable_matmul() -> pd.DataFrame:
    """Measured matrix-product rates in TFLOPS by card and number type."""
    return _cached("achievable_matmul.csv", rows.MatmulRow).copy()


def load_models() -> pd.DataFrame:
    """Language models, one a row, key ``model``; column ``extra`` holds ``ModelExtra`` entries as a dict."""
    return _models().copy()


def load_models_published() -> pd.DataFrame:
    """Published parameter counts, key ``model``, against which ``params_total`` is tested."""
    return _cached("models_published.csv", rows.PublishedCountRow, ("model",)).copy()


def load_measurements() -> pd.DataFrame:
    """Published training runs with measured memory or speed, key ``case_id``."""
    return _cached("measurements.csv", rows_runs.MeasurementRow, ("case_id",)).copy()


def load_oom() -> pd.DataFrame:
    """Published runs that ended out of memory, key ``case_id``."""
    return _cached("oom.csv", rows_runs.RunRow, ("case_id",)).copy()


def load_fake_tensor_runs() -> pd.DataFrame:
    """Runs whose memory was counted by PyTorch on fake tensors, key ``case_id``."""
    return _cached("fake_tensor_runs.csv", rows_runs.FakeTensorRow, ("case_id",)).copy()


def load_multi_gpu_scaling() -> pd.DataFrame:
    """Measured speed-ups from one number of cards to another."""
    return _cached("multi_gpu_scaling.csv", rows_runs.ScalingRow).copy()


def load_popular_claims() -> pd.DataFrame:
    """What popular hardware guides say, key ``claim_id``."""
    return _cached("popular_claims.csv", rows_runs.ClaimRow, ("claim_id",)).copy()


def load_worked_examples() -> pd.DataFrame:
    """Published own-versus-rent calculations, key ``example_id``."""
    return _cached("worked_examples.csv", rows_runs.WorkedExampleRow, ("example_id",)).copy()


def load_rental_prices() -> pd.DataFrame:
    """Rental offers per card and hour."""
    return _cached("rental_prices.csv", rows_money.RentalRow).copy()


def load_purchase_prices() -> pd.DataFrame:
    """Prices of single cards, new and used."""
    return _cached("purchase_prices.csv", rows_money.PurchaseRow).copy()


def load_server_prices() -> pd.DataFrame:
    """Prices of whole machines and of their parts other than cards."""
    return _cached("server_prices.csv", rows_money.ServerRow).copy()


def load_price_history() -> pd.DataFrame:
    """Dated price points of many series."""
    return _cached("price_history.csv", rows_money.PriceHistoryRow).copy()


def load_price_trends() -> pd.DataFrame:
    """Yearly price changes fitted to the history, key ``series``."""
    return _cached("price_trends.csv", rows_money.PriceTrendRow, ("series",)).copy()


def load_exchange_rates() -> pd.DataFrame:
    """Dated exchange rates."""
    return _cached("exchange_rates.csv", rows_money.ExchangeRateRow, ("pair", "date")).copy()


def load_cost_parameters() -> pd.DataFrame:
    """Cost parameters with low, typical and high values."""
    return _cached("cost_parameters.csv", rows_money.CostParameterRow).copy()


def load_checkpoint_reference() -> pd.DataFrame:
    """Published check values for failure and checkpoint formulas, key ``case_id``."""
    return _cached("checkpoint_reference.csv", rows.CheckpointRow, ("case_id",)).copy()


def load_mtbf_to_stretch() -> pd.DataFrame:
    """How much failures lengthen a run, by source of the failure rate and number of cards."""
    return _cached("mtbf_to_stretch.csv", rows.StretchRow, ("mtbf_source", "cards", "case")).copy()


def load_frameworks() -> pd.DataFrame:
    """Name parts of training frameworks and their class, in order of precedence."""
    return _cached("frameworks.csv", rows.FrameworkRow, ("pattern",)).copy()
