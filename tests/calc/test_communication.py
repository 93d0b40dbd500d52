from __future__ import annotations

import numpy as np
import pytest

from calc.communication import Links, communication, groups, links, pcie_gb_s, ring_seconds
from calc.flops import layer_shape, pass_counts
from calc.parameters import parameter_counts, trained_parameters
from calc.throughput_constants import prior_constants
from tests.calc.time_cases import card, case

CONSTANTS = prior_constants()


def sent(**changes: object):
    cases = case(**{"num_gpus": 8, "parallelism": "ddp", **changes})
    counts = parameter_counts(cases.arch)
    trained = trained_parameters(cases, counts)
    shape, passes = layer_shape(cases.arch), pass_counts(cases)
    return communication(cases, cases.device, shape, passes, counts.total, trained, CONSTANTS)


def test_ring_moves_the_share_of_the_others() -> None:
    rate = Links(inside=100.0, between=10.0, host=20.0)
    assert ring_seconds(8.0, 8, 8, rate) == pytest.approx(8 * 7 / 8 / 100)
    # Two nodes of eight: the same inside each node, and an eighth through each card's port, half of it away.
    assert ring_seconds(8.0, 16, 8, rate) == pytest.approx(8 * 7 / 8 / 100 + 1.0 * 0.5 / 10)
    assert ring_seconds(8.0, 1, 8, rate) == 0


def test_pcie_rate_of_generations() -> None:
    assert float(pcie_gb_s(card("RTX 4090"))) == pytest.approx(31.5, rel=0.01)
    assert float(pcie_gb_s(card("RTX 5090"))) == pytest.approx(63.0, rel=0.01)


@pytest.mark.parametrize(
    ("gpu", "interconnect", "count", "low", "high"),
    [
        ("H100-SXM5-80GB", "", 8, 200, 450),
        ("H100-SXM5-80GB", "pcie", 8, 10, 50),
        ("A100-PCIe-80GB", "nvlink", 2, 150, 300),  # bridge of two
        ("A100-PCIe-80GB", "nvlink", 8, 8, 32),  # a bridge does not join eight
        ("RTX 4090", "", 4, 5, 20),
    ],
)
def test_link_inside_a_node(gpu: str, interconnect: str, count: int, low: float, high: float) -> None:
    cases = case(gpu=gpu, interconnect=interconnect, num_gpus=count)
    assert low < float(links(cases, cases.device, CONSTANTS).inside) < high


def test_network_is_slower_than_the_fabric_and_ethernet_slowest() -> None:
    rates = {}
    for name in ("nvlink+infiniband", "ethernet"):
        cases = case(gpu="H100-SXM5-80GB", interconnect=name, num_gpus=16, num_nodes=2)
        rates[name] = float(links(cases, cases.device, CONSTANTS).between)
    assert rates["ethernet"] < rates["nvlink+infiniband"] < 50


def test_groups_split_the_cards() -> None:
    size = groups(case(num_gpus=64, num_nodes=8, tensor_parallel=4, pipeline_parallel=2))
    assert (float(size.data), float(size.per_node)) == (8, 8)
    assert float(groups(case(num_gpus=8, parallelism="tp")).tensor) == 8
    assert float(groups(case(num_gpus=2, parallelism="pp")).pipeline) == 2


def test_one_card_sends_nothing() -> None:
    alone = sent(num_gpus=1, parallelism="single")
    assert float(alone.gigabytes_per_step) == 0
    assert float(alone.micro_overlapped_s + alone.step_exposed_s + alone.micro_exposed_s) == 0


def test_ddp_sends_adapters_only_and_fsdp_the_base_too() -> None:
    ddp, fsdp = sent(), sent(parallelism="fsdp")
    # 8B LoRA of rank 8: 21 M adapters against 16 GB of weights gathered twice.
    assert float(ddp.gigabytes_per_step) < 0.2
    assert 25 < float(fsdp.gigabytes_per_step) < 40


def test_fsdp_of_4_bit_weights_sends_a_quarter() -> None:
    wide, packed = sent(parallelism="fsdp"), sent(parallelism="fsdp", method="qlora", base_weights="nf4")
    assert float(packed.gigabytes_per_step) < 0.35 * float(wide.gigabytes_per_step)


def test_pipeline_bubble_and_the_naive_one() -> None:
    pipe = {"num_gpus": 4, "parallelism": "pp", "pipeline_parallel": 4, "grad_accum": 12}
    assert float(sent(framework="megatron", **pipe).bubble) == pytest.approx(3 / 12)
    assert float(sent(framework="plain", **pipe).bubble) == 3  # one card works at a time


def test_arrays_match_scalars() -> None:
    names = ["ddp", "zero2", "fsdp", "tp"]
    together = sent(parallelism=np.array(names)).micro_overlapped_s
    assert np.broadcast_to(together, 4).tolist() == pytest.approx(
        [float(sent(parallelism=name).micro_overlapped_s) for name in names]
    )
