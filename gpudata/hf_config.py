"""Reads a Hugging Face ``config.json`` into a row of the model table."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from gpudata.row_types import NO_ADDRESS
from gpudata.rows import ModelRow

# The same quantity under the names of different families, most specific first.
_NAMES: dict[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "hidden": ("hidden_size", "n_embd", "n_embed", "d_model"),
    "heads": ("num_attention_heads", "n_head", "n_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"),
    "head_dim": ("head_dim", "kv_channels"),
    "ffn": ("intermediate_size", "ffn_hidden_size", "ffn_dim", "n_inner", "ffn_hidden_dim"),
    "vocab": ("vocab_size", "padded_vocab_size"),
    "max_position": ("max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len", "seq_length"),
    "moe_experts": ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"),
    "moe_top_k": ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_top_k"),
    "moe_shared": ("n_shared_experts", "num_shared_experts"),
    "moe_ffn": ("moe_intermediate_size", "expert_ffn_hidden_size"),
}

# What the configuration classes of transformers 5.24 assume where the file is silent and the general rule (untied
# head, gated feed-forward, RMS norm, as many key-value heads as heads, head_dim = hidden / heads) does not hold.
_FALCON: dict[str, Any] = {
    "tied_embeddings": True,
    "gated_mlp": False,
    "norm": "layernorm",
    "max_position": 2048,
    "ffn_times": 4,
}
_FALCON["extra"] = {"norm_bias": True}
# One norm feeds attention and feed-forward alike, except under the new decoder architecture.
_ONE_NORM_FALCONS = frozenset({"falcon", "RefinedWebModel"})
_GEMMA3 = {
    "tied_embeddings": True,
    "heads": 8,
    "kv_heads": 4,
    "head_dim": 256,
    "vocab": 262_208,
    "max_position": 131_072,
    "extra": {"norms_per_layer": 4, "qk_norm": "head"},
}
_PLAIN_BIASES = {"o_bias": True, "mlp_bias": True, "norm_bias": True}
_FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {"max_position": 2048},
    "mistral": {"kv_heads": 8, "max_position": 131_072},
    "mixtral": {"kv_heads": 8, "max_position": 131_072, "moe_experts": 8, "moe_top_k": 2},
    "qwen2": {"qkv_bias": True, "max_position": 32_768},
    "qwen2_moe": {"qkv_bias": True, "max_position": 32_768},
    "qwen3": {"max_position": 32_768, "head_dim": 128, "extra": {"qk_norm": "head"}},
    "qwen3_moe": {"max_position": 32_768, "extra": {"qk_norm": "head"}},
    "falcon": _FALCON,
    "RefinedWeb": _FALCON | {"new_decoder": True},
    "RefinedWebModel": _FALCON,
    "gemma": {"tied_embeddings": True, "head_dim": 256, "max_position": 8192},
    "gemma2": {"tied_embeddings": True, "head_dim": 256, "max_position": 8192, "extra": {"norms_per_layer": 4}},
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "llama4": {"shared_experts": 1},
    "llama4_text": {"shared_experts": 1},
    "deepseek_v2": {},
    "deepseek_v3": {},
    "gpt2": {
        "tied_embeddings": True,
        "gated_mlp": False,
        "norm": "layernorm",
        "qkv_bias": True,
        "ffn_times": 4,
        "learned_positions": 0,
        "extra": _PLAIN_BIASES,
    },
    "gpt_neox": {"gated_mlp": False, "norm": "layernorm", "qkv_bias": True, "extra": _PLAIN_BIASES},
    "opt": {
        "tied_embeddings": True,
        "gated_mlp": False,
        "norm": "layernorm",
        "qkv_bias": True,
        "learned_positions": 2,
        "extra": _PLAIN_BIASES,
    },
    "bloom": {
        "tied_embeddings": True,
        "gated_mlp": False,
        "norm": "layernorm",
        "qkv_bias": True,
        "ffn_times": 4,
        "max_position": 2048,
        "extra": _PLAIN_BIASES | {"embed_norm": 1},
    },
    "phi": {
        "gated_mlp": False,
        "norm": "layernorm",
        "qkv_bias": True,
        "extra": _PLAIN_BIASES | {"norms_per_layer": 1, "lm_head_bias": True},
    },
    "phi3": {},
    "starcoder2": {"gated_mlp": False, "norm": "layernorm", "qkv_bias": True, "extra": _PLAIN_BIASES},
    "olmo2": {"extra": {"qk_norm": "full"}},
    "granite": {},
    "smollm3": {"tied_embeddings": True},
    "cohere": {"tied_embeddings": True, "norm": "layernorm", "extra": {"norms_per_layer": 1, "norm_bias": False}},
}


def _text_part(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The language model's own settings and its family; multimodal files nest them."""
    family = str(config.get("model_type") or "")
    for key in ("text_config", "llm_config", "language_config"):
        if isinstance(config.get(key), Mapping):
            inner = config[key]
            own = str(inner.get("model_type") or "")
            return inner, own if own in _FAMILIES else family
    return config, family


class _Reader:
    """Looks quantities up under any of their names, then among the family's defaults."""

    def __init__(self, config: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        self.config, self.defaults = config, defaults

    def find(self, field: str) -> Any:
        for name in _NAMES[field]:
            if self.config.get(name) is not None:
                return self.config[name]
        return self.defaults.get(field)

    def whole(self, field: str) -> int | None:
        value = self.find(field)
        if value is None:
            return None
        plain = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not plain or value < 1:
            raise ValueError(f"config.json: {' / '.join(_NAMES[field])} is {value!r}, not a whole number above 0")
        return int(value)

    def need(self, field: str) -> int:
        value = self.whole(field)
        if value is None:
            raise ValueError(f"config.json lacks {' / '.join(_NAMES[field])} ({field})")
        return value


def _kv_heads(read: _Reader, heads: int) -> int:
    config, defaults = read.config, read.defaults
    falcon = "new_decoder" in defaults or "multi_query" in config or "new_decoder_architecture" in config
    if falcon and not (config.get("new_decoder_architecture") or defaults.get("new_decoder")):
        return 1 if config.get("multi_query", True) else heads
    if "multi_query_attention" in config and not config["multi_query_attention"]:
        return heads
    return read.whole("kv_heads") or heads


def _attention_kind(config: Mapping[str, Any], heads: int, kv_heads: int) -> str:
    if config.get("kv_lora_rank"):
        return "mla"
    if kv_heads == 1 and heads > 1:
        return "mqa"
    return "mha" if kv_heads == heads else "gqa"


def _window(config: Mapping[str, Any]) -> int | None:
    if config.get("use_sliding_window") is False:
        return None
    window = config.get("sliding_window")
    return int(window) if window else None


def _dense_layers(config: Mapping[str, Any], layers: int) -> int:
    """Layers with a dense feed-forward in a model that has experts."""
    if config.get("first_k_dense_replace") is not None:
        return int(config["first_k_dense_replace"])
    if isinstance(config.get("mlp_only_layers"), Sequence) and config["mlp_only_layers"]:
        return len(config["mlp_only_layers"])
    step = int(config.get("interleave_moe_layer_step") or config.get("decoder_sparse_step") or 1)
    return layers - layers // step


def _experts(read: _Reader, layers: int, ffn: int | None) -> tuple[dict[str, Any], int | None]:
    """Expert columns (empty for a dense model) and the dense width."""
    experts = read.whole("moe_experts")
    if experts is None:
        return {}, ffn
    config = read.config
    width = read.whole("moe_ffn")
    dense = ffn
    if width is None:
        # Mixtral and Llama 4 put the expert width into intermediate_size; Llama 4 names the dense one apart.
        width, dense = ffn, int(config.get("intermediate_size_mlp") or ffn or 0) or None
    if width is None:
        raise ValueError(f"config.json lacks {' / '.join(_NAMES['moe_ffn'])} (moe_ffn)")
    shared = read.whole("moe_shared") if read.find("moe_shared") else read.defaults.get("shared_experts", 0)
    if config.get("shared_expert_intermediate_size"):
        shared = -(-int(config["shared_expert_intermediate_size"]) // width)
    columns = {
        "moe_experts": experts,
        "moe_top_k": read.need("moe_top_k"),
        "moe_shared_experts": shared,
        "moe_ffn": width,
        "first_dense_layers": _dense_layers(config, layers),
    }
    return columns, dense


def _latent(config: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of multi-head latent attention (empty without it)."""
    if not config.get("kv_lora_rank"):
        return {}
    names = {
        "mla_kv_lora_rank": "kv_lora_rank",
        "mla_qk_rope_dim": "qk_rope_head_dim",
        "mla_qk_nope_dim": "qk_nope_head_dim",
        "mla_v_dim": "v_head_dim",
    }
    for name in names.values():
        if config.get(name) is None:
            raise ValueError(f"config.json lacks {name}, which latent attention needs")
    return {column: int(config[name]) for column, name in names.items()} | {
        "mla_q_lora_rank": int(config["q_lora_rank"]) if config.get("q_lora_rank") else None
    }


def model_row_from_hf_config(config: Mapping[str, Any], name: str | None = None) -> ModelRow:
    """Row of the model table described by a parsed ``config.json``.

    ``name`` overrides the model's name (default: ``_name_or_path`` or the family). ``params_total`` is left open: it
    follows from the shapes. Missing keys take the family's defaults where transformers has them; what then still
    lacks raises ValueError naming the keys looked for, as does a file of an unknown family without the usual keys.
    """
    if not isinstance(config, Mapping):
        raise ValueError("config.json must hold one JSON object")
    text, family = _text_part(config)
    if not family:
        raise ValueError("config.json lacks model_type")
    defaults = _FAMILIES.get(family, {})
    read = _Reader(text, defaults)
    layers, hidden, heads = read.need("layers"), read.need("hidden"), read.need("heads")
    kv_heads = _kv_heads(read, heads)
    latent = _latent(text)
    head_dim = read.whole("head_dim") or hidden // heads
    if latent:
        head_dim = latent["mla_qk_rope_dim"] + latent["mla_qk_nope_dim"]
    ffn = read.whole("ffn") or (hidden * defaults["ffn_times"] if "ffn_times" in defaults else None)
    experts, ffn = _experts(read, layers, ffn)
    if ffn is None and not experts:
        raise ValueError(f"config.json lacks {' / '.join(_NAMES['ffn'])} (ffn)")
    extra = dict(defaults.get("extra", {}))
    if family in _ONE_NORM_FALCONS and not text.get("new_decoder_architecture"):
        extra["norms_per_layer"] = 1
    max_position = read.need("max_position")
    if "learned_positions" in defaults:
        extra["learned_pos"] = (max_position + defaults["learned_positions"]) * hidden
    tied = text.get("tie_word_embeddings", config.get("tie_word_embeddings"))
    bias = text.get("attention_bias", text.get("qkv_bias", text.get("add_qkv_bias")))
    try:
        return ModelRow(
            model=name or str(config.get("_name_or_path") or family),
            family=family,
            layers=layers,
            hidden=hidden,
            heads=heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            ffn=ffn,
            gated_mlp=defaults.get("gated_mlp", True),
            vocab=read.need("vocab"),
            tied_embeddings=defaults.get("tied_embeddings", False) if tied is None else bool(tied),
            max_position=max_position,
            attention_kind=_attention_kind(text, heads, kv_heads),
            sliding_window=_window(text),
            qkv_bias=defaults.get("qkv_bias", False) if bias is None else bool(bias),
            norm=defaults.get("norm", "rmsnorm"),
            source="config.json",
            source_url=NO_ADDRESS,
            date=datetime.date.today().isoformat(),
            extra=extra,
            **experts,
            **latent,
        )
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise ValueError(f"config.json: {where or 'shapes'}: {problem['msg']}") from None
