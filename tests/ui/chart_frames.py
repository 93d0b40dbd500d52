"""Frames of invented numbers in the shapes that ``calc`` hands to the figures."""

from __future__ import annotations

import numpy as np
import pandas as pd

CARDS = (
    ("RTX 4060 Ti 16GB", "RTX 4060 Ti 16GB", 15.6),
    ("A10 24GB", "A10", 22.5),
    ("RTX 4090", "RTX 4090", 23.6),
    ("L40S 48GB", "L40S", 44.5),
    ("H100-SXM5-80GB", "H100 SXM", 79.6),
    ("B200-SXM-180GB", "B200", 179.0),
)
COMPONENTS = {
    "weights": 15.0,
    "gradients": 0.08,
    "optimizer": 0.24,
    "optimizer_temporaries": 0.05,
    "activations": 3.1,
    "logits": 2.0,
    "dequantisation": 0.0,
    "buffers": 0.0,
    "process": 0.9,
    "reserve": 1.1,
}
METHODS = {"qlora-4bit": 9.2, "lora": 22.5, "full-mixed": 128.0}


def verdict(peak: float, high: float, usable: float) -> str:
    return "fits" if high <= usable else "tight" if peak <= usable else "no"


def fit(scale: float = 1.0) -> pd.DataFrame:
    parts = {name: value * scale for name, value in COMPONENTS.items()}
    peak = sum(parts.values())
    rows = [
        {
            "gpu": gpu,
            "short": short,
            "usable_gib": usable,
            "peak_gib": peak,
            "low_gib": peak * 0.93,
            "high_gib": peak * 1.07,
            "share": peak / usable,
            "verdict": verdict(peak, peak * 1.07, usable),
            **parts,
        }
        for gpu, short, usable in CARDS
    ]
    return pd.DataFrame(rows)


def fit_map() -> pd.DataFrame:
    rows = [
        (gpu, short, method, need / usable, verdict(need, need * 1.07, usable), need)
        for gpu, short, usable in CARDS
        for method, need in METHODS.items()
    ]
    return pd.DataFrame(rows, columns=["gpu", "short", "method", "share", "verdict", "peak_gib"])


def sweep() -> pd.DataFrame:
    rows = [(2**power, batch, 16 + batch * 2**power / 660) for batch in (1, 2, 4) for power in range(9, 16)]
    return pd.DataFrame(rows, columns=["seq_len", "micro_batch", "peak_gib"])


def times(scale: float = 1.0) -> pd.DataFrame:
    hours = np.array([2.5, 2.7, 8.2, 9.4, 12.7, 31.0]) * scale
    waiting = np.array([0.0, 0.37, 0.0, 0.0, 0.0, 0.0]) * hours
    rest = hours - waiting
    cards = CARDS[::-1]
    return pd.DataFrame(
        {
            "gpu": [card[0] for card in cards],
            "short": [card[1] for card in cards],
            "hours": hours,
            "hours_low": hours * 0.8,
            "hours_high": hours * 1.25,
            "compute_h": rest * 0.7,
            "memory_h": rest * 0.2,
            "communication_h": waiting,
            "overhead_h": rest * 0.1,
            "bottleneck": "compute",
            "tokens_per_s": 3000 / hours,
            "verdict": ["fits", "fits", "fits", "tight", "tight", "no"],
            "rent_cost": [9.9, 6.9, 7.1, 3.6, np.nan, 3.1],
            "rent_cost_low": [8.0, 6.0, 6.1, 3.0, np.nan, 2.1],
            "rent_cost_high": [12.0, 8.0, 9.1, 5.0, np.nan, 4.1],
        }
    )


def scaling() -> pd.DataFrame:
    rows = [
        (link, n, n * share ** np.log2(n), share ** np.log2(n))
        for link, share in (("nvlink", 0.98), ("pcie", 0.86), ("pcie+ethernet", 0.7))
        for n in (1, 2, 4, 8, 16)
    ]
    return pd.DataFrame(rows, columns=["link", "num_gpus", "speedup", "efficiency"])


def cumulative(months: int = 36, rent_per_month: float = 3150.0) -> pd.DataFrame:
    month = np.arange(months + 1)
    own, rent = 38_000 + 620.0 * month, rent_per_month * month
    return pd.DataFrame(
        {
            "month": month,
            "own": own,
            "rent": rent,
            "own_low": own * 0.92,
            "own_high": own * 1.1,
            "rent_low": rent * 0.8,
            "rent_high": rent * 1.25,
        }
    )


def win_map() -> pd.DataFrame:
    rows = [
        (use / 100, month, month * use * 52 - 620 * month - 38_000)
        for use in range(0, 101, 5)
        for month in range(1, 61)
    ]
    return pd.DataFrame(rows, columns=["utilisation", "horizon_months", "saving"])


def cost_lines() -> dict[str, float]:
    return {"cards": 32_000.0, "host": 6_000.0, "network": 0.0, "energy_loaded": 9_000.0, "resale": -11_000.0}


def tornado() -> pd.DataFrame:
    rows = [
        ("rent.price_per_gpu_hour", 1.2, 3.1, -9_000.0, 61_000.0),
        ("utilisation", 0.2, 0.9, -21_000.0, 48_000.0),
        ("own.gpu_price", 12_000.0, 21_000.0, 38_000.0, 11_000.0),
    ]
    return pd.DataFrame(rows, columns=["field", "low_value", "high_value", "saving_low", "saving_high"])


def probability() -> pd.DataFrame:
    month = np.arange(37)
    return pd.DataFrame({"month": month, "own_wins": 1 / (1 + np.exp(-(month - 15) / 3))})


def prices() -> pd.DataFrame:
    typical = np.linspace(4, 2.1, 30)
    dates = pd.date_range("2024-01-01", periods=30, freq="MS")
    return pd.DataFrame({"date": dates, "low": typical * 0.7, "typical": typical, "high": typical * 1.6})


def accuracy(runs: int = 700) -> pd.DataFrame:
    random = np.random.default_rng(1)
    measured = 10 ** random.uniform(0.6, 2.2, runs)
    groups = random.choice(["LoRA", "QLoRA"], runs, p=[0.7, 0.3])
    predicted = measured * np.exp(random.normal(0, 0.12, runs))
    return pd.DataFrame({"measured": measured, "predicted": predicted, "group": groups, "name": "run"})


def scenarios() -> pd.DataFrame:
    """Rows of ``calc.compare.compare_row``: one fits, one is tight, one does not fit and so has no run."""
    return pd.DataFrame(
        {
            "letter": ["A", "B", "C"],
            "name": ["LoRA, one RTX 4090", "QLoRA 4-bit, one RTX 4090", "Full mixed, one RTX 4090"],
            "short": "RTX 4090",
            "verdict": ["tight", "fits", "no"],
            "peak_gib": [20.4, 13.2, 127.0],
            "low_gib": [18.3, 11.9, 111.0],
            "high_gib": [24.8, 15.2, 149.0],
            "usable_gib": 23.6,
            "hours": [5.8, 6.8, np.nan],
            "hours_low": [4.8, 5.6, np.nan],
            "hours_high": [7.2, 8.4, np.nan],
            "own_per_run": [2.0, 2.3, np.nan],
            "rent_per_run": [2.2, 2.6, np.nan],
        }
    )


def plans(count: int = 12) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Plans and the curve of best ones as ``calc.recommend`` gives them, with words for the points."""
    hours = np.geomspace(0.1, 60, count)
    frame = pd.DataFrame(
        {
            "gpu": [f"card {place}" for place in range(count)],
            "label": [f"{place} × card" for place in range(count)],
            "num_gpus": 1,
            "method": "lora",
            "mode": ["own" if place % 3 == 0 else "on_demand" for place in range(count)],
            "verdict": ["tight" if place % 4 == 3 else "fits" for place in range(count)],
            "hours": hours,
            "cost_per_run": 40 / np.sqrt(hours) + 300 * (np.arange(count) % 2),
        }
    )
    return frame.iloc[::-1].reset_index(drop=True), frame[frame["cost_per_run"] < 200].reset_index(drop=True)
