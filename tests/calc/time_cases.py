"""Cases the time tests share."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

import gpudata
from calc.architecture import Architecture, architecture_from_row
from calc.cases import Cases, Device
from calc.devices import device_of, device_table


@lru_cache(maxsize=1)
def devices() -> pd.DataFrame:
    return device_table(gpudata.load_gpus(), gpudata.load_achievable_matmul())


def card(name: str) -> Device:
    return device_of(devices(), name)


@lru_cache(maxsize=64)
def model(name: str) -> Architecture:
    models = gpudata.load_models()
    return architecture_from_row(models.loc[models["model"] == name].iloc[0].to_dict())


def case(model_name: str = "Llama-3.1-8B", gpu: str = "A100-SXM4-80GB", **changes: object) -> Cases:
    given: dict[str, object] = {
        "arch": model(model_name),
        "device": card(gpu),
        "method": "lora",
        "base_weights": "bf16",
        "precision": "bf16-true",
        "optimizer": "adamw",
        "seq_len": 2048,
        "micro_batch": 2,
    }
    return Cases(**{**given, **changes})
