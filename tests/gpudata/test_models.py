"""The model table: published counts, shapes, and the entries no column expresses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gpudata
from gpudata.loaders import read_model_extras

MODELS = gpudata.load_models()


def test_two_hundred_models_without_duplicates() -> None:
    assert len(MODELS) >= 200
    assert MODELS["model"].str.lower().is_unique


def test_parameter_counts_agree_with_published_ones() -> None:
    joined = gpudata.load_models_published().merge(MODELS[["model", "params_total"]], on="model", validate="one_to_one")
    error = (joined["published"] + joined["adjust"] - joined["params_total"]).abs()
    exact = joined["precision"] == "exact"
    assert exact.sum() > 150
    assert (error[exact] <= 0.001 * joined["params_total"][exact]).all()
    assert (error[exact] == 0).mean() > 0.97
    # Model names round to two digits; three of them round generously ("65B" of 65.3, "70B" of 69.0, "340B" of 341).
    assert (error[~exact] <= joined["half_unit"][~exact]).sum() >= (~exact).sum() - 3
    assert (error[~exact] <= 0.02 * joined["params_total"][~exact]).all()


def test_columns_of_experts_are_given_together() -> None:
    columns = ["moe_experts", "moe_top_k", "moe_shared_experts", "moe_ffn", "first_dense_layers", "params_active"]
    mixtures = MODELS[MODELS["moe_experts"].notna()]
    assert len(mixtures) >= 25
    assert mixtures[columns].notna().all().all()
    assert MODELS.loc[MODELS["moe_experts"].isna(), columns].isna().all().all()
    assert (mixtures["moe_top_k"] < mixtures["moe_experts"]).all()


def test_attention_kind_follows_from_the_heads() -> None:
    kinds = MODELS["attention_kind"]
    assert (MODELS.loc[kinds == "mha", "heads"] == MODELS.loc[kinds == "mha", "kv_heads"]).all()
    assert (MODELS.loc[kinds == "mqa", "kv_heads"] == 1).all()
    assert MODELS.loc[kinds == "mla", "mla_kv_lora_rank"].notna().all()


def test_extras_are_attached_and_belong_to_known_models() -> None:
    by_name = MODELS.set_index("model")["extra"]
    assert by_name["Qwen3-8B"] == {"qk_norm": "head"}
    assert by_name["Llama-3.1-8B"] == {}
    assert by_name["Qwen3-Next-80B-A3B"]["gdn"]["full_layers"] == 12


def test_a_caller_cannot_change_the_table() -> None:
    first = gpudata.load_models()
    first.loc[0, "layers"] = 1
    assert gpudata.load_models().loc[0, "layers"] == MODELS.loc[0, "layers"]


def test_a_bad_extra_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "models_extra.json"
    path.write_text(json.dumps({"Llama-2-7B": {"qk_norm": "sideways"}}))
    with pytest.raises(gpudata.TableError, match=r"models_extra\.json.*qk_norm: model Llama-2-7B"):
        read_model_extras(path)
