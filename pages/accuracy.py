"""How accurate is it: predictions beside published measurements whose source no fit has seen."""

import streamlit as st

from calc.accuracy import summary
from calc.accuracy_views import chosen_rows
from ui.accuracy_parts import (
    accuracy_cards,
    accuracy_sentence,
    errors_part,
    evidence,
    filters,
    gaps,
    gaps_part,
    quantity_choice,
    rules_part,
    run_table,
    scatter_frame,
    trust_c_part,
    verdict_part,
    verdicts,
)
from ui.cards import metric_cards, opening
from ui.charts.accuracy import accuracy_scatter
from ui.charts.template import Heading
from ui.export import show_chart
from ui.format import number, percent
from ui.i18n import t
from ui.state import scenario

proof, judged = evidence(), verdicts()
opening(*accuracy_sentence(proof))
metric_cards(accuracy_cards(proof, judged))

quantity = quantity_choice()
rows = chosen_rows(proof.left_out, quantity, filters(proof.left_out))
if rows.empty:
    st.info(t("accuracy.empty"))
else:
    found, unit = summary(rows), t(f"accuracy.unit.{quantity}")
    title = t(
        "chart.title.accuracy",
        n=number(len(rows), 7),
        half=percent(found["median_abs_error"]),
        ninety=percent(found["p90_abs_error"]),
    )
    heading = Heading(title, t(f"accuracy.subtitle.{quantity}"), t("accuracy.source"))
    show_chart(accuracy_scatter(scatter_frame(rows), heading, unit=unit), "accuracy", None, scenario())
    run_table(rows, unit)
    errors_part(rows)

left, right = st.columns(2)
with left:
    rules_part(proof, quantity)
    trust_c_part(proof, quantity)
with right:
    verdict_part(judged)
    gaps_part(gaps()[quantity])
