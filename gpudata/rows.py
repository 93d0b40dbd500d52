"""Row models of the cards and of the language models. Units are in the column names; 1 GiB = 2^30 bytes."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from gpudata.row_types import Address, Count, CountOrNone, Date, Month, NotNegative, Positive, Row, SourcedRow, Text

Segment = Literal["consumer", "workstation", "datacenter"]


class GpuRow(SourcedRow):
    """One accelerator. Rates are dense, multiply in the named type, accumulate in FP32 unless the name says FP16."""

    gpu: Text
    vendor: Text
    architecture: str | None = None
    segment: Segment
    form_factor: str | None = None
    memory_gb: Positive | None = None
    memory_gib_usable: Positive | None = None
    memory_type: str | None = None
    memory_bandwidth_gb_s: Annotated[float, Field(gt=50, lt=20_000)] | None = None
    ecc: Literal["yes", "no", "optional"] | None = None
    fp32_tflops: Positive | None = None
    fp16_dense_tflops: Positive | None = None
    fp16_accumulate_fp16_dense_tflops: Positive | None = None
    bf16_dense_tflops: Positive | None = None
    fp8_dense_tflops: Positive | None = None
    fp4_dense_tflops: Positive | None = None
    int8_dense_tops: Positive | None = None
    interconnect: str | None = None
    interconnect_gb_s: Positive | None = None
    pcie_gen: Annotated[float, Field(ge=3, le=7)] | None = None
    pcie_lanes: Annotated[int, Field(ge=1, le=16, multiple_of=4)] | None = None
    tdp_w: Annotated[float, Field(gt=10, lt=3_000)] | None = None
    release_date: Month | None = None
    launch_price_usd: Positive | None = None
    export_restricted_variant_of: str | None = None
    note: str | None = None
    basis: Text

    @model_validator(mode="after")
    def _usable_memory_is_not_above_nominal(self) -> Self:
        if self.memory_gb and self.memory_gib_usable and self.memory_gib_usable > self.memory_gb:
            raise ValueError("memory_gib_usable is above memory_gb")
        return self

    @model_validator(mode="after")
    def _narrow_accumulation_is_not_slower(self) -> Self:
        wide, narrow = self.fp16_dense_tflops, self.fp16_accumulate_fp16_dense_tflops
        if wide and narrow and narrow < wide:
            raise ValueError("fp16_accumulate_fp16_dense_tflops is below fp16_dense_tflops")
        return self


class MatmulRow(SourcedRow):
    """Best matrix product measured on a card, in TFLOPS; ``theoretical_tflops`` is the datasheet's dense rate."""

    gpu: Text
    gpu_as_listed: Text
    dtype: Literal["bf16", "fp16", "fp8-e4m3", "fp16-fp16acc", "nvfp4"]
    theoretical_tflops: Positive | None = None
    achieved_tflops: Positive
    note: str | None = None


class ModelRow(SourcedRow):
    """One language model: shapes as in its ``config.json``; see ``ModelExtra`` for what no column expresses.

    ``params_total`` counts the language model with a tied head once, without buffers, vision tower or prediction
    heads; ``params_active`` leaves out idle routed experts. Both are absent in rows read from a user's ``config.json``.
    """

    model: Text
    family: Text
    params_total: Annotated[int, Field(gt=1_000_000)] | None = None
    params_active: Annotated[int, Field(gt=1_000_000)] | None = None
    layers: Count
    hidden: Count
    heads: Count
    kv_heads: Count
    head_dim: Count
    ffn: Count | None = None
    gated_mlp: bool
    vocab: Count
    tied_embeddings: bool
    max_position: Count
    attention_kind: Literal["mha", "gqa", "mqa", "mla", "hybrid"]
    sliding_window: Count | None = None
    moe_experts: CountOrNone | None = None
    moe_top_k: CountOrNone | None = None
    moe_shared_experts: CountOrNone | None = None
    moe_ffn: CountOrNone | None = None
    first_dense_layers: CountOrNone | None = None
    mla_kv_lora_rank: CountOrNone | None = None
    mla_q_lora_rank: CountOrNone | None = None
    mla_qk_rope_dim: CountOrNone | None = None
    mla_qk_nope_dim: CountOrNone | None = None
    mla_v_dim: CountOrNone | None = None
    qkv_bias: bool
    norm: Literal["rmsnorm", "layernorm"]
    licence: str | None = None
    note: str | None = None
    extra: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _heads_divide(self) -> Self:
        if self.heads % self.kv_heads:
            raise ValueError(f"heads ({self.heads}) is not a multiple of kv_heads ({self.kv_heads})")
        return self

    @model_validator(mode="after")
    def _feed_forward_is_known(self) -> Self:
        if not self.ffn and not self.moe_ffn:
            raise ValueError("ffn and moe_ffn are both blank")
        return self

    @model_validator(mode="after")
    def _active_is_not_above_total(self) -> Self:
        if self.params_active and self.params_total and self.params_active > self.params_total:
            raise ValueError("params_active is above params_total")
        return self


class GatedDeltaNet(Row):
    """Linear-attention layers between ``full_layers`` layers of full attention."""

    full_layers: Count
    k_heads: Count
    k_dim: Count
    v_heads: Count
    v_dim: Count
    conv: Count


class Mamba(Row):
    """Mamba-2 layers next to ``attn_layers`` attention layers; every layer of such a model does one kind of work."""

    attn_layers: Count
    mamba_layers: Count
    heads: Count
    head_dim: Count
    groups: Count
    state: Count
    conv: Count


class GlobalAttention(Row):
    """Layers of full attention with their own head shape, between sliding-window layers."""

    layers: Count
    kv: Count
    dim: Count
    k_eq_v: bool


class ModelExtra(Row):
    """What the columns of ``models.csv`` cannot express; an absent entry means the usual layout.

    Norms: ``norms_per_layer`` (usual 2), ``final_norm`` (1), ``embed_norm`` (0), ``norm_bias``, ``norm_affine``,
    ``qk_norm`` (one weight per head dimension, per head, or over the full width). Biases: ``o_bias``, ``mlp_bias``,
    ``expert_bias``, ``router_bias``, ``lm_head_bias``. Counts of further parameters: ``learned_pos`` and ``add`` per
    model, ``router_extra`` per mixture layer, ``sinks`` per layer. ``gated_q``: the query projection is twice as wide.
    """

    qk_norm: Literal["head", "per_head", "full"] | None = None
    norms_per_layer: CountOrNone | None = None
    final_norm: CountOrNone | None = None
    embed_norm: CountOrNone | None = None
    norm_bias: bool | None = None
    norm_affine: bool | None = None
    o_bias: bool | None = None
    mlp_bias: bool | None = None
    expert_bias: bool | None = None
    router_bias: bool | None = None
    lm_head_bias: bool | None = None
    learned_pos: CountOrNone | None = None
    embed_dim: Count | None = None
    add: CountOrNone | None = None
    router_extra: CountOrNone | None = None
    moe_layers: Count | None = None
    sinks: CountOrNone | None = None
    gated_q: bool | None = None
    gdn: GatedDeltaNet | None = None
    mamba: Mamba | None = None
    global_attn: GlobalAttention | None = None


class PublishedCountRow(SourcedRow):
    """Published parameter count of a model; ``adjust`` is what to add to it to get the language model alone."""

    model: Text
    published: Count
    precision: Literal["exact", "rounded"]
    adjust: int
    adjust_reason: str | None = None
    half_unit: int
    active: str | None = None
    basis: Literal["looked up", "recalled", "same layout"]


class CheckpointRow(SourcedRow):
    """A published figure about failures and checkpoints next to the value the formula gives."""

    case_id: Text
    quantity: Text
    published: Positive | None = None
    computed: Positive
    rel_diff: NotNegative | None = None
    inputs: Text
    evidence: Literal["derived", "read", "secondary"]


class StretchRow(Row):
    """Wall time over failure-free time (``stretch``) at one mean time between failures and save cost."""

    mtbf_source: Text
    source_url: Address
    date: Date
    per_card_mtbf_h: Positive
    cards: Count
    job_mtbf_h: Positive
    case: Text
    save_min: Positive
    restart_min: Positive
    tau_min: Positive
    stretch: Annotated[float, Field(ge=1)]
    effective_fraction: Annotated[float, Field(ge=0, le=1)]


class FrameworkRow(Row):
    """Part of a framework's name (lower case) and the class of software it belongs to; the blank part matches all."""

    pattern: str | None = None
    class_: Literal["plain", "tuned", "compiled", "megatron", "native"] = Field(alias="class")
    source: Address
    note: str | None = None
