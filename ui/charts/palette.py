"""Every colour of the figures, named by what it means; readable for colour-blind people and on white paper."""

from __future__ import annotations

from typing import Final, NamedTuple

OWN: Final = "#0072B2"  # reserved: owning, everywhere
RENT: Final = "#D55E00"  # reserved: renting, everywhere

# Okabe and Ito (2008, https://jfly.uni-koeln.de/color/) and two more, since Streamlit drops a palette that
# has not exactly ten entries. Same order as theme.chartCategoricalColors.
PALETTE: Final = (
    OWN,
    RENT,
    "#009E73",
    "#E69F00",
    "#56B4E9",
    "#CC79A7",
    "#882255",
    "#F0E442",
    "#999999",
    "#000000",
)

# Kinds that are neither owning nor renting (links, methods, micro batches), in this order.
SERIES: Final = ("#1A1C24", "#882255", "#56B4E9", "#009E73", "#E69F00", "#CC79A7", "#999999")

PAPER: Final = "#FFFFFF"
INK: Final = "#1A1C24"
MUTED: Final = "#5B6472"
GRID: Final = "#E8EAEE"
BAND: Final = "#C9D2E0"
COMES_BACK: Final = "#9AA2AF"  # money that returns, among costs


class Verdict(NamedTuple):
    """How one answer to "does it fit?" is drawn: edge and text colour, pale fill, pattern of the fill."""

    edge: str
    text: str  # darker than the edge where the edge would be under 4.5:1 on white
    fill: str
    pattern: str


VERDICTS: Final[dict[str, Verdict]] = {
    "fits": Verdict("#009E73", "#00724F", "#D5EFE6", ""),
    "tight": Verdict("#E69F00", "#8A5A00", "#FBE8BF", "/"),
    "no": Verdict("#6B6B6B", "#5A5A5A", "#E4E4E4", "x"),
}

# One ramp from dark to light in the order of the stack (largest and most fixed part first).
COMPONENTS: Final[dict[str, str]] = {
    "weights": "#08254D",
    "gradients": "#0F3B70",
    "optimizer": "#1C5290",
    "optimizer_temporaries": "#3169A9",
    "activations": "#4A81BD",
    "logits": "#6A9ACD",
    "dequantisation": "#8BB2DA",
    "buffers": "#A9C7E4",
    "process": "#C5D9ED",
    "reserve": "#DFEAF5",
}

TIME_PARTS: Final[dict[str, str]] = {
    "compute_h": "#0B3954",
    "memory_h": "#5AA0C8",
    "communication_h": "#D7263D",
    "overhead_h": "#C4C8D0",
}


def with_alpha(colour: str, alpha: float) -> str:
    """``#RRGGBB`` as an ``rgba()`` string of opacity ``alpha`` (0 to 1)."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"


def ramp(colour: str, steps: int) -> list[str]:
    """``steps`` tints of ``colour``, the palest first and ``colour`` itself last."""
    channels = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
    shares = [1.0] if steps == 1 else [0.35 + 0.65 * step / (steps - 1) for step in range(steps)]
    return ["#" + "".join(f"{round(255 + (channel - 255) * share):02X}" for channel in channels) for share in shares]
