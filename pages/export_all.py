"""Everything that leaves the app: slides, workbook, report, pictures, tables, the scenario and its link."""

from calc.answers import money as money_answer
from ui.cards import opening
from ui.data import tables
from ui.export_parts import file_cards, link_and_preview
from ui.i18n import t
from ui.sentences import run_line
from ui.slides import slides
from ui.state import scenario

now, known = scenario(), tables()
entries = slides(now, known)

opening(t("export.opening"), run_line(now))
file_cards(entries, money_answer(now, known), now, known)
link_and_preview(now, known)
