"""The contract of crowds: plain values in and out, without models and requests.

Every crowd has an `Entry`: how people enter and leave. Crowds that publish and pay for work are
also a `Marketplace`. Reading raises a `CrowdError`; an effect returns an `Outcome`. The values are
in `entering`, `listings` and `outcomes`; this module exports all of them.
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
    """How people enter from a crowd, and how they leave (also for crowds that publish nothing)."""

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

    def parse_entry(self, params: Mapping[str, str]) -> Preview | Claim | InvalidEntry:
        """Read the crowd's parameters of the address. Only the shape of ids is checked."""

    def verify_claim(self, claim: Claim) -> bool | InvalidEntry:
        """Return whether the crowd confirms this claim now; False: it can confirm it only later.

        Raises `Transient` where the crowd does not answer.
        """

    def completion(self, leaving: Leaving) -> Completion:
        """Return what the annotator does at the crowd after the work."""

    def frame_policy(self) -> FramePolicy: ...


class Marketplace(Entry, Protocol):
    """Publishing, review and money, people and events.

    `op_id` is the permanent name of an effect: the crowd's idempotency key if it has one, and what
    `find_…` looks for if the key has lapsed or there is none. No effect is tried twice. An effect
    raises `Configuration` and changes nothing where the settings do not fit.
    """

    # launch
    def validate(self, spec: Spec) -> list[ListingProblem]: ...

    def estimate_cost(self, reward: Decimal, places: int) -> Cost: ...

    def bonus_cost(self, amount: Decimal) -> Cost: ...

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

        Raises `Configuration` where it cannot be distinguished from others; then a person must
        look.
        """

    # people and events
    def set_excluded(self, person: str, excluded: bool, *, group: str) -> Outcome:
        """Exclude a person from work that names this `group` as its `Audience.exclusion`."""

    def message(self, people: Sequence[str], subject: str, text: str) -> Outcome: ...

    def parse_event(self, raw: bytes, headers: Mapping[str, str]) -> Event | InvalidEntry: ...
