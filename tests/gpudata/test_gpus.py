"""The card tables: ranges, rules between columns, and figures that follow from other figures."""

from __future__ import annotations

import pandas as pd
import pytest

import gpudata

GPUS = gpudata.load_gpus()
BY_NAME = GPUS.set_index("gpu")

# Memory bus in bits and data rate in Gbit/s per pin as widely published; not re-read from a page for this table.
BUSES = {
    "RTX 2080 Ti 11GB": (352, 14),
    "RTX 3060 12GB": (192, 15),
    "RTX 3080 10GB": (320, 19),
    "RTX 3080 12GB": (384, 19),
    "RTX 3090": (384, 19.5),
    "RTX 3090 Ti": (384, 21),
    "RTX 4060 Ti 16GB": (128, 18),
    "RTX 4070 12GB": (192, 21),
    "RTX 4070 Ti Super 16GB": (256, 21),
    "RTX 4080 16GB": (256, 22.4),
    "RTX 4090": (384, 21),
    "RTX 5060 Ti 16GB": (128, 28),
    "RTX 5070 12GB": (192, 28),
    "RTX 5070 Ti 16GB": (256, 28),
    "RTX 5080 16GB": (256, 30),
    "RTX 5090": (512, 28),
    "RTX A6000 48GB": (384, 16),
    "RTX 6000 Ada 48GB": (384, 20),
    "RTX PRO 6000 Blackwell Workstation 96GB": (512, 28),
    "RX 7900 XTX 24GB": (384, 20),
    "T4 16GB": (256, 10),
    "L4 24GB": (192, 12.5),
    "L40S 48GB": (384, 18),
    "A10 24GB": (384, 12.5),
    "A40 48GB": (384, 14.5),
    "A100-PCIe-40GB": (5120, 2.43),
    "A100-SXM4-80GB": (5120, 3.186),
    "H100-SXM5-80GB": (5120, 5.23),
}


def test_at_least_110_accelerators_without_duplicates() -> None:
    assert len(GPUS) >= 110
    assert GPUS["gpu"].str.lower().is_unique


@pytest.mark.parametrize("gpu", BUSES)
def test_bandwidth_is_bus_width_times_data_rate(gpu: str) -> None:
    bits, rate = BUSES[gpu]
    assert BY_NAME.loc[gpu, "memory_bandwidth_gb_s"] == pytest.approx(bits * rate / 8, rel=0.005)


def test_dense_rates_are_not_the_sparse_ones() -> None:
    """Datasheet dense rates; the sparse headline figure would be twice these."""
    dense = {"H100-SXM5-80GB": 989.4, "A100-SXM4-80GB": 312, "RTX 4090": 165.2, "RTX 3090": 71, "L40S 48GB": 362.05}
    for gpu, rate in dense.items():
        assert BY_NAME.loc[gpu, "bf16_dense_tflops"] == pytest.approx(rate, rel=0.005)


def test_narrower_types_are_not_slower() -> None:
    for wide, narrow in (
        ("fp32_tflops", "fp16_dense_tflops"),
        ("fp16_dense_tflops", "fp16_accumulate_fp16_dense_tflops"),
        ("bf16_dense_tflops", "fp8_dense_tflops"),
        ("fp8_dense_tflops", "fp4_dense_tflops"),
    ):
        known = GPUS[[wide, narrow]].dropna()
        assert len(known) > 10
        assert (known[narrow] >= known[wide]).all(), (wide, narrow)


def test_bf16_equals_fp16_on_nvidia_tensor_cores() -> None:
    nvidia = GPUS[(GPUS["vendor"] == "NVIDIA") & GPUS["bf16_dense_tflops"].notna()]
    assert (nvidia["bf16_dense_tflops"] == nvidia["fp16_dense_tflops"]).all()
    assert GPUS.loc[GPUS["architecture"].isin(["Volta", "Turing"]), "bf16_dense_tflops"].isna().all()


def test_usable_memory_is_close_below_nominal() -> None:
    known = GPUS.dropna(subset=["memory_gb", "memory_gib_usable"])
    share = known["memory_gib_usable"] / known["memory_gb"]
    assert len(known) >= 55
    assert share.between(0.9, 1.0).all()
    assert BY_NAME.loc["RTX 4090", "memory_gib_usable"] == 23.6
    assert "torch" in BY_NAME.loc["RTX 4090", "note"]


def test_variants_name_a_card_of_the_table() -> None:
    assert set(GPUS["export_restricted_variant_of"].dropna()) <= set(GPUS["gpu"])


def test_links_with_a_rate_are_named() -> None:
    rated = GPUS[GPUS["interconnect_gb_s"].notna()]
    assert not rated["interconnect"].fillna("none").str.startswith("none").any()


def test_achieved_products_belong_to_known_cards_and_are_plausible() -> None:
    achieved = gpudata.load_achievable_matmul()
    assert set(achieved["gpu"]) <= set(GPUS["gpu"])
    share = (achieved["achieved_tflops"] / achieved["theoretical_tflops"]).dropna()
    assert share.between(0.3, 2.0).all()
    joined = achieved[achieved["dtype"] == "bf16"].merge(GPUS, on="gpu").dropna(subset=["theoretical_tflops"])
    ratio = joined["theoretical_tflops"] / joined["bf16_dense_tflops"]
    assert ratio.dropna().between(0.9, 1.1).all()


def test_release_dates_lie_in_the_past_of_the_table() -> None:
    known = GPUS.dropna(subset=["release_date"])
    assert (pd.to_datetime(known["release_date"]) <= pd.to_datetime(known["date"])).all()
