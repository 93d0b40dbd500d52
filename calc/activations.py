"""Bytes of activations a training step keeps per token and layer, tensor by tensor.

Counted from what PyTorch saves for backward in the Hugging Face, bitsandbytes, PEFT, flash-attention and
TransformerEngine modules; the Hugging Face counts agree with saved-tensor hooks on fake tensors to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calc.architecture import Architecture, Numeric
from calc.cases import Cases, choose
from calc.memory_traits import Traits
from calc.parameters import ATTENTION_REACH, MLP_REACH


@dataclass(frozen=True)
class LayerActivations:
    """Bytes per token of one average layer."""

    input: Numeric  # what checkpointing keeps
    saved: Numeric  # everything saved for backward without checkpointing
    scores: Numeric  # of which attention scores; grows with the sequence
    workspace: Numeric  # temporaries of the layer's own backward beside what is saved
    final: Numeric  # last norm and its output, once per model


def layer_activations(cases: Cases, t: Traits, keys_per_query: Numeric) -> LayerActivations:
    """Saved bytes per token of a layer; ``keys_per_query`` is the number of score columns a token has."""
    a = cases.arch
    d, w, wr = np.asarray(a.hidden, dtype=float), t.wide_bytes, t.residual_bytes
    # PEFT casts a branch's input to the adapter's fp32; under autocast each branch casts it back to 16 bit
    branch_copies = np.where(
        t.adapters * t.casts_branches > 0, np.where(t.autocast > 0, 2.0, np.where(wr == 4, 0.0, 4.0)), 0.0
    )
    reach = np.where(t.adapters > 0, choose(cases.lora_targets, ATTENTION_REACH, 3), 0)
    on_inputs = np.minimum(reach + (reach > 0), 3) * (reach > 0)  # q, v -> 2; q, k, v -> 3
    on_inputs = np.where(reach == 1, 2, on_inputs)
    on_output = (reach == 3).astype(float)
    on_mlp = np.where(t.adapters > 0, choose(cases.lora_targets, MLP_REACH, 0), 0)
    trains = np.maximum(t.full, t.freeze)

    norm = _norm(a, t, trains)
    attention = _attention(a, t, reach, on_inputs, on_output, branch_copies, trains)
    # softmax keeps its fp32 output and, where the stream is 16 bit, the cast of it
    elements = t.eager * np.asarray(a.heads) * keys_per_query
    scores = elements * np.where(w == 4, 4.0, 6.0)
    mlp, mlp_work = _mlp(a, t, on_mlp, branch_copies, trains)
    share, mlp_share = np.asarray(a.attention_share), np.asarray(a.mlp_share)
    mixer = (1 - share) * 8 * w * d  # a linear-attention or state-space mixer keeps about eight vectors of the width
    saved = norm + share * (attention + scores) + mlp_share * mlp + mixer
    # softmax's backward holds two fp32 gradients of the scores (three where the stream is fp32: of probabilities,
    # softmax and scaled scores); what the MLP had saved is free again by then
    workspace = np.maximum(mlp_share * mlp_work, share * np.where(w == 4, 12.0, 8.0) * elements - mlp_share * mlp)
    final = d * (np.where(t.fused_kernels > 0, wr, 4.0) + trains * wr + w)
    return LayerActivations(wr * d, saved, share * scores, workspace + np.where(trains > 0, 2.0, 4.0) * wr * d, final)


def _norm(a: Architecture, t: Traits, trains: Numeric) -> Numeric:
    """Norms of a layer: the fp32 copy of Hugging Face's RMSNorm, or only the input of a fused kernel."""
    d, wr = np.asarray(a.hidden, dtype=float), t.residual_bytes
    layernorm = np.asarray(a.layernorm, dtype=bool)
    copies = np.where(layernorm | (t.fused_kernels > 0), wr, 4.0 + trains * wr)
    heads = (np.asarray(a.heads) + a.kv_heads) * np.asarray(a.head_dim)
    on_heads = np.where(
        np.asarray(a.qk_norm) > 0, heads * np.where(t.fused_kernels > 0, t.wide_bytes, 4.0 + trains * 2), 0
    )
    return np.maximum(np.asarray(a.norms_per_layer), 1) * d * copies + on_heads * np.asarray(a.attention_share)


def _linear_inputs(
    t: Traits, d: Numeric, users: Numeric, adapted: Numeric, branch_copies: Numeric, trains: Numeric
) -> Numeric:
    """Copies of one input kept by the matrices reading it: shared, or cast anew for each of them."""
    casts = (t.residual_bytes == 4) & (t.autocast > 0)
    trained = np.where(casts, np.where(t.fused_kernels > 0, 1, users) * 2.0, t.compute_bytes)
    shared = np.where(casts, adapted * 2.0, np.where(t.residual_bytes == 4, 4.0, t.compute_bytes)) * (adapted > 0)
    through_adapters = np.where(
        branch_copies > 0, branch_copies * adapted, np.where(casts, shared, np.minimum(adapted, 1) * t.residual_bytes)
    )
    return d * np.where(trains > 0, trained, t.adapters * through_adapters)


def _attention(
    a: Architecture,
    t: Traits,
    reach: Numeric,
    on_inputs: Numeric,
    on_output: Numeric,
    branch_copies: Numeric,
    trains: Numeric,
) -> Numeric:
    d, w = np.asarray(a.hidden, dtype=float), t.wide_bytes
    mla = np.asarray(a.mla_kv_lora_rank) > 0
    query = np.where(
        mla, a.heads * (np.asarray(a.mla_qk_nope_dim) + a.mla_qk_rope_dim), a.heads * np.asarray(a.head_dim)
    )
    value_all = np.where(mla, a.heads * np.asarray(a.mla_v_dim), query)
    keys = np.where(mla, query, np.where(t.repeats_kv > 0, query, a.kv_heads * np.asarray(a.head_dim)))
    values = np.where(mla, value_all, keys)
    latents = np.where(mla, 2.0 * (np.asarray(a.mla_q_lora_rank) + a.mla_kv_lora_rank), 0) * 2
    gate = np.asarray(a.gated_query) * 2 * query
    kept = w * (query + keys + values + value_all + gate) + latents * w / 2 + 4 * np.asarray(a.heads)
    out_copy = value_all * on_output * np.where(branch_copies == 4, 4.0, 0.0)
    # LitGPT: values are a view of the joint projection; adapters add their padded input and a dropout mask
    joint = t.whole_qkv * w * (a.heads + np.asarray(a.kv_heads)) * a.head_dim
    padded = t.whole_qkv * (reach > 0) * (w * (a.heads + np.asarray(a.kv_heads)) * a.head_dim + d)
    return kept + joint + padded + out_copy + _linear_inputs(t, d, 3, on_inputs, branch_copies, trains)


def _mlp(
    a: Architecture, t: Traits, on_mlp: Numeric, branch_copies: Numeric, trains: Numeric
) -> tuple[Numeric, Numeric]:
    """Saved bytes and backward temporaries of the feed-forward block, averaged over dense and mixture layers."""
    d, w = np.asarray(a.hidden, dtype=float), t.wide_bytes
    gated = np.asarray(a.gated_mlp, dtype=float)
    layers = np.asarray(a.layers, dtype=float)
    mixture = np.where(np.asarray(a.moe_experts) > 0, np.maximum(layers - a.first_dense_layers, 0) / layers, 0)
    routed = np.asarray(a.moe_top_k, dtype=float)
    shared = np.asarray(a.moe_shared_experts, dtype=float)
    width = (1 - mixture) * a.ffn + mixture * a.moe_ffn * (routed + shared)
    # Hugging Face writes "gelu_new" (the models with biases in their MLP) as separate operations that save four tensors
    composite = t.plain * (1 - t.fused_mlp) * np.asarray(a.mlp_bias, dtype=float)
    inner_trained = np.where(gated > 0, np.where(t.fused_mlp > 0, 3, 4), 2 + 3 * composite)
    inner_frozen = np.where(gated > 0, np.where(t.fused_mlp > 0, 2, 3), 1 + 3 * composite)
    inner = np.where(trains > 0, inner_trained, inner_frozen) * w
    down_copy = on_mlp * np.where(branch_copies > 0, branch_copies, np.where(t.fused_mlp > 0, 0, w))
    users = 1 + gated
    inputs = _linear_inputs(t, d, users, on_mlp * users, branch_copies, trains)
    dispatch = mixture * w * d * 2 * routed * np.where(trains > 0, 1.0, 0.5)
    saved = width * (inner + down_copy) + inputs + dispatch
    temporaries = np.where(gated > 0, np.where(trains > 0, 2.0, 3.0), 1.0) * (1 - 0.5 * mixture)
    return saved, width * w * temporaries
