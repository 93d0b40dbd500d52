"""Sheet of intermediate amounts: what is bought, powers, hourly and monthly costs, loan, billed hours, as formulas.

The formulas are those of ``calc.cost_own`` and ``calc.cost_rent``, with the names of the input cells; ``calc`` gives
the value that each has now.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from calc import cost_own, cost_rent
from calc.checkpointing import daly_interval
from calc.cost_flows import monthly_rate
from calc.cost_scenario import CostScenario
from ui.charts.money_views import line_name
from ui.documents.workbook_style import Book
from ui.i18n import t

_WIDTHS = (46, 20, 10, 26, 90)
_SMALLEST_RATE = f"{cost_own.SMALLEST_RATE:.0e}"
_EXTRAS = "(rent_storage_gb*rent_storage_price_per_gb_month+rent_egress_gb_per_month*rent_egress_price_per_gb"
# Daly's optimum and his complete model (calc.checkpointing.daly_interval, calc.checkpointing.stretch).
_DALY = (
    "IF(rent_interruption_mtbf_hours<=0,1,IF(rent_save_hours<2*rent_interruption_mtbf_hours,"
    "SQRT(2*rent_save_hours*rent_interruption_mtbf_hours)*(1+SQRT(rent_save_hours/(2*rent_interruption_mtbf_hours))/3"
    "+rent_save_hours/(2*rent_interruption_mtbf_hours)/9)-rent_save_hours,rent_interruption_mtbf_hours))"
)
_STRETCH = (
    "IF(rent_interruption_mtbf_hours<=0,1,rent_interruption_mtbf_hours/save_every_hours"
    "*EXP(rent_restart_hours/rent_interruption_mtbf_hours)"
    "*(EXP((save_every_hours+rent_save_hours)/rent_interruption_mtbf_hours)-1))"
)
_BRIEF = f"{cost_rent.BRIEF_HOURS:.9f}"
_HELD = "(rent_hours_per_run+rent_startup_hours+rent_forgotten_hours)"
_BILLING = (
    f"IF(rent_hours_per_run<={_BRIEF},1,IF(rent_billing_increment_hours>{_BRIEF},"
    f"ROUNDUP({_HELD}/rent_billing_increment_hours-0.000000001,0)*rent_billing_increment_hours,{_HELD})"
    "/rent_hours_per_run)"
)


@dataclass(frozen=True)
class Amount:
    """One named cell: its formula, the function that gives the same figure, how it is written and called."""

    name: str
    formula: str
    value: Callable[[CostScenario], object]
    style: str
    word: str
    unit: str = ""


def _word(key: str) -> str:
    return t(f"document.amount.{key}")


def _purchase() -> list[Amount]:
    formulas = {
        "cards": "own_num_gpus*own_gpu_price",
        "spares": "buy_cards*own_spares_fraction",
        "host": "own_num_gpus*own_host_price",
        "network": "own_network_price",
        "storage": "own_storage_price",
        "installation": "own_installation_price",
        "other_capex": "own_other_capex",
        "sales_tax": "(buy_cards+buy_spares+buy_host+buy_network+buy_storage+buy_installation+buy_other_capex)"
        "*own_sales_tax_rate",
    }

    def line(name: str) -> Callable[[CostScenario], object]:
        return lambda costs: cost_own.capex_lines(costs.own)[name]

    found = [Amount(f"buy_{name}", text, line(name), "money", line_name(name)) for name, text in formulas.items()]
    total = "+".join(f"buy_{name}" for name in formulas)
    return [*found, Amount("capex", total, lambda costs: cost_own.capex(costs.own), "money_total", _word("capex"))]


def _running() -> list[Amount]:
    def line(name: str) -> Callable[[CostScenario], object]:
        return lambda costs: cost_own.running_lines(costs)[name]

    def monthly(name: str, formula: str) -> Amount:
        return Amount(f"month_{name}", formula, line(name), "money", line_name(name))

    return [
        Amount(
            "hours_used",
            "utilisation*hours_per_month",
            lambda costs: costs.utilisation * costs.hours_per_month,
            "number",
            _word("hours_used"),
            "h",
        ),
        Amount(
            "rated_kw",
            "own_num_gpus*(own_gpu_power_w+own_host_power_w)/1000",
            lambda costs: cost_own.rated_kilowatts(costs.own),
            "number",
            _word("rated_kw"),
            "kW",
        ),
        Amount(
            "energy_hour_loaded",
            "rated_kw*own_load_factor*own_pue*own_electricity_price",
            lambda costs: cost_own.energy_per_hour_loaded(costs.own),
            "money",
            _word("energy_hour_loaded"),
        ),
        Amount(
            "energy_hour_idle",
            "own_num_gpus*own_idle_power_w/1000*own_pue*own_electricity_price",
            lambda costs: cost_own.energy_per_hour_idle(costs.own),
            "money",
            _word("energy_hour_idle"),
        ),
        monthly("energy_loaded", "energy_hour_loaded*hours_used"),
        monthly("energy_idle", "energy_hour_idle*(hours_per_month-hours_used)"),
        monthly("use", "own_cost_per_hour_on*hours_used"),
        monthly("fixed", "own_fixed_per_month"),
        monthly("colocation", "rated_kw*own_colocation_per_kw_month"),
        monthly("staff", "own_staff_per_month"),
        monthly("maintenance", "capex*own_maintenance_rate/12"),
        monthly("insurance", "capex*own_insurance_rate/12"),
        monthly("replacements", "own_num_gpus*own_gpu_price*own_replacement_rate/12"),
    ]


def _financing() -> list[Amount]:
    return [
        Amount(
            "financed", "IF(own_loan_rate>0,1,0)", lambda costs: costs.own.loan_rate > 0, "number", _word("financed")
        ),
        Amount(
            "payment_rate",
            f"IF(IF(own_loan_rate>0,own_loan_rate,discount_rate)<{_SMALLEST_RATE},0,"
            "IF(own_loan_rate>0,own_loan_rate,discount_rate))",
            cost_own.payment_rate,
            "share",
            _word("payment_rate"),
            "%",
        ),
        Amount(
            "payment_months",
            "IF(own_loan_months>0,own_loan_months,horizon_months)",
            cost_own.payment_months,
            "number",
            _word("payment_months"),
            t("document.unit.month"),
        ),
        Amount(
            "monthly_payment",
            "-PMT(payment_rate/12,payment_months,capex)",
            cost_own.monthly_payment,
            "money",
            _word("monthly_payment"),
        ),
        Amount(
            "monthly_rate",
            "(1+discount_rate)^(1/12)-1",
            lambda costs: monthly_rate(costs.discount_rate),
            "share",
            _word("monthly_rate"),
            "%",
        ),
    ]


def _billed() -> list[Amount]:
    def extras(costs: CostScenario) -> object:
        rent = costs.rent
        stored = rent.storage_gb * rent.storage_price_per_gb_month
        return stored + rent.egress_gb_per_month * rent.egress_price_per_gb + rent.fixed_per_month

    def save_every(costs: CostScenario) -> object:
        rent = costs.rent
        if rent.interruption_mtbf_hours <= 0:
            return 1.0
        return daly_interval(rent.save_hours, rent.interruption_mtbf_hours)

    return [
        Amount(
            "hours_per_own_hour",
            "own_relative_speed*own_throttle_factor*own_useful_fraction*own_availability"
            "/(rent_relative_speed*rent_useful_fraction)",
            cost_rent.hours_per_own_hour,
            "factor",
            _word("hours_per_own_hour"),
            "h",
        ),
        Amount(
            "wanted_hours",
            "own_num_gpus*utilisation*hours_per_month*hours_per_own_hour",
            cost_rent.working_hours,
            "number",
            _word("wanted_hours"),
            "h",
        ),
        Amount("save_every_hours", _DALY, save_every, "number", _word("save_every_hours"), "h"),
        Amount(
            "interruption_stretch",
            _STRETCH,
            lambda costs: cost_rent.interruption_stretch(costs.rent),
            "factor",
            _word("interruption_stretch"),
        ),
        Amount(
            "billing_stretch",
            _BILLING,
            lambda costs: cost_rent.billing_stretch(costs.rent),
            "factor",
            _word("billing_stretch"),
        ),
        Amount(
            "billed_hours",
            "IF(rent_always_on>0,own_num_gpus*hours_per_month,wanted_hours*interruption_stretch*billing_stretch)",
            cost_rent.billed_hours,
            "number",
            _word("billed_hours"),
            "h",
        ),
        Amount("rent_extras", f"{_EXTRAS}+rent_fixed_per_month)", extras, "money", _word("rent_extras")),
    ]


def amounts_sheet(book: Book, costs: CostScenario) -> None:
    """Writes the sheet and names the cell of every amount."""
    sheet = t("document.sheet.amounts")
    page = book.sheet(sheet, _WIDTHS, repeat_row=2)
    book.text(page, 0, 0, sheet, "title")
    for column, key in enumerate(("terms.name", "slides.column.value", "cost.column_unit", "document.cell_name")):
        book.text(page, 2, column, t(key), "head")
    book.text(page, 2, 4, t("terms.formula"), "head")
    page.freeze_panes(3, 1)
    row = 3
    groups = (("purchase", _purchase()), ("running", _running()), ("loan", _financing()), ("billed", _billed()))
    for group, amounts in groups:
        book.text(page, row, 0, t(f"document.group.{group}"), "section")
        row += 1
        for amount in amounts:
            book.text(page, row, 0, amount.word, "cell")
            book.formula(page, row, 1, f"={amount.formula}", float(amount.value(costs)), amount.style)  # type: ignore[arg-type]
            book.text(page, row, 2, amount.unit, "cell")
            book.text(page, row, 3, amount.name, "small")
            book.text(page, row, 4, amount.formula, "small")
            book.tall(page, row, (amount.formula, _WIDTHS[4]))
            book.name(amount.name, sheet, row, 1)
            row += 1
        row += 1
