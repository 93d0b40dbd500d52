"""What the settings and the class of framework imply for memory: number formats, kernels, shard counts.

Traits belong to classes of software (plain Hugging Face, tuned, compiled, Megatron, native) and to stated settings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calc.cases import Cases, Numeric, choose, is_one_of

STORED_BYTES = {  # bytes per element of a block matrix, scales and zero points included
    "nf4": 0.5 + 4 / 64,  # one fp32 scale per 64 elements (bitsandbytes)
    "nf4-dq": 0.5 + 1 / 64 + 4 / (64 * 256),  # the scales in 8 bit, their scale per 256 blocks
    "int4-gptq": 0.5 + (2 + 0.5) / 128,  # fp16 scale and 4-bit zero point per group of 128
    "int4-awq": 0.5 + (2 + 0.5) / 128,
    "int8": 1.0,
    "int8-gptq": 1.0 + (2 + 1) / 128,
    "fp8": 1.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp32": 4.0,
}


@dataclass(frozen=True)
class Traits:
    """Switches (0/1 arrays or scalars) and widths in bytes derived from the cases."""

    full: Numeric  # every parameter is trained
    adapters: Numeric
    freeze: Numeric
    inference: Numeric
    quantised: Numeric
    plain: Numeric
    megatron: Numeric
    native: Numeric
    zero_engine: Numeric  # DeepSpeed or Megatron distributed optimizer: fp32 masters beside 16-bit weights
    manual_loop: Numeric  # a hand-written loop without autocast that keeps the model's outputs through backward
    autocast: Numeric
    fused_kernels: Numeric  # norm, rotary and activation kernels that save their inputs only
    fused_mlp: Numeric  # the gated activation keeps its two inputs only
    casts_branches: Numeric  # adapters cast their input for every branch on their own (PEFT)
    recent_loss: Numeric  # transformers 5 shifts labels instead of copying logits
    keeps_dequantised: Numeric  # part of the dequantised weights stays saved for backward
    whole_qkv: Numeric  # one matrix for queries, keys and values whose whole output stays saved (LitGPT)
    moves_whole_model: Numeric  # the whole model is put on every card before it is sharded
    upcast_base: Numeric  # usual PEFT preparation: norms, embeddings, head and residual stream in fp32
    checkpoint: Numeric  # full recomputation (or offload of its inputs)
    selective: Numeric
    offload_activations: Numeric
    eager: Numeric
    repeats_kv: Numeric  # keys and values are copied to every query head before attention
    compute_bytes: Numeric
    residual_bytes: Numeric
    wide_bytes: Numeric  # outputs of projections
    weight_bytes: Numeric  # block matrices
    other_bytes: Numeric  # embeddings, norms, head
    trained_bytes: Numeric  # stored trainable parameters
    gradient_bytes: Numeric
    master_bytes: Numeric
    optimizer_bytes: Numeric  # states per trainable parameter
    foreach: Numeric
    data_shards: Numeric
    tensor: Numeric
    pipeline: Numeric
    context: Numeric
    expert: Numeric
    weight_shards: Numeric
    gradient_shards: Numeric
    optimizer_shards: Numeric
    gathers: Numeric  # ZeRO-3 or FSDP: layers are gathered before use
    fsdp: Numeric


OPTIMIZER_STATES = {  # bytes of state per byte of a parameter's own format, or absolute below
    "adamw": 2.0,
    "adamw-fused": 2.0,
    "paged-adamw-32bit": 0.0,
    "lion": 1.0,
    "muon": 1.0,
    "sgd": 0.0,
    "adafactor": 0.0,
}
FIXED_STATES = {"adamw-8bit": 2.03, "paged-adamw-8bit": 2.03, "paged-adamw-32bit": 8.0, "adafactor": 0.02}


def framework_named(cases: Cases, word: str) -> Numeric:
    """1 where the published framework name contains ``word``."""
    names = cases.framework_name
    if isinstance(names, str):
        return float(word in names)
    return (np.char.find(np.asarray(names, dtype=str), word) >= 0).astype(float)


def _number(flag: object) -> Numeric:
    return np.asarray(flag, dtype=float)


def traits_of(cases: Cases) -> Traits:
    """Derives every switch and width the memory model needs; all results broadcast with the cases."""
    c = cases
    full = _number(c.trains_all)
    adapters = _number(c.uses_adapters)
    freeze = _number(is_one_of(c.method, "freeze"))
    inference = _number(is_one_of(c.method, "inference"))
    quantised = _number(c.quantised)
    plain = _number(is_one_of(c.framework, "plain"))
    tuned = _number(is_one_of(c.framework, "tuned"))
    megatron = _number(is_one_of(c.framework, "megatron"))
    native = _number(is_one_of(c.framework, "native"))
    fused = np.where(plain > 0, _number(is_one_of(c.fused_loss, "yes", "partial")), 0)
    fused = np.maximum(fused, _number(is_one_of(c.framework, "compiled", "megatron", "native")))
    fused = np.maximum(fused, _number(c.compile))
    fused = np.maximum(fused, framework_named(c, "unsloth"))
    fused = np.maximum(fused, framework_named(c, "liger"))
    hand_fused = np.maximum(framework_named(c, "unsloth"), framework_named(c, "liger"))
    fused_mlp = np.maximum(hand_fused, _number(is_one_of(c.framework, "compiled", "megatron", "native")))
    fused_mlp = np.maximum(fused_mlp, _number(c.compile))
    manual = framework_named(c, "own loop")
    sharded = _number(is_one_of(c.parallelism, "zero3", "fsdp"))
    fsdp = _number(is_one_of(c.parallelism, "fsdp"))
    deepspeed = np.maximum(
        framework_named(c, "deepspeed"), _number(is_one_of(c.parallelism, "zero1", "zero2", "zero3"))
    )
    engine = np.maximum(megatron, deepspeed)

    fp32 = _number(is_one_of(c.precision, "fp32"))
    amp = _number(is_one_of(c.precision, "amp-bf16", "amp-fp16")) * (1 - manual)
    base_fp32 = _number(is_one_of(c.base_weights, "fp32"))
    # accelerate raises the trained shards of FSDP to fp32 when mixed precision is asked for
    raised = fsdp * plain * full * amp
    # mixed precision trains fp32 masters; pure 16-bit training is "bf16-true" or "fp16"
    mixed = full * amp * (1 - engine)
    trained_fp32 = np.maximum(np.maximum(base_fp32 * (1 - engine), np.maximum(raised, mixed)), fp32)
    bits_and_bytes = _number(is_one_of(c.base_weights, "nf4", "nf4-dq", "int8"))
    upcast = plain * adapters * bits_and_bytes * (1 - fused) * (1 - fsdp)

    compute = np.where(fp32 > 0, 4.0, 2.0)
    residual_fp32 = np.maximum(np.maximum(fp32, upcast), np.maximum(base_fp32, full) * amp * (1 - engine) * (1 - fsdp))
    residual = np.where(residual_fp32 > 0, 4.0, 2.0)
    wide = np.where(upcast * (1 - amp) > 0, 4.0, compute)
    stored = choose(c.base_weights, STORED_BYTES, 2.0)
    stored = np.where(full * (1 - trained_fp32) > 0, np.where(engine > 0, 2.0, np.minimum(stored, 2.0)), stored)
    stored = np.where(full * trained_fp32 > 0, 4.0, stored)
    other = np.where(quantised > 0, np.where(upcast > 0, 4.0, 2.0), np.maximum(stored, 2.0))

    adapter_fp32 = np.maximum(plain, framework_named(c, "unsloth"))
    trained = np.where(adapters > 0, np.where(adapter_fp32 > 0, 4.0, compute), np.where(trained_fp32 > 0, 4.0, 2.0))
    gradient = np.where(megatron * (full + freeze) > 0, 4.0, trained)
    # DeepSpeed trains 16-bit copies of everything and keeps its own fp32 masters.
    trained = np.where(deepspeed > 0, 2.0, trained)
    gradient = np.where(deepspeed > 0, 2.0, gradient)
    master = np.where(engine * np.maximum(full, np.maximum(freeze, adapters)) > 0, 4.0, 0.0)
    state_width = np.where(engine > 0, 4.0, trained)
    states = choose(c.optimizer, OPTIMIZER_STATES, 0.0) * state_width + choose(c.optimizer, FIXED_STATES, 0.0)
    foreach = _number(is_one_of(c.optimizer, "adamw")) * (1 - engine) * (1 - native)
    foreach = foreach * (1 - framework_named(c, "torchtune"))  # its recipes ask for the fused form

    gpus = np.asarray(c.num_gpus, dtype=float)
    tensor = _degree(c.tensor_parallel, is_one_of(c.parallelism, "tp"), gpus)
    pipeline = _degree(c.pipeline_parallel, is_one_of(c.parallelism, "pp"), gpus)
    context = np.asarray(c.context_parallel, dtype=float)
    unnamed = _number(is_one_of(c.parallelism, "mixed")) * (tensor * pipeline * context * c.expert_parallel == 1)
    tensor = np.where(unnamed > 0, np.minimum(gpus, 4), tensor)
    shards = np.maximum(gpus / (tensor * pipeline), 1)
    ddp = _number(is_one_of(c.parallelism, "single", "ddp")) * (1 - megatron)
    zero_optimizer = np.maximum(_number(is_one_of(c.parallelism, "zero1", "zero2")), np.maximum(sharded, megatron))
    zero_optimizer = zero_optimizer * (1 - ddp * (1 - sharded))
    zero_gradient = np.maximum(_number(is_one_of(c.parallelism, "zero2")), sharded)
    return Traits(
        full=full,
        adapters=adapters,
        freeze=freeze,
        inference=inference,
        quantised=quantised,
        plain=plain,
        megatron=megatron,
        native=native,
        zero_engine=engine,
        manual_loop=manual,
        autocast=amp,
        fused_kernels=fused,
        fused_mlp=fused_mlp,
        casts_branches=plain * (1 - hand_fused),
        recent_loss=framework_named(c, "transformers 5"),
        keeps_dequantised=tuned * bits_and_bytes * _number(is_one_of(c.activation_checkpointing, "none")),
        whole_qkv=np.maximum(framework_named(c, "litgpt"), framework_named(c, "lit-gpt")) * (1 - fused),
        moves_whole_model=framework_named(c, "lit-gpt") * fsdp,
        upcast_base=upcast,
        checkpoint=_number(is_one_of(c.activation_checkpointing, "full", "offload")),
        selective=_number(is_one_of(c.activation_checkpointing, "selective")),
        offload_activations=_number(is_one_of(c.activation_checkpointing, "offload")),
        eager=_number(is_one_of(c.attention, "eager")),
        repeats_kv=_number(is_one_of(c.attention, "sdpa", "eager", "xformers")) * (1 - fused),
        compute_bytes=compute,
        residual_bytes=residual,
        wide_bytes=wide,
        weight_bytes=stored,
        other_bytes=other,
        trained_bytes=trained,
        gradient_bytes=gradient,
        master_bytes=master,
        optimizer_bytes=states,
        foreach=foreach,
        data_shards=shards,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        expert=np.asarray(c.expert_parallel, dtype=float),
        weight_shards=np.where(sharded > 0, shards, 1.0),
        gradient_shards=np.where(zero_gradient > 0, shards, 1.0),
        optimizer_shards=np.where(zero_optimizer > 0, shards, 1.0),
        gathers=sharded * (shards > 1),
        fsdp=fsdp * (shards > 1),
    )


def _degree(stated: Numeric, whole: Numeric, gpus: Numeric) -> Numeric:
    """Stated degree of a kind of parallelism; the whole machine where only its name was given."""
    stated = np.asarray(stated, dtype=float)
    return np.where(np.asarray(whole) & (stated <= 1), gpus, stated)
