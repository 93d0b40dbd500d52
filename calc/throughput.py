"""Time of one optimizer step: arithmetic, memory traffic, communication and overhead, and the hours of a whole run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calc.cases import Cases, choose, is_one_of
from calc.communication import communication, groups, links
from calc.flops import adapters, layer_shape, model_flops_per_token, pass_counts
from calc.parameters import parameter_counts, trained_parameters
from calc.throughput_constants import TimeConstants
from calc.throughput_rates import rates, sixteen_bit_tflops, streaming_bandwidth
from calc.throughput_terms import describe
from calc.throughput_work import Work, micro_step_work

Numeric = Any

PARTS = ("compute", "memory", "communication", "overhead")
# Bytes a fused optimizer step moves for one trained parameter, in units of the state's element size.
OPTIMIZER_ELEMENTS = {
    "adamw": 7.0, "adamw-fused": 7.0, "adamw-8bit": 5.0, "paged-adamw-32bit": 7.0, "paged-adamw-8bit": 5.0,
    "adafactor": 6.0, "sgd": 3.0, "lion": 5.0, "muon": 9.0,
}  # fmt: skip
UNFUSED_OPTIMIZERS = ("adamw", "adafactor", "muon")
EULER_GAMMA = 0.5772156649
# Standard deviation over mean of sample lengths (2,548 over 3,234 tokens in the news set of the ms-swift benchmark).
LENGTH_SPREAD = 0.79
LAUNCH_SHARPNESS = 4.0  # exponent of the smooth maximum of processor and card time


@dataclass(frozen=True)
class TimeEstimate:
    """Time of one optimizer step (all accumulation steps), arrays in the shape of the cases.

    ``parts`` splits ``step_s`` into exposed seconds of compute, memory, communication and overhead; ``mfu`` is model
    operations over the card's datasheet 16-bit rate; ``terms`` explains a single case line by line.
    """

    step_s: Numeric
    tokens_per_s_per_gpu: Numeric
    parts: dict[str, Numeric]
    bottleneck: Numeric
    mfu: Numeric
    terms: list[dict[str, Any]] = field(default_factory=list)


def _nothing(cases: Cases) -> TimeEstimate:
    shape = np.broadcast_shapes(np.shape(cases.seq_len), np.shape(cases.micro_batch), np.shape(cases.arch.layers))
    unknown = np.full(shape, np.nan)
    parts = {name: unknown for name in PARTS}
    return TimeEstimate(unknown, unknown, parts, np.full(shape, ""), unknown)


def _optimizer_seconds(cases: Cases, trained_here: Numeric, bandwidth: Numeric, constants: TimeConstants) -> Numeric:
    wide = np.asarray(is_one_of(cases.precision, "amp-bf16", "amp-fp16", "fp32")) | ~np.asarray(cases.trains_all)
    wide = wide | np.asarray(is_one_of(cases.framework, "megatron"))
    element = np.where(wide, 4.0, 2.0)
    fused = np.asarray(is_one_of(cases.framework, "megatron", "native")) | ~np.asarray(
        is_one_of(cases.optimizer, *UNFUSED_OPTIMIZERS)
    )
    traffic = np.asarray(choose(cases.optimizer, OPTIMIZER_ELEMENTS, 7.0)) * element
    on_host = np.asarray(is_one_of(cases.cpu_offload, "optimizer", "params+optimizer"))
    traffic = np.where(on_host & ~np.asarray(is_one_of(cases.framework, "native")), 0.0, traffic)
    clipping = 3 * element  # the norm reads each gradient, scaling reads and writes it
    return trained_here * (traffic * np.where(fused, 1.0, constants.optimizer_passes) + clipping) / bandwidth


def _accumulate_seconds(cases: Cases, trained_here: Numeric, bandwidth: Numeric) -> Numeric:
    """Adding one micro-batch's gradients to those held: read both, write the sum."""
    return trained_here * np.where(cases.trains_all, 6.0, 12.0) / bandwidth


def _not_hidden(sent_s: Numeric, busy_s: Numeric, overlap: Numeric) -> Numeric:
    """Sending time that arithmetic does not cover.

    ``overlap`` of the traffic can hide while there is arithmetic to hide behind: rest = s - overlap x s x b / (s + b),
    which is (1 - overlap) s for little traffic and s - overlap x b for much.
    """
    both = sent_s + busy_s
    return sent_s - overlap * sent_s * busy_s / np.where(both > 0, both, 1.0)


def step_time(cases: Cases, constants: TimeConstants | Mapping[str, Any]) -> TimeEstimate:
    """Time of one optimizer step on one card of the group.

    ``constants``: fitted constants, or the mapping that ``gpudata.constants.load_time_constants`` returns.
    Fields of ``cases`` broadcast together. A card that is missing or lacks a rate gives NaN. Tokens counted are
    seq_len x micro_batch x grad_accum a data-parallel rank, padding included.

    Method: roofline (Williams et al. 2009) by kind of work with the card's measured matrix rate, launch time as a floor
    (smooth maximum), ring collectives partly hidden behind arithmetic, pipeline bubbles (p - 1) / m (arXiv 2104.04473).
    """
    device = cases.device
    if device is None:
        return _nothing(cases)
    if not isinstance(constants, TimeConstants):
        constants = TimeConstants.from_mapping(constants)
    shape = layer_shape(cases.arch)
    branch, passes, size = adapters(cases, shape), pass_counts(cases), groups(cases)
    counts = parameter_counts(cases.arch)
    stored, trained = counts.total, trained_parameters(cases, counts)
    work = micro_step_work(cases, device, shape, branch, passes, size, constants)
    sends = communication(cases, device, shape, passes, stored, trained, constants)

    accumulation = np.maximum(np.asarray(cases.grad_accum, dtype=float), 1.0)
    bandwidth = streaming_bandwidth(device)
    ranks = size.tensor * size.pipeline
    sharded_gradients = np.asarray(is_one_of(cases.parallelism, "fsdp", "zero2", "zero3"))
    shards_states = sharded_gradients | np.asarray(is_one_of(cases.parallelism, "zero1", "mixed"))
    optimizer = _optimizer_seconds(
        cases, trained / ranks / np.where(shards_states, size.data, 1.0), bandwidth, constants
    )
    held = trained / ranks / np.where(sharded_gradients, size.data, 1.0)
    accumulate = np.where(accumulation > 1, _accumulate_seconds(cases, held, bandwidth), 0.0)

    arithmetic, memory = work.arithmetic_s, work.memory_s + accumulate
    on_card = arithmetic + memory
    p = LAUNCH_SHARPNESS
    busy = (on_card**p + work.launch_s**p) ** (1 / p)
    rest_micro = _not_hidden(sends.micro_overlapped_s, busy, constants.overlap)
    # Gradients leave during the last backward pass, about half of a micro-step.
    rest_step = _not_hidden(sends.step_overlapped_s, busy / 2, constants.overlap)
    training = ~np.asarray(is_one_of(cases.method, "inference"))
    stretch = 1 + sends.bubble
    exposed = accumulation * stretch * (rest_micro + sends.micro_exposed_s) + rest_step + sends.step_exposed_s
    parts = {
        "compute": accumulation * arithmetic,
        "memory": accumulation * memory + np.where(training, optimizer, 0.0),
        "communication": exposed,
        "overhead": accumulation * (busy - on_card) + accumulation * sends.bubble * busy + constants.step_s,
    }
    step = sum(parts.values())
    parts = {name: np.broadcast_to(value + 0.0 * step, np.shape(step)) for name, value in parts.items()}
    tokens = np.asarray(cases.seq_len, dtype=float) * cases.micro_batch * accumulation
    per_card = tokens / (size.tensor * size.pipeline * size.context)
    speed = per_card / step
    stacked = np.stack([parts[name] for name in PARTS])
    names = np.array(PARTS)[np.argmax(np.where(np.isnan(stacked), -1.0, stacked), axis=0)]
    bottleneck = np.where(np.isnan(step), "", names)
    mfu = speed * model_flops_per_token(cases) / (sixteen_bit_tflops(device) * 1e12)
    terms: list[dict[str, Any]] = []
    if np.size(step) == 1 and not np.isnan(step).any():
        speeds, link = rates(cases, device, constants), links(cases, device, constants)
        terms = describe(cases, shape, passes, size, speeds, link, work, sends, parts, optimizer)
    return TimeEstimate(step, speed, parts, bottleneck, mfu, terms)


def padding_factor(micro_batch: Numeric) -> Numeric:
    """Expected longest over mean length of a micro-batch of unpacked samples.

    Of b exponentially spread lengths the longest is the harmonic number H(b) times the mean; lengths of instruction
    data spread ``LENGTH_SPREAD`` as much.
    """
    b = np.maximum(np.asarray(micro_batch, dtype=float), 1.0)
    harmonic = np.where(b <= 1, 1.0, np.log(b) + EULER_GAMMA + 1 / (2 * b))
    return 1 + LENGTH_SPREAD * (harmonic - 1)


def run_hours(
    cases: Cases,
    estimate: TimeEstimate,
    samples: Numeric,
    tokens_per_sample: Numeric,
    epochs: Numeric,
    overhead_share: Numeric = 0.05,
) -> Numeric:
    """Hours of a whole run.

    ``samples`` x ``epochs`` sequences of ``tokens_per_sample`` tokens on average. Packed data wastes nothing; otherwise
    a sample is cut at ``seq_len`` and padded to the longest of its micro-batch, expected from the spread of lengths.
    ``overhead_share`` is added for evaluation and saving (MLPerf's published runs spend 10-12 % on evaluation).
    """
    seq = np.asarray(cases.seq_len, dtype=float)
    packed = np.asarray(cases.packed, dtype=bool)
    kept = np.minimum(np.asarray(tokens_per_sample, dtype=float), seq)
    padded = np.minimum(kept * padding_factor(cases.micro_batch), seq)
    tokens = np.asarray(samples, dtype=float) * epochs * np.where(packed, tokens_per_sample, padded)
    cards = np.maximum(np.asarray(cases.num_gpus, dtype=float), 1.0)
    return tokens / (estimate.tokens_per_s_per_gpu * cards) / 3600 * (1 + np.asarray(overhead_share, dtype=float))


__all__ = ["PARTS", "TimeEstimate", "Work", "run_hours", "step_time"]
