"""Shapes of a decoder-only transformer (dense, mixture of experts, multi-head latent or hybrid attention)."""

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
    moe_shared_experts: Numeric = 0  # in units of moe_ffn
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
    norm_bias: Numeric = False
    out_bias: Numeric = False
    mlp_bias: Numeric = False
    expert_bias: Numeric = False
    norms_per_layer: Numeric = 2
    qk_norm: Numeric = 0  # 1: one norm of a head's width, 2: over the whole projection
    gated_query: Numeric = False  # the query projection also yields a gate of its own width
    router_extra: Numeric = 0  # parameters beside the router matrix, per mixture layer
    attention_share: Numeric = 1.0  # share of layers with softmax attention
    mlp_share: Numeric = 1.0  # share of layers with a feed-forward block
    mixer_params: Numeric = 0  # linear-attention or state-space parameters, averaged over all layers
    extra_params: Numeric = 0  # learned positions, embedding norm, head bias and the like


_FLAGS = ("gated_mlp", "tied_embeddings", "qkv_bias")
_QK_NORMS = {"head": 1.0, "full": 2.0, "per_head": 2.0}


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or value == "" or (isinstance(value, float) and np.isnan(value))


def _flag(value: Any) -> bool:
    return value is True or value is np.True_ or str(value).strip().lower() in {"yes", "true", "1", "1.0"}


def architecture_from_row(row: Mapping[str, Any]) -> Architecture:
    """Architecture from one row of ``gpudata.load_models()`` (or any mapping with those column names).

    An ``extra`` mapping in the row adds what the columns cannot express (norms on queries and keys, hybrid layers,
    learned positions, biases); without it a model with layer norms is taken to have the biases of its generation.
    """
    values: dict[str, Any] = {}
    for field in fields(Architecture)[: 1 + [f.name for f in fields(Architecture)].index("known_params_active")]:
        name = field.name
        given = row.get(name)
        if name == "layernorm":
            values[name] = str(row.get("norm", "")) == "layernorm"
        elif name.startswith("known_"):
            known = row.get(name.removeprefix("known_"))
            values[name] = np.nan if _missing(known) else float(known)  # type: ignore[arg-type]
        elif name in _FLAGS:
            values[name] = _flag(given)
        else:
            values[name] = 0.0 if _missing(given) else float(given)  # type: ignore[arg-type]
    extra = row.get("extra")
    if isinstance(extra, Mapping):
        values |= _extra_values(values, extra)
    else:
        old_style = values["layernorm"] and values["qkv_bias"]
        values |= {"norm_bias": values["layernorm"], "out_bias": old_style, "mlp_bias": old_style}
    return Architecture(**values)


def _extra_values(base: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Fields expressed by the ``extra`` mapping of a model, given the fields read from its columns."""
    layers, hidden = base["layers"], base["hidden"]
    norms = 0.0 if extra.get("norm_affine") is False else float(extra.get("norms_per_layer", 2))
    fixed = float(extra.get("learned_pos", 0)) + float(extra.get("add", 0))
    fixed += 2 * hidden * float(extra.get("embed_norm", 0)) + base["vocab"] * bool(extra.get("lm_head_bias"))
    fixed += layers * float(extra.get("sinks", 0))
    if "embed_dim" in extra:
        fixed -= base["vocab"] * (hidden - float(extra["embed_dim"]))
    mixer, attention_share, mlp_share = 0.0, 1.0, 1.0
    if "gdn" in extra:
        attention_share = extra["gdn"]["full_layers"] / layers
        mixer = (1 - attention_share) * _delta_net_params(hidden, extra["gdn"])
    if "mamba" in extra:
        mamba = extra["mamba"]
        attention_share = mamba["attn_layers"] / layers
        mlp_share = float(extra.get("moe_layers", layers)) / layers
        mixer = mamba["mamba_layers"] / layers * _mamba_params(hidden, mamba)
    if "global_attn" in extra:  # global layers have other key/value heads and may share one matrix for both
        wide = extra["global_attn"]
        matrices = 1 if wide.get("k_eq_v") else 2
        there = hidden * wide["dim"] * (2 * base["heads"] + matrices * wide["kv"])
        usual = hidden * base["head_dim"] * (2 * base["heads"] + 2 * base["kv_heads"])
        mixer = wide["layers"] / layers * (there - usual)
    return {
        "norm_bias": bool(extra.get("norm_bias", False)),
        "out_bias": bool(extra.get("o_bias", False)),
        "mlp_bias": bool(extra.get("mlp_bias", False)),
        "expert_bias": bool(extra.get("expert_bias", False)),
        "norms_per_layer": norms,
        "qk_norm": _QK_NORMS.get(str(extra.get("qk_norm", "")), 0.0),
        "gated_query": bool(extra.get("gated_q", False)),
        "router_extra": float(extra.get("router_extra", 0)) + base["moe_experts"] * bool(extra.get("router_bias")),
        "attention_share": attention_share,
        "mlp_share": mlp_share,
        "mixer_params": mixer,
        "extra_params": fixed,
    }


def _delta_net_params(hidden: float, gdn: Mapping[str, float]) -> float:
    """Parameters of one Gated DeltaNet layer (Qwen3-Next in Hugging Face transformers)."""
    keys, values = gdn["k_heads"] * gdn["k_dim"], gdn["v_heads"] * gdn["v_dim"]
    projections = hidden * (2 * keys + 2 * values + 2 * gdn["v_heads"]) + values * hidden
    return projections + (2 * keys + values) * gdn["conv"] + 2 * gdn["v_heads"] + gdn["v_dim"]


def _mamba_params(hidden: float, mamba: Mapping[str, float]) -> float:
    """Parameters of one Mamba-2 layer (Nemotron-H in Hugging Face transformers)."""
    inner = mamba["heads"] * mamba["head_dim"]
    mixed = inner + 2 * mamba["groups"] * mamba["state"]
    projections = hidden * (inner + mixed + mamba["heads"]) + inner * hidden
    return projections + mixed * (mamba["conv"] + 1) + 3 * mamba["heads"] + inner


def stack_architectures(items: list[Architecture]) -> Architecture:
    """One Architecture whose fields are arrays, one element per item."""
    return Architecture(**{f.name: np.array([getattr(a, f.name) for a in items]) for f in fields(Architecture)})


def architectures_from_frame(frame: pd.DataFrame) -> Architecture:
    """Architectures of all rows of a model table, as arrays in the table's order."""
    return stack_architectures([architecture_from_row(row) for row in frame.to_dict("records")])


# The Qwen3 family (gated MLP, grouped queries, one vocabulary, layers and width growing together), opened downwards
# by Pythia-70M's depth and width, upwards by Llama-3.1-405B and the same growth once more.
# Columns: layers, hidden, heads, kv_heads, head_dim, ffn, vocab.
_LADDER = np.array(
    [
        [6, 512, 8, 2, 64, 1536, 50304],
        [28, 1024, 16, 8, 128, 3072, 151936],
        [28, 2048, 16, 8, 128, 6144, 151936],
        [36, 2560, 32, 8, 128, 9728, 151936],
        [36, 4096, 32, 8, 128, 12288, 151936],
        [40, 5120, 40, 8, 128, 17408, 151936],
        [64, 5120, 64, 8, 128, 25600, 151936],
        [80, 8192, 64, 8, 128, 28672, 151936],
        [126, 16384, 128, 8, 128, 53248, 151936],
        [160, 22528, 176, 8, 128, 73728, 151936],
    ],
    dtype=float,
)
_UNTIED_FROM_B = 6.0  # Qwen3-4B shares embedding and head, Qwen3-8B does not


def architecture_of_size(params_b: Numeric) -> Architecture:
    """A model of ``params_b`` billion parameters (0.1 to 1000), shaped between the members of a real family.

    Shapes grow smoothly with the logarithm of the size, so they may be fractions; the feed-forward width is solved
    for so that the total is met exactly. Raises ValueError outside 0.1 to 1000.
    """
    from calc.parameters import parameter_counts

    size = np.asarray(params_b, dtype=float)
    if np.any((size < 0.1) | (size > 1000)) or np.any(np.isnan(size)):
        raise ValueError("params_b must be from 0.1 to 1000 (billions of parameters)")
    columns = _LADDER.T
    family = _ladder_architecture(columns, np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0], dtype=bool))
    totals = np.log(np.asarray(parameter_counts(family).total) / 1e9)
    shape = [np.interp(np.log(size), totals, column) for column in columns]
    tied = size < _UNTIED_FROM_B
    rest = parameter_counts(_ladder_architecture([*shape[:5], 0 * size, shape[6]], tied)).total
    shape[5] = (size * 1e9 - rest) / (3 * shape[1] * shape[0])
    values = [float(v) if v.ndim == 0 else v for v in map(np.asarray, shape)]
    return _ladder_architecture(values, bool(tied) if tied.ndim == 0 else tied)


def _ladder_architecture(columns: Any, tied: Any) -> Architecture:
    names = ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab")
    return Architecture(**dict(zip(names, columns, strict=True)), gated_mlp=True, tied_embeddings=tied, qk_norm=1)
