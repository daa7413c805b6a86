from annotate.models.annotator import Annotator, Participation
from annotate.models.audit import AuditEntry
from annotate.models.campaign import (
    Authorship,
    Campaign,
    Item,
    Membership,
    Output,
    System,
    Target,
)
from annotate.models.instrument import InstrumentDefinition, TutorialContent
from annotate.models.payment import LedgerEntry
from annotate.models.tutorial import Feedback, TutorialAnswer, TutorialRun
from annotate.models.work import Assignment, Draft, EvidenceChange, Judgment, Place, Score

__all__ = [
    "Annotator",
    "Assignment",
    "AuditEntry",
    "Authorship",
    "Campaign",
    "Draft",
    "EvidenceChange",
    "Feedback",
    "InstrumentDefinition",
    "Item",
    "Judgment",
    "LedgerEntry",
    "Membership",
    "Output",
    "Participation",
    "Place",
    "Score",
    "System",
    "Target",
    "TutorialAnswer",
    "TutorialContent",
    "TutorialRun",
]
