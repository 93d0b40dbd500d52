"""The answer slide by slide on a projector: one sentence, one chart, the two sliders that matter."""

from ui.data import tables
from ui.present_parts import slide_shown
from ui.slides import slide_makers
from ui.state import scenario

slide_shown(slide_makers(scenario(), tables(), titled=False))
