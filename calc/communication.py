"""What parallel training sends, over which link, and how much of it the arithmetic hides.

Volumes are those of ring collectives: an all-reduce moves 2 (n - 1) / n of its data over each card's link, a gather or
a scatter (n - 1) / n (Patarasuk and Yuan 2009); ZeRO stages as in Rajbhandari et al. 2019, arXiv 1910.02054, section 7;
tensor parallel as in Korthikanti et al. 2022, arXiv 2205.05198.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calc.cases import Cases, Device, choose, is_one_of
from calc.flops import LayerShape, PassCounts
from calc.throughput_constants import TimeConstants

Numeric = Any

PCIE_LANE_GB_S = {3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}  # one way, after encoding (PCI-SIG base specifications)
DEFAULT_PCIE_GEN, DEFAULT_PCIE_LANES = 4, 16
BRIDGE_CARDS = 2  # a bridge joins two cards; larger groups ring through PCIe
# Network of one card between nodes, one way [GB/s]: one 400 Gb/s port a card where the card's own link is of the
# 900 GB/s class or newer, 200 Gb/s before (DGX H100 and DGX A100 system guides); 100 Gb/s Ethernet a node for cards
# without such a link.
RACK_SCALE_GB_S = 900.0  # one way, fifth-generation NVLink
NETWORK_GB_S_NEW, NETWORK_GB_S_OLD, ETHERNET_GB_S_PER_NODE = 50.0, 25.0, 12.5
STORAGE_BYTES = {
    "nf4-dq": 0.516, "nf4": 0.5625, "int4-gptq": 0.53, "int4-awq": 0.53, "int8": 1.0, "int8-gptq": 1.0,
    "fp8": 1.0, "bf16": 2.0, "fp16": 2.0, "fp32": 4.0,
}  # fmt: skip


@dataclass(frozen=True)
class Groups:
    """Sizes of the parallel groups [cards] and cards per node."""

    data: Numeric
    tensor: Numeric
    pipeline: Numeric
    context: Numeric
    expert: Numeric
    per_node: Numeric


def groups(cases: Cases) -> Groups:
    """Parallel groups of a case; what tensor, pipeline and context do not use is data parallel."""
    cards = np.maximum(np.asarray(cases.num_gpus, dtype=float), 1.0)
    tensor = np.maximum(np.asarray(cases.tensor_parallel, dtype=float), 1.0)
    pipeline = np.maximum(np.asarray(cases.pipeline_parallel, dtype=float), 1.0)
    context = np.maximum(np.asarray(cases.context_parallel, dtype=float), 1.0)
    # A parallelism named without its size takes all cards.
    unsized = tensor * pipeline * context <= 1
    tensor = np.where(np.asarray(is_one_of(cases.parallelism, "tp")) & unsized, cards, tensor)
    pipeline = np.where(np.asarray(is_one_of(cases.parallelism, "pp")) & unsized, cards, pipeline)
    data = np.maximum(cards / (tensor * pipeline * context), 1.0)
    nodes = np.maximum(np.asarray(cases.num_nodes, dtype=float), 1.0)
    return Groups(data, tensor, pipeline, context, np.maximum(cases.expert_parallel, 1.0), np.ceil(cards / nodes))


def pcie_gb_s(device: Device) -> Numeric:
    """One-way PCIe rate of a card [GB/s]; generation 4 with 16 lanes where unknown."""
    generation = np.asarray(device.pcie_gen, dtype=float)
    lanes = np.asarray(device.pcie_lanes, dtype=float)
    generation = np.where(np.isnan(generation), DEFAULT_PCIE_GEN, generation)
    lanes = np.where(np.isnan(lanes), DEFAULT_PCIE_LANES, lanes)
    known = np.array(sorted(PCIE_LANE_GB_S))
    return lanes * np.interp(generation, known, [PCIE_LANE_GB_S[int(g)] for g in known])


@dataclass(frozen=True)
class Links:
    """Collective bus bandwidth [GB/s] a card reaches inside its node, between nodes, and to host memory."""

    inside: Numeric
    between: Numeric
    host: Numeric


def links(cases: Cases, device: Device, constants: TimeConstants) -> Links:
    """Effective link rates of a case; ``cases.interconnect`` overrides the card's own best link."""
    wanted = np.asarray(cases.interconnect, dtype=str)

    def says(*words: str) -> Numeric:
        return np.any([np.char.find(wanted, word) >= 0 for word in words], axis=0)

    size = groups(cases)
    forced_pcie = says("pcie")
    has_fabric = np.asarray(is_one_of(device.link_kind, "nvlink"))
    has_bridge = np.asarray(is_one_of(device.link_kind, "bridge"))
    bridged = has_bridge & says("nvlink", "hccs") & (size.per_node <= BRIDGE_CARDS)
    own = np.asarray(device.interconnect_gb_s, dtype=float) / 2  # tables give the total of both directions
    fabric = (has_fabric | bridged) & ~forced_pcie & ~np.isnan(own)
    pcie = pcie_gb_s(device)
    through_host = np.asarray(is_one_of(device.segment, "consumer"))
    over_pcie = pcie * np.where(through_host, constants.pcie_host_share, constants.pcie_share)
    # Hand-written runtimes move shards with the copy engines instead of collectives' kernels.
    over_pcie = np.where(is_one_of(cases.framework, "native"), pcie * constants.offload_share, over_pcie)
    inside = np.where(fabric, own * constants.bus_share, over_pcie)
    unsaid = ~says("infiniband", "roce", "ethernet")
    asks_ethernet = says("ethernet") | (unsaid & (forced_pcie | ~has_fabric))
    port = np.where(own >= 400, NETWORK_GB_S_NEW, NETWORK_GB_S_OLD)
    network = np.where(asks_ethernet, ETHERNET_GB_S_PER_NODE / size.per_node, port)
    between = np.minimum(network * constants.network_share, inside)
    # The newest fabric joins the nodes of a rack (NVL72); a run that names nothing else stays on it.
    across = says("nvlink") & unsaid & (own >= RACK_SCALE_GB_S) & ~forced_pcie
    return Links(inside, np.where(across, inside, between), pcie * constants.offload_share)


def ring_seconds(gigabytes: Numeric, cards: Numeric, per_node: Numeric, rate: Links) -> Numeric:
    """Time to gather (or scatter) that much data over a group [s]; groups beyond one node pass the slower network.

    Inside each node cards exchange over their own link and every card carries its share between nodes.
    """
    local = np.minimum(cards, per_node)
    nodes = np.maximum(cards / np.maximum(local, 1), 1.0)
    inside = gigabytes * (local - 1) / np.maximum(local, 1) / rate.inside
    between = gigabytes / np.maximum(local, 1) * (nodes - 1) / nodes / rate.between
    return inside + between


@dataclass(frozen=True)
class Communication:
    """Seconds sent per micro-step (hidden behind arithmetic or not) and once per optimizer step."""

    micro_overlapped_s: Numeric
    micro_exposed_s: Numeric
    step_overlapped_s: Numeric
    step_exposed_s: Numeric
    bubble: Numeric
    gigabytes_per_step: Numeric


def communication(
    cases: Cases,
    device: Device,
    shape: LayerShape,
    passes: PassCounts,
    stored: Numeric,
    trained: Numeric,
    constants: TimeConstants,
) -> Communication:
    """Traffic of one step.

    ``stored`` and ``trained`` are parameters of the whole model that are stored and trained [count].
    """
    size, rate = groups(cases), links(cases, device, constants)
    accumulation = np.maximum(np.asarray(cases.grad_accum, dtype=float), 1.0)
    layers = np.asarray(cases.arch.layers, dtype=float)
    local_layers = layers / size.pipeline
    hidden = np.asarray(cases.arch.hidden, dtype=float)
    tokens = np.asarray(cases.seq_len, dtype=float) * cases.micro_batch / size.context
    per_rank = size.tensor * size.pipeline
    weight_bytes = np.asarray(choose(cases.base_weights, STORAGE_BYTES, 2.0))
    sixteen = np.minimum(weight_bytes, 2.0)
    fp32_gradients = np.asarray(is_one_of(cases.precision, "amp-bf16", "amp-fp16", "fp32"))
    sharded = np.asarray(is_one_of(cases.parallelism, "fsdp", "zero3"))
    gradient_bytes = np.where(sharded, 2.0, np.where(fp32_gradients, 4.0, 2.0))
    gradients_gb = trained / per_rank * gradient_bytes / 1e9
    weights_gb = stored / per_rank * sixteen / 1e9
    spread = size.data > 1

    gather = np.where(sharded & spread, 2 * ring_seconds(weights_gb, size.data, size.per_node, rate), 0.0)
    scatter_once = np.where(spread, ring_seconds(gradients_gb, size.data, size.per_node, rate), 0.0)
    each_micro = np.asarray(is_one_of(cases.parallelism, "fsdp", "zero2", "zero3"))
    returns_weights = np.where(sharded, 0.0, scatter_once)
    hops = constants.hop_us * 1e-6 * local_layers
    gather_latency = np.where(sharded & spread, 3 * hops, 0.0)

    activation_gb = tokens * hidden * 2 / 1e9
    collectives = np.where(np.asarray(passes.linear) > 1, 4 + 2 * passes.recompute, 2.0)
    tensor = local_layers * collectives * 2 * ring_seconds(activation_gb, size.tensor, size.per_node, rate)
    tensor = np.where(size.tensor > 1, tensor + hops * collectives, 0.0)
    context_gb = tokens * shape.kv_width * 2 / 1e9 / size.tensor
    # Keys and values go round once forward, once backward, and their gradients once.
    context = local_layers * 3 * ring_seconds(context_gb * size.context, size.context, size.per_node, rate)
    context = np.where(size.context > 1, context + 2 * hops, 0.0)
    routed_gb = tokens * hidden * shape.top_k * 2 / 1e9
    expert = local_layers * shape.expert_share * 4 * ring_seconds(routed_gb, size.expert, size.per_node, rate)
    expert = np.where((size.expert > 1) & (shape.expert_share > 0), expert + 4 * hops, 0.0)
    pipe = np.where(
        size.pipeline > 1, 2 * activation_gb / np.where(size.pipeline > size.per_node, rate.between, rate.inside), 0.0
    )

    naive = np.asarray(is_one_of(cases.framework, "plain")) & np.asarray(is_one_of(cases.parallelism, "pp"))
    bubble = np.where(naive, size.pipeline - 1, (size.pipeline - 1) / accumulation)
    host_weights = np.asarray(is_one_of(cases.cpu_offload, "params+optimizer"))
    # A runtime that streams weights from the host binds no stage to a card and leaves no bubble (arXiv 2604.27085).
    bubble = np.where(host_weights & np.asarray(is_one_of(cases.framework, "native")), 0.0, bubble)

    shard = np.where(each_micro | np.asarray(is_one_of(cases.parallelism, "zero1")), size.data, 1.0) * per_rank
    weight_shard = np.where(sharded, size.data, 1.0) * per_rank
    upload = np.where(host_weights, 2 * stored / weight_shard * sixteen / 1e9 / rate.host, 0.0)
    host_optimizer = np.asarray(is_one_of(cases.cpu_offload, "optimizer", "params+optimizer"))
    on_card = np.asarray(is_one_of(cases.framework, "native"))
    state_bytes = np.where(on_card, 8.0, np.where(fp32_gradients, 6.0, 4.0))
    host_transfer = np.where(host_optimizer, trained / shard * state_bytes / 1e9 / rate.host, 0.0)
    adam_bytes = 28.0
    adam = np.where(
        host_optimizer & ~on_card,
        trained / shard * np.minimum(size.per_node, size.data) * adam_bytes / 1e9 / constants.host_adam_bytes_s,
        0.0,
    )
    sent = weights_gb * 2 * sharded * spread * accumulation + gradients_gb * spread * np.where(
        each_micro, accumulation, 2.0
    )
    return Communication(
        micro_overlapped_s=gather + np.where(each_micro, scatter_once, 0.0) + upload,
        micro_exposed_s=tensor + context + expert + pipe + gather_latency,
        step_overlapped_s=np.where(each_micro, 0.0, scatter_once),
        step_exposed_s=np.where(is_one_of(cases.parallelism, "zero2", "zero1"), returns_weights, 0.0)
        + np.where(is_one_of(cases.parallelism, "ddp"), returns_weights, 0.0)
        + np.where(is_one_of(cases.parallelism, "mixed", "tp", "pp", "single"), returns_weights, 0.0)
        + host_transfer
        + adam,
        bubble=bubble,
        gigabytes_per_step=sent,
    )
