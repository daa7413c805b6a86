"""Batches as researchers see them: places, progress and pay."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Min, QuerySet, Sum

from annotate import adapters
from annotate.crowds.terms import Terms, from_json
from annotate.errors import NotFound
from annotate.models import AuditEntry, Batch, LedgerEntry, Participation, Payout, Posting
from annotate.selectors.marketplace import watching
from annotate.selectors.marketplace.environments import CrowdEnvironment, world
from annotate.selectors.pay.open_units import TO_COME

ZERO = Decimal("0.00")
Unit = Participation.Status
Stage = Posting.Status


@dataclass(frozen=True)
class Units:
    """Paid units by what has become of them; they add up over postings."""

    places: int = 0
    available: int = 0  # free, and people may take them
    accepted: int = 0
    handed_in: int = 0  # here, not confirmed by the crowd yet
    confirmed: int = 0  # by the crowd, not decided yet
    approved: int = 0
    rejected: int = 0
    left: int = 0  # given back, or time ran out: their places are free again
    freed: int = 0  # of the rejected: their places are free again, too

    @property
    def taken(self) -> int:
        """Units that are not free: a person works on them or has handed them in."""
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
    at_the_crowd: bool  # people can take it, or may be able to again


@dataclass(frozen=True)
class Money:
    """confirmed: what was shown before launching, with fees; paid and due: to people, without.

    Bonuses are in the batch of the unit that they are owed to.
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
    created_by: str  # "" if no user did it
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
        """One word for all postings: that of the earliest stage that any of them is in."""
        stages = {posting.status for posting in self.postings}
        if self.stopped_at and stages & {Stage.OPEN, Stage.PLANNED}:
            return "stopping"
        if stages == {Stage.CLOSED} and self.may_go_on:
            return "full" if self.units.taken >= self.units.places else "idle"
        order = (Stage.OPEN, Stage.PLANNED, Stage.DRAINING, Stage.FAILED)
        return next((str(stage) for stage in order if stage in stages), str(Stage.CLOSED))

    @property
    def may_go_on(self) -> bool:
        """Whether a place that becomes free may be taken: it was not stopped."""
        return self.stopped_at is None and any(one.at_the_crowd for one in self.postings)

    @property
    def can_stop(self) -> bool:
        waits = self.state in (Stage.PLANNED, Stage.FAILED)
        return self.may_go_on or (self.stopped_at is None and waits)

    @property
    def moves(self) -> bool:
        """Whether it may change without an act of the researcher."""
        waiting = self.units.accepted or self.units.handed_in or self.units.confirmed
        return bool(waiting) or not self.is_over

    @property
    def problems(self) -> tuple[tuple[str, int], ...]:
        """What is wrong with its postings: each sentence, and of how many it is said."""
        return tuple(Counter(p.problem for p in self.postings if p.problem).items())

    @property
    def looked_at(self) -> datetime | None:
        """When the crowd was last asked about any of its postings."""
        return max((p.looked_at for p in self.postings if p.looked_at), default=None)

    @property
    def share_taken(self) -> int:
        """Places that somebody holds, in percent."""
        return _percent(self.units.taken, self.places)

    @property
    def share_handed_in(self) -> int:
        return _percent(self.units.taken - self.units.accepted, self.places)


def of_campaign(campaign_id: int) -> list[BatchRow]:
    """Return a campaign's batches, the newest first; always the same number of queries."""
    rows = list(Batch.objects.filter(campaign=campaign_id).select_related("campaign", "created_by"))
    postings = _postings(campaign_id)
    money, deadlines = _money(campaign_id, rows), _deadlines(campaign_id)
    return [
        _row(batch, tuple(postings.get(batch.pk, ())), money[batch.pk], deadlines.get(batch.pk))
        for batch in rows
    ]


def one(campaign_id: int, public_id: str) -> BatchRow:
    """Return one batch of this campaign; `NotFound` for those of others."""
    for row in of_campaign(campaign_id):
        if row.public_id == public_id:
            return row
    raise NotFound("There is no such batch in this campaign.")


def offered(campaign_id: int) -> bool:
    """Return whether its crowd offers work in this campaign, or is about to.

    Not by batches that are being stopped, as they are after a pause: they never go on.
    """
    rows = Posting.objects.filter(batch__campaign=campaign_id, status__in=TO_COME)
    return rows.filter(batch__stopped_at=None).exists()


def last_terms(campaign_id: int) -> Terms | None:
    """Return the terms of the batch that was launched last."""
    last = Batch.objects.filter(campaign=campaign_id).order_by("pk").last()
    return from_json(last.terms) if last else None


def launched(campaign_id: int) -> bool:
    """Return whether anything was ever launched in it."""
    return Batch.objects.filter(campaign=campaign_id).exists()


def batch_id_of(public_id: str) -> int | None:
    return Batch.objects.filter(public_id=public_id).values_list("pk", flat=True).first()


def _row(
    batch: Batch, postings: tuple[PostingRow, ...], money: Money, deadline: datetime | None
) -> BatchRow:
    return BatchRow(
        batch_id=batch.pk,
        public_id=batch.public_id,
        crowd=batch.crowd,
        label=adapters.label(batch.crowd),
        environment=batch.environment,
        terms=from_json(batch.terms),
        reward=batch.reward,
        tasks=batch.tasks,
        places=batch.places,
        created_at=batch.created_at,
        created_by=batch.created_by.get_username() if batch.created_by else "",
        stopped_at=batch.stopped_at,
        units=sum((posting.units for posting in postings), Units()),
        postings=postings,
        money=money,
        next_auto_approval=deadline,
    )


def _postings(campaign_id: int) -> dict[int, list[PostingRow]]:
    counts: dict[int, Counter[str]] = {}
    units = Participation.objects.filter(posting__batch__campaign=campaign_id).order_by()
    for posting, status, n in units.values_list("posting", "status").annotate(n=Count("pk")):
        counts.setdefault(posting, Counter())[status] = n
    found: dict[int, list[PostingRow]] = {}
    there = set(watching.at_the_crowd(campaign_id))
    for posting in Posting.objects.filter(batch__campaign=campaign_id).select_related("batch"):
        row = _posting(posting, counts.get(posting.pk, Counter()), posting.pk in there)
        found.setdefault(posting.batch_id, []).append(row)
    return found


def _posting(posting: Posting, counts: Counter[str], at_the_crowd: bool) -> PostingRow:
    left, at_work = counts[Unit.LEFT], counts[Unit.ACTIVE]
    if posting.status == Posting.Status.CLOSED:  # no one works on it there: it was given back
        left, at_work = left + at_work, 0
    return PostingRow(
        public_id=posting.public_id,
        status=posting.status,
        status_label=str(posting.get_status_display()),
        listing=posting.external_id,
        url=posting.url,
        units=Units(
            posting.places,
            _available(posting, counts),
            at_work,
            counts[Unit.HANDED_IN],
            counts[Unit.CONFIRMED],
            counts[Unit.APPROVED],
            counts[Unit.REJECTED],
            left,
            counts[Unit.REJECTED] if posting.batch.crowd in adapters.reopening() else 0,
        ),
        expires_at=posting.expires_at,
        looked_at=posting.looked_at,
        problem=posting.problem,
        at_the_crowd=at_the_crowd,
    )


def _available(posting: Posting, counts: Counter[str]) -> int:
    """The crowd's count, or, before the crowd was asked, the places that are free here."""
    if posting.status != Posting.Status.OPEN:
        return 0
    if posting.available is not None:
        return posting.available
    return max(0, posting.places - counts.total() + counts[Unit.LEFT])


def _money(campaign_id: int, batches: list[Batch]) -> dict[int, Money]:
    confirmed = _confirmed(campaign_id)
    theirs = {"participation__posting__batch__campaign": campaign_id}
    earned = _sums(LedgerEntry.objects.filter(**theirs))
    paid = _sums(Payout.objects.filter(**theirs))
    return {
        batch.pk: Money(
            confirmed=confirmed.get(batch.public_id, ZERO),
            paid=paid.get(batch.pk, ZERO),
            due=earned.get(batch.pk, ZERO) - paid.get(batch.pk, ZERO),
        )
        for batch in batches
    }


def _sums(rows: QuerySet[Any]) -> dict[int, Decimal]:
    summed = rows.order_by().values_list("participation__posting__batch").annotate(Sum("amount"))
    return {batch: total.quantize(ZERO) for batch, total in summed}


def _confirmed(campaign_id: int) -> dict[str, Decimal]:
    """What was shown and confirmed at each launch and extension, by the batch's public id."""
    costs: dict[str, Decimal] = {}
    acts = AuditEntry.objects.filter(campaign=campaign_id, verb__in=("launch", "extend"))
    for subject, detail in acts.values_list("subject", "detail"):
        name = subject.removeprefix("batch:")
        costs[name] = costs.get(name, ZERO) + Decimal(detail["cost"])
    return costs


def _deadlines(campaign_id: int) -> dict[int, datetime]:
    """When the crowd will next approve undecided work automatically."""
    waiting = Participation.objects.filter(
        posting__batch__campaign=campaign_id, status=Unit.CONFIRMED, auto_approval_at__isnull=False
    )
    return dict(waiting.order_by().values_list("posting__batch").annotate(Min("auto_approval_at")))


def _percent(part: int, whole: int) -> int:
    return min(100, round(100 * part / whole)) if whole else 0
