"""Own the base load and rent the peaks: the cheapest number of cards for a demand typed month by month."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from calc.answers import MoneyAnswer
from calc.cost_mix import Mix, cheapest_mix
from calc.scenario import Scenario
from ui.format import money, number
from ui.i18n import t

# An example to type over: a base load of two cards with two peaks, which shows all three answers at once.
EXAMPLE_GPU_HOURS = (1200, 1200, 1400, 2900, 3600, 1500, 1200, 1200, 1400, 2900, 3600, 1500)
MOST_GPU_HOURS = 100_000  # a month; every number of cards up to the peak is tried, so more would be slow


def example_demand() -> pd.DataFrame:
    """The same frame on every run, so that the editor keeps what was typed."""
    return pd.DataFrame({"month": range(1, 13), "gpu_hours": EXAMPLE_GPU_HOURS})


def mix_sentence(mix: Mix, currency: str) -> str:
    """ "Own 3, rent the peaks: 41,200 CNY", or that one side does it all."""
    cost = money(mix.cost, currency)
    if mix.own_gpus == 0:
        return t("mix.rent_all", cost=cost)
    key = "mix.own_all" if not mix.rented_hours.any() else "mix.both"
    return t(key, n=number(mix.own_gpus), cost=cost)


def _costs_table(mix: Mix, currency: str) -> pd.DataFrame:
    owned = np.arange(len(mix.costs))
    # Around the cheapest: a peak of a hundred cards would give a hundred rows.
    near = np.abs(owned - mix.own_gpus) <= 4
    shown = owned[near | (owned == 0) | (owned == owned[-1])]
    return pd.DataFrame(
        {
            t("mix.owned"): shown,
            t("mix.cost", currency=currency): [money(float(mix.costs[n]), currency) for n in shown],
            t("mix.extra"): [money(float(mix.costs[n]) - mix.cost, currency) for n in shown],
        }
    )


def demand_mix(answer: MoneyAnswer, scenario: Scenario) -> None:
    """Folded part: twelve months of demand to type, the cheapest mix in a sentence, the cost by cards owned."""
    part = st.expander(t("mix.heading"), key="demand_mix", on_change="rerun")
    if not part.open:
        return
    currency, months = scenario.money.currency, scenario.money.horizon_months
    with part:
        st.caption(t("mix.help"))
        left, right = st.columns(2)
        with left:
            typed = st.data_editor(
                example_demand(),
                key="demand_profile",
                hide_index=True,
                width="stretch",
                height="content",
                disabled=["month"],
                column_config={
                    "month": st.column_config.NumberColumn(t("chart.axis.month")),
                    "gpu_hours": st.column_config.NumberColumn(
                        t("mix.gpu_hours"), min_value=0, max_value=MOST_GPU_HOURS, step=10, format="localized"
                    ),
                },
            )
        demand = typed["gpu_hours"].fillna(0).clip(0, MOST_GPU_HOURS).to_numpy(dtype=float)
        mix = cheapest_mix(answer.costs, demand)
        with right:
            st.markdown(f"**{mix_sentence(mix, currency)}**")
            rented, owned = money(mix.all_rented, currency), money(mix.all_owned, currency)
            st.markdown(t("mix.sides", rented=rented, owned=owned, months=number(months, 4)))
            st.dataframe(_costs_table(mix, currency), hide_index=True, width="stretch", key="mix_costs")
