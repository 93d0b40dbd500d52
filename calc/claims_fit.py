"""Claims about memory and about which card to take: the memory model has the answer."""

from __future__ import annotations

from calc.answers_memory import fit_by_card
from calc.answers_time import time_by_card
from calc.claims_common import (
    EXAMPLE_RUN,
    GB_PER_GIB,
    Answer,
    Answerer,
    Evidence,
    Need,
    Verdict,
    agrees,
    need,
    scenario_of,
)
from calc.claims_specs import A100_80_SXM, RTX_3090, RTX_4090
from calc.tables import Tables

B7, B13, B70 = "Llama-2-7B", "Llama-2-13B", "Llama-2-70B"
ZERO_PAPER = ("https://arxiv.org/abs/1910.02054",)
QLORA_PAPER = ("https://arxiv.org/abs/2305.14314",)
MANY_CARDS = (1, 2, 4, 8, 16, 32, 64)
# One sample of a usual length in each micro-batch; the foreach AdamW that Hugging Face takes by default.
_FULL = {"seq_len": 2048, "micro_batch": 1, "grad_accum": 1, "optimizer": "adamw"}


def full_need(tables: Tables, model: str, gpu: str, num_gpus: int, **more: object) -> tuple[Need, Need]:
    """Memory per card of full fine-tuning in pure BF16 and in mixed precision (FP32 masters)."""
    setup = {**_FULL, "model": model, "gpu": gpu, "num_gpus": num_gpus, **more}
    return need(tables, method="full-16bit", **setup), need(tables, method="full-mixed", **setup)


def _all(first: bool, *others: bool) -> Verdict:
    """``confirmed`` where everything holds, ``depends`` where something does, else ``contradicted``."""
    parts = (first, *others)
    return "confirmed" if all(parts) else "depends" if any(parts) else "contradicted"


def _seven_full(e: Evidence) -> Answer:
    pure, mixed = full_need(e.tables, B7, A100_80_SXM, 1)
    values: dict[str, float | str] = {}
    for name, found in (("pure", pure), ("mixed", mixed)):
        to_gb = found.allocated_gib / found.peak_gib * GB_PER_GIB
        values |= {f"{name}_gb": found.allocated_gib * GB_PER_GIB}
        values |= {f"{name}_low_gb": found.low_gib * to_gb, f"{name}_high_gb": found.high_gib * to_gb}
    right = [agrees(float(values[f"{name}_gb"]), *e.claimed("c01")) for name in ("pure", "mixed")]
    return Answer("c01", _all(right[0], right[1]), values, ZERO_PAPER)


def _four_4090(e: Evidence) -> Answer:
    pure, mixed = full_need(e.tables, B7, RTX_4090, 4, parallelism="ddp")
    sharded, _ = full_need(e.tables, B7, RTX_4090, 4, parallelism="zero3")
    offloaded, _ = full_need(e.tables, B7, RTX_4090, 4, parallelism="zero3", cpu_offload="optimizer")
    lora = need(e.tables, model=B7, gpu=RTX_4090, method="lora", seq_len=2048)
    qlora = need(e.tables, model=B7, gpu=RTX_4090, method="qlora-4bit", seq_len=2048)
    values = {
        **pure.named("pure"),
        **mixed.named("mixed"),
        **sharded.named("sharded"),
        **offloaded.named("offloaded"),
        **lora.named("lora"),
        **qlora.named("qlora"),
        "usable_gib": pure.usable_gib,
    }
    return Answer("c02", _all(not pure.holds, not mixed.holds), values, ZERO_PAPER)


def _personal(e: Evidence) -> Answer:
    values: dict[str, float | str] = {}
    holds = []
    for name, model in (("b7", B7), ("b13", B13)):
        for card, gpu in (("old", RTX_3090), ("new", RTX_4090)):
            found = need(e.tables, model=model, gpu=gpu, method="qlora-4bit", seq_len=2048)
            values |= found.named(f"{name}_{card}")
            holds.append(found.holds)
    return Answer("c21", _all(*holds), values, QLORA_PAPER)


def _seven_on_a100(e: Evidence) -> Answer:
    pure, mixed = full_need(e.tables, B7, A100_80_SXM, 1)
    two_pure, two_mixed = full_need(e.tables, B7, "A100-SXM4-40GB", 2, parallelism="zero3")
    offloaded = need(
        e.tables, **_FULL, model=B7, gpu="A100-SXM4-40GB", num_gpus=2, parallelism="zero3",
        method="full-mixed", cpu_offload="optimizer",
    )  # fmt: skip
    values = {
        **pure.named("pure"),
        **mixed.named("mixed"),
        **two_pure.named("two_pure"),
        **two_mixed.named("two_mixed"),
        **offloaded.named("offloaded"),
    }
    return Answer("c22", _all(pure.holds, mixed.holds, two_pure.holds, two_mixed.holds), values, ZERO_PAPER)


def _thirteen(e: Evidence) -> Answer:
    pure, mixed = full_need(e.tables, B13, A100_80_SXM, 2, parallelism="zero3")
    offloaded = need(
        e.tables, **_FULL, model=B13, gpu=A100_80_SXM, num_gpus=2, parallelism="zero3",
        method="full-mixed", cpu_offload="optimizer",
    )  # fmt: skip
    lora = need(e.tables, model=B13, gpu=A100_80_SXM, method="lora", seq_len=2048)
    qlora = need(e.tables, model=B13, gpu=RTX_4090, method="qlora-4bit", seq_len=2048)
    values = {**mixed.named("mixed"), **offloaded.named("offloaded"), **lora.named("lora"), **qlora.named("qlora")}
    values["cards_n"] = cards_for(e.tables, B13, "full-mixed")
    enough = pure.holds or mixed.holds or offloaded.holds
    return Answer("c23", _all(enough, not qlora.holds, not lora.holds), values, QLORA_PAPER)


def _least(e: Evidence) -> Answer:
    scenario = scenario_of(market="China", currency="CNY", **EXAMPLE_RUN)
    names = [str(name) for name in e.tables.devices.index]
    able = fit_by_card(scenario, e.tables, names)
    able = able[able["verdict"].isin(["fits", "tight"])]
    priced = time_by_card(scenario, e.tables, [str(name) for name in able["gpu"]]).dropna(subset=["rent_cost"])
    cheapest = priced.loc[priced["rent_cost"].idxmin()]
    usable = able.set_index("gpu")["usable_gib"]
    smallest = priced.assign(usable=priced["gpu"].map(usable)).sort_values(["usable", "rent_cost"]).iloc[0]
    values: dict[str, float | str] = {
        "smallest_gpu": str(smallest["gpu"]),
        "smallest_cny": float(smallest["rent_cost"]),
        "smallest_h": float(smallest["hours"]),
        "cheapest_gpu": str(cheapest["gpu"]),
        "cheapest_cny": float(cheapest["rent_cost"]),
        "cheapest_h": float(cheapest["hours"]),
    }
    same = agrees(float(values["smallest_cny"]), float(values["cheapest_cny"]), float(values["cheapest_cny"]))
    return Answer("c25", "confirmed" if same else "depends", values)


def _lora_16gb(e: Evidence) -> Answer:
    gpu = "RTX 4080 16GB"
    short = need(e.tables, model=B7, gpu=gpu, method="lora", seq_len=512, micro_batch=1)
    longer = need(e.tables, model=B7, gpu=gpu, method="lora", seq_len=2048, micro_batch=1)
    batched = need(e.tables, model=B7, gpu=gpu, method="lora", seq_len=512, micro_batch=4)
    qlora = need(e.tables, model=B7, gpu=gpu, method="qlora-4bit", seq_len=2048, micro_batch=1)
    values = {**short.named("short"), **longer.named("longer"), **batched.named("batched"), **qlora.named("qlora")}
    values["usable_gib"] = short.usable_gib
    return Answer("c27", _all(short.holds, longer.holds, batched.holds), values, ("https://arxiv.org/abs/2106.09685",))


def _rtx_4070(e: Evidence) -> Answer:
    gpu = "RTX 4070 12GB"
    lora = need(e.tables, model=B7, gpu=gpu, method="lora", seq_len=512)
    qlora = need(e.tables, model=B7, gpu=gpu, method="qlora-4bit", seq_len=512)
    longer = need(e.tables, model=B7, gpu=gpu, method="qlora-4bit", seq_len=2048)
    values = {**lora.named("lora"), **qlora.named("qlora"), **longer.named("longer"), "usable_gib": lora.usable_gib}
    return Answer("c38", _all(not lora.holds, not qlora.holds), values, QLORA_PAPER)


def cards_for(tables: Tables, model: str, method: str, gpu: str = A100_80_SXM) -> float:
    """Smallest of the usual card counts on which sharded training of ``method`` fits; infinite beyond 64."""
    for count in MANY_CARDS:
        found = need(tables, **_FULL, model=model, gpu=gpu, num_gpus=count, method=method, parallelism="zero3")
        if found.holds:
            return float(count)
    return float("inf")


def _scale(e: Evidence) -> Answer:
    b7 = need(e.tables, model=B7, gpu=RTX_4090, method="qlora-4bit", seq_len=2048)
    b13 = need(e.tables, model=B13, gpu=RTX_4090, method="qlora-4bit", seq_len=2048)
    b70 = need(e.tables, model=B70, gpu=A100_80_SXM, method="qlora-4bit", seq_len=2048)
    values = {**b7.named("b7"), **b13.named("b13"), **b70.named("b70")}
    values["full_7_n"] = cards_for(e.tables, B7, "full-mixed")
    values["full_70_n"] = cards_for(e.tables, B70, "full-mixed")
    return Answer("c45", _all(b7.holds and b13.holds, not b70.holds), values, QLORA_PAPER)


def _a100_waste(e: Evidence) -> Answer:
    rows: dict[str, Need] = {
        "qlora": need(e.tables, model=B7, gpu=A100_80_SXM, method="qlora-4bit", seq_len=2048),
        "lora": need(e.tables, model=B7, gpu=A100_80_SXM, method="lora", seq_len=2048),
        "batch": need(e.tables, model=B7, gpu=A100_80_SXM, method="lora", seq_len=2048, micro_batch=16),
        "full": full_need(e.tables, B7, A100_80_SXM, 1)[0],
    }
    values: dict[str, float | str] = {f"{name}_gib": found.peak_gib for name, found in rows.items()}
    idle = {name: 1 - found.peak_gib / found.usable_gib for name, found in rows.items()}
    values |= {f"{name}_idle_share": share for name, share in idle.items()}
    right = [agrees(share, *e.claimed("c46")) for share in idle.values()]
    return Answer("c46", _all(*right), values)


ANSWERS: dict[str, Answerer] = {
    "c01": _seven_full,
    "c02": _four_4090,
    "c21": _personal,
    "c22": _seven_on_a100,
    "c23": _thirteen,
    "c25": _least,
    "c27": _lora_16gb,
    "c38": _rtx_4070,
    "c45": _scale,
    "c46": _a100_waste,
}

__all__ = ["ANSWERS", "B7", "B13", "B70", "cards_for", "full_need"]
