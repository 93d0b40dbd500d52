"""Parameter counts of a model and of the adapters put on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calc.architecture import Architecture, Numeric
from calc.cases import Cases, Text, choose, is_one_of

FREEZE_TRAINED_LAYERS = 2  # LLaMA-Factory's default for freeze tuning


@dataclass(frozen=True)
class ParameterCounts:
    """Numbers of parameters; per-layer figures are averages over all layers of the model."""

    embedding: Numeric  # input embedding matrix
    head: Numeric  # output matrix as stored: 0 where tied to the embedding
    head_matmul: Numeric  # elements multiplied in the output projection, tied or not
    attention_per_layer: Numeric  # matrices of softmax attention in a layer that has it
    mixer_per_layer: Numeric  # linear-attention or state-space parameters, average
    mlp_per_layer: Numeric  # matrices of a dense feed-forward block
    expert: Numeric  # matrices of one routed expert
    experts_per_layer: Numeric  # all routed and shared experts of one mixture layer
    router_per_layer: Numeric
    norms: Numeric  # all norm parameters
    biases: Numeric  # all bias parameters
    total: Numeric
    active: Numeric  # total minus the routed experts a token does not visit
    linear_per_layer: Numeric  # matrices of the blocks, average (what quantisation covers)
    linear_active_per_layer: Numeric  # the same for the parameters one token visits
    largest_layer: Numeric  # matrices of the largest single layer
    largest_matrix: Numeric  # elements of the largest matrix inside the blocks
    moe_layers: Numeric
    dense_layers: Numeric


def attention_matrices(arch: Architecture) -> dict[str, tuple[Numeric, Numeric, Numeric]]:
    """Inputs, outputs and share of use of each attention projection: name -> (in, out, present 0/1)."""
    a = arch
    mla = np.asarray(a.mla_kv_lora_rank) > 0
    low_rank_q = mla & (np.asarray(a.mla_q_lora_rank) > 0)
    wide, narrow = a.heads * a.head_dim, a.kv_heads * a.head_dim
    q_mla = a.heads * (np.asarray(a.mla_qk_nope_dim) + a.mla_qk_rope_dim)
    return {
        "q": (a.hidden, np.where(mla, q_mla, wide * (1 + np.asarray(a.gated_query))), ~low_rank_q),
        "q_down": (a.hidden, a.mla_q_lora_rank, low_rank_q),
        "q_up": (a.mla_q_lora_rank, q_mla, low_rank_q),
        "k": (a.hidden, narrow, ~mla),
        "v": (a.hidden, narrow, ~mla),
        "kv_down": (a.hidden, np.asarray(a.mla_kv_lora_rank) + a.mla_qk_rope_dim, mla),
        "kv_up": (a.mla_kv_lora_rank, a.heads * (np.asarray(a.mla_qk_nope_dim) + a.mla_v_dim), mla),
        "o": (np.where(mla, a.heads * np.asarray(a.mla_v_dim), wide), a.hidden, np.ones_like(mla)),
    }


def moe_layers(arch: Architecture) -> Numeric:
    """Number of layers whose feed-forward block is a mixture of experts."""
    mixture = np.asarray(arch.moe_experts) > 0
    return np.where(mixture, np.maximum(arch.layers * np.asarray(arch.mlp_share) - arch.first_dense_layers, 0), 0)


def parameter_counts(arch: Architecture) -> ParameterCounts:
    """Counts every matrix, bias and norm from the shapes; agrees with published checkpoints to the last digits."""
    a = arch
    mixture_layers = moe_layers(a)
    dense_layers = a.layers * np.asarray(a.mlp_share) - mixture_layers
    attention = sum(i * o * here for i, o, here in attention_matrices(a).values())
    per_width = a.hidden * (2 + np.asarray(a.gated_mlp, dtype=float))
    mlp = per_width * a.ffn
    expert = per_width * a.moe_ffn
    experts = expert * (np.asarray(a.moe_experts) + a.moe_shared_experts)
    router = np.where(np.asarray(a.moe_experts) > 0, a.hidden * np.asarray(a.moe_experts) + a.router_extra, 0)
    attention_layers = a.layers * np.asarray(a.attention_share)

    wide, narrow = a.heads * a.head_dim, a.kv_heads * a.head_dim
    head_norms = choose_number(a.qk_norm, (0, 2 * np.asarray(a.head_dim), wide + narrow))
    latent_norms = np.asarray(a.mla_kv_lora_rank) + a.mla_q_lora_rank
    per_norm = a.hidden * (1 + np.asarray(a.norm_bias, dtype=float))
    norms = per_norm * (a.layers * np.asarray(a.norms_per_layer) + (np.asarray(a.norms_per_layer) > 0))
    norms = norms + attention_layers * (head_norms + latent_norms)
    up_bias = 1 + np.asarray(a.gated_mlp, dtype=float)
    biases = attention_layers * (np.asarray(a.qkv_bias) * (wide + 2 * narrow) + np.asarray(a.out_bias) * a.hidden)
    biases = biases + np.asarray(a.mlp_bias) * dense_layers * (up_bias * a.ffn + a.hidden)
    biases = biases + np.asarray(a.expert_bias) * mixture_layers * a.moe_experts * (up_bias * a.moe_ffn + a.hidden)

    embedding = np.asarray(a.vocab, dtype=float) * a.hidden
    head = np.where(np.asarray(a.tied_embeddings, dtype=bool), 0.0, embedding)
    linear = attention_layers * attention + a.layers * np.asarray(a.mixer_params)
    linear = linear + dense_layers * mlp + mixture_layers * (experts + router)
    total = linear + embedding + head + norms + biases + a.extra_params
    idle = mixture_layers * expert * np.maximum(np.asarray(a.moe_experts) - a.moe_top_k, 0)
    on_layer = attention * (np.asarray(a.attention_share) > 0)
    return ParameterCounts(
        embedding=embedding,
        head=head,
        head_matmul=embedding,
        attention_per_layer=attention,
        mixer_per_layer=np.asarray(a.mixer_params),
        mlp_per_layer=np.where(dense_layers > 0, mlp, 0),
        expert=expert,
        experts_per_layer=experts,
        router_per_layer=router,
        norms=norms,
        biases=biases,
        total=total,
        active=total - idle,
        linear_per_layer=linear / a.layers,
        linear_active_per_layer=(linear - idle) / a.layers,
        largest_layer=on_layer + np.maximum(np.where(dense_layers > 0, mlp, 0), experts + router),
        largest_matrix=np.maximum(
            a.hidden * np.maximum(np.where(dense_layers > 0, a.ffn, 0), a.moe_ffn), a.hidden * wide
        ),
        moe_layers=mixture_layers,
        dense_layers=dense_layers,
    )


def choose_number(index: Numeric, options: tuple[Numeric, ...]) -> Numeric:
    """Element-wise pick of ``options[index]``; index 0 to len(options) - 1, options broadcast."""
    picked = np.asarray(options[0], dtype=float)
    for position, option in enumerate(options[1:], start=1):
        picked = np.where(np.asarray(index) == position, option, picked)
    return picked


_ATTENTION_TARGETS = {
    "qv": ("q", "v", "q_down", "q_up", "kv_up"),
    "qkv": ("q", "k", "v", "q_down", "q_up", "kv_down", "kv_up"),
    "qkvo": ("q", "k", "v", "o", "q_down", "q_up", "kv_down", "kv_up"),
}
ATTENTION_REACH: dict[str, float] = {
    "mlp": 0,
    "qv": 1,
    "qkv": 2,
    "qkvo": 3,
    "attn": 3,
    "all-linear": 3,
    "all-linear+head": 3,
}
MLP_REACH: dict[str, float] = {"mlp": 1, "all-linear": 1, "all-linear+head": 1}


def lora_parameters(arch: Architecture, rank: Numeric, targets: Text) -> Numeric:
    """Parameters of low-rank adapters: rank x (inputs + outputs) for every adapted matrix.

    ``targets`` is one of ``calc.cases.LORA_TARGETS``; "mlp" and "all-linear" reach every routed and shared expert.
    """
    a = arch
    matrices = attention_matrices(a)
    reach = choose(targets, ATTENTION_REACH, 3)
    sums = [np.asarray(0.0)]
    for names in _ATTENTION_TARGETS.values():
        sums.append(sum(((matrices[n][0] + matrices[n][1]) * matrices[n][2] for n in names), np.asarray(0.0)))
    attention = choose_number(reach, tuple(sums)) * a.layers * np.asarray(a.attention_share)
    mixture_layers = moe_layers(a)
    dense_layers = a.layers * np.asarray(a.mlp_share) - mixture_layers
    branches = 2 + np.asarray(a.gated_mlp, dtype=float)
    dense = branches * (a.hidden + np.asarray(a.ffn)) * dense_layers
    shared = np.asarray(a.moe_shared_experts)
    routed = branches * (a.hidden + np.asarray(a.moe_ffn)) * a.moe_experts
    routed = routed + branches * (a.hidden + a.moe_ffn * shared) * (shared > 0)
    mlp = choose(targets, MLP_REACH, 0) * (dense + routed * mixture_layers)
    head = (np.asarray(targets) == "all-linear+head") * (a.hidden + np.asarray(a.vocab))
    return rank * (attention + mlp + head)


def trained_parameters(cases: Cases, counts: ParameterCounts) -> Numeric:
    """Parameters that get gradients: all, the adapters (DoRA adds a magnitude an output), the last layers, or none.

    ``counts`` is :func:`parameter_counts` of ``cases.arch``.
    """
    a, layers = cases.arch, np.asarray(cases.arch.layers, dtype=float)
    adapters = lora_parameters(a, cases.lora_rank, cases.lora_targets)
    magnitudes = np.asarray(is_one_of(cases.method, "dora")) * counts.linear_per_layer * layers / a.hidden
    frozen = np.asarray(is_one_of(cases.method, "freeze"), dtype=float)
    last = frozen * np.minimum(FREEZE_TRAINED_LAYERS, layers) * counts.linear_per_layer
    return np.where(cases.trains_all, counts.total, np.where(cases.uses_adapters, adapters + magnitudes, last))
