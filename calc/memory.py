"""Peak memory of a training step per GPU: components, phases and what the driver would show.

The peak is the largest of the phases (loss, backward of the last and of the first layer, optimizer step) on top of
what stays throughout; the allocator's reserve and the driver context come on top of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calc.activations import LayerActivations, layer_activations
from calc.architecture import Numeric
from calc.cases import Cases, Text, choose, is_one_of
from calc.memory_constants import MemoryConstants
from calc.memory_reserve import allocator_reserve, limited_reserve, process_bytes
from calc.memory_states import States, model_states
from calc.memory_traits import Traits, framework_named, traits_of

GIB = 2.0**30
COMPONENTS = (
    "weights",
    "gradients",
    "optimizer",
    "optimizer_temporaries",
    "activations",
    "logits",
    "dequantisation",
    "buffers",
    "process",
    "reserve",
)
PHASES = ("loss", "backward_last_layer", "backward_first_layer", "optimizer_step", "loading")


@dataclass(frozen=True)
class MemoryEstimate:
    """Peak memory per GPU in GiB; ``components`` add up to ``nvidia_smi_gib``.

    ``phases`` holds the allocated GiB of each phase; ``terms`` (scalar cases only) explains every component as
    name, formula with numbers, GiB and source.
    """

    components: dict[str, Numeric]
    phases: dict[str, Numeric]
    peak_phase: Text
    allocated_gib: Numeric
    reserved_gib: Numeric
    nvidia_smi_gib: Numeric
    host_ram_gib: Numeric
    terms: list[dict[str, Any]] = field(default_factory=list)

    def of_kind(self, mem_kind: Text) -> Numeric:
        """Peak of the asked kind: allocated, reserved or nvidia-smi."""
        index = choose(mem_kind, {"allocated": 0.0, "reserved": 1.0, "nvidia-smi": 2.0}, 1.0)
        if np.ndim(index) == 0:
            return (self.allocated_gib, self.reserved_gib, self.nvidia_smi_gib)[int(index)]
        picked = np.where(index == 0, self.allocated_gib, self.reserved_gib)
        return np.where(index == 2, self.nvidia_smi_gib, picked)


@dataclass(frozen=True)
class _Activations:
    """Bytes on one GPU: kept through the forward pass, one layer's recompute and backward, loss."""

    kept: Numeric
    layer: Numeric
    again: Numeric  # second copies of layer inputs during backward
    final: Numeric
    logits: Numeric
    scores: Numeric  # attention scores at the peak


def _logit_bytes(cases: Cases, t: Traits, k: MemoryConstants) -> Numeric:
    """Bytes per logit at the loss: saved log-probabilities and two gradients in fp32, plus logits still referenced.

    A loop that keeps the model's outputs through backward holds the logits themselves as well.
    """
    width = np.where(t.upcast_base > 0, 4.0, t.compute_bytes)
    current = 12.0 + np.where(t.manual_loop > 0, width, 0.0)
    hugging_face = np.where((t.manual_loop > 0) | (t.recent_loss > 0), current, k.logit_bytes_trainer)
    # the first Lit-GPT left the loss in 16 bit and took it in chunks: logits and log-probabilities, hardly a gradient
    hugging_face = np.where(framework_named(cases, "lit-gpt") > 0, 5.0, hugging_face)
    unfused = np.where(t.megatron > 0, 2.0 * t.compute_bytes, hugging_face)
    per_logit = choose(cases.fused_loss, {"yes": 0.0, "partial": k.logit_bytes_partial}, np.nan)
    chunked = framework_named(cases, "torchtune")  # its chunked loss keeps 16-bit logits and their gradient
    per_logit = np.where(chunked * (per_logit == 0) > 0, (1 + t.full) * t.compute_bytes, per_logit)
    return np.where(np.isnan(per_logit), unfused, np.where(t.megatron > 0, 2.0 * t.compute_bytes, per_logit))


def _activations(cases: Cases, t: Traits, k: MemoryConstants) -> tuple[_Activations, LayerActivations]:
    a = cases.arch
    sequence = np.asarray(cases.seq_len, dtype=float)
    tokens = np.asarray(cases.micro_batch, dtype=float) * sequence / t.context
    window = np.asarray(a.sliding_window, dtype=float)
    columns = np.where((window > 0) & (t.eager == 0), np.minimum(window, sequence), sequence)
    layer = layer_activations(cases, t, columns if np.any(t.eager) else 0.0)  # else nothing depends on the sequence
    per_gpu = tokens / t.tensor
    layers = np.asarray(a.layers, dtype=float) / t.pipeline
    in_flight = np.where(
        (t.pipeline > 1) & (t.megatron > 0), np.minimum(t.pipeline, np.maximum(cases.grad_accum, 1)), 1
    )
    training = 1 - t.inference
    cache = t.inference * 2 * t.compute_bytes * layers * np.asarray(a.kv_heads) * a.head_dim / t.tensor
    twice = t.fsdp * t.adapters  # FSDP's wrappers keep the checkpointed inputs of adapter layers a second time
    inputs = layer.input * np.where(t.offload_activations > 0, np.minimum(layers, 2), layers)
    again = twice * layer.input * np.maximum(layers - 2, 0) * (1 - t.offload_activations) * t.checkpoint
    partly = np.where(t.megatron > 0, layer.saved - layer.scores, 0.5 * (layer.saved + layer.input)) * layers
    kept = np.where(t.checkpoint > 0, inputs, np.where(t.selective > 0, partly, layer.saved * layers))
    kept = tokens * (training * kept * in_flight / t.tensor + cache)
    one = per_gpu * (training * (layer.workspace + np.where(t.checkpoint > 0, layer.saved, 0)))
    again = per_gpu * (training * again)
    per_token = _logit_bytes(cases, t, k) * np.asarray(a.vocab) / np.where(t.megatron > 0, t.tensor, 1)
    fused = np.asarray(is_one_of(cases.fused_loss, "yes"), dtype=float)
    per_token = np.where(
        (t.pipeline > 1) & (in_flight > 1), 0.0, per_token
    )  # the fullest stage is the first, without a head
    logits = tokens * (training * (per_token + fused * 8.0 * np.asarray(a.hidden)))
    scores = per_gpu * (training * layer.scores * np.where(t.checkpoint > 0, 1, layers))
    return _Activations(kept, one, again, per_gpu * (training * layer.final), logits, scores), layer


def peak_memory(cases: Cases, constants: Mapping[str, Any] | MemoryConstants) -> MemoryEstimate:
    """Peak memory per GPU of every case; fields of ``cases`` broadcast together.

    ``constants`` is what ``gpudata.constants.load_memory_constants()`` returns. Works without a device.
    """
    k = constants if isinstance(constants, MemoryConstants) else MemoryConstants.from_mapping(constants)
    t = traits_of(cases)
    states = model_states(cases, t, k)
    act, layer = _activations(cases, t, k)
    phases, parts = _phases(cases, t, k, states, act)
    stacked = np.stack(np.broadcast_arrays(*phases.values()))
    which = np.argmax(stacked, axis=0)
    allocated = np.max(stacked, axis=0)
    held = {name: _at(which, values) / GIB for name, values in parts.items()}
    process = process_bytes(cases, k)
    moving = act.kept + act.again + np.where(t.checkpoint > 0, act.layer, 0)
    step = states.gradients + states.step_temporaries
    reserve = allocator_reserve(cases, t, k, allocated, moving, act.scores, act.logits, states.gathered, step)
    reserve = limited_reserve(cases, allocated, reserve, process) / GIB
    allocated, process = allocated / GIB, process / GIB
    shape = np.broadcast_shapes(allocated.shape, np.shape(process))
    components = {**held, "process": np.broadcast_to(process, shape), "reserve": reserve}
    estimate = MemoryEstimate(
        components={name: _plain(components[name]) for name in COMPONENTS},
        phases={name: _plain(values / GIB) for name, values in phases.items()},
        peak_phase=_plain(np.asarray(PHASES)[which]),
        allocated_gib=_plain(allocated),
        reserved_gib=_plain(allocated + reserve),
        nvidia_smi_gib=_plain(allocated + reserve + process),
        host_ram_gib=_plain(states.host / GIB * np.asarray(cases.num_gpus) / np.asarray(cases.num_nodes)),
    )
    if np.ndim(estimate.allocated_gib) == 0:
        from calc.memory_terms import explain

        estimate.terms.extend(explain(cases, t, states, layer, estimate))
    return estimate


def _plain(value: Any) -> Any:
    """Scalars leave as Python numbers, arrays as arrays."""
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


def _at(which: np.ndarray, values: tuple[Numeric, ...]) -> np.ndarray:
    """Value of a component in the phase of the peak."""
    picked = np.broadcast_to(values[0], np.broadcast_shapes(which.shape, *(np.shape(v) for v in values)))
    for index, value in enumerate(values[1:], start=1):
        if value is not values[0]:
            picked = np.where(which == index, value, picked)
    return np.asarray(picked, dtype=float)


def _phases(
    cases: Cases, t: Traits, k: MemoryConstants, s: States, act: _Activations
) -> tuple[dict[str, Numeric], dict[str, tuple[Numeric, ...]]]:
    """Allocated bytes of each phase, and each component's bytes in the phases' order."""
    accumulates = np.asarray(np.asarray(cases.grad_accum) > 1) * (
        1 - np.asarray(cases.optimizer_in_backward, dtype=float)
    )
    held = s.gradients * np.maximum(accumulates, t.zero_engine)
    after_head = np.maximum(held, s.head_gradients)
    zero = np.zeros(())
    layers = np.maximum(np.asarray(cases.arch.layers, dtype=float), 1)
    first = act.layer + np.where(t.checkpoint > 0, 0, act.kept / layers)
    buffers = s.buffers + s.gathered
    parts: dict[str, tuple[Numeric, ...]] = {
        "weights": (s.weights + s.cast_weights, s.weights + s.cast_weights, s.weights, s.weights, s.loading),
        "gradients": (held, after_head, s.gradients_first_layer, s.gradients, zero),
        "optimizer": (*(s.optimizer,) * 4, zero),
        "optimizer_temporaries": (zero, zero, zero, s.step_temporaries, zero),
        "activations": (act.kept + act.final, act.kept + act.again + act.layer, first, zero, zero),
        "logits": (act.logits, zero, zero, zero, zero),
        "dequantisation": (s.dequantised_kept, s.dequantised_kept + s.dequantisation, s.dequantisation, zero, zero),
        "buffers": (s.buffers + s.gathered_root, buffers, buffers, s.buffers, zero),
    }
    phases = {name: sum((values[i] for values in parts.values()), zero) for i, name in enumerate(PHASES)}
    return phases, parts


__all__ = ["COMPONENTS", "PHASES", "MemoryEstimate", "peak_memory"]
