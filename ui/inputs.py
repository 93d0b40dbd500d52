"""The sidebar: one scenario for every page, set once."""

from __future__ import annotations

from typing import Any

import streamlit as st

from calc.scenario import ADAPTER_CHOICES, METHOD_CHOICES, MODEL_BY_SIZE, MODEL_CUSTOM, SIZE_STEPS_B, Scenario
from ui.address import address_and_copy
from ui.compare_parts import add_button
from ui.compare_state import encode_saved, saved
from ui.data import gpu_names, model_names, preset_size_step
from ui.format import number
from ui.i18n import LANGUAGES, t
from ui.inputs_model import own_architecture
from ui.inputs_money import money_group
from ui.inputs_widgets import choice_field, number_field, option_label, option_labels, toggle_field
from ui.links import encode
from ui.recommend_state import encode_limits, limits
from ui.sentences import offload_note
from ui.state import label, read_scenario, reset
from ui.story_parts import story_menu


def _by_size() -> None:
    st.session_state["model"] = MODEL_BY_SIZE


def _follow_preset() -> None:
    step = preset_size_step(st.session_state["model"])
    if step is not None:
        st.session_state["model_size_b"] = step


def _model_label(name: str) -> str:
    return t(f"option.model.{name}") if name in (MODEL_BY_SIZE, MODEL_CUSTOM) else name


def _what() -> None:
    st.markdown(f"**{t('group.what')}**")
    st.select_slider(
        label("model_size_b"),
        SIZE_STEPS_B,
        key="model_size_b",
        format_func=lambda size: f"{size:g} B",
        on_change=_by_size,
        persist_state="session",
    )
    st.selectbox(
        label("model"),
        model_names(),
        key="model",
        format_func={name: _model_label(name) for name in model_names()}.__getitem__,
        on_change=_follow_preset,
        label_visibility="collapsed",
        persist_state="session",
    )
    if st.session_state["model"] == MODEL_CUSTOM:
        own_architecture()
    st.select_slider(
        label("method"),
        METHOD_CHOICES,
        key="method",
        format_func=option_labels("method", METHOD_CHOICES).__getitem__,
        help=t("help.method"),
        persist_state="session",
    )
    columns = st.columns(3, vertical_alignment="bottom")
    for column, name in zip(columns, ("samples", "tokens_per_sample", "epochs"), strict=True):
        with column:
            number_field(name)


def _how_summary(values: Any) -> str:
    return t(
        "group.how_summary",
        seq_len=number(values["seq_len"], 7),
        micro_batch=number(values["micro_batch"], 7),
        checkpointing=option_label("activation_checkpointing", values["activation_checkpointing"]),
    ) + offload_note(values["cpu_offload"])


def _how() -> None:
    state = st.session_state
    with st.expander(_how_summary(state), key="how"):
        left, right = st.columns(2, vertical_alignment="bottom")
        with left:
            number_field("seq_len", step=512)
        with right:
            number_field("micro_batch")
        with left:
            number_field("grad_accum")
        with right:
            toggle_field("packed")
        for name in ("activation_checkpointing", "attention", "fused_loss", "optimizer"):
            choice_field(name)
        adapters = state["method"] in ADAPTER_CHOICES
        number_field("lora_rank", disabled=not adapters)
        choice_field("lora_targets", disabled=not adapters)
        choice_field("quantisation", disabled=state["method"] != "qlora-4bit")
        for name in ("parallelism", "cpu_offload", "framework"):
            choice_field(name)
        toggle_field("fp8")


def _where() -> None:
    st.markdown(f"**{t('group.where')}**")
    # A row of its own: beside another box the longer card names do not fit.
    st.selectbox(label("gpu"), gpu_names(), key="gpu", persist_state="session")
    number_field("num_gpus")
    with st.expander(t("group.link_summary", link=option_label("link", st.session_state["link"])), key="link_group"):
        choice_field("link")
        number_field("gpus_per_node")


def sidebar(page: str) -> tuple[Scenario, str]:
    """Draws the shared inputs; returns the scenario and, where the fields contradict each other, a sentence.

    page: path of the page being shown.
    """
    with st.sidebar:
        story_menu()
        _what()
        _how()
        _where()
        money_group()
        found, problem = read_scenario()
        add_button("add_to_compare")
        left, right = st.columns(2)
        with left:
            flat = found.flat()
            parts = {"s": encode(flat), "c": encode_saved(saved(), flat), "r": encode_limits(limits())}
            address_and_copy(parts, page)
        right.button(t("action.reset"), key="reset", on_click=reset, width="stretch")
        st.segmented_control(
            t("field.lang"),
            tuple(LANGUAGES),
            key="lang",
            format_func=LANGUAGES.__getitem__,
            required=True,
            label_visibility="collapsed",
            persist_state="session",
            width="stretch",
        )
    return found, problem
