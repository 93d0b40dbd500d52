"""What popular guides say about costs, and what this model makes of the same figures."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from calc.cost_presets import CostPreset, cost_presets
from gpudata.cost_presets import load_cost_presets
from ui.charts.money_views import line_name, value_words
from ui.cost_lines import field_name
from ui.format import between, money, money_number, number, percent
from ui.i18n import t

PLAIN_FIELDS = ("currency", "horizon_months", "hours_per_month")
_PLAIN_MONEY = ("capex", "own_total")
_SHARES = ("break_even_utilisation",)
_MONTHS = ("crossover_month_cash",)


@st.cache_resource(show_spinner=False)
def guide_presets() -> dict[str, CostPreset]:
    """The guides' cost statements by id, read once a process."""
    return cost_presets(load_cost_presets())


def in_words(value: float | None, preset: CostPreset) -> str:
    """An answer of a preset with its unit: months, per cent, or an amount in all, a month or a card-hour."""
    if value is None:
        return t("card.never")
    currency = preset.scenario.currency
    if preset.answer in _SHARES:
        return percent(value)
    if preset.answer in _MONTHS:
        return t("chart.unit.months", value=number(value, 2))
    if preset.answer in _PLAIN_MONEY:
        return money(value, currency)
    key = "claims.per_hour" if preset.answer == "rent_cost_per_useful_gpu_hour" else "claims.per_month"
    return t(key, amount=money(value, currency))


def _claimed(preset: CostPreset) -> str:
    return between(preset.claimed_low, preset.claimed_high, lambda value: in_words(value, preset))


def _figure(path: str, value: Any) -> str:
    """One figure that a claim sets, in words."""
    if isinstance(value, bool):
        return t("claims.yes" if value else "claims.no")
    return str(value) if isinstance(value, str) else value_words(path, float(value))


def _inputs(preset: CostPreset) -> pd.DataFrame:
    """Everything the claim sets, so that its figure can be computed again by hand."""
    given = preset.given()
    return pd.DataFrame(
        {
            t("claims.input"): [_input_name(path) for path in given],
            t("claims.value"): [_figure(path, value) for path, value in given.items()],
        }
    )


def _input_name(path: str) -> str:
    name = path.rpartition(".")[2]
    return t(f"field.{name}") if name in PLAIN_FIELDS else field_name(path)


def _lines(preset: CostPreset) -> pd.DataFrame:
    """Both totals over the claim's months, line by line."""
    result, rows = preset.result(), []
    for side, lines, total in (
        ("own", result.own_lines, result.own_total),
        ("rent", result.rent_lines, result.rent_total),
    ):
        word = t(f"chart.money.{side}")
        rows += [(word, line_name(name), float(line.sum())) for name, line in lines.items() if line.any()]
        rows.append((word, t("chart.money.total"), total))
    frame = pd.DataFrame(rows, columns=[t("claims.side"), t("claims.line"), "amount"])
    amounts = [money_number(value) for value in frame.pop("amount")]
    frame[t("claims.amount", currency=preset.scenario.currency)] = amounts
    return frame


def _table(frame: pd.DataFrame, key: str) -> None:
    right = {str(frame.columns[-1]): st.column_config.TextColumn(alignment="right")}
    st.dataframe(frame, hide_index=True, width="stretch", height="content", key=key, column_config=right)


def guide_claims() -> None:
    """Folded part: a statement chosen from the guides, its figure, ours, and why they agree or not."""
    part = st.expander(t("claims.heading"), key="guide_claims", on_change="rerun")
    if not part.open:
        return
    presets = guide_presets()
    names = {name: t(f"claims.title.{name}") for name in presets}
    with part:
        st.caption(t("claims.help"))
        chosen = st.selectbox(t("claims.choose"), list(presets), key="guide_claim", format_func=names.__getitem__)
        preset = presets[chosen]
        left, right = st.columns(2)
        left.markdown(f"{t('claims.guide')}  \n**{_claimed(preset)}**")
        right.markdown(f"{t('claims.ours')}  \n**{in_words(preset.computed(), preset)}**")
        st.markdown(t(f"claims.note.{preset.id}"))
        left, right = st.columns(2)
        with left:
            st.caption(t("claims.inputs"))
            _table(_inputs(preset), "claim_inputs")
        with right:
            st.caption(t("claims.lines", months=number(preset.scenario.horizon_months)))
            _table(_lines(preset), "claim_lines")
