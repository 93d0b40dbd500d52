"""The terms of one step in words and numbers, for the panel that shows how an estimate is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calc.cases import Cases
from calc.throughput_work import Work

# Name, formula with the numbers' places, source.
_WORK_TERMS = (
    ("Linear layers", "linear_s", "2 x weights x tokens x passes / achieved rate", "arXiv 2001.08361, section 2.1"),
    ("Output head", "head_s", "2 x hidden x vocabulary x tokens x passes / achieved rate", "arXiv 2001.08361"),
    (
        "Attention scores",
        "attention_s",
        "2 x score width x mean context x tokens x passes / attention rate",
        "arXiv 2307.08691",
    ),
    ("Adapters", "adapters_s", "low-rank products and their traffic / bandwidth", "arXiv 2106.09685"),
    (
        "Norms, rotary, activations, residuals",
        "elementwise_s",
        "bytes per token x tokens x passes / bandwidth",
        "roofline",
    ),
    ("Loss over the vocabulary", "loss_s", "bytes per logit x vocabulary x tokens / bandwidth", "roofline"),
    (
        "Unpacking quantised weights",
        "dequantise_s",
        "bytes per weight x weights x passes / bandwidth",
        "arXiv 2305.14314",
    ),
    ("Casting weights to 16 bit", "cast_s", "6 bytes x weights / bandwidth", "torch.amp"),
)


def _number(value: Any) -> float:
    return float(np.asarray(value, dtype=float).ravel()[0])


def describe(
    cases: Cases, work: Work, parts: Mapping[str, Any], accumulation: Any, optimizer_s: Any
) -> list[dict[str, Any]]:
    """One entry a term: name, formula with numbers filled in, seconds a step, source. For a single case."""
    micro = _number(accumulation)
    tokens = _number(cases.seq_len) * _number(cases.micro_batch)
    lines: list[dict[str, Any]] = []
    for name, key, formula, source in _WORK_TERMS:
        once = _number(getattr(work, key))
        if once == 0:
            continue
        text = f"{formula} = {once * 1e3:.1f} ms for {tokens:,.0f} tokens, x {micro:g} micro-steps"
        lines.append({"name": name, "formula": text, "seconds": once * micro, "source": source})
    step = _number(optimizer_s)
    if step > 0:
        text = f"bytes per trained parameter x trained parameters / bandwidth = {step * 1e3:.1f} ms"
        lines.append({"name": "Optimizer step", "formula": text, "seconds": step, "source": "roofline"})
    for name, key in (("Communication not hidden", "communication"), ("Launching, bubbles, fixed time", "overhead")):
        seconds = _number(parts[key])
        if seconds > 0:
            text = f"exposed beside arithmetic = {seconds * 1e3:.1f} ms"
            lines.append(
                {"name": name, "formula": text, "seconds": seconds, "source": "arXiv 1910.02054; arXiv 2104.04473"}
            )
    return lines
