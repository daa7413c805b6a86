"""The screen `random_answers`."""

from annotate.screening.patterns.finding import Patterns, find
from annotate.screening.patterns.words import FOR_ANNOTATORS, FOR_REVIEWERS
from annotate.screening.screen import Screen

RANDOM_ANSWERS = Screen(
    "random_answers", "patterns", Patterns, find, FOR_REVIEWERS, FOR_ANNOTATORS, ratio=True
)
