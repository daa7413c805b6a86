"""The screen `own_consistency`."""

from annotate.screening.consistency.finding import Consistency, find
from annotate.screening.consistency.words import FOR_ANNOTATORS, FOR_REVIEWERS
from annotate.screening.screen import Screen

OWN_CONSISTENCY = Screen(
    "own_consistency", "consistency", Consistency, find, FOR_REVIEWERS, FOR_ANNOTATORS
)
