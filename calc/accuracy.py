"""How far the predictions lie from published measurements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from calc.case_table import CaseTable, text_of
from calc.intervals import memory_groups, source_weights, time_groups, weighted_quantile

GIB_PER_GB = 1e9 / 2**30
QUANTITIES = ("memory", "speed")
GROUPINGS = ("method", "source", "gpu", "framework", "mem_kind")


def measured_memory_gib(frame: pd.DataFrame) -> pd.Series:
    """``peak_mem_gb`` in GiB, by its ``mem_unit`` (GB means 10^9 bytes; blank means GiB)."""
    if "peak_mem_gb" not in frame.columns:
        return pd.Series(np.nan, index=frame.index)
    value = pd.to_numeric(frame["peak_mem_gb"], errors="coerce")
    unit = frame["mem_unit"] if "mem_unit" in frame.columns else pd.Series("GiB", index=frame.index)
    return value.where(unit.map(text_of) != "GB", value * GIB_PER_GB)


def measured_speed(frame: pd.DataFrame) -> pd.Series:
    """Tokens a second per GPU: as published, or from the seconds of one optimizer step."""
    nothing = pd.Series(np.nan, index=frame.index)

    def number(column: str, default: float = np.nan) -> pd.Series:
        if column not in frame.columns:
            return nothing.fillna(default)
        return pd.to_numeric(frame[column], errors="coerce").fillna(default)

    tokens = number("seq_len") * number("micro_batch") * number("grad_accum", 1.0)
    shards = number("tensor_parallel", 1.0) * number("pipeline_parallel", 1.0) * number("context_parallel", 1.0)
    return number("tokens_per_s_per_gpu").fillna(tokens / shards / number("step_s"))


def comparison(frame: pd.DataFrame, predicted: pd.DataFrame, table: CaseTable) -> pd.DataFrame:
    """Long frame, one row for each published figure: quantity, measured, predicted with range, and its labels."""
    labels = pd.DataFrame({"case_id": table.case_ids, "source": [name.split("-")[0] for name in table.case_ids]})
    for column in ("trust", "method", "gpu", "framework", "mem_kind", "source_url", "model"):
        values = frame[column] if column in frame.columns else pd.Series([""] * len(frame))
        labels[column] = [text_of(value) for value in values]
    groups = {name: pd.Series([""] * len(labels), dtype=object) for name in QUANTITIES}
    if table.cases is not None:
        groups["memory"].iloc[table.positions] = memory_groups(table.cases)
        groups["speed"].iloc[table.positions] = time_groups(table.cases)
    parts = []
    for quantity, measured, column in (
        ("memory", measured_memory_gib(frame), "peak_mem_gib"),
        ("speed", measured_speed(frame), "tokens_per_s_per_gpu"),
    ):
        part = labels.assign(quantity=quantity, measured=measured.to_numpy(), group=groups[quantity])
        for suffix in ("", "_low", "_high"):
            part[f"predicted{suffix}"] = predicted[f"{column}{suffix}"].to_numpy()
        parts.append(part[part["measured"] > 0])
    both = pd.concat(parts, ignore_index=True)
    both["error"] = both["predicted"] / both["measured"] - 1
    both["log_ratio"] = np.log(both["measured"] / both["predicted"])
    both["covered"] = (both["measured"] >= both["predicted_low"]) & (both["measured"] <= both["predicted_high"])
    return both


def summary(part: pd.DataFrame) -> dict[str, Any]:
    """Median and 90th percentile absolute error, bias, share predicted and coverage, every source weighing the same."""
    known = part.dropna(subset=["error"])
    weights = source_weights(known["source"]) if len(known) else np.array([])
    size = known["error"].abs().to_numpy()
    mean = float(np.average(known["covered"], weights=weights)) if len(known) else float("nan")
    return {
        "rows": len(part),
        "sources": int(part["source"].nunique()),
        "predicted_share": len(known) / len(part) if len(part) else float("nan"),
        "median_abs_error": weighted_quantile(size, weights, 0.5),
        "p90_abs_error": weighted_quantile(size, weights, 0.9),
        "bias": weighted_quantile(known["error"].to_numpy(), weights, 0.5),
        "coverage_80": mean,
    }


def trusted(compared: pd.DataFrame) -> pd.DataFrame:
    """Rows of trust A and B, or all where trust is not said."""
    return compared[~compared["trust"].isin(["C"])]


def report(compared: pd.DataFrame) -> dict[str, Any]:
    """Headline (trust A and B), trust C apart, and tables by group, for memory and speed."""
    result: dict[str, Any] = {}
    for quantity in QUANTITIES:
        rows = compared[compared["quantity"] == quantity]
        headline = trusted(rows)
        result[quantity] = {
            "headline": summary(headline),
            "trust_c": summary(rows[rows["trust"] == "C"]),
            "by": {
                column: {(str(name) or "not said"): summary(part) for name, part in headline.groupby(column, sort=True)}
                for column in GROUPINGS
                if not (quantity == "speed" and column == "mem_kind")
            },
        }
    return result


def format_report(result: dict[str, Any]) -> str:
    """The report as text for a terminal."""
    lines: list[str] = []
    head = f"{'':44s} {'rows':>5} {'sources':>7} {'predicted':>9} {'median':>7} {'p90':>7} {'bias':>7} {'in 80 %':>7}"

    def line(name: str, s: dict[str, Any]) -> str:
        def percent(key: str) -> str:
            value = s[key]
            return "-" if value != value else f"{100 * value:.1f} %"

        return (
            f"{name[:44]:44s} {s['rows']:5d} {s['sources']:7d} {percent('predicted_share'):>9} "
            f"{percent('median_abs_error'):>7} {percent('p90_abs_error'):>7} "
            f"{percent('bias'):>7} {percent('coverage_80'):>7}"
        )

    for quantity, part in result.items():
        lines += [f"{quantity} (absolute error; trust A and B, every source weighing the same)", head]
        lines += [line("all", part["headline"]), line("trust C, apart", part["trust_c"])]
        for column, groups in part["by"].items():
            lines.append(f"  by {column}")
            lines += [line(f"    {name}", group) for name, group in groups.items()]
        lines.append("")
    return "\n".join(lines)
