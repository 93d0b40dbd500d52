"""What the user chooses, with its bounds and cross-field rules: the only place where a choice is checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

SCENARIO_VERSION = 1

MethodChoice = Literal["qlora-4bit", "qlora-8bit", "lora", "dora", "freeze", "full-16bit", "full-mixed", "pretrain"]
METHOD_CHOICES: tuple[MethodChoice, ...] = (
    "qlora-4bit",
    "qlora-8bit",
    "lora",
    "dora",
    "freeze",
    "full-16bit",
    "full-mixed",
    "pretrain",
)
ADAPTER_CHOICES = ("qlora-4bit", "qlora-8bit", "lora", "dora")
MODEL_BY_SIZE = "by-size"
MODEL_CUSTOM = "custom"
SIZE_STEPS_B = (
    *(0.5, 0.6, 0.8, 1.0, 1.5, 1.7, 2.0, 2.7, 3.0, 4.0, 6.0, 7.0, 8.0, 9.0, 11.0, 13.0, 14.0, 20.0, 24.0, 27.0, 30.0),
    *(32.0, 34.0, 40.0, 47.0, 57.0, 65.0, 70.0, 72.0, 80.0, 104.0, 110.0, 123.0, 141.0, 180.0, 235.0, 340.0, 405.0),
)
MARKETS = ("China", "US", "Europe")
CURRENCIES = ("USD", "CNY", "EUR")
LINK_CHOICES = ("auto", "pcie", "nvlink", "nvlink+infiniband", "nvlink+roce", "pcie+infiniband", "pcie+ethernet")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Workload(_Part):
    """Model, method and data."""

    model: str = "Llama-3.1-8B"
    model_size_b: float = Field(8.0, ge=0.1, le=1000)
    custom_layers: int = Field(32, ge=1, le=1000)
    custom_hidden: int = Field(4096, ge=64, le=65536)
    custom_heads: int = Field(32, ge=1, le=1024)
    custom_kv_heads: int = Field(8, ge=1, le=1024)
    custom_ffn: int = Field(14336, ge=64, le=262144)
    custom_vocab: int = Field(128256, ge=256, le=1_000_000)
    custom_gated_mlp: bool = True
    custom_tied_embeddings: bool = False
    method: MethodChoice = "lora"
    lora_rank: int = Field(16, ge=1, le=1024)
    lora_targets: Literal["qv", "qkv", "qkvo", "mlp", "all-linear"] = "all-linear"
    quantisation: Literal["nf4-dq", "nf4", "int4-gptq", "int4-awq"] = "nf4-dq"
    samples: int = Field(20_000, ge=1, le=1_000_000_000)
    tokens_per_sample: int = Field(600, ge=1, le=10_000_000)
    epochs: float = Field(3.0, gt=0, le=1000)

    @model_validator(mode="after")
    def _heads_divide(self) -> Workload:
        if self.model == MODEL_CUSTOM:
            if self.custom_heads % self.custom_kv_heads:
                raise ValueError(
                    f"custom_kv_heads is {self.custom_kv_heads}; it must divide custom_heads ({self.custom_heads})"
                )
            if self.custom_hidden % self.custom_heads:
                raise ValueError(
                    f"custom_hidden is {self.custom_hidden}; "
                    f"it must be a multiple of custom_heads ({self.custom_heads})"
                )
        return self


class TrainingSetup(_Part):
    """How one step is run."""

    seq_len: int = Field(2048, ge=64, le=1_048_576)
    micro_batch: int = Field(1, ge=1, le=1024)
    grad_accum: int = Field(16, ge=1, le=65_536)
    packed: bool = True
    activation_checkpointing: Literal["none", "selective", "full", "offload"] = "full"
    attention: Literal["flash", "sdpa", "eager"] = "flash"
    fused_loss: Literal["no", "partial", "yes"] = "no"
    optimizer: Literal[
        "adamw", "adamw-fused", "adamw-8bit", "paged-adamw-32bit", "paged-adamw-8bit", "adafactor", "lion", "sgd"
    ] = "adamw-fused"
    parallelism: Literal["auto", "ddp", "zero1", "zero2", "zero3", "tp", "pp"] = "auto"
    cpu_offload: Literal["none", "optimizer", "params+optimizer"] = "none"
    fp8: bool = False
    framework: Literal["plain", "tuned", "megatron"] = "plain"


class Hardware(_Part):
    """Cards and links of the machine that is bought or rented."""

    gpu: str = "RTX 4090"
    num_gpus: int = Field(1, ge=1, le=16_384)
    gpus_per_node: int = Field(8, ge=1, le=72)
    link: Literal["auto", "pcie", "nvlink", "nvlink+infiniband", "nvlink+roce", "pcie+infiniband", "pcie+ethernet"] = (
        "auto"
    )

    @property
    def num_nodes(self) -> int:
        """Machines needed when each holds at most ``gpus_per_node`` cards."""
        return math.ceil(self.num_gpus / self.gpus_per_node)


class Money(_Part):
    """Use, term and market; ``own`` and ``rent`` override single lines of the default costs (in ``currency``)."""

    utilisation: float = Field(60.0, ge=0, le=100)  # per cent of all hours
    horizon_months: int = Field(36, ge=1, le=120)
    market: Literal["China", "US", "Europe"] = "US"
    currency: Literal["USD", "CNY", "EUR"] = "USD"
    hours_per_month: float = Field(730.0, ge=1, le=744)
    discount_rate: float = Field(0.08, ge=0, le=1)
    rent_gpu: str = ""  # blank: the same card
    rent_mode: Literal["on_demand", "spot", "reserved"] = "on_demand"
    # Yuan a dollar and dollars a euro: the newest rows of exchange_rates.csv, which a test holds these to.
    usd_cny: float = Field(6.72, ge=1, le=50)
    eur_usd: float = Field(1.1699, ge=0.1, le=10)
    quality_points: float = Field(0.0, ge=0, le=1000)  # gained by one run, on whatever scale; 0: not asked
    own: dict[str, float] = Field(default_factory=dict)
    rent: dict[str, float] = Field(default_factory=dict)


class Scenario(_Part):
    """One complete question: what is trained, how, on what, and on which terms of money."""

    version: int = SCENARIO_VERSION
    workload: Workload = Workload()
    setup: TrainingSetup = TrainingSetup()
    hardware: Hardware = Hardware()
    money: Money = Money()

    def flat(self) -> dict[str, Any]:
        """All fields under their own (unique) names, as widgets and links hold them."""
        parts = (self.workload, self.setup, self.hardware, self.money)
        return {"version": self.version, **{name: value for part in parts for name, value in part.model_dump().items()}}


_PARTS: dict[str, type[_Part]] = {"workload": Workload, "setup": TrainingSetup, "hardware": Hardware, "money": Money}
FLAT_FIELDS: tuple[str, ...] = tuple(name for part in _PARTS.values() for name in part.model_fields)


def scenario_from_flat(values: Mapping[str, Any]) -> Scenario:
    """Scenario from field values under their own names; missing ones take the default.

    Raises pydantic.ValidationError naming each field and its range.
    """
    parts = {
        key: part(**{name: values[name] for name in part.model_fields if name in values})
        for key, part in _PARTS.items()
    }
    return Scenario(**parts)


def problems_of(error: ValidationError) -> dict[str, str]:
    """One plain sentence a field: the value given and the allowed range."""
    found: dict[str, str] = {}
    for entry in error.errors():
        name = ".".join(str(part) for part in entry["loc"]) or "scenario"
        found[name] = f"{name}: {entry['msg'].removeprefix('Value error, ')} (got {entry['input']!r:.60})"
    return found


def scenario_from_flat_lenient(values: Mapping[str, Any]) -> tuple[Scenario, dict[str, str]]:
    """Keeps every usable field, drops the others; returns the scenario and a sentence for each dropped field."""
    kept = {name: value for name, value in values.items() if name in FLAT_FIELDS}
    problems: dict[str, str] = {}
    for part in _PARTS.values():
        while True:
            own = {name: kept[name] for name in part.model_fields if name in kept}
            try:
                part(**own)
                break
            except ValidationError as error:
                problems.update(problems_of(error))
                bad = {str(entry["loc"][0]) for entry in error.errors() if entry["loc"]}
                bad = bad & own.keys() or {n for n in own if n.startswith("custom_")} or set(own)
                for name in bad:
                    del kept[name]
    return scenario_from_flat(kept), problems
