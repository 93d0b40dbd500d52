"""Arithmetic of one training step: multiply-adds by kind of work, per token.

One product with a weight matrix of P elements costs 2 P floating-point operations a token forward, 2 P for the
gradient of its input and 2 P for the gradient of its weights (Kaplan et al. 2020, arXiv 2001.08361, section 2.1).
Frozen weights skip the last; recomputation adds the first once more (Korthikanti et al. 2022, arXiv 2205.05198).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calc.architecture import Architecture
from calc.cases import Cases, choose, is_one_of
from calc.parameters import FREEZE_TRAINED_LAYERS

Numeric = Any

LORA_ATTENTION = {"qv": 2, "qkv": 3, "qkvo": 4, "attn": 4, "all-linear": 4, "all-linear+head": 4}
LORA_MLP = {"mlp": 1, "all-linear": 1, "all-linear+head": 1}
# Flash attention's backward pass runs five products of the forward's two (Dao 2023, arXiv 2307.08691, section 3.1).
ATTENTION_BACKWARD = 2.5


@dataclass(frozen=True)
class LayerShape:
    """Average layer of a model: elements of weight matrices a token meets, and widths [elements].

    ``attention`` and ``mlp`` count the weights a token is multiplied with (of a mixture of experts: the chosen and the
    shared experts); ``mlp_stored`` counts all experts. ``score_width`` is the sum of the query-key and value widths of
    all heads, which sets the cost of attention scores; ``q_width`` and ``kv_width`` are what rotary touches.
    """

    attention: Numeric
    mlp: Numeric
    mlp_stored: Numeric
    mlp_width: Numeric
    mlp_matrices: Numeric
    q_width: Numeric
    kv_width: Numeric
    o_width: Numeric
    score_width: Numeric
    expert_share: Numeric
    experts: Numeric
    top_k: Numeric


def layer_shape(arch: Architecture) -> LayerShape:
    """Shape of the average layer; dense and mixture-of-experts layers are averaged by their number."""
    hidden, heads = np.asarray(arch.hidden, dtype=float), np.asarray(arch.heads, dtype=float)
    mla = np.asarray(arch.mla_kv_lora_rank, dtype=float) > 0
    qk_head = np.where(mla, arch.mla_qk_nope_dim + np.asarray(arch.mla_qk_rope_dim, dtype=float), arch.head_dim)
    v_head = np.where(mla, arch.mla_v_dim, arch.head_dim)
    q_width, o_width = heads * qk_head, heads * v_head
    kv_width = np.where(
        mla, arch.mla_kv_lora_rank + np.asarray(arch.mla_qk_rope_dim, dtype=float), 2 * arch.kv_heads * v_head
    )
    q_rank = np.asarray(arch.mla_q_lora_rank, dtype=float)
    query = np.where(q_rank > 0, q_rank * (hidden + q_width), hidden * q_width)
    expand = np.where(mla, arch.mla_kv_lora_rank * heads * (arch.mla_qk_nope_dim + v_head), 0.0)
    attention = query + hidden * kv_width + expand + o_width * hidden

    matrices = np.where(np.asarray(arch.gated_mlp, dtype=bool), 3.0, 2.0)
    experts = np.asarray(arch.moe_experts, dtype=float)
    top_k, shared = np.asarray(arch.moe_top_k, dtype=float), np.asarray(arch.moe_shared_experts, dtype=float)
    expert_ffn = np.where(np.asarray(arch.moe_ffn, dtype=float) > 0, arch.moe_ffn, arch.ffn)
    layers = np.maximum(np.asarray(arch.layers, dtype=float), 1.0)
    dense_layers = np.where(experts > 0, np.minimum(np.asarray(arch.first_dense_layers, dtype=float), layers), layers)
    dense_share = dense_layers / layers
    moe_share = 1.0 - dense_share
    width = dense_share * np.asarray(arch.ffn, dtype=float) + moe_share * (top_k + shared) * expert_ffn
    stored_width = dense_share * np.asarray(arch.ffn, dtype=float) + moe_share * (experts + shared) * expert_ffn
    router = moe_share * hidden * experts
    return LayerShape(
        attention=attention,
        mlp=matrices * hidden * width + router,
        mlp_stored=matrices * hidden * stored_width + router,
        mlp_width=width,
        mlp_matrices=matrices,
        q_width=q_width,
        kv_width=kv_width,
        o_width=o_width,
        score_width=q_width + o_width,
        expert_share=moe_share,
        experts=np.maximum(experts, 1.0),
        top_k=np.maximum(top_k, 1.0),
    )


@dataclass(frozen=True)
class Adapters:
    """Low-rank branches of one average layer: matrices adapted, their input and output widths, added parameters."""

    matrices: Numeric
    inputs: Numeric
    outputs: Numeric
    parameters: Numeric
    adapted_weights: Numeric


def adapters(cases: Cases, shape: LayerShape) -> Adapters:
    """What LoRA adds to the average layer (Hu et al. 2021, arXiv 2106.09685); zero where no adapters are trained."""
    hidden = np.asarray(cases.arch.hidden, dtype=float)
    on = np.where(cases.uses_adapters, 1.0, 0.0)
    attention = np.asarray(choose(cases.lora_targets, {k: float(v) for k, v in LORA_ATTENTION.items()}, 0.0)) * on
    mlp = np.asarray(choose(cases.lora_targets, {k: float(v) for k, v in LORA_MLP.items()}, 0.0)) * on
    q, k_or_v = shape.q_width, shape.kv_width / 2
    has_k, has_o = attention >= 3, attention >= 4
    in_attention = hidden * (np.minimum(attention, 2) + has_k) + has_o * shape.o_width
    out_attention = np.where(attention > 0, q + k_or_v + has_k * k_or_v + has_o * hidden, 0.0)
    weights_attention = np.where(
        attention > 0, hidden * (q + k_or_v + has_k * k_or_v) + has_o * hidden * shape.o_width, 0.0
    )
    gates = shape.mlp_matrices - 1
    in_mlp = mlp * (gates * hidden + shape.mlp_width)
    out_mlp = mlp * (gates * shape.mlp_width + hidden)
    inputs, outputs = in_attention + in_mlp, out_attention + out_mlp
    rank = np.asarray(cases.lora_rank, dtype=float)
    return Adapters(
        matrices=attention + mlp * shape.mlp_matrices,
        inputs=inputs,
        outputs=outputs,
        parameters=rank * (inputs + outputs),
        adapted_weights=weights_attention + mlp * shape.mlp,
    )


@dataclass(frozen=True)
class PassCounts:
    """How often one step runs each kind of work, in forward passes (each 2 operations a weight and token)."""

    linear: Numeric
    head: Numeric
    scores: Numeric
    elementwise: Numeric
    weight_reads: Numeric
    recompute: Numeric


def pass_counts(cases: Cases, selective_linear: float = 0.0) -> PassCounts:
    """Forward-equivalent passes of one step by method and checkpointing.

    ``selective_linear`` is the share of linear layers that selective checkpointing recomputes (0: attention and
    element-wise work only, as Megatron does). Inference runs the forward pass alone.
    """
    layers = np.maximum(np.asarray(cases.arch.layers, dtype=float), 1.0)
    frozen = np.where(is_one_of(cases.method, "freeze"), 1.0, 0.0)
    reached = np.where(frozen > 0, np.minimum(FREEZE_TRAINED_LAYERS / layers, 1.0), 1.0)
    trains = np.where(is_one_of(cases.method, "inference"), 0.0, 1.0)
    weight_gradient = np.where(np.asarray(cases.trains_all) | (frozen > 0), 1.0, 0.0)
    full = np.where(is_one_of(cases.activation_checkpointing, "full", "offload"), 1.0, 0.0)
    selective = np.where(is_one_of(cases.activation_checkpointing, "selective"), 1.0, 0.0)
    back = reached * trains
    again = (full + selective * selective_linear) * back
    again_light = np.maximum(full, selective) * back
    # Frozen heads still pass the gradient on; trained heads need their own as well.
    head = 1 + trains * (1 + np.where(cases.trains_all, 1.0, 0.0))
    return PassCounts(
        linear=1 + back * (1 + weight_gradient) + again,
        head=head,
        scores=1 + back * ATTENTION_BACKWARD + again_light,
        elementwise=1 + 2 * back + again_light,
        weight_reads=1 + back + again,
        recompute=again,
    )


def mean_context(cases: Cases) -> Numeric:
    """Keys a query meets on average [tokens]: half the sequence under a causal kernel, all where scores are dense."""
    seq = np.asarray(cases.seq_len, dtype=float)
    window = np.asarray(cases.arch.sliding_window, dtype=float)
    limited = (window > 0) & (window < seq)
    causal = np.where(limited, window * (1 - window / (2 * seq)), seq / 2)
    return np.where(is_one_of(cases.attention, "eager"), seq, causal)


def score_flops(cases: Cases, shape: LayerShape) -> Numeric:
    """Forward operations of attention scores and their product with values [FLOP per token and layer]."""
    return 2 * shape.score_width * mean_context(cases)


def model_flops_per_token(cases: Cases) -> Numeric:
    """Operations a training step needs per token without recomputation, for MFU [FLOP].

    The convention of PaLM (arXiv 2204.02311, appendix B) with causal scores counted once; 4 instead of 6 operations per
    weight where the base is frozen.
    """
    shape = layer_shape(cases.arch)
    branch = adapters(cases, shape)
    plain = cases.with_(activation_checkpointing="none")
    passes = pass_counts(plain)
    layers = np.asarray(cases.arch.layers, dtype=float)
    window = np.where(is_one_of(cases.attention, "eager"), 0.5, 1.0) * score_flops(cases, shape)
    per_layer = 2 * (shape.attention + shape.mlp) * passes.linear + window * (passes.linear) + 6 * branch.parameters
    return layers * per_layer + 2 * np.asarray(cases.arch.hidden, dtype=float) * cases.arch.vocab * passes.head
