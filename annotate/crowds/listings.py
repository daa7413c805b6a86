"""What is published on a crowd, and what the crowd reports about it: plain values."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum


@dataclass(frozen=True)
class Audience:
    """Whom a posting is for. `validate` of a marketplace reports what it cannot require.

    countries: ISO 3166 alpha-2 codes; empty: everywhere.
    approval_rate: percent of the person's earlier work that was approved.
    allow, block: the crowd's names of people.
    """

    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    approval_rate: int | None = None
    approved_work: int | None = None
    masters: bool = False
    exclusion: str = ""  # the crowd's name of the list of excluded people


@dataclass(frozen=True)
class Spec:
    """One posting: a HIT, a study. `reward` is for one paid unit, which holds `tasks` tasks.

    url: address of our entry page for this posting.
    minutes: announced time for a unit.
    """

    title: str
    description: str
    keywords: tuple[str, ...]
    reward: Decimal
    places: int
    url: str
    minutes: float
    duration: timedelta  # to finish a unit
    lifetime: timedelta  # of the posting
    auto_approval: timedelta
    audience: Audience = field(default_factory=Audience)
    code: str = ""  # the completion code, if the crowd has one


@dataclass(frozen=True)
class ListingProblem:
    """Why something would be refused, and what to do; `field` is a name of `Spec` or ""."""

    field: str
    message: str


@dataclass(frozen=True)
class Cost:
    """The cost of places: rewards, and the crowd's fee on them. note: why it is an estimate."""

    rewards: Decimal
    fees: Decimal
    note: str = ""

    @property
    def total(self) -> Decimal:
        return self.rewards + self.fees


@dataclass(frozen=True)
class Posted:
    """A posting, with the crowd's identifiers."""

    listing: str  # HITId, study id
    places: int
    group: str = ""  # HITTypeId
    url: str = ""  # where people find it


class Stage(StrEnum):
    """The stage of a posting: people can accept it, some still work on it, or all have finished."""

    OPEN = "open"
    DRAINING = "draining"
    CLOSED = "closed"


@dataclass(frozen=True)
class Fullness:
    """How full a posting is, as the crowd counts.

    paused: its free places cannot be taken until a person starts it again there.
    """

    stage: Stage
    places: int
    available: int  # free
    pending: int  # accepted, not submitted
    expires_at: datetime | None = None
    paused: bool = False


class UnitState(StrEnum):
    """The crowd's state of a paid unit."""

    ACTIVE = "active"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"


@dataclass(frozen=True)
class Submission:
    """A paid unit as the crowd lists it. `receipt`: its returned nonce, to compare with ours."""

    listing: str
    unit: str
    person: str
    state: UnitState
    receipt: str = ""
    accepted_at: datetime | None = None
    submitted_at: datetime | None = None
    auto_approval_at: datetime | None = None


@dataclass(frozen=True)
class Bonus:
    """An extra payment for a unit that this person has submitted."""

    listing: str
    unit: str
    person: str
    amount: Decimal
    reason: str


@dataclass(frozen=True)
class Event:
    """A notification from a crowd: a hint to compare, not a fact."""

    id: str
    at: datetime
    listing: str = ""
    unit: str = ""
