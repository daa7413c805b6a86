"""The screen `no_variation`."""

from annotate.screening.screen import Screen
from annotate.screening.variation.finding import Variation, find, find_lately
from annotate.screening.variation.words import FOR_ANNOTATORS, FOR_REVIEWERS

NO_VARIATION = Screen(
    "no_variation",
    "variation",
    Variation,
    find,
    FOR_REVIEWERS,
    FOR_ANNOTATORS,
    recent=True,
    find_lately=find_lately,
    ratio=True,
)
