"""What a crowd is to us: plain values in and out, no models, no requests.

Every crowd has an `Entry`: how people come in, and how they leave. Crowds that publish work and
pay for it are a `Marketplace` too. Reading raises a `CrowdError`; an effect returns an `Outcome`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

# ---------------------------------------------------------------- what a crowd can do


@dataclass(frozen=True)
class Capabilities:
    """What differs between crowds, as data.

    verify_at_entry: the crowd confirms who comes when they come; otherwise (MTurk) once it lists
    the work as submitted. override_refusal: a rejection can be turned into an approval.
    token_life: how long a repeated key is recognised; None: never (the effect is looked for).
    places_at_most: places of one posting; None: any number. least_reason: characters that the
    reason of a rejection has at least. no_effect: names of terms that change nothing there.
    """

    preview: bool = False
    iframe: bool = False
    verify_at_entry: bool = True
    override_refusal: timedelta | None = None
    idempotent_bonus: bool = False
    auto_approval: bool = False
    messaging: bool = False
    can_shrink: bool = False
    token_life: timedelta | None = None
    places_at_most: int | None = None
    least_reason: int = 1
    no_effect: tuple[str, ...] = ()


# ---------------------------------------------------------------- coming in and leaving


@dataclass(frozen=True)
class Claim:
    """Who somebody says they are.

    By link: the campaign, and the person (without one, the landing page asks for a name). From a
    marketplace: our posting, the crowd's name of it (`listing`: HITId, STUDY_ID), of the person,
    and of the paid unit (`unit`: assignmentId, SESSION_ID); `submit_to`: where it is handed in.
    """

    campaign_id: int = 0
    person: str = ""
    posting: str = ""
    listing: str = ""
    unit: str = ""
    submit_to: str = ""


@dataclass(frozen=True)
class Preview:
    """Somebody looks at a posting before accepting it."""

    posting: str


@dataclass(frozen=True)
class Invalid:
    """Nobody can come in this way, and why; `status` is the HTTP status that says so."""

    message: str
    status: int


@dataclass(frozen=True)
class Leaving:
    """Who has finished a paid unit: what its completion is made of."""

    pseudonym: str
    unit: str = ""
    submit_to: str = ""
    receipt: str = ""  # our nonce: comes back with what the crowd lists as submitted
    code: str = ""  # the completion code of its posting


@dataclass(frozen=True)
class Done:
    """Nothing more to do at the crowd's end; the code is what the annotator may quote."""

    code: str


@dataclass(frozen=True)
class FormPost:
    """The work is handed in by posting this form, from the page itself."""

    action: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Redirect:
    """The work is handed in by going there."""

    url: str


Completion = Done | FormPost | Redirect


@dataclass(frozen=True)
class FramePolicy:
    """Where the crowd shows our pages, and where it lets their forms go."""

    frame_ancestors: tuple[str, ...]
    form_action: tuple[str, ...]

    @property
    def directives(self) -> dict[str, list[str]]:
        return {
            "frame-ancestors": list(self.frame_ancestors),
            "form-action": list(self.form_action),
        }


class Entry(Protocol):
    """How people come in from a crowd, and how they leave (crowds that publish nothing too)."""

    @property
    def key(self) -> str: ...

    @property
    def label(self) -> str:
        """The crowd's name, as people know it."""

    @property
    def environment(self) -> str:
        """Which of the crowd's worlds this is: rows made in one are never used in another."""

    @property
    def can(self) -> Capabilities: ...

    @property
    def refusal_limit(self) -> timedelta:
        """How long after the work is submitted its pay can still be refused."""

    def parse_entry(self, params: Mapping[str, str]) -> Preview | Claim | Invalid:
        """Read what the crowd put into the address; ids are checked in shape only."""

    def verify_claim(self, claim: Claim) -> bool | Invalid:
        """Return whether the crowd confirms this claim now; False: it can only later.

        Raises `Transient` where the crowd does not answer.
        """

    def completion(self, leaving: Leaving) -> Completion:
        """Return what the annotator does at the crowd's end once the work is over."""

    def frame_policy(self) -> FramePolicy: ...


# ---------------------------------------------------------------- what is published


@dataclass(frozen=True)
class Audience:
    """Whom a posting is for. Marketplaces say in `validate` what they cannot ask for.

    countries: ISO 3166 alpha-2 codes; empty: everywhere. approval_rate: percent of the person's
    earlier work that was approved. allow, block: the crowd's names of people.
    """

    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    approval_rate: int | None = None
    approved_work: int | None = None
    masters: bool = False
    exclusion: str = ""  # the crowd's name of the list of people who are kept out


@dataclass(frozen=True)
class Spec:
    """One posting: a HIT, a study. `reward` is for one paid unit, which holds `tasks` tasks.

    url: address of our entry page for this posting. minutes: what a unit takes, as announced.
    """

    title: str
    description: str
    keywords: tuple[str, ...]
    reward: Decimal
    places: int
    url: str
    minutes: float
    duration: timedelta  # to finish a unit in
    lifetime: timedelta  # of the posting
    auto_approval: timedelta
    audience: Audience = field(default_factory=Audience)
    code: str = ""  # the completion code, where the crowd has one


@dataclass(frozen=True)
class Problem:
    """Why something would be refused, and what to do; `field` is a name of `Spec` or ""."""

    field: str
    message: str


@dataclass(frozen=True)
class Cost:
    """What places cost: rewards, and the crowd's fee on them. note: why it is only an estimate."""

    rewards: Decimal
    fees: Decimal
    note: str = ""

    @property
    def total(self) -> Decimal:
        return self.rewards + self.fees


@dataclass(frozen=True)
class Posted:
    """A posting as the crowd knows it."""

    listing: str  # HITId, study id
    places: int
    group: str = ""  # HITTypeId
    url: str = ""  # where people find it


class Stage(StrEnum):
    """Where a posting stands: people can take it, some are still at it, nobody is any more."""

    OPEN = "open"
    DRAINING = "draining"
    CLOSED = "closed"


@dataclass(frozen=True)
class Level:
    """How full a posting is, as the crowd counts."""

    stage: Stage
    places: int
    available: int  # nobody has taken them
    pending: int  # taken, not handed in
    expires_at: datetime | None = None


class UnitState(StrEnum):
    """What a crowd says about a paid unit."""

    ACTIVE = "active"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"


@dataclass(frozen=True)
class Submission:
    """A paid unit as the crowd lists it. `receipt`: what came with it, to compare with ours."""

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
    """An extra payment, for a unit that this person has handed in."""

    listing: str
    unit: str
    person: str
    amount: Decimal
    reason: str


@dataclass(frozen=True)
class Event:
    """Something that a crowd told us by itself: a hint to look, never the truth."""

    id: str
    at: datetime
    listing: str = ""
    unit: str = ""


# ---------------------------------------------------------------- what becomes of an effect


class Effect(StrEnum):
    APPLIED = "applied"
    ALREADY = "already"  # it was so before: success
    REFUSED = "refused"  # it will never happen as asked
    RETRYABLE = "retryable"  # it did not happen; later it may
    AMBIGUOUS = "ambiguous"  # nobody knows whether it happened: look before trying again


# It is about a unit that the crowd does not know as handed in: lists lag behind, by minutes.
NOT_YET = "not_yet"


@dataclass(frozen=True)
class Outcome:
    """What became of an effect. `message` says in plain words what happened, and where to mend it
    if that is the crowd's own affair; what to do then is said by `selectors.operations`.

    posted: of `publish`. code: the crowd's own error code, or "funds", "throttled", `NOT_YET`.
    failed: of `message`, the people whom it did not reach. note: what to remember, such as a name
    given by the crowd.
    """

    effect: Effect
    code: str = ""
    message: str = ""
    posted: Posted | None = None
    failed: tuple[str, ...] = ()
    note: str = ""

    @property
    def happened(self) -> bool:
        return self.effect in (Effect.APPLIED, Effect.ALREADY)


class CrowdError(Exception):
    """A crowd could not be read; the message says what to do."""

    code = "crowd"

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code


class Transient(CrowdError):
    """It did not answer, or not sensibly: try again later."""

    code = "transient"


class Throttled(Transient):
    code = "throttled"


class InsufficientFunds(CrowdError):
    code = "funds"


class NotFound(CrowdError):
    code = "not_found"


class InvalidTransition(CrowdError):
    code = "transition"


class Configuration(CrowdError):
    """Credentials, address or environment: a person must change the settings."""

    code = "configuration"


class Marketplace(Entry, Protocol):
    """Publishing, review and money, people and events.

    `op_id` names an effect for ever: it is the crowd's idempotency key where there is one, and
    what `find_…` looks for where the key has lapsed or there is none. No effect is tried twice.
    An effect raises `Configuration`, with nothing done, where the settings do not fit.
    """

    # launch
    def validate(self, spec: Spec) -> list[Problem]: ...

    def estimate_cost(self, reward: Decimal, places: int) -> Cost: ...

    def bonus_cost(self, amount: Decimal) -> Cost: ...

    def currency(self) -> str:
        """Return what the account counts in, such as USD."""

    def balance(self) -> Decimal | None:
        """Return what is left to spend; None where the crowd does not tell."""

    def publish(self, spec: Spec, op_id: str) -> Outcome: ...

    def find_postings(self, op_id: str) -> list[Posted]: ...

    def add_places(self, listing: str, n: int, op_id: str) -> Outcome: ...

    def stop(self, listing: str) -> Outcome:
        """Nobody new; who has accepted may finish. Safe to repeat."""

    def posting_level(self, listing: str) -> Level: ...

    def archive(self, listing: str) -> Outcome: ...

    # review and money
    def iter_submissions(self, listing: str) -> Iterator[Submission]: ...

    def get_submission(self, unit: str) -> Submission: ...

    def approve(self, unit: str, *, override: bool = False, message: str = "") -> Outcome: ...

    def reject(self, unit: str, *, reason: str, category: str = "") -> Outcome: ...

    def pay_bonus(self, bonus: Bonus, op_id: str) -> Outcome: ...

    def find_bonus(self, bonus: Bonus, op_id: str) -> bool:
        """Return whether the crowd lists this very bonus as paid.

        Raises `Configuration` where it cannot be told from others: then a person must look.
        """

    # people and events
    def set_excluded(self, person: str, excluded: bool, *, group: str) -> Outcome:
        """Keep a person from work that names this `group` as its `Audience.exclusion`."""

    def message(self, people: Sequence[str], subject: str, text: str) -> Outcome: ...

    def parse_event(self, raw: bytes, headers: Mapping[str, str]) -> Event | Invalid: ...
