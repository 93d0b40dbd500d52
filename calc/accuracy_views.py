"""What the accuracy page shows: predictions for sources left out, by kind of run, and beside simple rules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from calc.accuracy import comparison, summary
from calc.case_table import text_of
from calc.cases import BASE_WEIGHTS, CPU_OFFLOADS, METHODS, OPTIMIZERS, PARALLELISMS, PRECISIONS
from calc.fit import covered_when_left_out
from calc.predict import predict_table, read_cases
from calc.simple_rules import RULES, rule_values
from calc.tables import Tables

FILTERS = ("method", "gpu", "framework", "source")
_LABELS = ("model", "method", "gpu", "framework", "source_url", "trust", "mem_kind", "num_gpus")
# Settings whose coverage by measurements is reported, with every value that can be asked for.
_ASKABLE: dict[str, tuple[str, ...]] = {
    "method": tuple(method for method in METHODS if method != "inference"),
    "base_weights": BASE_WEIGHTS,
    "precision": PRECISIONS,
    "optimizer": OPTIMIZERS,
    "parallelism": PARALLELISMS,
    "cpu_offload": CPU_OFFLOADS,
}


@dataclass(frozen=True)
class Evidence:
    """Rows of trust A and B predicted by fits that never saw their source, rows of trust C predicted by the full fit.

    Columns of both: quantity (memory in GiB per card, speed in tokens a second per card), case_id, source, model,
    method, gpu, framework, source_url, measured, predicted, error (predicted / measured - 1), covered (inside the 80 %
    range). ``left_out`` also has one column a simple rule, its estimate.
    """

    left_out: pd.DataFrame
    trust_c: pd.DataFrame


def framework_family(name: str) -> str:
    """Framework name without versions, commits and add-ons: "litgpt + Thunder" gives "litgpt"."""
    return re.split(r"[,@(+]|\s\d", name)[0].strip()


def _labels(measurements: pd.DataFrame) -> pd.DataFrame:
    labels = pd.DataFrame({name: [text_of(value) for value in measurements[name]] for name in _LABELS})
    labels["framework"] = [framework_family(name) for name in labels["framework"]]
    return labels


def gather_evidence(measurements: pd.DataFrame, memory: pd.DataFrame, speed: pd.DataFrame, tables: Tables) -> Evidence:
    """Everything the page needs, in one pass.

    measurements: all published runs. memory, speed: residuals of sources left out (``gpudata.residuals``).
    """
    measurements = measurements.reset_index(drop=True)
    table = read_cases(measurements, tables)
    labels = _labels(measurements)
    rules = pd.DataFrame(index=measurements.index, columns=[rule.code for rule in RULES], dtype=float)
    if table.cases is not None:
        for code, values in rule_values(table.cases).items():
            rules.loc[table.positions, code] = values
    by_id = pd.concat([labels, rules], axis=1).set_index(measurements["case_id"])
    parts = []
    for quantity, residuals in (("memory", memory), ("speed", speed)):
        part = residuals[["case_id", "source", "group", "measured", "predicted"]].reset_index(drop=True)
        part.insert(0, "quantity", quantity)
        part["error"] = part["predicted"] / part["measured"] - 1
        part["covered"] = covered_when_left_out(residuals.reset_index(drop=True))
        parts.append(part.join(by_id, on="case_id"))
    everything = comparison(measurements, predict_table(table, tables), table)
    doubtful = everything[everything["trust"] == "C"].reset_index(drop=True)
    doubtful["framework"] = [framework_family(name) for name in doubtful["framework"]]
    return Evidence(pd.concat(parts, ignore_index=True), doubtful)


def choices(rows: pd.DataFrame, column: str) -> list[str]:
    """Values of a column, the most frequent first; blanks left out."""
    found = rows.loc[rows[column] != "", column].value_counts()
    return sorted(found.index, key=lambda value: (-int(found[value]), str(value)))


def chosen_rows(rows: pd.DataFrame, quantity: str, wanted: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Rows of one quantity that pass every filter; an empty filter passes all."""
    kept = rows["quantity"] == quantity
    for column, values in wanted.items():
        if values:
            kept &= rows[column].isin(list(values))
    return rows[kept]


def headline(evidence: Evidence, quantity: str) -> dict[str, Any]:
    """Median and 90th percentile error, bias and coverage of one quantity; every source weighs the same."""
    return summary(evidence.left_out[evidence.left_out["quantity"] == quantity])


def doubtful(evidence: Evidence, quantity: str) -> dict[str, Any]:
    """The same for rows of trust C, which no fit used."""
    return summary(evidence.trust_c[evidence.trust_c["quantity"] == quantity])


def error_table(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """One row a value of ``column``: rows, sources, median, p90, bias, coverage (shares), most rows first."""
    found = []
    for name, part in rows.groupby(column, sort=True):
        s = summary(part)
        found.append(
            {
                "name": str(name),
                "rows": s["rows"],
                "sources": s["sources"],
                "median": s["median_abs_error"],
                "p90": s["p90_abs_error"],
                "bias": s["bias"],
                "coverage": s["coverage_80"],
            }
        )
    columns = ["name", "rows", "sources", "median", "p90", "bias", "coverage"]
    return pd.DataFrame(found, columns=columns).sort_values("rows", ascending=False, ignore_index=True)


def rule_table(rows: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """Errors of this model (code "model") and of each simple rule on the same rows: median, p90, bias (shares)."""
    rows = rows[rows["quantity"] == quantity]
    found = []
    estimates = {"model": "predicted", **{rule.code: rule.code for rule in RULES if rule.quantity == quantity}}
    urls = {rule.code: rule.source_url for rule in RULES}
    for code, column in estimates.items():
        s = summary(rows.assign(error=rows[column] / rows["measured"] - 1))
        found.append(
            {
                "code": code,
                "rows": int(rows[column].notna().sum()),
                "median": s["median_abs_error"],
                "p90": s["p90_abs_error"],
                "bias": s["bias"],
                "url": urls.get(code, ""),
            }
        )
    return pd.DataFrame(found)


def worst_misses(rows: pd.DataFrame, count: int) -> pd.DataFrame:
    """The rows with the largest ratio between prediction and measurement, worst first."""
    ratio = (rows["predicted"] / rows["measured"]).map(lambda value: max(value, 1 / value))
    return rows.loc[ratio.sort_values(ascending=False).index[:count]]


def never_measured(measurements: pd.DataFrame, tables: Tables) -> dict[str, dict[str, list[str]]]:
    """Quantity -> setting -> values without a single published row of trust A or B.

    Settings: method, base weights, precision, optimizer, strategy, offload, and the card. A row counts with the values
    it is read with, so what a row leaves unsaid counts as its usual default.
    """
    table = read_cases(measurements, tables)
    if table.cases is None:
        raise ValueError("no readable rows")
    rows = measurements.reset_index(drop=True).iloc[table.positions]
    trusted = ~rows["trust"].isin(["C"]).to_numpy()
    has = {
        "memory": rows["peak_mem_gb"].notna().to_numpy() & trusted,
        "speed": (rows["tokens_per_s_per_gpu"].notna() | rows["step_s"].notna()).to_numpy() & trusted,
    }
    device = table.cases.device
    result: dict[str, dict[str, list[str]]] = {}
    for quantity, kept in has.items():
        missing = {
            name: [value for value in values if value not in set(getattr(table.cases, name)[kept])]
            for name, values in _ASKABLE.items()
        }
        seen = set() if device is None else {str(name) for name in device.name[kept]}
        missing["gpu"] = [str(name) for name in tables.devices.index if str(name) not in seen]
        result[quantity] = missing
    return result
