"""Row models of training runs: measured, out of memory, counted on fake tensors, and scaling over cards."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gpudata.row_types import Address, Count, CountOrNone, Date, NotNegative, Positive, Row, SourcedRow, Text

Method = Literal["full", "lora", "qlora", "dora", "freeze", "pretrain"]


class RunRow(Row):
    """One training run in the format of ``python -m calc predict``; ``peak_mem_gb`` is in ``mem_unit``, per card."""

    case_id: Text
    source: Text
    source_url: Address
    source_date: Date
    model: Text
    method: Method
    lora_rank: Count | None = None
    lora_targets: str | None = None
    base_weights: Literal["bf16", "fp16", "fp32", "nf4", "nf4-dq", "int8", "int8-gptq", "int4-gptq", "fp8"] | None = (
        None
    )
    precision: Literal["amp-bf16", "bf16-true", "amp-fp16", "fp16", "fp16-true", "fp32", "fp8"] | None = None
    optimizer: str | None = None
    optimizer_in_backward: bool | None = None
    gpu: str | None = None
    num_gpus: Count
    num_nodes: Count | None = None
    interconnect: str | None = None
    parallelism: Literal["single", "ddp", "fsdp", "zero1", "zero2", "zero3", "tp", "pp", "mixed"]
    tensor_parallel: Count | None = None
    pipeline_parallel: Count | None = None
    context_parallel: Count | None = None
    expert_parallel: Count | None = None
    cpu_offload: Literal["none", "optimizer", "params+optimizer"] | None = None
    seq_len: Annotated[int, Field(ge=1, le=4_000_000)] | None = None
    micro_batch: Count
    grad_accum: Count | None = None
    packed: bool | None = None
    activation_checkpointing: Literal["none", "full", "selective", "offload"] | None = None
    attention: Literal["flash", "sdpa", "eager", "xformers"] | None = None
    fused_loss: Literal["yes", "partial", "no"] | None = None
    compile: bool | None = None
    framework: Text
    peak_mem_gb: Positive | None = None
    mem_unit: Literal["GB", "GiB"] | None = None
    mem_kind: Literal["allocated", "reserved", "nvidia-smi", "unknown"] | None = None
    tokens_per_s_per_gpu: Positive | None = None
    step_s: Positive | None = None
    mfu: Annotated[float, Field(gt=0, le=1)] | None = None
    train_minutes: Positive | None = None
    total_tokens: Positive | None = None
    layers: Count | None = None
    trust: Literal["A", "B", "C"] | None = None
    note: str | None = None


class MeasurementRow(RunRow):
    """A measured run; shapes are given where the model is no preset or has fewer layers than its preset."""

    hidden: Count | None = None
    heads: Count | None = None
    kv_heads: Count | None = None
    head_dim: Count | None = None
    ffn: Count | None = None
    gated_mlp: bool | None = None
    vocab: Count | None = None
    tied_embeddings: bool | None = None
    model_published: str | None = None
    gpu_published: str | None = None


class FakeTensorRow(RunRow):
    """Peak memory of one step counted by PyTorch on tensors without storage: no card, no allocator, no context."""

    peak_mem_gb: Positive
    mem_unit: Literal["GB", "GiB"]
    mem_kind: Literal["allocated", "reserved"]


class ScalingRow(SourcedRow):
    """Measured speed-up of the same work from ``n1`` to ``n2`` cards (a ratio of throughputs, 1 = no gain)."""

    gpu: Text
    gpu_as_listed: Text
    interconnect: Text
    parallelism: Text
    model: Text
    n1: Count
    n2: Count
    speedup: Positive | None = None
    note: str | None = None


class ClaimRow(SourcedRow):
    """A statement of the popular hardware guides, its figures, and what a careful answer says instead."""

    claim_id: Text
    topic: Text
    claim: Text
    value_low: NotNegative | None = None
    value_high: NotNegative | None = None
    unit: str | None = None
    setting: str | None = None
    what_the_product_should_say: Text


class WorkedExampleRow(Row):
    """A published own-versus-rent calculation with its inputs and answer, and the answer computed again."""

    example_id: Text
    source: Text
    source_url: Address
    source_date: Date
    evidence: Text
    kind: Text
    currency: str | None = None
    gpu: str | None = None
    num_gpus: CountOrNone | None = None
    capex: NotNegative | None = None
    own_cost_per_hour: NotNegative | None = None
    own_fixed_per_month: NotNegative | None = None
    power_kw: NotNegative | None = None
    pue: NotNegative | None = None
    elec_per_kwh: NotNegative | None = None
    overhead_frac_year: NotNegative | None = None
    life_years: NotNegative | None = None
    residual: NotNegative | None = None
    discount_rate: NotNegative | None = None
    rent_per_hour_total: NotNegative | None = None
    rent_per_month: NotNegative | None = None
    utilisation: NotNegative | None = None
    hours_per_month: NotNegative | None = None
    horizon_years: NotNegative | None = None
    published_quantity: Text
    published_answer: float
    published_unit: str | None = None
    formula: str | None = None
    recomputed_answer: float | None = None
    rel_diff: NotNegative | None = None
    check: Text
    test_ready: bool
    check_note: str | None = None
