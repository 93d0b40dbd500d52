"""Bytes of weights, gradients, optimizer states and sharding buffers on one GPU."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calc.architecture import Numeric
from calc.cases import Cases, is_one_of
from calc.memory_constants import MemoryConstants
from calc.memory_traits import Traits
from calc.parameters import parameter_counts, trained_parameters

GIB = 2.0**30
ZERO_SUB_GROUP = 1e9  # DeepSpeed steps over at most this many parameters at once
ZERO_LIVE_PARAMETERS = 1e9  # DeepSpeed's default for parameters gathered at once


@dataclass(frozen=True)
class States:
    """Bytes on one GPU; ``trainable`` and ``base`` count parameters of the whole model."""

    base: Numeric
    trainable: Numeric
    weights: Numeric
    gradients: Numeric
    cast_weights: Numeric  # 16-bit copies of fp32 weights that autocast keeps until backward
    loading: Numeric
    gradients_first_layer: Numeric  # all but the first layer's own and the embedding's
    dequantised_kept: Numeric
    head_gradients: Numeric  # gradients that exist when the last layer's backward starts
    optimizer: Numeric
    step_temporaries: Numeric
    dequantisation: Numeric
    buffers: Numeric
    gathered: Numeric  # layers gathered during forward and backward
    gathered_root: Numeric  # what is gathered at the loss
    host: Numeric  # bytes moved to host memory per GPU


def model_states(cases: Cases, t: Traits, k: MemoryConstants) -> States:
    """Parameters, gradients and optimizer states after sharding and offload."""
    a, p = cases.arch, parameter_counts(cases.arch)
    layers = np.asarray(a.layers, dtype=float)
    expert_block = p.moe_layers * p.expert * np.asarray(a.moe_experts)
    dense_block = p.linear_per_layer * layers - expert_block
    head = np.where(t.whole_qkv > 0, p.embedding, p.head)  # LitGPT stores the head apart even where it is tied
    ends = np.where(t.pipeline > 1, np.maximum(p.embedding, head), p.embedding + head) / t.tensor
    small = (p.norms + p.biases) / t.pipeline + a.extra_params
    dense = dense_block / (t.tensor * t.pipeline)
    experts = expert_block / (t.tensor * t.pipeline * t.expert)

    trainable = trained_parameters(cases, p) + t.full * (head - p.head)
    trained_here = np.where(t.full > 0, dense + ends + small, trainable / (t.tensor * t.pipeline))
    trained_experts = t.full * experts

    base_bytes = (dense + experts) * t.weight_bytes + (ends + small) * t.other_bytes
    weights = (base_bytes + t.adapters * trained_here * t.trained_bytes) / t.weight_shards
    in_backward = np.asarray(cases.optimizer_in_backward, dtype=float)
    layer_share = 1.0 / layers
    all_trained = trained_here + trained_experts
    gradients = all_trained * t.gradient_bytes / t.gradient_shards * np.where(in_backward > 0, layer_share, 1.0)
    expert_shards = np.maximum(t.optimizer_shards / t.expert, 1)
    per_parameter = t.optimizer_bytes + t.master_bytes
    optimizer = (trained_here / t.optimizer_shards + trained_experts / expert_shards) * per_parameter
    optimizer = optimizer * (1 - t.inference)

    offload = np.asarray(is_one_of(cases.cpu_offload, "optimizer", "params+optimizer"), dtype=float)
    offload_weights = np.asarray(is_one_of(cases.cpu_offload, "params+optimizer"), dtype=float)
    foreach = t.foreach * all_trained / t.optimizer_shards * t.trained_bytes * np.where(in_backward > 0, layer_share, 1)
    engine_step = (
        (t.zero_engine * (1 - t.megatron)) * np.minimum(all_trained / t.optimizer_shards, ZERO_SUB_GROUP) * 4.0
    )
    largest = np.where(t.pipeline > 1, p.linear_per_layer, p.largest_layer) / t.tensor
    largest = np.where(t.fsdp > 0, largest, np.minimum(largest, ZERO_LIVE_PARAMETERS))
    compute = np.where(
        t.quantised > 0,
        t.weight_bytes,
        np.where(t.fsdp * t.full * (1 - t.autocast) > 0, t.weight_bytes, t.compute_bytes),
    )
    gathered = t.gathers * largest * (k.gathered_layers * compute + t.full * t.compute_bytes)
    # FSDP keeps the embedding and the head gathered; ZeRO-3 gathers what it uses
    root = t.gathers * t.compute_bytes * np.where(t.fsdp > 0, ends, p.embedding / t.tensor)
    ddp = np.asarray(is_one_of(cases.parallelism, "ddp"), dtype=float) * (np.asarray(cases.num_gpus) > 1) * gradients
    bucket = t.zero_engine * (1 - t.megatron) * np.minimum(5e8, all_trained) * 2.0 * 2
    needed = weights * offload_weights
    dequantised = t.quantised * p.largest_matrix / t.tensor * t.compute_bytes
    block = p.linear_per_layer / (t.tensor * t.pipeline)
    late = block + np.where(np.asarray(a.tied_embeddings, dtype=bool), 0, p.embedding / t.tensor)
    late = t.full * np.minimum(late, trained_here) * t.gradient_bytes / t.gradient_shards * (1 - in_backward)
    casts = t.autocast * (t.weight_bytes == 4) * (1 - t.fsdp) * 2.0
    cast_weights = casts * np.where(t.checkpoint > 0, p.linear_per_layer, dense + experts + p.head_matmul / t.tensor)
    staging = t.megatron * k.megatron_layer_bytes * (dense + experts) * t.pipeline / layers
    grads = gradients * (1 - offload) * (1 - t.inference)
    return States(
        base=p.total + head - p.head,
        trainable=trainable,
        weights=weights - needed,
        gradients=grads,
        cast_weights=cast_weights,
        loading=t.moves_whole_model * base_bytes * (1 + 1 / t.weight_shards),
        gradients_first_layer=np.maximum(grads - late * (1 - offload), 0),
        dequantised_kept=t.keeps_dequantised * k.dequantised_kept * dense_block,
        head_gradients=t.full * (1 - in_backward) * p.head_matmul / t.tensor * t.gradient_bytes / t.gradient_shards,
        optimizer=optimizer * (1 - offload),
        step_temporaries=(foreach + engine_step) * (1 - offload),
        dequantisation=dequantised,
        buffers=k.workspace_gib * GIB + ddp + bucket + staging,
        gathered=gathered + root,
        gathered_root=root + t.gathers * largest * compute,
        host=offload * (optimizer + gradients) + needed,
    )
