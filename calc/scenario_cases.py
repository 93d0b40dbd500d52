"""Turns what a user chose into the cases that the memory and time models take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from calc.architecture import Architecture, architecture_from_row, architecture_of_size
from calc.cases import Cases
from calc.devices import devices_of
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


def default_parallelism(method: str, num_gpus: int) -> str:
    """What people start with: one card, data parallel for adapters, sharded for full training."""
    if num_gpus == 1:
        return "single"
    return "fsdp" if method in {"full", "pretrain"} else "ddp"


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
    flat = scenario.flat()
    names = list(gpus) if gpus is not None else [scenario.hardware.gpu] * size
    choices = list(methods) if methods is not None else [scenario.workload.method] * size

    def column(name: str) -> list[Any]:
        return list(columns[name]) if name in columns else [flat[name]] * size

    device = devices_of(tables.devices, names)
    no_bf16 = np.isnan(np.asarray(device.bf16_dense_tflops, dtype=float))
    quantisation, num_gpus, fp8 = column("quantisation"), [int(n) for n in column("num_gpus")], column("fp8")
    rows: list[dict[str, Any]] = []
    for i in range(size):
        method, weights, precision = method_parts(choices[i], quantisation[i])
        if no_bf16[i]:
            precision, weights = without_bf16(precision, weights)
        if fp8[i] and not np.isnan(device.fp8_dense_tflops[i]):
            precision = "fp8"
        rows.append({"method": method, "base_weights": weights, "precision": precision})
    parallel = [
        default_parallelism(row["method"], n) if wanted == "auto" or n == 1 else wanted
        for row, wanted, n in zip(rows, column("parallelism"), num_gpus, strict=True)
    ]
    per_node = column("gpus_per_node")
    link = [("" if value == "auto" else value) for value in column("link")]
    arch = scenario_architecture(scenario.workload, tables.models)
    return Cases(
        arch=arch,
        device=device,
        method=np.array([row["method"] for row in rows]),
        base_weights=np.array([row["base_weights"] for row in rows]),
        precision=np.array([row["precision"] for row in rows]),
        optimizer=np.array(column("optimizer")),
        seq_len=np.array(column("seq_len"), dtype=float),
        micro_batch=np.array(column("micro_batch"), dtype=float),
        lora_rank=np.array(column("lora_rank"), dtype=float),
        lora_targets=np.array(column("lora_targets")),
        num_gpus=np.array(num_gpus, dtype=float),
        num_nodes=np.ceil(np.array(num_gpus) / np.array(per_node)),
        interconnect=np.array(link),
        parallelism=np.array(parallel),
        tensor_parallel=np.array(
            [min(n, m) if p == "tp" else 1 for p, n, m in zip(parallel, num_gpus, per_node, strict=True)], dtype=float
        ),
        pipeline_parallel=np.array(
            [n if p == "pp" else 1 for p, n in zip(parallel, num_gpus, strict=True)], dtype=float
        ),
        cpu_offload=np.array(column("cpu_offload")),
        grad_accum=np.array(column("grad_accum"), dtype=float),
        packed=np.array(column("packed")),
        activation_checkpointing=np.array(column("activation_checkpointing")),
        attention=np.array(column("attention")),
        fused_loss=np.array(column("fused_loss")),
        framework=np.array(column("framework")),
        mem_kind=np.array(["nvidia-smi"] * size),
    )
