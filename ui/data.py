"""Tables of the app, read once a process, and the choices drawn from them."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from calc.answers import time_by_card
from calc.scenario import MODEL_BY_SIZE, MODEL_CUSTOM, SIZE_STEPS_B, Scenario
from calc.tables import Tables, load_tables
from gpudata.names import short_gpu_name

# Cards that people ask about first: desk, workstation, server, and the ones China may buy.
COMMON_GPUS: tuple[str, ...] = (
    "RTX 4060 Ti 16GB",
    "RTX 3090",
    "RTX 4090",
    "A10 24GB",
    "RTX 5090",
    "RTX A6000 48GB",
    "RTX 4090 48GB (aftermarket)",
    "L40S 48GB",
    "A100-SXM4-80GB",
    "H100-SXM5-80GB",
    "RTX PRO 6000 Blackwell Workstation 96GB",
    "H20-96GB",
    "H200-SXM-141GB",
    "B200-SXM-180GB",
)

# Cards of the small charts on the overview.
OVERVIEW_GPUS: tuple[str, ...] = (
    "RTX 4090",
    "H100-SXM5-80GB",
    "RTX 5090",
    "A100-SXM4-80GB",
    "L40S 48GB",
    "RTX 4060 Ti 16GB",
    "H200-SXM-141GB",
)
# One card of each usual memory size, for lines across a chart.
CAPACITY_MARKS: tuple[str, ...] = ("RTX 4090", "L40S 48GB", "H100-SXM5-80GB", "H200-SXM-141GB")


@st.cache_resource(show_spinner=False)
def tables() -> Tables:
    """All tables and fitted constants."""
    return load_tables()


@st.cache_resource(show_spinner=False)
def gpu_names() -> tuple[str, ...]:
    """Every card that can be chosen, the common ones first."""
    known = [str(name) for name in tables().devices.index]
    first = [name for name in COMMON_GPUS if name in known]
    return (*first, *(name for name in known if name not in COMMON_GPUS))


@st.cache_resource(show_spinner=False)
def model_names() -> tuple[str, ...]:
    """Every choice of the model menu: by size, own architecture, then the presets."""
    return (MODEL_BY_SIZE, MODEL_CUSTOM, *(str(name) for name in tables().models["model"]))


def nearest_size_step(size_b: float) -> float:
    """Step of the size slider closest in ratio to ``size_b`` billion parameters."""
    return min(SIZE_STEPS_B, key=lambda step: max(step, size_b) / min(step, size_b))


@lru_cache(maxsize=512)
def preset_size_step(model: str) -> float | None:
    """Slider step nearest to a preset's parameter count; None for a choice that is no preset."""
    rows = tables().models.loc[tables().models["model"] == model, "params_total"]
    return None if rows.empty else nearest_size_step(float(rows.iloc[0]) / 1e9)


def shown_gpus(chosen: str, extra: list[str]) -> list[str]:
    """Cards a chart compares: the common ones, the chosen one and those the user added."""
    known = set(gpu_names())
    return list(dict.fromkeys(name for name in (*COMMON_GPUS, chosen, *extra) if name in known))


def capacity_marks(chosen: str) -> dict[str, float]:
    """Usable GiB of a few cards of different size and of the chosen one, by short name."""
    usable = tables().devices["memory_gib_usable"]
    names = dict.fromkeys((chosen, *CAPACITY_MARKS))
    found = {short_gpu_name(name): float(usable[name]) for name in names if usable[name] == usable[name]}
    mine = found.get(short_gpu_name(chosen))
    # Two lines closer than a fifth cannot both be labelled; the chosen card's stays.
    return {
        name: size
        for name, size in found.items()
        if size == mine or mine is None or max(size, mine) / min(size, mine) > 1.2
    }


def overview_gpus(scenario: Scenario) -> list[str]:
    """Few cards of rising memory for the small charts.

    Of the cards that the larger charts show, the smallest that holds the job and the fastest are among them, so that
    both name the same ones.
    """
    chosen = scenario.hardware.gpu
    timed = time_by_card(scenario, tables(), shown_gpus(chosen, []))
    able = timed[timed["verdict"].isin(["fits", "tight"])]
    usable = tables().devices["memory_gib_usable"]
    holding = sorted((str(name) for name in able["gpu"]), key=lambda name: float(usable[name]))
    fastest = able.dropna(subset=["hours"]).sort_values("hours")["gpu"]
    names = dict.fromkeys((chosen, *holding[:1], *fastest[:1], *OVERVIEW_GPUS))
    return sorted(list(names)[: len(OVERVIEW_GPUS)], key=lambda name: float(usable[name]))
