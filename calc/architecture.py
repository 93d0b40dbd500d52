"""Shapes and parameter counts of a decoder-only transformer (dense or mixture of experts)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

Numeric = Any  # float, int or a numpy array; all fields of one object broadcast together


@dataclass(frozen=True)
class Architecture:
    """Shapes of one model (scalars) or of many (arrays of one length); zero means "has none"."""

    layers: Numeric
    hidden: Numeric
    heads: Numeric
    kv_heads: Numeric
    head_dim: Numeric
    ffn: Numeric
    gated_mlp: Numeric
    vocab: Numeric
    tied_embeddings: Numeric
    sliding_window: Numeric = 0
    moe_experts: Numeric = 0
    moe_top_k: Numeric = 0
    moe_shared_experts: Numeric = 0
    moe_ffn: Numeric = 0
    first_dense_layers: Numeric = 0
    mla_kv_lora_rank: Numeric = 0
    mla_q_lora_rank: Numeric = 0
    mla_qk_rope_dim: Numeric = 0
    mla_qk_nope_dim: Numeric = 0
    mla_v_dim: Numeric = 0
    qkv_bias: Numeric = False
    layernorm: Numeric = False
    known_params_total: Numeric = np.nan
    known_params_active: Numeric = np.nan


_FLAGS = ("gated_mlp", "tied_embeddings", "qkv_bias")


def _flag(value: Any) -> bool:
    return value is True or str(value).strip().lower() in {"yes", "true", "1"}


def architecture_from_row(row: Mapping[str, Any]) -> Architecture:
    """Architecture from one row of ``gpudata.load_models()`` (or any mapping with those column names)."""
    values: dict[str, Any] = {}
    for field in fields(Architecture):
        name = field.name
        if name == "layernorm":
            values[name] = str(row.get("norm", "")) == "layernorm"
        elif name.startswith("known_"):
            given = row.get(name.removeprefix("known_"))
            values[name] = np.nan if given is None or given == "" else float(given)
        elif name in _FLAGS:
            values[name] = _flag(row.get(name, False))
        else:
            given = row.get(name)
            missing = given is None or given == "" or (isinstance(given, float) and np.isnan(given))
            values[name] = 0.0 if missing else float(given)
    return Architecture(**values)


def stack_architectures(items: list[Architecture]) -> Architecture:
    """One Architecture whose fields are arrays, one element per item."""
    return Architecture(**{f.name: np.array([getattr(a, f.name) for a in items]) for f in fields(Architecture)})


def architectures_from_frame(frame: pd.DataFrame) -> Architecture:
    """Architectures of all rows of a model table, as arrays in the table's order."""
    return stack_architectures([architecture_from_row(row) for row in frame.to_dict("records")])
