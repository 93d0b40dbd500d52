"""Runs the whole app without a browser, any page, any scenario."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from calc.cost_scenario import bounds_of
from calc.scenario import FLAT_FIELDS, MODEL_BY_SIZE, SIZE_STEPS_B
from ui.cost_lines import EDITABLE
from ui.data import gpu_names, model_names
from ui.frame import PAGES
from ui.state import DEFAULTS, bounds, choices

ROOT = Path(__file__).resolve().parents[2]
PAGE_FILES = tuple(page[0] for page in PAGES)


def start(**params: str) -> AppTest:
    """The app on its landing page, opened with query parameters."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in params.items():
        app.query_params[name] = value
    app.run()
    assert_no_error(app)
    return app


def go(app: AppTest, page: str) -> AppTest:
    """Switches to a page by its file name."""
    return app.switch_page(f"pages/{page}.py").run()


WIDGETS = ("select_slider", "selectbox", "slider", "number_input", "toggle", "button_group")


def widgets(app: AppTest) -> dict[str, Any]:
    """The inputs on the page by their key."""
    return {part.key: part for kind in WIDGETS for part in app.get(kind) if part.key}


def with_fields(app: AppTest, fields: Mapping[str, Any]) -> AppTest:
    """Moves the widgets of flat fields (the others to their defaults) and runs the page.

    A preset sets the size slider itself and a moved slider chooses "by size", so the slider is left alone unless the
    model is given by its size. Fields without a widget are set in the session; those that the method
    shown at the moment greys out stay.
    """
    wanted = {name: fields.get(name, DEFAULTS[name]) for name in FLAT_FIELDS}
    if wanted["model"] != MODEL_BY_SIZE:
        del wanted["model_size_b"]
    shown = widgets(app)
    for name, value in wanted.items():
        if name not in shown:
            app.session_state[name] = value
        elif shown[name].value != value and not shown[name].disabled:
            shown[name].set_value(value)
    return app.run()


def assert_no_error(app: AppTest) -> None:
    assert [error.message for error in app.exception] == []


def opening(app: AppTest) -> str:
    """The page's first sentence."""
    return next(text.value for text in app.markdown if text.value.startswith("### "))


def _number(name: str) -> st.SearchStrategy[Any]:
    low, high = bounds(name)
    assert low is not None
    assert high is not None
    if isinstance(DEFAULTS[name], int):
        # Every size of number alike, the ends included.
        return st.one_of(
            st.sampled_from([int(low), int(high)]),
            st.floats(math.log(low), math.log(high)).map(lambda x: min(max(round(math.exp(x)), int(low)), int(high))),
        )
    return st.floats(max(low, 0.01) if name == "epochs" else low, high)


def _lines(side: str) -> st.SearchStrategy[dict[str, float]]:
    def value(name: str) -> st.SearchStrategy[float]:
        low, high = bounds_of(f"{side}.{name}")
        top = high if math.isfinite(high) else 1e7
        return st.integers(int(low), int(top)).map(float) if name == "loan_months" else st.floats(low, top)

    return st.fixed_dictionaries({}, optional={name: value(name) for name in EDITABLE[side]})


RATES = ("usd_cny", "eur_usd")


def _field(name: str) -> st.SearchStrategy[Any]:
    if name in RATES:
        # A new rate converts every price anew, a fifth of the time of a page: few values, so that they come again.
        return st.sampled_from([DEFAULTS[name], DEFAULTS[name], bounds(name)[1]])
    if name in ("own", "rent"):
        return st.one_of(st.just({}), _lines(name))
    if choices(name):
        return st.sampled_from(choices(name))
    if isinstance(DEFAULTS[name], bool):
        return st.booleans()
    menus = {
        "gpu": gpu_names(),
        "rent_gpu": ("", *gpu_names()),
        "model": model_names(),
        "model_size_b": SIZE_STEPS_B,
    }
    return st.sampled_from(menus[name]) if name in menus else _number(name)


def scenarios() -> st.SearchStrategy[dict[str, Any]]:
    """Any combination that the widgets allow, contradictions between an own model's fields included."""
    return st.fixed_dictionaries({name: _field(name) for name in FLAT_FIELDS})
