"""What the server tells, as typed rows. Fields that a newer server adds are in `data`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

Row = TypeVar("Row")
_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


def read(kind: type[Row], data: Mapping[str, Any], **own: Any) -> Row:
    """Return a row from what the server tells, each field as its type says.

    own: fields that the server tells otherwise. What may be None may be missing.
    """
    given: dict[str, Any] = {"data": data} | own
    hints = _hints(kind)
    for name in (one.name for one in fields(kind) if one.name not in own):  # type: ignore[arg-type]
        if name in data and name != "data":
            given[name] = _value(hints[name], data[name])
        elif name not in given and type(None) in get_args(hints[name]):
            given[name] = None
    return kind(**{name: value for name, value in given.items() if name in hints})


def _value(hint: Any, told: Any) -> Any:
    names = (hint, *get_args(hint))
    if told is None or (told == "" and datetime in names):
        return None
    if Decimal in names:
        return Decimal(told)
    if datetime in names:
        return datetime.fromisoformat(told)
    if getattr(hint, "__origin__", None) is tuple:
        return tuple(told)
    return dict(told) if isinstance(told, Mapping) else told


def reader(kind: type[Row]) -> Callable[[Mapping[str, Any]], Row]:
    """Return what reads rows of a kind."""
    return lambda data: read(kind, data)


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
    return read(Campaign, data, instrument=f"{data['instrument']}@{data['instrument_version']}")


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


@dataclass(frozen=True, slots=True)
class Import:
    """A file that becomes a campaign. `campaign` is its id once it exists."""

    id: str
    status: str  # reading, ready, refused, creating, done, failed, cancelled
    done: int  # bytes while reading, items while creating
    total: int  # of the same; 0 while it is unknown
    campaign: str | None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


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


estimate, comparison, judgment = reader(Estimate), reader(Comparison), reader(Judgment)
import_, act, subscription = reader(Import), reader(Act), reader(Subscription)
