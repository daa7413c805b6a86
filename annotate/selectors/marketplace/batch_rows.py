"""One batch as plain rows for researchers: its places, its progress and its money."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from annotate.crowds.terms import Terms
from annotate.models import Posting
from annotate.selectors.marketplace.environments import CrowdEnvironment, world

Stage = Posting.Status


@dataclass(frozen=True)
class Units:
    """Paid units counted by their state. Postings' counts add up."""

    places: int = 0
    available: int = 0  # free and offered
    accepted: int = 0
    handed_in: int = 0  # submitted here, not confirmed by the crowd yet
    confirmed: int = 0  # by the crowd, not decided yet
    approved: int = 0
    rejected: int = 0
    left: int = 0  # returned or timed out; their places are free again
    freed: int = 0  # of the rejected: their places are free again

    @property
    def taken(self) -> int:
        """Return the units that are not free: in progress or submitted."""
        done = self.confirmed + self.approved + self.rejected - self.freed
        return self.accepted + self.handed_in + done

    def __add__(self, other: "Units") -> "Units":
        return Units(*(getattr(self, n) + getattr(other, n) for n in self.__dataclass_fields__))


@dataclass(frozen=True)
class PostingRow:
    """One listing at the crowd."""

    public_id: str
    status: str
    status_label: str
    listing: str
    url: str
    units: Units
    expires_at: datetime | None
    looked_at: datetime | None
    problem: str
    at_the_crowd: bool  # people can accept it, or may be able to later


@dataclass(frozen=True)
class Money:
    """The money of a batch.

    confirmed: the cost shown before launching, with fees.
    paid, due: to people, without fees.
    A bonus belongs to the batch of the unit for which it is owed.
    """

    confirmed: Decimal
    paid: Decimal
    due: Decimal


@dataclass(frozen=True)
class BatchRow:
    """One launch, with all its postings."""

    batch_id: int
    public_id: str
    crowd: str
    label: str
    environment: str
    terms: Terms
    reward: Decimal
    tasks: int
    places: int
    created_at: datetime
    created_by: str  # "" for a launch without a user
    stopped_at: datetime | None
    units: Units
    postings: tuple[PostingRow, ...]
    money: Money
    next_auto_approval: datetime | None  # of undecided work

    @property
    def judgments(self) -> int:
        return self.places * self.tasks

    @property
    def world(self) -> CrowdEnvironment:
        return world(self.crowd, self.environment)

    @property
    def is_over(self) -> bool:
        over = (Stage.CLOSED, Stage.FAILED)
        return all(posting.status in over for posting in self.postings)

    @property
    def state(self) -> str:
        """Return one word for all postings: the earliest stage among them."""
        stages = {posting.status for posting in self.postings}
        if self.stopped_at and stages & {Stage.OPEN, Stage.PLANNED}:
            return "stopping"
        if stages == {Stage.CLOSED} and self.may_go_on:
            return "full" if self.units.taken >= self.units.places else "idle"
        order = (Stage.OPEN, Stage.PLANNED, Stage.DRAINING, Stage.FAILED)
        return next((str(stage) for stage in order if stage in stages), str(Stage.CLOSED))

    @property
    def may_go_on(self) -> bool:
        """Return whether a place that becomes free may be taken again (not stopped)."""
        return self.stopped_at is None and any(one.at_the_crowd for one in self.postings)

    @property
    def can_stop(self) -> bool:
        waits = self.state in (Stage.PLANNED, Stage.FAILED)
        return self.may_go_on or (self.stopped_at is None and waits)

    @property
    def moves(self) -> bool:
        """Return whether it may change without an act of the researcher."""
        waiting = self.units.accepted or self.units.handed_in or self.units.confirmed
        return bool(waiting) or not self.is_over

    @property
    def problems(self) -> tuple[tuple[str, int], ...]:
        """Return the problems of its postings: each sentence, and how many postings have it."""
        return tuple(Counter(p.problem for p in self.postings if p.problem).items())

    @property
    def looked_at(self) -> datetime | None:
        """Return when the crowd was last asked about any of its postings."""
        return max((p.looked_at for p in self.postings if p.looked_at), default=None)

    @property
    def share_taken(self) -> int:
        """Return the share of places that are taken, in percent."""
        return _percent(self.units.taken, self.places)

    @property
    def share_handed_in(self) -> int:
        return _percent(self.units.taken - self.units.accepted, self.places)


def _percent(part: int, whole: int) -> int:
    return min(100, round(100 * part / whole)) if whole else 0
