"""What a crowd is to us: plain values in and out, no models, no requests.

Every crowd has an `Entry`: how people come in, and how they leave. Crowds that publish work and
pay for it are a `Marketplace` too. Reading raises a `CrowdError`; an effect returns an `Outcome`.
The values are in `entering`, `listings` and `outcomes`; this module exports all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Protocol

from annotate.crowds.entering import (
    Claim,
    Completion,
    Done,
    FormPost,
    FramePolicy,
    InvalidEntry,
    Leaving,
    Preview,
    Redirect,
)
from annotate.crowds.listings import (
    Audience,
    Bonus,
    Cost,
    Event,
    Fullness,
    ListingProblem,
    Posted,
    Spec,
    Stage,
    Submission,
    UnitState,
)
from annotate.crowds.outcomes import (
    NOT_YET,
    Configuration,
    CrowdError,
    Effect,
    InsufficientFunds,
    InvalidTransition,
    NotFoundAtCrowd,
    Outcome,
    Throttled,
    Transient,
)

__all__ = [
    "NOT_YET",
    "Audience",
    "Bonus",
    "Capabilities",
    "Claim",
    "Completion",
    "Configuration",
    "Cost",
    "CrowdError",
    "Done",
    "Effect",
    "Entry",
    "Event",
    "FormPost",
    "FramePolicy",
    "Fullness",
    "InsufficientFunds",
    "InvalidEntry",
    "InvalidTransition",
    "Leaving",
    "ListingProblem",
    "Marketplace",
    "NotFoundAtCrowd",
    "Outcome",
    "Posted",
    "Preview",
    "Redirect",
    "Spec",
    "Stage",
    "Submission",
    "Throttled",
    "Transient",
    "UnitState",
]


@dataclass(frozen=True)
class Capabilities:
    """What differs between crowds, as data.

    verify_at_entry: the crowd confirms who comes when they come; otherwise (MTurk) once it lists
    the work as submitted. override_refusal: a rejection can be turned into an approval.
    token_life: how long a repeated key is recognised; None: never (the effect is looked for).
    messaging_once_decided: messages reach people of whom something was approved or rejected, nobody
    else. places_at_most: places of one posting; None: any number. least_reason: characters that the
    reason of a rejection has at least. no_effect: names of terms that change nothing there.
    """

    preview: bool = False
    iframe: bool = False
    verify_at_entry: bool = True
    override_refusal: timedelta | None = None
    idempotent_bonus: bool = False
    auto_approval: bool = False
    messaging: bool = False
    messaging_once_decided: bool = False
    can_shrink: bool = False
    token_life: timedelta | None = None
    places_at_most: int | None = None
    least_reason: int = 1
    no_effect: tuple[str, ...] = ()


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

    def parse_entry(self, params: Mapping[str, str]) -> Preview | Claim | InvalidEntry:
        """Read what the crowd put into the address; ids are checked in shape only."""

    def verify_claim(self, claim: Claim) -> bool | InvalidEntry:
        """Return whether the crowd confirms this claim now; False: it can only later.

        Raises `Transient` where the crowd does not answer.
        """

    def completion(self, leaving: Leaving) -> Completion:
        """Return what the annotator does at the crowd's end once the work is over."""

    def frame_policy(self) -> FramePolicy: ...


class Marketplace(Entry, Protocol):
    """Publishing, review and money, people and events.

    `op_id` names an effect for ever: it is the crowd's idempotency key where there is one, and
    what `find_…` looks for where the key has lapsed or there is none. No effect is tried twice.
    An effect raises `Configuration`, with nothing done, where the settings do not fit.
    """

    # launch
    def validate(self, spec: Spec) -> list[ListingProblem]: ...

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
        """Admit no new people, for good; people who have accepted may finish. Safe to repeat.

        It is asked of the crowd unless the crowd itself says that the posting is over.
        """

    def posting_level(self, listing: str) -> Fullness: ...

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

    def parse_event(self, raw: bytes, headers: Mapping[str, str]) -> Event | InvalidEntry: ...
