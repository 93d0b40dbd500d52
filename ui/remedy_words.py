"""Changes of a scenario in words: their names, what they bring, and what undoing them brings back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from calc.remedies import Remedy
from calc.scenario import Scenario
from gpudata.names import short_gpu_name
from ui.format import gib, number, percent, times
from ui.i18n import t
from ui.inputs_widgets import option_label
from ui.state import choices, label

_SAME_TIME, _SAME_GIB, _MANY_TIMES = 0.02, 0.05, 1.5
_WORDS_OF = {"fits": "green", "tight": "orange", "no": "gray", "host": "gray", "still_tight": "gray"}


def change_name(kind: str, fields: Mapping[str, Any], scenario: Scenario) -> str:
    """One change: "Fused loss", "2 × RTX 4090"."""
    values = {**scenario.flat(), **fields}
    gpu, count = short_gpu_name(values["gpu"]), number(values["num_gpus"], 7)
    return t(
        f"remedy.name.{kind}",
        gpu=gpu,
        num_gpus=count,
        cards=gpu if values["num_gpus"] == 1 else t("sentence.many_cards", gpu=gpu, n=count),
        seq_len=number(values["seq_len"], 7),
        micro_batch=number(values["micro_batch"], 7),
        grad_accum=number(values["grad_accum"], 7),
    )


def remedy_name(remedy: Remedy, scenario: Scenario) -> str:
    """All changes of a remedy, joined."""
    return t("remedy.and").join(change_name(kind, remedy.fields, scenario) for kind in remedy.kinds)


def remedy_why(remedy: Remedy) -> str:
    """What the changes do, in plain words."""
    return t("remedy.comma").join(t(f"remedy.why.{kind}") for kind in remedy.kinds)


def memory_effect(remedy: Remedy, usable_gib: float) -> str:
    """Memory freed on each card, or offered by another card."""
    if abs(remedy.usable_gib - usable_gib) > _SAME_GIB:
        return t("remedy.offers", gib=gib(remedy.usable_gib))
    if abs(remedy.frees_gib) <= _SAME_GIB:
        return t("remedy.same_memory")
    return t("remedy.frees" if remedy.frees_gib > 0 else "remedy.takes", gib=gib(abs(remedy.frees_gib)))


def time_effect(factor: float) -> str:
    """What a factor on the hours means; blank where it is not known."""
    if not math.isfinite(factor):
        return ""
    if abs(factor - 1) < _SAME_TIME:
        return t("remedy.same_time")
    if factor < 1:
        return t("remedy.shorter", share=percent(1 - factor))
    if factor < _MANY_TIMES:
        return t("remedy.more_time", share=percent(factor - 1))
    return t("remedy.longer", factor=times(factor))


def cost_effect(factor: float) -> str:
    """What a factor on the rent of a run means; blank where it is not known or does not change."""
    if not math.isfinite(factor) or abs(factor - 1) < _SAME_TIME:
        return ""
    return t("remedy.cheaper" if factor < 1 else "remedy.dearer", share=percent(abs(1 - factor)))


def host_effect(remedy: Remedy) -> str:
    """Main memory that offloading takes; blank where nothing is offloaded."""
    return t("remedy.host", gib=gib(remedy.host_ram_gib)) if remedy.host_ram_gib > 1 else ""


def verdict_badge(remedy: Remedy, now: str = "") -> str:
    """Verdict after the change as a coloured word; ``now`` is the verdict before it."""
    word = remedy.verdict if remedy.host_fits else "host"
    if word == now == "tight":
        word = "still_tight"
    return f":{_WORDS_OF[word]}-badge[{t(f'remedy.then.{word}')}]" if word in _WORDS_OF else ""


def effects(*parts: str) -> str:
    """Effects in one line, blanks left out."""
    return " · ".join(part for part in parts if part)


def speed_gain(factor: float) -> str:
    """Tokens a second gained by a factor on the hours."""
    return t("remedy.faster_by", share=percent(1 / factor - 1))


def _value(name: str, value: Any) -> str:
    if name == "gpu":
        return short_gpu_name(value)
    if isinstance(value, bool):
        return f"{label(name)} {t('remedy.on' if value else 'remedy.off')}"
    if name == "method":
        return option_label(name, value)
    if choices(name):
        return t("remedy.value", field=label(name), value=option_label(name, value))
    return f"{label(name)} {number(value, 7)}" if isinstance(value, int | float) else str(value)


def state_words(fields: Mapping[str, Any]) -> str:
    """Field values in words; accumulation only where nothing else changed."""
    shown = [name for name in fields if name not in ("grad_accum", "rent_gpu", "model_size_b")] or list(fields)
    return t("remedy.comma").join(_value(name, fields[name]) for name in shown)
