"""Reads a table of training runs (the format of ``gpudata/measurements.csv``) into :class:`calc.cases.Cases`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from calc import cases as c
from calc.architecture import Architecture, architecture_from_row, stack_architectures
from calc.cases import Cases
from calc.devices import devices_of

REQUIRED_COLUMNS = ("case_id", "method", "seq_len", "micro_batch")
SHAPE_COLUMNS = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "gated_mlp", "vocab", "tied_embeddings")

_ALIASES: dict[str, dict[str, str]] = {
    "precision": {
        "fp16-true": "fp16",
        "bf16": "bf16-true",
        "amp": "amp-fp16",
        "bf16-mixed": "amp-bf16",
        "fp16-mixed": "amp-fp16",
        "16-mixed": "amp-fp16",
        "32-true": "fp32",
        "tf32": "fp32",
        "fp8-mixed": "fp8",
        "mxfp8": "fp8",
        "nvfp4": "fp8",
    },
    "base_weights": {"nf4-double": "nf4-dq", "fp4": "nf4", "gptq": "int4-gptq", "awq": "int4-awq", "llm.int8": "int8"},
    "optimizer": {
        "adam": "adamw",
        "adamw_torch": "adamw",
        "adamw-foreach": "adamw",
        "adamw_torch_fused": "adamw-fused",
        "adamw_bnb_8bit": "adamw-8bit",
        "adamw_8bit": "adamw-8bit",
        "paged_adamw_32bit": "paged-adamw-32bit",
        "paged_adamw_8bit": "paged-adamw-8bit",
        "paged-adamw": "paged-adamw-32bit",
        "lora-fa": "adamw",
    },
    "parallelism": {
        "": "",
        "dp": "ddp",
        "deepspeed-zero3": "zero3",
        "fsdp2": "fsdp",
        "hsdp": "fsdp",
        "none": "single",
        "zero2-offload": "zero2",
        "zero3-offload": "zero3",
        "3d": "mixed",
        "tp+pp": "mixed",
        "tp+dp": "mixed",
        "fsdp+tp": "mixed",
        "cp": "mixed",
        "ep": "mixed",
        "hybrid": "mixed",
        "device_map": "pp",
    },
    "activation_checkpointing": {"yes": "full", "no": "none", "true": "full", "false": "none"},
    "attention": {
        "flash-attention-2": "flash",
        "flash2": "flash",
        "flash3": "flash",
        "math": "eager",
        "flash-attention": "flash",
        "flash-attn": "flash",
        "flash_attention_2": "flash",
        "flash-attention-3": "flash",
        "cudnn": "flash",
        "flex": "flash",
        "te": "flash",
        "fused": "flash",
    },
    "lora_targets": {
        "q_proj,v_proj": "qv",
        "q,v": "qv",
        "q,k,v": "qkv",
        "q,k,v,o": "qkvo",
        "attn": "qkvo",
        "attention": "qkvo",
        "query_key_value": "qkv",
        "wqkv": "qkv",
        "c_attn": "qkv",
        "w_pack": "qkv",
        "qkv_proj": "qkv",
        "fused-qkv": "qkv",
        "all": "all-linear",
        "all_linear": "all-linear",
        "q,v,o+mlp": "all-linear",
    },
    "mem_kind": {"": "reserved", "unknown": "reserved"},
}
_ALLOWED: dict[str, tuple[str, ...]] = {
    "method": c.METHODS,
    "base_weights": c.BASE_WEIGHTS,
    "precision": c.PRECISIONS,
    "optimizer": c.OPTIMIZERS,
    "parallelism": c.PARALLELISMS,
    "cpu_offload": c.CPU_OFFLOADS,
    "activation_checkpointing": c.CHECKPOINTINGS,
    "attention": c.ATTENTIONS,
    "fused_loss": c.FUSED_LOSSES,
    "lora_targets": c.LORA_TARGETS,
    "mem_kind": c.MEM_KINDS,
}
_NUMBERS: dict[str, tuple[float, float, float]] = {  # default, lowest, highest
    "lora_rank": (8, 1, 4096),
    "num_gpus": (1, 1, 100_000),
    "num_nodes": (1, 1, 20_000),
    "tensor_parallel": (1, 1, 1024),
    "pipeline_parallel": (1, 1, 1024),
    "context_parallel": (1, 1, 1024),
    "expert_parallel": (1, 1, 1024),
    "seq_len": (np.nan, 1, 10_000_000),
    "micro_batch": (np.nan, 1, 65_536),
    "grad_accum": (1, 1, 1_000_000),
}
_FLAGS: dict[str, bool] = {"optimizer_in_backward": False, "packed": True, "compile": False}
_LINKS = {  # words of published runs, by what they say: the link inside a node, then between nodes
    "nvlink": ("nvlink", "nvswitch", "nvl72", "xgmi", "infinity"),
    "hccs": ("hccs",),
    "pcie": ("pcie", "pci-e"),
}
_NETWORKS = {"infiniband": ("infiniband", "ndr", "hdr"), "roce": ("roce",), "ethernet": ("ethernet", "gbe", "tcp")}

Resolver = Callable[[str], str]


@dataclass(frozen=True)
class CaseTable:
    """``cases`` holds the readable rows as arrays, ``positions`` their row numbers, ``errors`` the others' reasons."""

    cases: Cases | None
    positions: np.ndarray
    errors: dict[int, str]
    case_ids: list[str]


class RowError(ValueError):
    """A row that cannot be predicted, with the reason in plain words."""


def text_of(value: Any) -> str:
    """Cell as stripped text; blanks and NaN give an empty string."""
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    return str(value).strip()


def framework_class(name: str, frameworks: pd.DataFrame) -> str:
    """Class of a published framework name: the first pattern of ``gpudata/frameworks.csv`` contained in it."""
    lowered = name.lower()
    for pattern, kind in zip(frameworks["pattern"].fillna("").astype(str), frameworks["class"], strict=True):
        if pattern in lowered:
            return str(kind)
    return "plain"


def _number(row: dict[str, Any], column: str) -> float:
    default, low, high = _NUMBERS[column]
    text = text_of(row.get(column))
    if not text:
        if np.isnan(default):
            raise RowError(f"{column} is blank; give a number from {low:g} to {high:g}")
        return default
    try:
        value = float(text)
    except ValueError:
        raise RowError(f"{column} is '{text}', not a number; give {low:g} to {high:g}") from None
    if not low <= value <= high:
        raise RowError(f"{column} is {text}; the allowed range is {low:g} to {high:g}")
    return value


def _word(row: dict[str, Any], column: str, default: str) -> str:
    text = text_of(row.get(column)).lower()
    text = _ALIASES.get(column, {}).get(text, text) or default
    allowed = _ALLOWED[column]
    if text not in allowed:
        raise RowError(f"{column} is '{text}'; allowed are {', '.join(allowed)}")
    return text


def _flag(row: dict[str, Any], column: str) -> bool:
    text = text_of(row.get(column)).lower()
    if text not in {"", "yes", "no", "true", "false", "0", "1", "partly", "partial"}:
        raise RowError(f"{column} is '{text}'; allowed are yes and no")
    return _FLAGS[column] if not text else text in {"yes", "true", "1"}


def _architecture(row: dict[str, Any], models: dict[str, dict[str, Any]], resolve: Resolver) -> Architecture:
    name = text_of(row.get("model"))
    shape = {column: row[column] for column in SHAPE_COLUMNS if text_of(row.get(column))}
    if name:
        known = models.get(name)
        if known is None:
            try:
                known = models[resolve(name)]
            except (ValueError, KeyError) as error:
                if not {"layers", "hidden", "heads", "vocab"} <= shape.keys():
                    raise RowError(str(error).strip("'\"")) from error
                known = {}
    elif {"layers", "hidden", "heads", "vocab"} <= shape.keys():
        known = {}
    else:
        raise RowError("model is blank; name a model or give layers, hidden, heads, vocab")
    merged: dict[str, Any] = {**known, **shape}
    for column in ("layers", "hidden", "heads", "vocab"):
        try:
            if not float(merged[column]) >= 1:
                raise RowError(f"{column} is {merged[column]}; it must be at least 1")
        except (TypeError, ValueError):
            raise RowError(f"{column} is '{merged[column]}', not a number") from None
    if (
        shape
        and known
        and any(float(known[k]) != float(shape[k]) for k in ("layers", "hidden", "vocab", "ffn") if k in shape)
    ):
        merged["params_total"] = merged["params_active"] = None
    if not text_of(merged.get("kv_heads")):
        merged["kv_heads"] = merged["heads"]
    if not text_of(merged.get("head_dim")):
        merged["head_dim"] = float(merged["hidden"]) / float(merged["heads"])
    if not text_of(merged.get("gated_mlp")):
        merged["gated_mlp"] = "yes"
    if not text_of(merged.get("ffn")):
        merged["ffn"] = 4 * float(merged["hidden"])
    return architecture_from_row(merged)


def _default_fused_loss(kind: str, name: str) -> str:
    if "unsloth" in name or "liger" in name or kind == "native":
        return "yes"
    return "partial" if kind == "megatron" else "no"


def _interconnect(text: str) -> str:
    """``link+network`` from the words of a run, either part possibly missing; RowError where no word is known."""
    found = [
        next((name for name, words in table.items() if any(word in text for word in words)), "")
        for table in (_LINKS, _NETWORKS)
    ]
    if not any(found) and text not in {"", "none", "unknown"}:
        raise RowError(f"interconnect is '{text}'; name {', '.join(_LINKS)} and, between nodes, {', '.join(_NETWORKS)}")
    return "+".join(filter(None, found))


def _default_checkpointing(kind: str) -> str:
    """Megatron-class and hand-written stacks shard or offload instead of recomputing unless a run says otherwise."""
    return "none" if kind in {"megatron", "native"} else "full"


def _read_row(
    row: dict[str, Any], models: dict[str, dict[str, Any]], resolve_model: Resolver, frameworks: pd.DataFrame
) -> dict[str, Any]:
    out: dict[str, Any] = {"arch": _architecture(row, models, resolve_model)}
    out["method"] = _word(row, "method", "")
    for column in _NUMBERS:
        out[column] = _number(row, column)
    for column in _FLAGS:
        out[column] = _flag(row, column)
    name = text_of(row.get("framework")).lower()
    kind = framework_class(name, frameworks)
    if kind == "compiled" and text_of(row.get("compile")).lower() in {"no", "false", "0"}:
        kind = "tuned"  # the same code run eagerly
    out["framework"], out["framework_name"] = kind, name
    quantised = out["method"] == "qlora"
    out["precision"] = _word(row, "precision", "bf16-true")
    weights = {"fp16": "fp16", "fp32": "fp32"}.get(out["precision"], "bf16")
    if out["method"] in {"full", "pretrain"} and out["precision"].startswith("amp"):
        weights = "fp32"  # autocast keeps the trained masters in fp32 unless a row says otherwise
    out["base_weights"] = _word(row, "base_weights", "nf4" if quantised else weights)
    out["optimizer"] = _word(row, "optimizer", "adamw")
    trains_all = out["method"] in {"full", "pretrain"}
    alone = "single" if out["num_gpus"] == 1 else ("fsdp" if trains_all else "ddp")
    out["parallelism"] = _word(row, "parallelism", alone)
    out["cpu_offload"] = _word(row, "cpu_offload", "none")
    out["activation_checkpointing"] = _word(row, "activation_checkpointing", _default_checkpointing(kind))
    out["attention"] = _word(row, "attention", "sdpa" if kind == "plain" else "flash")
    out["fused_loss"] = _word(row, "fused_loss", _default_fused_loss(kind, name))
    out["lora_targets"] = _word(row, "lora_targets", "all-linear")
    out["mem_kind"] = _word(row, "mem_kind", "reserved")
    out["interconnect"] = _interconnect(text_of(row.get("interconnect")).lower())
    if out["num_nodes"] > out["num_gpus"]:
        raise RowError(f"num_nodes is {out['num_nodes']:g} but there are only {out['num_gpus']:g} GPUs")
    return out


def _without_bf16(read: dict[str, Any], row: dict[str, Any]) -> None:
    """On cards without BF16 units an unsaid precision means FP16: libraries refuse BF16 there."""
    for column in ("precision", "base_weights"):
        if not text_of(row.get(column)):
            read[column] = read[column].replace("bf16-true", "fp16").replace("bf16", "fp16")


def cases_from_frame(
    frame: pd.DataFrame,
    devices: pd.DataFrame,
    models: pd.DataFrame,
    frameworks: pd.DataFrame,
    resolve_gpu: Resolver,
    resolve_model: Resolver,
) -> CaseTable:
    """Reads every row of ``frame``; a blank cell takes the usual default, an unreadable row gets an error.

    ``devices`` comes from :func:`calc.devices.device_table`; the resolvers turn usual aliases into table names and
    raise ValueError where a name is unknown or ambiguous. Raises ValueError naming the columns that are missing.
    """
    missing = [column for column in REQUIRED_COLUMNS if column not in frame.columns]
    if "model" not in frame.columns and "layers" not in frame.columns:
        missing.append("model (or layers, hidden, heads, vocab)")
    if missing:
        raise ValueError(f"missing columns: {', '.join(missing)}")
    known = {str(row["model"]): row for row in models.to_dict("records")}
    no_bf16 = set(devices.index[devices["bf16_dense_tflops"].isna() & devices["fp16_dense_tflops"].notna()])
    rows: list[dict[str, Any]] = []
    names: list[str] = []
    positions: list[int] = []
    errors: dict[int, str] = {}
    for position, row in enumerate(frame.to_dict("records")):
        try:
            read = _read_row(row, known, resolve_model, frameworks)
            gpu = text_of(row.get("gpu"))
            if gpu and gpu not in devices.index:
                try:
                    gpu = resolve_gpu(gpu)
                except ValueError as error:
                    raise RowError(str(error)) from error
        except RowError as error:
            errors[position] = str(error)
            continue
        if gpu in no_bf16:
            _without_bf16(read, row)
        rows.append(read)
        names.append(gpu)
        positions.append(position)
    ids = [text_of(value) for value in frame["case_id"]]
    if not rows:
        return CaseTable(None, np.array([], dtype=int), errors, ids)
    columns: dict[str, Any] = {"arch": stack_architectures([row["arch"] for row in rows])}
    for field in fields(Cases):
        if field.name in rows[0] and field.name != "arch":
            columns[field.name] = np.array([row[field.name] for row in rows])
    return CaseTable(Cases(device=devices_of(devices, names), **columns), np.array(positions), errors, ids)
