"""The screen `short_edits`."""

from annotate.screening.edits.finding import Edits, find
from annotate.screening.edits.words import FOR_ANNOTATORS, FOR_REVIEWERS
from annotate.screening.screen import Screen

SHORT_EDITS = Screen(
    "short_edits", "edits", Edits, find, FOR_REVIEWERS, FOR_ANNOTATORS, recent=True
)
