"""The terms of one step in words and numbers, for the panel that shows how an estimate is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calc.cases import Cases
from calc.communication import Communication, Groups, Links
from calc.flops import LayerShape, PassCounts, score_flops
from calc.throughput_rates import Rates
from calc.throughput_work import Work

# Terms that are memory traffic: name, field of Work, what moves, source.
_TRAFFIC_TERMS = (
    ("Adapters", "adapters_s", "inputs, outputs and low-rank products of the adapters", "arXiv 2106.09685"),
    ("Norms, rotary, activations, residuals", "elementwise_s", "element-wise tensors of all passes", "roofline"),
    ("Loss over the vocabulary", "loss_s", "logits and their gradients", "roofline"),
    ("Unpacking quantised weights", "dequantise_s", "packed and unpacked weights", "arXiv 2305.14314"),
    ("Casting weights to 16 bit", "cast_s", "32-bit weights read, 16-bit written", "torch.amp"),
)


def _number(value: Any) -> float:
    return float(np.asarray(value, dtype=float).ravel()[0])


def describe(
    cases: Cases,
    shape: LayerShape,
    passes: PassCounts,
    size: Groups,
    speed: Rates,
    link: Links,
    work: Work,
    sends: Communication,
    parts: Mapping[str, Any],
    optimizer_s: Any,
) -> list[dict[str, Any]]:
    """One entry a term: name, formula with numbers filled in, seconds a step, source. For a single case."""
    micro = max(_number(cases.grad_accum), 1.0)
    tokens = _number(cases.seq_len) * _number(cases.micro_batch) / _number(size.context)
    split = _number(size.tensor) * _number(size.pipeline)
    layers = _number(cases.arch.layers)
    lines: list[dict[str, Any]] = []

    def add(name: str, text: str, seconds: float, source: str) -> None:
        if seconds > 0:
            lines.append(
                {"name": name, "formula": f"{text} = {seconds * 1e3:,.1f} ms", "seconds": seconds, "source": source}
            )

    times = f" x {micro:g} micro-steps" if micro > 1 else ""
    weights = layers * _number(shape.attention + shape.mlp) / split
    add(
        "Linear layers",
        f"2 x {weights / 1e9:.2f} B weights x {tokens:,.0f} tokens x {_number(passes.linear):.3g} passes"
        f" / {_number(speed.linear) / 1e12:.0f} TFLOPS, operand traffic added{times}",
        _number(work.linear_s) * micro,
        "arXiv 2001.08361, section 2.1; gpudata/achievable_matmul.csv",
    )
    add(
        "Output head",
        f"2 x {_number(cases.arch.hidden):,.0f} x {_number(cases.arch.vocab):,.0f} x {tokens:,.0f} tokens"
        f" x {_number(passes.head):g} passes / {_number(speed.sixteen_bit) / 1e12:.0f} TFLOPS{times}",
        _number(work.head_s) * micro,
        "arXiv 2001.08361, section 2.1",
    )
    scores = layers * _number(score_flops(cases, shape)) * tokens * _number(passes.scores) / split
    add(
        "Attention scores",
        f"{scores / 1e12:.2f} TFLOP in {_number(passes.scores):g} passes"
        f" / {_number(speed.attention) / 1e12:.0f} TFLOPS of the attention kernel{times}",
        _number(work.attention_s) * micro,
        "arXiv 2307.08691, section 3.1",
    )
    bandwidth = _number(speed.bandwidth)
    for name, key, what, source in _TRAFFIC_TERMS:
        once = _number(getattr(work, key))
        text = f"{what}: {once * bandwidth / 1e9:,.1f} GB worth of traffic / {bandwidth / 1e9:,.0f} GB/s{times}"
        add(name, text, once * micro, source)
    step = _number(optimizer_s)
    add("Optimizer step", f"{step * bandwidth / 1e9:,.1f} GB / {bandwidth / 1e9:,.0f} GB/s", step, "roofline")
    add(
        "Communication not hidden",
        f"{_number(sends.gigabytes_per_step):,.2f} GB sent a step over {_number(link.inside):.0f} GB/s"
        f" in the node, {_number(link.between):.0f} GB/s between nodes, {_number(link.host):.0f} GB/s to the host",
        _number(parts["communication"]),
        "arXiv 1910.02054, section 7; arXiv 2205.05198",
    )
    launch = _number(work.launch_s) * micro
    add(
        "Launching, bubbles, fixed time",
        f"kernel launches take {launch * 1e3:,.1f} ms, mostly beside arithmetic; bubble {_number(sends.bubble):.2f};"
        " not hidden",
        _number(parts["overhead"]),
        "arXiv 2104.04473",
    )
    return lines
