"""The report: one page of HTML that needs nothing else, reads on a screen and prints on A4."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

import pandas as pd

from calc.answers import Headline, fit_by_card, headline, time_by_card
from calc.scenario import Scenario
from calc.tables import Tables
from ui.charts.palette import VERDICTS
from ui.cost_lines import ENDS, assumptions_frame
from ui.data import overview_gpus
from ui.documents.qr import qr_data_url
from ui.documents.report_charts import bars_svg, money_svg
from ui.documents.stacks import memory_stack, time_stack
from ui.format import money, money_number
from ui.i18n import language, t
from ui.money_parts import line_words
from ui.sentences import money_line, task_line
from ui.slides import Slide, strongest_first
from ui.time_parts import runnable

_STYLE = Path(__file__).with_name("report.css")
_TAGS = {"en": "en", "zh": "zh-CN"}


def report(entries: Sequence[Slide], scenario: Scenario, tables: Tables, link: str = "") -> bytes:
    """The .html file of a scenario in the language in use.

    entries: ``ui.slides.slides`` of the scenario. link: address that opens the scenario, if known.
    """
    answer = headline(scenario, tables)
    said = {entry.key: entry for entry in entries}
    parts = [
        _head(said["answer"], link),
        _fit_and_time(said, scenario, tables),
        _money(said["own-versus-rent"], scenario, answer),
        _assumptions(said["assumptions"], answer),
        _foot(said, scenario, link),
    ]
    style = _STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="{_TAGS[language()]}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(t('document.title'))}</title><style>{style}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>"
    ).encode()


def _bold(text: str) -> str:
    """Escaped text with ``**bold**`` marks made into tags."""
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escape(text))


def _head(entry: Slide, link: str) -> str:
    cards = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd><small>{escape(below)}</small></div>"
        for name, value, below in entry.cards
    )
    code = ""
    if link:
        picture = f'<img src="{qr_data_url(link)}" alt="{escape(t("document.qr"), quote=True)}">'
        code = f'<a class="code" href="{escape(link, quote=True)}">{picture}{escape(t("document.open"))}</a>'
    return (
        f"<header><div><h1>{escape(entry.title)}</h1><p class='sub'>{escape(entry.subtitle)}</p>"
        f"<p class='lead'>{_bold(entry.sentence)}</p></div>{code}</header><dl class='cards'>{cards}</dl>"
    )


def _figure(entry: Slide, picture: str) -> str:
    return (
        f"<figure><h2>{escape(entry.title.replace('**', ''))}</h2><p class='sub'>{escape(entry.subtitle)}</p>"
        f"{picture}<figcaption>{escape(entry.source)}</figcaption></figure>"
    )


def _fit_and_time(said: dict[str, Slide], scenario: Scenario, tables: Tables) -> str:
    chosen = scenario.hardware.gpu
    cards = overview_gpus(scenario)
    fit = fit_by_card(scenario, tables, cards)
    fit = fit[fit["verdict"].isin(VERDICTS)].reset_index(drop=True)
    time = runnable(time_by_card(scenario, tables, cards))
    time = time[time["verdict"].isin(VERDICTS)].reset_index(drop=True)
    fit_entry, time_entry = said["vram-fit"], said["training-time"]
    left, right = f"<p>{_bold(fit_entry.sentence)}</p>", f"<p>{_bold(time_entry.sentence)}</p>"
    if not fit.empty:
        left = bars_svg(memory_stack(fit, chosen), t("chart.axis.gib_usable"), fit_entry.title)
    if not time.empty:
        right = bars_svg(time_stack(time), t("chart.axis.hours"), time_entry.title)
    return f"<div class='pair'>{_figure(fit_entry, left)}{_figure(time_entry, right)}</div>"


def _money(entry: Slide, scenario: Scenario, answer: Headline) -> str:
    found, currency = answer.money, scenario.money.currency
    if not found.priced:
        return f"<section><p>{_bold(entry.sentence)}</p></section>"
    title = entry.title.replace("**", "")
    picture = money_svg(found.cumulative, found.crossover_month_cash, currency, title, found.back_at_horizon)
    bills = _bill(t("chart.money.own"), "own", found.own_lines, found.own_total, currency) + _bill(
        t("chart.money.rent"), "rent", found.rent_lines, found.rent_total, currency
    )
    return f"<section>{_figure(entry, picture)}<div class='pair'>{bills}</div></section>"


def _bill(side: str, kind: str, lines: dict[str, float], total: float, currency: str) -> str:
    words = line_words(lines)
    rows = "".join(
        f"<tr><td>{escape(str(words[name]))}</td><td class='n'>{money_number(value)}</td></tr>"
        for name, value in lines.items()
    )
    return (
        f"<table class='{kind}'><thead><tr><th>{escape(side)}</th><th class='n'>{escape(currency)}</th></tr></thead>"
        f"<tbody>{rows}</tbody><tfoot><tr><td>{escape(t('chart.money.total'))}</td>"
        f"<td class='n'>{escape(money(total, currency))}</td></tr></tfoot></table>"
    )


def _assumptions(entry: Slide, answer: Headline) -> str:
    table = assumptions_frame(strongest_first(answer.money))
    link = t("terms.url")
    heads = [name for name in table.columns if name != link]
    return (
        f"<section class='basis'><h2>{escape(entry.title)}</h2><p class='sub'>{_bold(entry.sentence)}</p><table><thead>"
        f"<tr>{''.join(f'<th{_side(name)}>{escape(str(name))}</th>' for name in heads)}</tr></thead><tbody>"
        + "".join(_assumption(row, heads, link) for row in table.to_dict("records"))
        + "</tbody></table></section>"
    )


def _assumption(row: dict[object, object], heads: Sequence[object], link: str) -> str:
    cells = []
    for name in heads:
        text = escape("" if row[name] is None or pd.isna(row[name]) else str(row[name]))
        address = str(row[link] or "")
        if name == t("terms.source") and address.startswith(("http://", "https://")):
            text = f'<a href="{escape(address, quote=True)}">{text}</a>'
        cells.append(f"<td{_side(name)}>{text}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _side(name: object) -> str:
    """Class of a column of figures, which stand on the right."""
    return ' class="n"' if name in {t(f"cost.column_{end}") for end in ENDS} else ""


def _foot(said: dict[str, Slide], scenario: Scenario, link: str) -> str:
    lines = [task_line(scenario), money_line(scenario), said["answer"].source]
    address = f'<p class="link">{escape(link)}</p>' if link else ""
    return f"<footer>{''.join(f'<p>{escape(line)}</p>' for line in lines)}{address}</footer>"
