"""The answer slide by slide on a projector: one sentence, one chart, the two sliders that matter."""

from ui.present_parts import slide_shown
from ui.state import scenario

slide_shown(scenario())
