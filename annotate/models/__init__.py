from annotate.models.annotators import (
    Annotator,
    Feedback,
    Participation,
    TutorialAnswer,
    TutorialRun,
)
from annotate.models.audit import AuditEntry
from annotate.models.campaigns import (
    Authorship,
    Campaign,
    CampaignImport,
    ImportChunk,
    Item,
    Membership,
    Output,
    System,
    Target,
)
from annotate.models.marketplace import Batch, CrowdEvent, Operation, Posting
from annotate.models.pay import LedgerEntry, Payout, PayoutList
from annotate.models.protocols import CriterionProtocol, Protocol
from annotate.models.review import Appeal, Block, Exclusion, Flag, ResultsSeen, Review, Ruling
from annotate.models.studies import InstrumentDefinition, TutorialContent
from annotate.models.work import (
    Assignment,
    ChangeMark,
    Draft,
    Judgment,
    PendingScore,
    Score,
    Slot,
    TaskLease,
)

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
    "CriterionProtocol",
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
    "Protocol",
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
