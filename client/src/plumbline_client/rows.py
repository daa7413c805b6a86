"""What the server tells, as typed rows. Fields that a newer server adds are in `data`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any


def _at(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _money(text: str | None) -> Decimal | None:
    return Decimal(text) if text is not None else None


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign. Money is in its currency; widths and margins are in score units."""

    id: str
    name: str
    status: str  # draft, open, paused, closing, closed, archived
    close_reason: str
    instrument: str
    targets: Mapping[str, float]
    margins: Mapping[str, float]
    metrics: tuple[str, ...]
    planned: int
    judged: int
    spent: Decimal
    budget: Decimal | None
    reward: Decimal
    created_at: datetime | None
    opened_at: datetime | None
    closed_at: datetime | None
    notices: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_over(self) -> bool:
        return self.status in ("closed", "archived")


def campaign(data: Mapping[str, Any]) -> Campaign:
    return Campaign(
        id=data["id"],
        name=data["name"],
        status=data["status"],
        close_reason=data["close_reason"],
        instrument=f"{data['instrument']}@{data['instrument_version']}",
        targets=dict(data["targets"]),
        margins=dict(data["margins"]),
        metrics=tuple(data["metrics"]),
        planned=data["planned"],
        judged=data["judged"],
        spent=Decimal(data["spent"]),
        budget=_money(data["budget"]),
        reward=Decimal(data["reward"]),
        created_at=_at(data["created_at"]),
        opened_at=_at(data["opened_at"]),
        closed_at=_at(data["closed_at"]),
        notices=tuple(data.get("notices", ())),
        data=data,
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """The newest estimate of a system on a criterion, in score units; None without an interval."""

    system: str
    criterion: str
    estimate: float | None
    low: float | None
    high: float | None
    width: float | None
    level: float
    mean_estimate: float | None  # the plain mean, for comparison
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


def estimate(data: Mapping[str, Any]) -> Estimate:
    names = (
        "system",
        "criterion",
        "estimate",
        "low",
        "high",
        "width",
        "level",
        "mean_estimate",
    )
    return Estimate(**{name: data[name] for name in names}, data=data)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The paired difference of two systems, `first` minus `second`, in score units."""

    first: str
    second: str
    criterion: str
    difference: float | None
    low: float | None
    high: float | None
    outcome: str | None  # in a ranking: first, second, close or open
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


def comparison(data: Mapping[str, Any]) -> Comparison:
    names = ("first", "second", "criterion", "difference", "low", "high", "outcome")
    return Comparison(**{name: data[name] for name in names}, data=data)


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judgment; its annotator by pseudonym. Scores follow within seconds."""

    id: int
    annotator: str
    item: str
    systems: tuple[str, ...]
    scores: Mapping[str, float]
    counts: bool
    submitted_at: datetime
    response: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


def judgment(data: Mapping[str, Any]) -> Judgment:
    return Judgment(
        id=data["id"],
        annotator=data["annotator"],
        item=data["item"],
        systems=tuple(data["systems"]),
        scores=dict(data["scores"]),
        counts=data["counts"],
        submitted_at=datetime.fromisoformat(data["submitted_at"]),
        response=data["response"],
        data=data,
    )


@dataclass(frozen=True, slots=True)
class Import:
    """A file that becomes a campaign. `campaign` is its id once it exists."""

    id: str
    status: str  # reading, ready, refused, creating, done, failed, cancelled
    done: int  # bytes while reading, items while creating
    total: int  # of the same; 0 while it is unknown
    campaign: str | None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


def import_(data: Mapping[str, Any]) -> Import:
    names = ("id", "status", "done", "total", "campaign")
    return Import(**{name: data[name] for name in names}, data=data)


@dataclass(frozen=True, slots=True)
class Act:
    """One act in a campaign. actor: “” for what Plumbline does automatically.

    verb: the kind of act, for programs. text: a sentence without its first word, the actor.
    """

    id: int
    at: datetime
    actor: str
    verb: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


def act(data: Mapping[str, Any]) -> Act:
    names = ("id", "actor", "verb", "text")
    at = datetime.fromisoformat(data["at"])
    return Act(at=at, **{name: data[name] for name in names}, data=data)


@dataclass(frozen=True, slots=True)
class Subscription:
    """Who is told of a campaign’s events, and how that fares. secret: “” for mail."""

    id: str
    who: str
    channel: str  # mail, webhook
    url: str
    secret: str = field(repr=False)
    events: tuple[str, ...]
    ended_at: datetime | None
    last_sent_at: datetime | None
    waiting: int
    problem: str
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


def subscription(data: Mapping[str, Any]) -> Subscription:
    return Subscription(
        id=data["id"],
        who=data["who"],
        channel=data["channel"],
        url=data["url"],
        secret=data["secret"],
        events=tuple(data["events"]),
        ended_at=_at(data["ended_at"]),
        last_sent_at=_at(data["last_sent_at"]),
        waiting=data["waiting"],
        problem=data["problem"],
        data=data,
    )
