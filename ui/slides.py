"""The answer as a list of slides: what the Present page, the deck, the report and the picture files all show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pandas as pd
import plotly.graph_objects as go

from calc.answers import Headline, MoneyAnswer, fit_by_card, headline, time_by_card
from calc.scenario import Scenario
from calc.tables import Tables
from ui.cards import Card
from ui.charts.cumulative import cumulative_cost
from ui.charts.memory import memory_bars
from ui.charts.money_views import tornado, waterfall
from ui.charts.palette import VERDICTS
from ui.charts.template import Heading
from ui.charts.titles import (
    cards_title,
    crossover_title,
    memory_title,
    time_title,
    tornado_title,
    waterfall_title,
    win_map_title,
)
from ui.charts.training_time import time_bars
from ui.charts.win_map import win_map
from ui.cost_lines import assumptions_frame, field_name, strongest_name
from ui.data import overview_gpus
from ui.export import numbers_table, table_of_lines
from ui.fit_parts import fit_card
from ui.format import NOTHING, months, percent
from ui.i18n import t
from ui.money_parts import line_words, pay_back_card, price_line, rented_card, use_share
from ui.sentences import (
    cards,
    fit_sentence,
    money_line,
    money_sentence,
    overview_sentence,
    row_of,
    run_line,
    task_line,
    time_sentence,
)
from ui.time_parts import run_card, runnable

# A slide is laid out at this size and enlarged as a whole, so that its type grows with it: 14-pixel type becomes
# 26 pixels on a 1920 x 1080 projector.
SLIDE_WIDTH_PX = 1024
SLIDE_HEIGHT_PX = 576
SLIDE_SCALE = 2.5  # 2560 x 1440 pixels in a file

_FIT_COLUMNS = ("gpu", "usable_gib", "peak_gib", "low_gib", "high_gib", "verdict")
_TIME_COLUMNS = ("gpu", "hours", "hours_low", "hours_high", "bottleneck", "rent_cost", "verdict")
_WIN_USES = (20, 40, 60, 80, 100)  # per cent
_WIN_MONTHS = (12, 24, 36, 48, 60)


@dataclass(frozen=True)
class Slide:
    """One message with what shows it.

    key: also the first part of a file's name. sentence: the message, with ``**bold**`` marks. title, subtitle, source:
    the words inside the figure. figure: None where there is nothing to draw; the sentence then says why. table: the
    numbers in the reader's words. notes: what a speaker says. cards: big figures (label, value, remark), if any.
    """

    key: str
    sentence: str
    title: str
    subtitle: str
    source: str
    figure: go.Figure | None
    table: pd.DataFrame | None
    notes: str
    cards: tuple[Card, ...] = field(default=())

    @property
    def plain_sentence(self) -> str:
        """The message without marks."""
        return self.sentence.replace("**", "")


def slides(scenario: Scenario, tables: Tables, *, titled: bool = True) -> list[Slide]:
    """The answer, memory, time, money and what it rests on, in the language in use (``ui.i18n.use_language``).

    titled: whether figures carry their title and source themselves, as files need; a page that writes them beside
    the figure turns it off. Money charts are left out where no price is known, and one slide says so.
    Raises pydantic.ValidationError where an overridden cost line is out of its range.
    """
    return [make() for make in slide_makers(scenario, tables, titled=titled)]


def slide_makers(scenario: Scenario, tables: Tables, *, titled: bool = True) -> list[Callable[[], Slide]]:
    """The same slides, each made only when called: for a page that shows one of them."""
    answer = headline(scenario, tables)
    build = _Build(scenario, tables, answer, titled)
    makers = [build.answer_slide, build.fit, build.time]
    if answer.money.priced:
        makers += [build.cumulative, build.who_wins, build.bill]
        makers += [] if answer.money.tornado.empty else [build.what_matters]
    else:
        makers += [build.no_price]
    return [*makers, build.assumptions]


def preview(scenario: Scenario, tables: Tables, width_px: int) -> go.Figure | None:
    """One picture of the slides for a place ``width_px`` wide; None where no slide has one."""
    answer = headline(scenario, tables)
    build = _Build(scenario, tables, answer, width_px=width_px)
    makers = [build.cumulative] if answer.money.priced else [build.fit, build.time]
    return next((slide.figure for slide in (make() for make in makers) if slide.figure is not None), None)


def key_figures(scenario: Scenario, answer: Headline) -> list[Card]:
    """Memory, time of a run, its rent and the pay-back, each with a remark."""
    money = answer.money
    known_rent = money.costs.rent.price_per_gpu_hour > 0
    no_rent = (t("card.run_rented"), NOTHING, t("card.no_price"))
    rented = rented_card(money, scenario.money.currency) if known_rent else no_rent
    return [fit_card(answer), run_card(answer), rented, pay_back_card(money)]


def strongest_first(answer: MoneyAnswer) -> MoneyAnswer:
    """The answer with its assumptions in the order of what they move."""
    swings = answer.tornado.assign(swing=(answer.tornado["saving_high"] - answer.tornado["saving_low"]).abs())
    order = swings.sort_values("swing", ascending=False)["field"].tolist()
    ranked = sorted(answer.assumptions, key=lambda entry: order.index(entry.field) if entry.field in order else 999)
    return replace(answer, assumptions=ranked)


def _win_table(frame: pd.DataFrame, currency: str) -> pd.DataFrame:
    """Saving of owning at a few uses (rows) and horizons (columns), from the frame of the map."""
    shown = frame["utilisation"].mul(100).round().isin(_WIN_USES) & frame["horizon_months"].isin(_WIN_MONTHS)
    grid = frame[shown].pivot(index="utilisation", columns="horizon_months", values="saving")
    grid.index = pd.Index([percent(share) for share in grid.index], name=t("slides.win_table", currency=currency))
    grid.columns = pd.Index([months(count) for count in grid.columns])
    return grid.round(0).reset_index()


@dataclass(frozen=True)
class _Build:
    """Makes each slide of one scenario."""

    scenario: Scenario
    tables: Tables
    answer: Headline
    titled: bool = True
    width_px: int = SLIDE_WIDTH_PX

    @property
    def _money(self) -> MoneyAnswer:
        return self.answer.money

    @property
    def _currency(self) -> str:
        return self.scenario.money.currency

    @property
    def _horizon(self) -> int:
        return self.scenario.money.horizon_months

    def _slide(
        self,
        key: str,
        title: str,
        subtitle: str,
        source: str,
        draw: Callable[[Heading], go.Figure] | None,
        *,
        sentence: str = "",
        table: pd.DataFrame | None = None,
        cards: tuple[Card, ...] = (),
    ) -> Slide:
        room = self.width_px
        heading = Heading(title, subtitle, source, room) if self.titled else Heading("", width_px=room)
        figure = None if draw is None else draw(heading)
        said = sentence or title
        notes = "\n\n".join((said.replace("**", ""), t(f"slides.notes.{key}"), t("slides.notes_source", source=source)))
        return Slide(key, said, title, subtitle, source, figure, table, notes, cards)

    def answer_slide(self) -> Slide:
        """The whole answer in one sentence and four figures."""
        found, figures = self.answer, key_figures(self.scenario, self.answer)
        columns = [t(f"slides.column.{name}") for name in ("figure", "value", "remark")]
        source = price_line(self._money, self.scenario) if self._money.priced else t("source.memory")
        return self._slide(
            "answer",
            memory_title(found.gpu_short, found.num_gpus, found.peak_gib, found.usable_gib, found.verdict),
            run_line(self.scenario),
            source,
            None,
            sentence=overview_sentence(self.scenario, found),
            table=pd.DataFrame(figures, columns=columns),
            cards=tuple(figures),
        )

    def fit(self) -> Slide:
        """Memory on each card."""
        chosen = self.scenario.hardware.gpu
        frame = fit_by_card(self.scenario, self.tables, overview_gpus(self.scenario))
        drawable = frame["verdict"].isin(VERDICTS).any()
        return self._slide(
            "vram-fit",
            cards_title(frame),
            task_line(self.scenario),
            t("source.memory"),
            (lambda heading: memory_bars(frame, heading, chosen=chosen)) if drawable else None,
            sentence=fit_sentence(self.scenario, row_of(frame, chosen)),
            table=numbers_table(frame, _FIT_COLUMNS),
        )

    def time(self) -> Slide:
        """Hours of a run on each card."""
        chosen = self.scenario.hardware.gpu
        frame = time_by_card(self.scenario, self.tables, overview_gpus(self.scenario))
        able = runnable(frame)
        able = able[able["verdict"].isin(VERDICTS)]
        mine = row_of(frame, chosen)
        sentence = time_sentence(self.scenario, mine)
        return self._slide(
            "training-time",
            time_title(frame, chosen),
            run_line(self.scenario),
            t("source.time"),
            None if able.empty else lambda heading: time_bars(able, heading, chosen=chosen),
            sentence=t("empty.time") if able.empty else sentence,
            table=numbers_table(frame, _TIME_COLUMNS, self._currency),
        )

    def no_price(self) -> Slide:
        """Why nothing is said about money."""
        title = t("empty.money_title", cards=cards(self.scenario))
        return self._slide(
            "own-versus-rent", title.replace("**", ""), money_line(self.scenario), NOTHING, None, sentence=title
        )

    def cumulative(self) -> Slide:
        """Money spent month by month."""
        found = self._money
        month = found.crossover_month_cash
        return self._slide(
            "own-versus-rent",
            crossover_title(month, use_share(self.scenario), self._horizon, found.saving),
            money_line(self.scenario),
            f"{price_line(found, self.scenario)} {t('slides.bands')}",
            lambda heading: cumulative_cost(
                found.cumulative,
                heading,
                currency=self._currency,
                crossover_month=month,
                crossover_low=found.crossover_low,
                crossover_high=found.crossover_high,
                back=found.back_at_horizon,
                owed="loan_balance" in found.own_lines,
            ),
            sentence=money_sentence(self.scenario, found),
            table=numbers_table(found.cumulative, currency=self._currency),
        )

    def who_wins(self) -> Slide:
        """Cheaper side by use and horizon."""
        found = self._money
        return self._slide(
            "who-wins",
            win_map_title(found.break_even_utilisation, self._horizon, found.own_wins_below),
            money_line(self.scenario),
            price_line(found, self.scenario),
            lambda heading: win_map(
                found.win_map,
                heading,
                currency=self._currency,
                utilisation=use_share(self.scenario),
                horizon=self._horizon,
            ),
            table=_win_table(found.win_map, self._currency),
        )

    def bill(self) -> Slide:
        """What owning costs, line by line."""
        lines = self._money.own_lines
        return self._slide(
            "cost-of-owning",
            waterfall_title(lines, self._horizon, self._currency),
            money_line(self.scenario),
            price_line(self._money, self.scenario),
            lambda heading: waterfall(lines, heading, currency=self._currency),
            table=numbers_table(table_of_lines(lines, line_words(lines)), currency=self._currency),
        )

    def what_matters(self) -> Slide:
        """How far each assumption alone moves the answer."""
        found = self._money
        frame = found.tornado.assign(field=[field_name(path) for path in found.tornado["field"]])
        return self._slide(
            "what-matters",
            tornado_title(found.tornado, self._currency, field_name),
            money_line(self.scenario),
            t("source.tornado"),
            lambda heading: tornado(
                found.tornado, heading, currency=self._currency, base=found.result.npv_saving, name_of=field_name
            ),
            table=numbers_table(frame, currency=self._currency),
        )

    def assumptions(self) -> Slide:
        """Every assumption with its range and source, the strongest first."""
        table = assumptions_frame(strongest_first(self._money)).drop(columns=t("terms.url"))
        said = {"n": len(table), "field": ""}
        ranked = self._money.priced and not self._money.tornado.empty
        if ranked:
            said["field"] = strongest_name(self._money.tornado)
        only = "" if ranked else "_only"
        return self._slide(
            "assumptions",
            t(f"slides.assumptions_title{only}", **said),
            money_line(self.scenario),
            t("slides.assumptions_source"),
            None,
            sentence=t(f"slides.assumptions{only}", **said),
            table=table,
        )
