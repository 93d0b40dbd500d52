"""Cards, filters and tables of the page about accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import gpudata
from calc.accuracy_views import (
    FILTERS,
    Evidence,
    choices,
    doubtful,
    error_table,
    gather_evidence,
    headline,
    never_measured,
    rule_table,
)
from calc.verdict_errors import VerdictErrors, verdict_errors
from gpudata.names import short_gpu_name
from gpudata.residuals import load_memory_residuals, load_time_residuals
from ui.cards import Card
from ui.data import COMMON_GPUS, tables
from ui.format import number, percent
from ui.i18n import t

_SHARES = ("median", "p90", "bias", "coverage", "error")
_RUN_COLUMNS = ("case_id", "model", "method", "gpu", "framework", "measured", "predicted", "error", "source_url")
_VERDICT_COLUMNS = ("case_id", "model", "method", "gpu", "num_gpus", "framework", "peak_mem_gib", "source_url")


@st.cache_resource(show_spinner=False)
def evidence() -> Evidence:
    """Predictions beside measurements, once a process."""
    return gather_evidence(gpudata.load_measurements(), load_memory_residuals(), load_time_residuals(), tables())


@st.cache_resource(show_spinner=False)
def verdicts() -> VerdictErrors:
    """Fit verdicts on published runs, once a process."""
    return verdict_errors(gpudata.load_measurements(), gpudata.load_oom(), tables())


@st.cache_resource(show_spinner=False)
def gaps() -> dict[str, dict[str, list[str]]]:
    """Settings without a measurement, once a process."""
    return never_measured(gpudata.load_measurements(), tables())


def accuracy_sentence(proof: Evidence) -> tuple[str, str]:
    """The answer in words, and the line that says on what it rests."""
    memory, speed = headline(proof, "memory"), headline(proof, "speed")
    said: dict[str, str] = {}
    for name, found in (("memory", memory), ("speed", speed)):
        said[f"{name}_half"], said[f"{name}_ninety"] = (
            percent(found["median_abs_error"]),
            percent(found["p90_abs_error"]),
        )
        said[f"{name}_rows"], said[f"{name}_sources"] = number(found["rows"], 7), number(found["sources"], 7)
    return t("accuracy.sentence", **said), t("accuracy.line", **said)


def accuracy_cards(proof: Evidence, judged: VerdictErrors) -> list[Card]:
    """Typical errors, coverage of the ranges, and wrong verdicts in both directions."""
    memory, speed = headline(proof, "memory"), headline(proof, "speed")
    covered = t(
        "accuracy.card.coverage_value", memory=percent(memory["coverage_80"]), speed=percent(speed["coverage_80"])
    )
    return [
        *(
            (
                t(f"accuracy.card.{name}"),
                percent(found["median_abs_error"]),
                t("accuracy.card.ninety", ninety=percent(found["p90_abs_error"])),
            )
            for name, found in (("memory", memory), ("speed", speed))
        ),
        (t("accuracy.card.coverage"), covered, t("accuracy.card.coverage_below")),
        (
            t("accuracy.card.accepted"),
            percent(judged.accepted_share),
            t("accuracy.card.of", n=number(len(judged.accepted)), total=number(judged.ran_out, 7)),
        ),
        (
            t("accuracy.card.refused"),
            percent(judged.refused_share),
            t("accuracy.card.of", n=number(len(judged.refused)), total=number(judged.ran, 7)),
        ),
    ]


def quantity_choice() -> str:
    """Switch between memory and speed."""
    return str(
        st.segmented_control(
            t("accuracy.quantity.label"),
            ("memory", "speed"),
            key="acc_quantity",
            default="memory",
            required=True,
            format_func=lambda code: t(f"accuracy.quantity.{code}"),
            persist_state="session",
        )
    )


def _option(column: str, value: str) -> str:
    if column == "method":
        return t(f"accuracy.method.{value}")
    return short_gpu_name(value) if column == "gpu" else value


def filters(rows: pd.DataFrame) -> dict[str, list[str]]:
    """One menu a label of the runs; an empty menu lets every run through."""
    wanted: dict[str, list[str]] = {}
    for place, column in zip(st.columns(len(FILTERS)), FILTERS, strict=True):
        with place:
            wanted[column] = st.multiselect(
                t(f"accuracy.filter.{column}"),
                choices(rows, column),
                key=f"acc_{column}",
                format_func=partial(_option, column),
                placeholder=t("accuracy.filter.all"),
                persist_state="session",
            )
    return wanted


def scatter_frame(rows: pd.DataFrame) -> pd.DataFrame:
    """Runs as ``ui.charts.accuracy.accuracy_scatter`` takes them; the name says run, setting and source address."""
    names = [
        f"<b>{row.case_id}</b><br>{row.model}, {t(f'accuracy.method.{row.method}')}, {row.gpu}<br>{row.source_url}"
        for row in rows.itertuples()
    ]
    groups = [t(f"accuracy.method.{method}") for method in rows["method"]]
    return pd.DataFrame({"measured": rows["measured"], "predicted": rows["predicted"], "group": groups, "name": names})


def _show(frame: pd.DataFrame, columns: Sequence[str], key: str, **values: str) -> None:
    """A compact table: shares in per cent, addresses as links, headers in words."""
    table, config = pd.DataFrame(index=frame.index), {}
    for name in columns:
        header = t(f"accuracy.column.{name}", **(values if name in ("measured", "predicted") else {}))
        # a bias of -0.04 % must not read as "-0.0"
        table[header] = (frame[name] * 100).round(1) + 0.0 if name in _SHARES else frame[name]
        if name in _SHARES:
            config[header] = st.column_config.NumberColumn(format="%.1f")
        elif name in ("measured", "predicted", "peak_mem_gib"):
            table[header] = [float(f"{value:.4g}") for value in frame[name]]
            config[header] = st.column_config.NumberColumn(format="localized")
        elif name in ("source_url", "url"):
            table[header] = frame[name].map(lambda address: address if str(address).startswith("http") else "")
            config[header] = st.column_config.LinkColumn(display_text=r"https?://(?:www\.)?([^/]+(?:/[^/#?]+){0,2})")
    st.dataframe(table, hide_index=True, width="stretch", column_config=config, key=key)


def run_table(rows: pd.DataFrame, unit: str) -> None:
    """Folded list of the runs in the chart, the worst miss first."""
    with st.expander(t("accuracy.runs", n=number(len(rows), 7)), key="acc_runs"):
        listed = rows.reindex(rows["error"].abs().sort_values(ascending=False).index)
        listed = listed.assign(method=[t(f"accuracy.method.{method}") for method in listed["method"]])
        _show(listed, _RUN_COLUMNS, "acc_runs_table", unit=unit)


def rules_part(proof: Evidence, quantity: str) -> None:
    """What rules of thumb give on the same rows."""
    st.markdown(f"#### {t('accuracy.rules.title')}")
    frame = rule_table(proof.left_out, quantity)
    best = frame.loc[frame["code"] != "model", "median"].min()
    ours = frame.loc[frame["code"] == "model", "median"].iloc[0]
    st.markdown(t(f"accuracy.rules.sentence.{quantity}", ours=percent(ours), best=percent(best)))
    frame.insert(0, "rule", [t(f"accuracy.rule.{code}") for code in frame["code"]])
    _show(frame, ("rule", "rows", "median", "p90", "bias", "url"), "acc_rules")


def errors_part(rows: pd.DataFrame) -> None:
    """Errors by method, card, framework and source, one tab each."""
    st.markdown(f"#### {t('accuracy.by.title')}")
    for tab, column in zip(st.tabs([t(f"accuracy.filter.{name}") for name in FILTERS]), FILTERS, strict=True):
        with tab:
            frame = error_table(rows[rows[column] != ""], column)
            frame["name"] = [_option(column, name) for name in frame["name"]]
            _show(frame, tuple(frame.columns), f"acc_by_{column}")


def verdict_part(judged: VerdictErrors) -> None:
    """Wrong verdicts in words, and the runs behind them."""
    st.markdown(f"#### {t('accuracy.verdict.title')}")
    said: dict[str, Any] = {
        "ran_out": number(judged.ran_out, 7),
        "accepted": len(judged.accepted),
        "accepted_share": percent(judged.accepted_share),
        "tight_out": judged.tight_ran_out,
        "ran": number(judged.ran, 7),
        "refused": len(judged.refused),
        "refused_share": percent(judged.refused_share),
        "tight": judged.tight_ran,
    }
    st.markdown(t("accuracy.verdict.words", **said))
    st.caption(t("accuracy.verdict.note"))
    for name, rows in (("accepted", judged.accepted), ("refused", judged.refused)):
        with st.expander(t(f"accuracy.verdict.{name}", n=len(rows)), key=f"acc_{name}"):
            if rows.empty:
                st.markdown(t("accuracy.verdict.none"))
            else:
                listed = rows.assign(method=[t(f"accuracy.method.{method}") for method in rows["method"]])
                _show(listed, _VERDICT_COLUMNS, f"acc_{name}_table")


def gaps_part(missing: dict[str, list[str]]) -> None:
    """What no published run covers, cards last."""
    st.markdown(f"#### {t('accuracy.gaps.title')}")
    lines = [
        t("accuracy.gaps.row", name=t(f"accuracy.gaps.{name}"), values=t("accuracy.separator").join(values))
        for name, values in missing.items()
        if values and name != "gpu"
    ]
    known = [short_gpu_name(name) for name in COMMON_GPUS if name in missing["gpu"]]
    lines.append(
        t(
            "accuracy.gaps.cards",
            n=len(missing["gpu"]),
            total=len(tables().devices),
            values=t("accuracy.separator").join(known),
        )
    )
    st.markdown(t("accuracy.gaps.words") + "\n" + "\n".join(f"- {line}" for line in lines))


def trust_c_part(proof: Evidence, quantity: str) -> None:
    """Rows of trust C in one sentence."""
    found = doubtful(proof, quantity)
    st.markdown(f"#### {t('accuracy.trust_c.title')}")
    st.markdown(
        t(
            "accuracy.trust_c.words",
            rows=number(found["rows"], 7),
            quantity=t(f"accuracy.quantity.{quantity}").lower(),
            half=percent(found["median_abs_error"]),
            ninety=percent(found["p90_abs_error"]),
        )
    )
    st.caption(t("accuracy.caution"))
