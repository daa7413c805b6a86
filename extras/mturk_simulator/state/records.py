"""The records of the stand-in."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any


@dataclass(frozen=True)
class HitType:
    """The common properties of HITs; HITs of one type are one group for workers."""

    id: str
    group: str
    title: str
    description: str
    keywords: str
    reward: Decimal
    duration: timedelta
    auto_approval: timedelta
    requirements: tuple[dict[str, Any], ...] = ()


@dataclass
class Hit:
    """`places` is MaxAssignments; `at_first` is its value when the HIT was made."""

    id: str
    type: HitType
    serial: int
    question: str
    url: str
    annotation: str
    created_at: datetime
    expires_at: datetime
    places: int
    at_first: int
    reviewing: bool = False
    disposed: bool = False


class AssignmentState(StrEnum):
    ACTIVE = "Active"  # accepted; the API does not show it
    RETURNED = "Returned"
    ABANDONED = "Abandoned"  # the deadline passed
    SUBMITTED = "Submitted"
    APPROVED = "Approved"
    REJECTED = "Rejected"


HANDED_IN = (AssignmentState.SUBMITTED, AssignmentState.APPROVED, AssignmentState.REJECTED)
GIVEN_UP = (AssignmentState.RETURNED, AssignmentState.ABANDONED)


@dataclass
class HitAssignment:
    """One worker's assignment of a HIT. `serial` is of the submission, if there is one."""

    id: str
    hit: Hit
    worker: str
    accepted_at: datetime
    deadline: datetime
    state: AssignmentState = AssignmentState.ACTIVE
    serial: int = 0
    submitted_at: datetime | None = None
    auto_approval_at: datetime | None = None
    approved_at: datetime | None = None
    rejected_at: datetime | None = None
    answer: str = ""
    feedback: str = ""


@dataclass(frozen=True)
class BonusPayment:
    serial: int
    assignment: HitAssignment
    worker: str
    amount: Decimal
    reason: str
    at: datetime


@dataclass
class QualificationType:
    """`given` holds the requester's values, by the API's names."""

    id: str
    serial: int
    name: str
    created_at: datetime
    given: dict[str, Any] = field(default_factory=dict)


@dataclass
class Qualification:
    type: str
    worker: str
    serial: int
    at: datetime
    value: int
    granted: bool = True


@dataclass(frozen=True)
class WorkerBlock:
    worker: str
    serial: int
    reason: str


@dataclass(frozen=True)
class WorkerNotice:
    """A message to a worker."""

    worker: str
    subject: str
    text: str
    at: datetime


@dataclass
class WorkerProfile:
    """What the service knows of a worker; everyone here is experienced."""

    country: str = "US"
    approval_rate: int = 99
    approved: int = 5000
    masters: bool = True
    adult: bool = True
