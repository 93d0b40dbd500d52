"""Does the job fit: what it needs on each card against what the card offers."""

import streamlit as st

from calc.answers_memory import fit_by_card, fit_map, memory_sweep, memory_terms
from calc.remedies import remedies
from calc.remedies_room import faster, largest
from calc.scenario import METHOD_CHOICES
from gpudata.names import short_gpu_name
from ui.cards import metric_cards, more_cards, opening, terms_table
from ui.charts.memory import capacity_view, memory_bars
from ui.charts.memory_maps import fit_heatmap, memory_lines
from ui.charts.template import Heading
from ui.charts.titles import breaks_title, cards_title, memory_title, methods_title
from ui.data import capacity_marks, tables
from ui.export import show_chart
from ui.fit_parts import batches_to_try, fit_cards, lengths_to_try
from ui.i18n import t
from ui.remedy_parts import doctor, faster_list, room, undo_button, ways_cards
from ui.sentences import fit_sentence, row_of, task_line
from ui.state import scenario

now, known = scenario(), tables()
gpu, line = now.hardware.gpu, task_line(now)
mine = row_of(fit_by_card(now, known, [gpu]), gpu)

opening(fit_sentence(now, mine), line)
top = st.container()

view = st.segmented_control(
    t("view.label"),
    ("cards", "job"),
    key="fit_view",
    default="cards",
    required=True,
    format_func={choice: t(f"view.{choice}") for choice in ("cards", "job")}.__getitem__,
    label_visibility="collapsed",
    persist_state="session",
)
main = st.container()
compared = fit_by_card(now, known, more_cards(gpu))
found = remedies(now, known, compared["gpu"].tolist()) if mine.verdict in ("no", "tight") else None
with top:
    metric_cards(fit_cards(mine, compared))
    undo_button()
    if found:
        ways_cards(found, now)
with main:
    source = t("source.memory")
    if view == "job":
        title = memory_title(mine.short, now.hardware.num_gpus, mine.peak_gib, mine.usable_gib, mine.verdict)
        figure = capacity_view(compared, Heading(title, line, source), chosen=gpu)
    else:
        figure = memory_bars(compared, Heading(cards_title(compared), line, source), chosen=gpu)
    show_chart(figure, "vram-fit", compared, now)

left, right = st.columns(2)
with left:
    grid = fit_map(now, known, compared["gpu"].tolist(), METHOD_CHOICES)
    heading = Heading(methods_title(grid, gpu), line, t("source.memory"))
    show_chart(fit_heatmap(grid, heading, chosen=gpu, method=now.workload.method), "fit-by-method", grid, now)
with right:
    sweep = memory_sweep(now, known, lengths_to_try(now), batches_to_try(now))
    title = breaks_title(sweep, short_gpu_name(gpu), mine.usable_gib, now.setup.micro_batch)
    lines = memory_lines(
        sweep,
        Heading(title, line, t("source.memory")),
        capacities=capacity_marks(gpu),
        chosen=now.setup.seq_len,
    )
    show_chart(lines, "memory-by-length", sweep, now)

if found:
    doctor(found, now)
if mine.verdict == "fits":
    room(largest(now, known), now)
    faster_list(faster(now, known), now, mine.verdict, mine.usable_gib)

terms_table(t("terms.title"), memory_terms(now, known), "GiB")
