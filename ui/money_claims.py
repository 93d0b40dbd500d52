"""What popular guides say about costs, and what this model makes of the same figures."""

from __future__ import annotations

import streamlit as st

from calc.cost_presets import CostPreset, cost_presets
from gpudata.cost_presets import load_cost_presets
from ui.format import NOTHING, between, money, money_number, number, percent
from ui.i18n import t

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


def _scenario_line(preset: CostPreset) -> str:
    costs = preset.scenario
    return t(
        "claims.scenario",
        n=number(float(costs.own.num_gpus)),
        card=money_number(float(costs.own.gpu_price)) if float(costs.own.gpu_price) else NOTHING,
        rent=money_number(float(costs.rent.price_per_gpu_hour)),
        currency=costs.currency,
        use=percent(float(costs.utilisation)),
        months=number(costs.horizon_months),
    )


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
        st.caption(_scenario_line(preset))
