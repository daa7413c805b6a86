"""The contract of crowds: plain values in and out, without models and requests.

Every crowd has an `Entry`: how people enter. Crowds that publish and pay for work are also a
`Marketplace`. Reading raises a `CrowdError`; an effect returns an `Outcome`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from enum import StrEnum
from functools import wraps
from typing import Any, ParamSpec, Protocol

from django.utils import timezone
from pydantic import TypeAdapter

from annotate.common.errors import ServiceError
from annotate.crowds.prices import Price, Tariff

# A crowd's times on our clock. Each answer of its server contains its current time (the `Date` of
# HTTP), so converted times compare correctly with ours, even if our clock is wrong.

SAME = timedelta(minutes=1)  # a difference due to the network
NONSENSE = timedelta(days=365)  # beyond any real clock's error
SECOND = timedelta(seconds=1)  # `Date` has no fractions; this covers the rounding


def ahead(date: str | None) -> timedelta | None:
    """Return how far their clock is ahead of ours; None if they do not send the time."""
    try:
        there = parsedate_to_datetime(date or "")
        difference = there.replace(tzinfo=there.tzinfo or UTC) - timezone.now() + SECOND
    except (ValueError, OverflowError):
        return None
    if abs(difference) > NONSENSE:
        return None
    return difference if abs(difference) > SAME else timedelta(0)


def on_ours(told: Any, by: timedelta | None) -> Any:
    """Return the answer with all its times on our clock; `by`: how far their clock is ahead."""
    if not by:
        return told
    if isinstance(told, datetime):
        return told - by
    if isinstance(told, dict):
        return {name: on_ours(value, by) for name, value in told.items()}
    return [on_ours(value, by) for value in told] if isinstance(told, list) else told


# What is published on a crowd, and what the crowd reports about it: plain values.


@dataclass(frozen=True)
class ListingProblem:
    """Why something would be refused, and what to do; `field` is a name of `Spec` or ""."""

    field: str
    message: str


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
class PostingLevel:
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


# The outcomes of effects on a crowd, and the errors of reading from it.


class Effect(StrEnum):
    APPLIED = "applied"
    ALREADY = "already"  # it had already happened: success
    REFUSED = "refused"  # it will never happen as asked
    RETRYABLE = "retryable"  # it did not happen, but it may later
    AMBIGUOUS = "ambiguous"  # it may have happened: check before trying again


# The crowd does not know the unit as submitted, because lists lag by minutes.
NOT_YET = "not_yet"


@dataclass(frozen=True)
class Outcome:
    """The outcome of an effect.

    message: what happened, in plain words, and where to correct it if only the crowd's site can.
    posted: of `publish`.
    code: the crowd's own error code, or "funds", "throttled", `NOT_YET`.
    """

    effect: Effect
    code: str = ""
    message: str = ""
    posted: Posted | None = None

    @property
    def happened(self) -> bool:
        return self.effect in (Effect.APPLIED, Effect.ALREADY)


class CrowdError(Exception):
    """Reading from a crowd failed. The message says what to do."""

    code = "crowd"

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code

    def outcome(self) -> Outcome:
        """Return what it means for the effect that was asked for, or before which it was read."""
        return Outcome(Effect.REFUSED, self.code, self.message)


class Transient(CrowdError):
    """It did not answer, or not in a valid form: try again later."""

    code = "transient"

    def outcome(self) -> Outcome:
        return Outcome(Effect.RETRYABLE, self.code, self.message)


class Throttled(Transient):
    code = "throttled"


class Unanswered(Transient):
    """The call may have arrived and had its effect."""

    code = "unknown"

    def outcome(self) -> Outcome:
        return Outcome(Effect.AMBIGUOUS, self.code, self.message)


class Duplicate(CrowdError):
    """The effect with this key or name has happened before."""

    code = "duplicate"

    def outcome(self) -> Outcome:
        return Outcome(Effect.ALREADY, self.code, self.message)


class InsufficientFunds(CrowdError):
    code = "funds"


class NotFoundAtCrowd(CrowdError):
    code = "not_found"


class InvalidTransition(CrowdError):
    code = "transition"


class Configuration(CrowdError):
    """Credentials, address or environment: a person must change the settings."""

    code = "configuration"


P = ParamSpec("P")


def effect(method: Callable[P, Outcome]) -> Callable[P, Outcome]:
    """Return the method with its errors as outcomes. `Configuration` is passed on: a person must
    change settings."""

    @wraps(method)
    def carried_out(*args: P.args, **kwargs: P.kwargs) -> Outcome:
        try:
            return method(*args, **kwargs)
        except Configuration:
            raise
        except CrowdError as error:
            return error.outcome()

    return carried_out


# The terms of a batch: what its postings offer and require, as a researcher chose them.


USUAL_AUTO_APPROVAL = timedelta(days=7)
USUAL_TASKS = 5  # per unit
SECONDS = ("duration", "lifetime", "auto_approval", "approve_after")


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
class Terms:
    """What one posting offers and requires.

    tasks: per paid unit.
    minutes: announced time for a unit.
    duration: to finish a unit. lifetime: of the posting.
    approve_after: the reviewers' time before undisputed work is approved and paid.
    auto_approval: the time after which the crowd approves; None where it cannot be set.
    """

    title: str
    description: str
    keywords: tuple[str, ...] = ()
    tasks: int = 1
    minutes: float = 5.0
    duration: timedelta = timedelta(hours=1)
    lifetime: timedelta = timedelta(days=3)
    auto_approval: timedelta | None = None
    approve_after: timedelta = timedelta(days=1)
    audience: Audience = field(default_factory=Audience)

    def spec(self, *, reward: Decimal, places: int, url: str, code: str = "") -> "Spec":
        """Return one posting with these terms."""
        terms = vars(self) | {"auto_approval": self.auto_approval or USUAL_AUTO_APPROVAL}
        return Spec(**terms, reward=reward, places=places, url=url, code=code)


@dataclass(frozen=True, kw_only=True)
class Spec(Terms):
    """One posting: a HIT, a study. `reward` is for one paid unit.

    url: address of our entry page for this posting. code: the completion code, if the crowd has
    one.
    """

    auto_approval: timedelta = USUAL_AUTO_APPROVAL
    reward: Decimal
    places: int
    url: str
    code: str = ""


def usual_tasks(cap: int | None) -> int:
    """Return the suggested number of tasks per unit; `cap` is the most that one person may do."""
    return min(USUAL_TASKS, cap or USUAL_TASKS)


def to_json(terms: Terms) -> dict[str, Any]:
    """Return plain JSON, durations in seconds."""
    given = {name: getattr(terms, name) for name in SECONDS}
    seconds = {name: int(time.total_seconds()) for name, time in given.items() if time is not None}
    return asdict(terms) | seconds | {"keywords": list(terms.keywords)}


_TERMS = TypeAdapter(Terms)


def from_json(stored: Mapping[str, Any]) -> Terms:
    """Return the terms that `to_json` has written: durations are seconds."""
    return _TERMS.validate_python(stored)


# How people enter from a crowd, and how they leave.


@dataclass(frozen=True)
class Claim:
    """A person's claim of identity.

    By link: the campaign, and the person (without one, the landing page asks for a name).
    From a marketplace: our posting, and the crowd's names of the posting (`listing`: HITId,
    STUDY_ID), of the person, and of the paid unit (`unit`: assignmentId, SESSION_ID). Without a
    unit, somebody looks at a posting before accepting it. `submit_to`: where it is submitted.
    """

    campaign_id: int = 0
    person: str = ""
    posting: str = ""
    listing: str = ""
    unit: str = ""
    submit_to: str = ""
    links: int = 0  # by link: the number of the campaign's links


class InvalidEntry(ServiceError):
    """This entry or notification is refused, with the reason."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Completion:
    """How a paid unit is submitted: by posting a form with these `fields`, or, without any, by
    visiting the address."""

    url: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Capabilities:
    """The differences between crowds, as data.

    verify_at_entry: the crowd confirms people's identity on entry; otherwise (MTurk) once it lists
        the work as submitted.
    override_refusal: a rejection can be changed into an approval.
    token_life: how long a repeated key is recognised; None: never (the effect is looked for).
    messaging_once_decided: messages reach only people with an approved or rejected submission.
    places_at_most: the most places of one posting; None: any number.
    least_reason: the fewest characters of a rejection's reason.
    no_effect: names of terms that have no effect there.
    """

    verify_at_entry: bool = True
    override_refusal: timedelta | None = None
    idempotent_bonus: bool = False
    auto_approval: bool = False
    messaging: bool = False
    messaging_once_decided: bool = False
    token_life: timedelta | None = None
    places_at_most: int | None = None
    least_reason: int = 1
    no_effect: tuple[str, ...] = ()


class Entry(Protocol):
    """How people enter from a crowd (also from one that publishes nothing)."""

    @property
    def key(self) -> str: ...

    @property
    def label(self) -> str:
        """Return the crowd's name, as people know it."""

    @property
    def environment(self) -> str:
        """Return the crowd's environment. Rows made in one are never used in another."""

    @property
    def can(self) -> Capabilities: ...

    @property
    def refusal_limit(self) -> timedelta:
        """Return how long after submission pay can be refused."""

    def parse_entry(self, params: Mapping[str, str]) -> Claim:
        """Read the crowd's parameters of the address. Only the shape of ids is checked.

        Raises a `ServiceError` such as `InvalidEntry`.
        """

    def verify_claim(self, claim: Claim) -> bool:
        """Return whether the crowd confirms this claim now; False: it can confirm it only later.

        Raises `InvalidEntry` where it denies it, and `Transient` where it does not answer.
        """

    def frame_policy(self) -> dict[str, list[str]]:
        """Return the directives of the security policy: where the crowd frames our pages, and
        where it lets their forms send data."""


class Marketplace(Entry, Protocol):
    """Publishing, review and money, people and events.

    `op_id` is the permanent name of an effect: the crowd's idempotency key if it has one, and what
    `find_…` looks for if the key has lapsed or there is none. No effect is tried twice. An effect
    raises `Configuration` and changes nothing where the settings do not fit.
    """

    def completion(self, *, unit: str, submit_to: str, receipt: str, code: str) -> Completion:
        """Return how a finished unit is submitted.

        receipt: our nonce, which the crowd returns with the submission. code: the completion code
            of its posting.
        """

    # launch
    def validate(self, spec: Spec) -> list[ListingProblem]: ...

    def estimate_cost(self, reward: Decimal, places: int) -> Price | None:
        """Return the cost of places; None where the crowd does not answer."""

    def bonus_cost(self, amount: Decimal) -> Price | None: ...

    def currency(self) -> str:
        """Return the currency of the account, such as USD."""

    def balance(self) -> Decimal | None:
        """Return the account's balance; None where the crowd does not report it."""

    def publish(self, spec: Spec, op_id: str) -> Outcome: ...

    def find_postings(self, op_id: str) -> list[Posted]: ...

    def add_places(self, listing: str, n: int, op_id: str) -> Outcome: ...

    def stop(self, listing: str) -> Outcome:
        """Admit no new people, permanently; people who have accepted may finish. Safe to repeat.

        The crowd is called unless it reports that the posting is over.
        """

    def posting_level(self, listing: str) -> PostingLevel: ...

    def archive(self, listing: str) -> Outcome: ...

    # review and money
    def iter_submissions(self, listing: str) -> Iterator[Submission]: ...

    def get_submission(self, unit: str) -> Submission: ...

    def approve(self, unit: str, *, override: bool = False) -> Outcome: ...

    def reject(self, unit: str, *, reason: str) -> Outcome: ...

    def pay_bonus(self, bonus: Bonus, op_id: str) -> Outcome: ...

    def find_bonus(self, bonus: Bonus, op_id: str) -> bool:
        """Return whether the crowd lists this very bonus as paid.

        Raises `Configuration` where it cannot be distinguished from others; then a person must
        look.
        """

    # people and events
    def set_excluded(self, person: str, excluded: bool, *, group: str) -> Outcome:
        """Exclude a person from work that names this `group` as its `Audience.exclusion`."""

    def message(self, people: Sequence[str], subject: str, text: str) -> Outcome: ...

    def parse_event(self, raw: bytes, headers: Mapping[str, str]) -> Event:
        """Read a notification. Raises `InvalidEntry`."""


# The registration of a crowd: what Plumbline knows before any call.


@dataclass(frozen=True)
class Crowd:
    """One crowd, complete. Adding one: CONTRIBUTING.md.

    key: its name in campaigns, addresses and the API.
    label: its name as people know it.
    offer: how people come from it and are paid; follows the label in the form of a new campaign.
    tariff: its usual charges. A campaign may have another share, because shares differ by account.
    make: makes its adapter from the values of its settings, in their order, once for the same
        values. It loads what the adapter needs. Nothing is called and no credentials are read
        before the first use.
    settings: the names of its settings, with defaults; each is read from the environment.
    publishes: whether it publishes and pays for work, so that its adapter is a `Marketplace`.
    reopens: whether a full posting continues when one of its places is free again, unless it was
        stopped.
    not_asked: the terms of a batch that it does not have.
    """

    key: str
    label: str
    offer: str
    tariff: Tariff
    make: Callable[..., Entry]
    settings: Mapping[str, str] = field(default_factory=dict)
    publishes: bool = True
    reopens: bool = False
    not_asked: tuple[str, ...] = ()
