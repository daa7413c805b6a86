"""The screen `thin_evidence`."""

from annotate.screening.evidence.finding import EvidenceThresholds, find
from annotate.screening.evidence.words import FOR_ANNOTATORS, FOR_REVIEWERS
from annotate.screening.screen import Screen

THIN_EVIDENCE = Screen(
    "thin_evidence",
    "evidence",
    EvidenceThresholds,
    find,
    FOR_REVIEWERS,
    FOR_ANNOTATORS,
    recent=True,
)
