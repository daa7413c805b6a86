from annotate.models.annotator import Annotator, Participation
from annotate.models.audit import AuditEntry
from annotate.models.background import PendingScore, TaskLease
from annotate.models.campaign import (
    Authorship,
    Campaign,
    Item,
    Membership,
    Output,
    System,
    Target,
)
from annotate.models.crowd import Batch, CrowdEvent, Operation, Posting
from annotate.models.importing import CampaignImport, ImportChunk
from annotate.models.instrument import InstrumentDefinition, TutorialContent
from annotate.models.payment import LedgerEntry, Payout, PayoutList
from annotate.models.screening import (
    Appeal,
    Block,
    Exclusion,
    Flag,
    ResultsSeen,
    Review,
    Ruling,
)
from annotate.models.tutorial import Feedback, TutorialAnswer, TutorialRun
from annotate.models.work import Assignment, ChangeMark, Draft, Judgment, Score, Slot

__all__ = [
    "Annotator",
    "Appeal",
    "Assignment",
    "AuditEntry",
    "Authorship",
    "Batch",
    "Block",
    "Campaign",
    "CampaignImport",
    "ChangeMark",
    "CrowdEvent",
    "Draft",
    "Exclusion",
    "Feedback",
    "Flag",
    "ImportChunk",
    "InstrumentDefinition",
    "Item",
    "Judgment",
    "LedgerEntry",
    "Membership",
    "Operation",
    "Output",
    "Participation",
    "Payout",
    "PayoutList",
    "PendingScore",
    "Posting",
    "ResultsSeen",
    "Review",
    "Ruling",
    "Score",
    "Slot",
    "System",
    "Target",
    "TaskLease",
    "TutorialAnswer",
    "TutorialContent",
    "TutorialRun",
]
