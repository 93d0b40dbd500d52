"""Turns what a user chose into the cases that the memory and time models take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from calc.architecture import Architecture, architecture_from_row, architecture_of_size
from calc.cases import Cases, Device
from calc.scenario import MODEL_BY_SIZE, MODEL_CUSTOM, Scenario, Workload
from calc.tables import Tables

# Storage and arithmetic behind each choice of the method slider.
_METHODS: dict[str, tuple[str, str, str]] = {
    "qlora-8bit": ("qlora", "int8", "amp-bf16"),
    "lora": ("lora", "bf16", "bf16-true"),
    "dora": ("dora", "bf16", "bf16-true"),
    "freeze": ("freeze", "bf16", "bf16-true"),
    "full-16bit": ("full", "bf16", "bf16-true"),
    "full-mixed": ("full", "fp32", "amp-bf16"),
    "pretrain": ("pretrain", "fp32", "amp-bf16"),
}


def scenario_architecture(workload: Workload, models: pd.DataFrame) -> Architecture:
    """Shapes of the chosen model: a preset, one of a given size, or the user's own.

    Raises ValueError where the preset is not in the table.
    """
    if workload.model == MODEL_BY_SIZE:
        return architecture_of_size(workload.model_size_b)
    if workload.model == MODEL_CUSTOM:
        return Architecture(
            layers=workload.custom_layers,
            hidden=workload.custom_hidden,
            heads=workload.custom_heads,
            kv_heads=workload.custom_kv_heads,
            head_dim=workload.custom_hidden // workload.custom_heads,
            ffn=workload.custom_ffn,
            gated_mlp=workload.custom_gated_mlp,
            vocab=workload.custom_vocab,
            tied_embeddings=workload.custom_tied_embeddings,
        )
    rows = models.loc[models["model"] == workload.model]
    if rows.empty:
        raise ValueError(f"model: '{workload.model}' is not in the model table")
    return architecture_from_row(rows.iloc[0].to_dict())


def method_parts(choice: str, quantisation: str) -> tuple[str, str, str]:
    """Method, base weights and precision of one choice of the method slider."""
    return _METHODS[choice] if choice != "qlora-4bit" else ("qlora", quantisation, "amp-bf16")


def without_bf16(precision: str, weights: str) -> tuple[str, str]:
    """The same arithmetic on a card that lacks BF16 (Volta, Turing): FP16 takes its place."""
    return precision.replace("bf16-true", "fp16").replace("amp-bf16", "amp-fp16"), weights.replace("bf16", "fp16")


@lru_cache(maxsize=64)
def _architecture(workload: Workload, tables: Tables) -> Architecture:
    return scenario_architecture(workload, tables.models)


@lru_cache(maxsize=8)
def row_of_card(tables: Tables) -> dict[str, int]:
    """Position of each card in the arrays of ``device_columns``."""
    return {str(name): row for row, name in enumerate(tables.devices.index)}


@lru_cache(maxsize=8)
def device_columns(tables: Tables) -> dict[str, np.ndarray]:
    """Figures of all cards as arrays; a last row of blanks and NaN stands for a card that the table lacks."""
    columns = {}
    for name in tables.devices.columns:
        values = tables.devices[name]
        if pd.api.types.is_numeric_dtype(values):
            columns[str(name)] = np.append(values.to_numpy(dtype=float), np.nan)
        else:
            columns[str(name)] = np.append(values.fillna("").to_numpy(dtype=str), "")
    return columns


def _mapped(values: Any, change: Callable[[str], str]) -> np.ndarray:
    """Texts passed one by one through ``change``; each different text once."""
    texts, places = np.unique(np.asarray(values, dtype=str), return_inverse=True)
    return np.array([change(str(text)) for text in texts])[places].reshape(np.shape(values))


def _uniform(flags: np.ndarray) -> np.ndarray:
    """One flag in place of many equal ones, so that what depends on it keeps its small shape."""
    return flags.ravel()[0] if flags.size and (flags == flags.ravel()[0]).all() else flags


def grid_cases(scenario: Scenario, tables: Tables, gpus: Any, methods: Any, columns: Mapping[str, Any]) -> Cases:
    """Cases over axes: every argument is an array (or scalar) and all broadcast together.

    ``gpus`` and ``methods`` take the place of the chosen card and method, ``columns`` that of any other flat field. The
    fields of the result keep their own small shapes, so a grid of cards x methods x batches costs little more than its
    largest terms.
    """
    flat = scenario.flat()

    def column(name: str) -> np.ndarray:
        return np.asarray(columns.get(name, flat[name]))

    names, choices = np.asarray(gpus, dtype=str), np.asarray(methods, dtype=str)
    rows = row_of_card(tables)
    places = np.array([rows.get(name, -1) for name in names.ravel().tolist()]).reshape(names.shape)
    device = Device(**{name: values[places] for name, values in device_columns(tables).items()})
    no_bf16 = _uniform(np.isnan(np.asarray(device.bf16_dense_tflops, dtype=float)))
    has_fp8 = _uniform(~np.isnan(np.asarray(device.fp8_dense_tflops, dtype=float)))
    method = _mapped(choices, lambda choice: method_parts(choice, "")[0])
    weights = _mapped(choices, lambda choice: method_parts(choice, "")[1])
    precision = _mapped(choices, lambda choice: method_parts(choice, "")[2])
    weights = np.where(weights == "", column("quantisation"), weights)
    if np.any(no_bf16):
        precision, weights = (
            np.where(no_bf16, _mapped(precision, lambda text: without_bf16(text, "")[0]), precision),
            np.where(no_bf16, _mapped(weights, lambda text: without_bf16("", text)[1]), weights),
        )
    wants_fp8 = column("fp8").astype(bool) & has_fp8
    if np.any(wants_fp8):
        precision = np.where(wants_fp8, "fp8", precision)
    num_gpus, per_node = column("num_gpus").astype(float), column("gpus_per_node").astype(float)
    trains_all = np.isin(method, ("full", "pretrain"))
    parallel = column("parallelism").astype(str)
    parallel = np.where(parallel == "auto", np.where(trains_all, "fsdp", "ddp"), parallel)
    parallel = np.where(num_gpus == 1, "single", parallel)
    link = column("link").astype(str)
    return Cases(
        arch=_architecture(scenario.workload, tables),
        device=device,
        method=method,
        base_weights=weights,
        precision=precision,
        optimizer=column("optimizer"),
        seq_len=column("seq_len").astype(float),
        micro_batch=column("micro_batch").astype(float),
        lora_rank=column("lora_rank").astype(float),
        lora_targets=column("lora_targets"),
        num_gpus=num_gpus,
        num_nodes=np.ceil(num_gpus / per_node),
        interconnect=np.where(link == "auto", "", link),
        parallelism=parallel,
        tensor_parallel=np.where(parallel == "tp", np.minimum(num_gpus, per_node), 1.0),
        pipeline_parallel=np.where(parallel == "pp", num_gpus, 1.0),
        cpu_offload=column("cpu_offload"),
        grad_accum=column("grad_accum").astype(float),
        packed=column("packed"),
        activation_checkpointing=column("activation_checkpointing"),
        attention=column("attention"),
        fused_loss=column("fused_loss"),
        framework=column("framework"),
        mem_kind=np.asarray("nvidia-smi"),
    )


def scenario_cases(
    scenario: Scenario,
    tables: Tables,
    gpus: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    **columns: Sequence[Any],
) -> Cases:
    """Cases of one scenario, one element per entry of the given lists (all of one length).

    ``gpus`` and ``methods`` replace the chosen card and method element by element; ``columns`` replaces
    ``seq_len``, ``micro_batch``, ``num_gpus``, ``link`` or any other flat field likewise.
    """
    size = max([len(values) for values in (gpus or (), methods or (), *columns.values())] or [1]) or 1
    names = list(gpus) if gpus is not None else [scenario.hardware.gpu] * size
    choices = list(methods) if methods is not None else [scenario.workload.method] * size
    grid = grid_cases(scenario, tables, names, choices, columns)

    def filled(value: Any) -> Any:
        return np.broadcast_to(value, size) if isinstance(value, np.ndarray) else value

    return replace(grid, **{f.name: filled(getattr(grid, f.name)) for f in fields(grid)})
