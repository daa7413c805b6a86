"""The screen `too_fast`."""

from annotate.screening.screen import Screen
from annotate.screening.timing.finding import Timing, find
from annotate.screening.timing.words import FOR_ANNOTATORS, FOR_REVIEWERS

TOO_FAST = Screen("too_fast", "timing", Timing, find, FOR_REVIEWERS, FOR_ANNOTATORS, recent=True)
