"""The screen `low_agreement`."""

from annotate.screening.agreement.finding import Agreement, find
from annotate.screening.agreement.words import FOR_ANNOTATORS, FOR_REVIEWERS
from annotate.screening.screen import Screen

LOW_AGREEMENT = Screen("low_agreement", "agreement", Agreement, find, FOR_REVIEWERS, FOR_ANNOTATORS)
