"""The screen `several_signs`."""

from annotate.screening.screen import Screen
from annotate.screening.together.finding import SeveralSigns, find
from annotate.screening.together.words import FOR_ANNOTATORS, FOR_REVIEWERS

SEVERAL_SIGNS = Screen(
    "several_signs", "together", SeveralSigns, None, FOR_REVIEWERS, FOR_ANNOTATORS, sums=find
)
