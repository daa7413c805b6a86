"""The screen `answer_pattern`."""

from annotate.screening.screen import Screen
from annotate.screening.sequence.finding import Sequence, find
from annotate.screening.sequence.words import FOR_ANNOTATORS, FOR_REVIEWERS

ANSWER_PATTERN = Screen("answer_pattern", "sequence", Sequence, find, FOR_REVIEWERS, FOR_ANNOTATORS)
