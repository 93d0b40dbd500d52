"""Sheet of cash flows, month 0 to the horizon, as formulas over the inputs, with both crossings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xlsxwriter.utility import xl_col_to_name

from calc.answers import MoneyAnswer
from calc.cost_answers import npv_if_sold_at
from calc.cost_flows import discount_factors, first_crossing
from calc.cost_own import capex_lines, loan_balance, own_flows, sale_value
from calc.cost_rent import price_path, rent_flows
from calc.cost_scenario import CostScenario
from ui.charts.money_views import line_name
from ui.documents.workbook_style import Book
from ui.i18n import t

Floats = NDArray[np.float64]
HEAD_ROW, TOTAL_ROW, FIRST_ROW = 3, 4, 5
_NARROWEST = 13  # characters of a column
RUNNING = (
    *("energy_loaded", "energy_idle", "use", "fixed", "colocation", "staff", "maintenance", "insurance"),
    "replacements",
)
OWN_LINES = ("purchase", *RUNNING, "loan_payments", "refresh", "resale", "loan_balance")
RENT_LINES = (
    *("upfront", "compute", "unused_hours", "support", "sales_tax", "rent_fixed", "rent_storage", "egress"),
    "sales_tax_on_extras",
)
TOTALS = ("own_total", "rent_total", "own_cumulative", "rent_cumulative", "pay_back")
VALUES = ("factor", "own_value", "sold", "own_if_sold", "rent_value", "pay_back_value")
COLUMNS = ("month", *OWN_LINES, "own_total", "price", *RENT_LINES, "rent_total", *TOTALS[2:], *VALUES)
_TOLERANCE = "0.000000001"  # of calc.cost_flows.first_crossing


def column(name: str) -> str:
    """Letter of a column of the sheet."""
    return str(xl_col_to_name(COLUMNS.index(name)))


def _span(first: str, last: str, row: int) -> str:
    return f"{column(first)}{row}:{column(last)}{row}"


def _crossing(own: str, rent: str, row: int) -> str:
    """Fractional month of the crossing inside this month where owning is not dearer at its end, else blank."""
    a, b = f"{column(own)}{row}", f"{column(rent)}{row}"
    before = f"({column(own)}{row - 1}-{column(rent)}{row - 1})"
    month = f"{column('month')}{row - 1}"
    reached = f"{a}-{b}<={_TOLERANCE}*MAX(ABS({a}),ABS({b}))"
    return f'=IF({reached},{month}+IF({before}>0,{before}/({before}-MIN({a}-{b},0)),0),"")'


def formulas(month: int, horizon: int) -> dict[str, str]:
    """Formula of every column in one month."""
    row = month + FIRST_ROW + 1
    m = f"${column('month')}{row}"
    first, last = month == 0, month == horizon
    found = {name: f"=month_{name}" if month else "=0" for name in RUNNING}
    found["purchase"] = "=IF(financed=1,0,capex)" if first else "=0"
    found["loan_payments"] = "=0" if first else f"=IF(AND(financed=1,{m}<=payment_months),monthly_payment,0)"
    found["refresh"] = (
        "=0"
        if first
        else f"=IF(own_refresh_every_months>0,IF(AND(MOD({m},MAX(own_refresh_every_months,1))=0,{m}<horizon_months),"
        "capex*own_refresh_fraction,0),0)"
    )
    owed = f"IF(AND(financed=1,{m}<payment_months),-FV(payment_rate/12,{m},-monthly_payment,capex),0)"
    found["resale"] = "=-own_resale_fraction*(1-own_selling_cost_fraction)*capex" if last else "=0"
    found["loan_balance"] = f"={owed}" if last else "=0"
    found["own_total"] = f"=SUM({_span(OWN_LINES[0], OWN_LINES[-1], row)})"
    price = f"rent_price_per_gpu_hour*(1+rent_annual_price_change)^({m}/12)"
    floor = "MIN(rent_price_floor_per_gpu_hour,rent_price_per_gpu_hour)"
    found["price"] = "=0" if first else f"=MAX({price},{floor})*(1-rent_spot_discount)"
    p = f"{column('price')}{row}"
    found["upfront"] = "=rent_upfront*(1+rent_sales_tax_rate)" if first else "=0"
    found["compute"] = f"={p}*MIN(billed_hours,wanted_hours)"
    found["unused_hours"] = f"={p}*(billed_hours-MIN(billed_hours,wanted_hours))"
    found["support"] = f"={p}*billed_hours*rent_support_rate"
    found["sales_tax"] = f"={p}*billed_hours*(1+rent_support_rate)*rent_sales_tax_rate"
    found["rent_fixed"] = "=0" if first else "=rent_fixed_per_month"
    found["rent_storage"] = "=0" if first else "=rent_storage_gb*rent_storage_price_per_gb_month"
    found["egress"] = "=0" if first else "=rent_egress_gb_per_month*rent_egress_price_per_gb"
    found["sales_tax_on_extras"] = "=0" if first else "=rent_extras*rent_sales_tax_rate"
    found["rent_total"] = f"=SUM({_span(RENT_LINES[0], RENT_LINES[-1], row)})"
    own_paid = f"{column('own_total')}{row}-{column('resale')}{row}-{column('loan_balance')}{row}"
    rent_paid = f"{column('rent_total')}{row}"
    found["factor"] = f"=(1+monthly_rate)^-{m}"
    factor = f"{column('factor')}{row}"
    sums = {
        "own_cumulative": own_paid,
        "rent_cumulative": rent_paid,
        "own_value": f"{factor}*({own_paid})",
        "rent_value": f"{factor}*{rent_paid}",
    }
    for name, flow in sums.items():
        found[name] = f"={flow}" if first else f"={column(name)}{row - 1}+{flow}"
    kept = f"MAX(1-{m}/horizon_months*(1-own_resale_fraction),0)"
    found["sold"] = f"=capex*{kept}*(1-own_selling_cost_fraction)-{owed}"
    found["own_if_sold"] = f"={column('own_value')}{row}-{factor}*{column('sold')}{row}"
    found["pay_back"] = '=""' if first else _crossing("own_cumulative", "rent_cumulative", row)
    found["pay_back_value"] = '=""' if first else _crossing("own_if_sold", "rent_value", row)
    return found


def present_values(costs: CostScenario) -> dict[str, Floats]:
    """What each column holds now, over month 0 to the horizon (not-a-number: blank)."""
    horizon = costs.horizon_months
    months = np.arange(horizon + 1, dtype=np.float64)
    own, rent = own_flows(costs), rent_flows(costs)
    own_lines, rent_lines = own.lines(), rent.lines()
    none = np.zeros(horizon + 1)
    rate = costs.discount_rate
    owed = loan_balance(costs, months) if costs.own.loan_rate > 0 else none
    own_sold, rent_value = npv_if_sold_at(costs)
    bought = sum((own_lines[name] for name in capex_lines(costs.own)), start=none)
    cumulative = {"own_cumulative": own.cumulative(), "rent_cumulative": rent.cumulative()}
    renamed = {"rent_fixed": "fixed", "rent_storage": "storage"}
    return {
        "month": months,
        "purchase": bought,
        **{name: own_lines.get(name, none) for name in OWN_LINES if name != "purchase"},
        "own_total": sum(own_lines.values(), start=none),
        "price": np.concatenate([[0.0], price_path(costs.rent, horizon)]),
        **{name: rent_lines.get(renamed.get(name, name), none) for name in RENT_LINES},
        "rent_total": sum(rent_lines.values(), start=none),
        **cumulative,
        "pay_back": _crossings(*cumulative.values()),
        "factor": np.concatenate([[1.0], discount_factors(rate, horizon)]),
        "own_value": own.discounted_cumulative(rate),
        "sold": sale_value(costs, months) - owed,
        "own_if_sold": own_sold,
        "rent_value": rent_value,
        "pay_back_value": _crossings(own_sold, rent_value),
    }


def _crossings(own: Floats, rent: Floats) -> Floats:
    """Month of crossing in each month that ends with owning not dearer, not-a-number in the others."""
    pairs = [first_crossing(own[m - 1 : m + 1], rent[m - 1 : m + 1]) + m - 1 for m in range(1, len(own))]
    return np.array([np.nan, *pairs])


def _head(name: str) -> str:
    known = {"rent_fixed": "fixed", "rent_storage": "storage"}
    if name in (*OWN_LINES, *RENT_LINES) and name != "purchase":
        return line_name(known.get(name, name))
    return t(f"document.flow.{name}")


def _head_style(name: str) -> str:
    if name in (*OWN_LINES, "own_total", "own_cumulative", "own_value", "own_if_sold"):
        return "head_own"
    return "head_rent" if name in (*RENT_LINES, "price", "rent_total", "rent_cumulative", "rent_value") else "head"


def _style(name: str) -> str:
    return {"month": "whole", "factor": "factor", "pay_back": "two", "pay_back_value": "two"}.get(name, "amount")


def _summed() -> Iterator[str]:
    yield from (*OWN_LINES, "own_total", *RENT_LINES, "rent_total")


@dataclass(frozen=True)
class FlowCells:
    """Where the sheet of answers finds what it shows: the sheet's name and the rows of months (from 1)."""

    sheet: str
    first: int
    last: int

    def months(self, name: str) -> str:
        """All months of a column."""
        return f"'{self.sheet}'!${column(name)}${self.first}:${column(name)}${self.last}"


def flows_sheet(book: Book, answer: MoneyAnswer) -> FlowCells:
    """Writes the sheet: headers, totals, then one row a month."""
    sheet, horizon = t("document.sheet.flows"), answer.costs.horizon_months
    now = present_values(answer.costs)
    largest = max(
        abs(answer.own_total), abs(answer.rent_total), *(float(np.abs(now[name]).sum()) for name in _summed())
    )
    # Bold figures with cents must not turn into ###; an input changed to ten times as much still fits.
    width = max(_NARROWEST, len(f"{largest:,.2f}") + 3)
    page = book.sheet(sheet, (8, *([width] * (len(COLUMNS) - 1))), pages=(3, 0), repeat_row=HEAD_ROW)
    page.repeat_columns(0)
    book.text(page, 0, 0, sheet, "title")
    book.text(page, 1, 0, t("document.flows_help", currency=book.currency), "line")
    page.set_row(HEAD_ROW, 44)
    for place, name in enumerate(COLUMNS):
        book.text(page, HEAD_ROW, place, _head(name), _head_style(name))
    cells = FlowCells(sheet, FIRST_ROW + 1, FIRST_ROW + 1 + horizon)
    book.text(page, TOTAL_ROW, 0, t("chart.money.total"), "total")
    for name in COLUMNS[1:]:
        place = COLUMNS.index(name)
        if name in _summed():
            total = f"=SUM({column(name)}{cells.first}:{column(name)}{cells.last})"
            book.formula(page, TOTAL_ROW, place, total, float(now[name].sum()), "amount_total")
        else:
            book.text(page, TOTAL_ROW, place, "", "total")
    for month in range(horizon + 1):
        row = FIRST_ROW + month
        book.number(page, row, 0, month, "whole")
        for name, formula in formulas(month, horizon).items():
            book.formula(page, row, COLUMNS.index(name), formula, float(now[name][month]), _style(name))
    page.freeze_panes(FIRST_ROW, 1)
    return cells
