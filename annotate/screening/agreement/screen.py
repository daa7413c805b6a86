"""The screen `low_agreement`."""

from annotate.screening.agreement.finding import AgreementThresholds, find
from annotate.screening.agreement.words import FOR_ANNOTATORS, FOR_REVIEWERS
from annotate.screening.screen import Screen

LOW_AGREEMENT = Screen(
    "low_agreement",
    "agreement",
    AgreementThresholds,
    find,
    FOR_REVIEWERS,
    FOR_ANNOTATORS,
    ratio=True,
)
