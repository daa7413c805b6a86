"""Batches as researchers see them: how full, what is open or stuck at the crowd, what is paid."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Min, QuerySet, Sum

from annotate import adapters
from annotate.crowds.terms import Terms, from_json
from annotate.models import (
    AuditEntry,
    Batch,
    LedgerEntry,
    Operation,
    Participation,
    Payout,
    Posting,
)

ZERO = Decimal("0.00")
Unit = Participation.Status
NOT_DONE = (*Operation.OPEN, Operation.Status.REFUSED, Operation.Status.UNCLEAR)
# By the code that a crowd, or we, gave as the reason; otherwise by status.
REMEDIES = {
    "funds": "Top up the account at the crowd, then try again.",
    "configuration": "Mend the settings of this installation; it goes on by itself.",
    "environment": "Let the settings name that environment again; it goes on by itself.",
    "throttled": "Nothing to do: it is tried again by itself, more and more slowly.",
    "unpublished": "Nothing to do: it follows once the posting is published.",
    "queue": "Nothing to do: it follows once the earlier extension is made.",
}
BY_STATUS = {
    Operation.Status.PENDING: "Nothing to do: it is tried, and tried again, by itself.",
    Operation.Status.SENT: "Nothing to do: whether it happened is looked for before it is "
    "tried again.",
    Operation.Status.REFUSED: "Mend what the message names, then try again, or give it up.",
    Operation.Status.UNCLEAR: "Look on the crowd’s own pages whether it happened, and say so.",
}


@dataclass(frozen=True)
class Units:
    """Paid units by what has become of them; they add up over postings."""

    places: int = 0
    available: int = 0  # nobody has taken them, and somebody may
    accepted: int = 0
    handed_in: int = 0  # here, not confirmed by the crowd yet
    confirmed: int = 0  # by the crowd, not decided yet
    approved: int = 0
    rejected: int = 0
    left: int = 0  # given back, or time ran out: their places are free again

    def __add__(self, other: "Units") -> "Units":
        return Units(*(getattr(self, n) + getattr(other, n) for n in self.__dataclass_fields__))


@dataclass(frozen=True)
class OpenOperation:
    """Something that was to be done at the crowd and is not, with what to do about it."""

    operation_id: int
    batch_id: int | None
    kind: str
    posting: str  # its public id, or ""
    status: str
    code: str
    message: str
    remedy: str
    attempts: int
    due_at: datetime

    @property
    def needs_a_person(self) -> bool:
        return self.status in (Operation.Status.REFUSED, Operation.Status.UNCLEAR)


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
    created_by: str  # "" where nobody in person
    stopped_at: datetime | None
    units: Units
    postings: tuple[PostingRow, ...]
    operations: tuple[OpenOperation, ...]
    money: Money
    next_auto_approval: datetime | None  # of work that nobody has decided about

    @property
    def judgments(self) -> int:
        return self.places * self.tasks

    @property
    def is_over(self) -> bool:
        over = (Posting.Status.CLOSED, Posting.Status.FAILED)
        return all(posting.status in over for posting in self.postings)


def of_campaign(campaign_id: int) -> list[BatchRow]:
    """Return a campaign's batches, the newest first; eight queries, however many there are."""
    rows = list(Batch.objects.filter(campaign=campaign_id).select_related("campaign", "created_by"))
    postings = _postings(campaign_id)
    stuck = operations(campaign_id)
    money, deadlines = _money(campaign_id, rows), _deadlines(campaign_id)
    return [
        _row(
            batch, postings.get(batch.pk, ()), [op for op in stuck if op.batch_id == batch.pk],
            money[batch.pk], deadlines.get(batch.pk),
        )
        for batch in rows
    ]  # fmt: skip


def operations(campaign_id: int | None) -> list[OpenOperation]:
    """Return what is open, refused or unclear in a campaign (None: anywhere).

    What needs a person comes first.
    """
    rows = Operation.objects.filter(status__in=NOT_DONE)
    rows = rows if campaign_id is None else rows.filter(campaign=campaign_id)
    names = rows.order_by("pk").select_related("posting", "participation__posting")
    found = [_operation(op) for op in names]
    return sorted(found, key=lambda op: not op.needs_a_person)


def batch_id_of(public_id: str) -> int | None:
    return Batch.objects.filter(public_id=public_id).values_list("pk", flat=True).first()


def _row(
    batch: Batch, postings: Iterable[PostingRow], stuck: list[OpenOperation], money: Money,
    deadline: datetime | None,
) -> BatchRow:  # fmt: skip
    postings = tuple(postings)
    return BatchRow(
        batch_id=batch.pk,
        public_id=batch.public_id,
        crowd=batch.crowd,
        label=adapters.LABELS.get(batch.crowd, batch.crowd),
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
        operations=tuple(stuck),
        money=money,
        next_auto_approval=deadline,
    )


def _postings(campaign_id: int) -> dict[int, list[PostingRow]]:
    counts: dict[int, Counter[str]] = {}
    units = Participation.objects.filter(posting__batch__campaign=campaign_id).order_by()
    for posting, status, n in units.values_list("posting", "status").annotate(n=Count("pk")):
        counts.setdefault(posting, Counter())[status] = n
    found: dict[int, list[PostingRow]] = {}
    for posting in Posting.objects.filter(batch__campaign=campaign_id):
        row = _posting(posting, counts.get(posting.pk, Counter()))
        found.setdefault(posting.batch_id, []).append(row)
    return found


def _posting(posting: Posting, counts: Counter[str]) -> PostingRow:
    return PostingRow(
        public_id=posting.public_id,
        status=posting.status,
        status_label=str(posting.get_status_display()),
        listing=posting.external_id,
        url=posting.url,
        units=Units(
            posting.places, _available(posting, counts), counts[Unit.ACTIVE],
            counts[Unit.HANDED_IN], counts[Unit.CONFIRMED], counts[Unit.APPROVED],
            counts[Unit.REJECTED], counts[Unit.LEFT],
        ),
        expires_at=posting.expires_at,
        looked_at=posting.looked_at,
        problem=posting.problem,
    )  # fmt: skip


def _available(posting: Posting, counts: Counter[str]) -> int:
    """As the crowd counts, or, before it was asked, as many as nobody has taken here."""
    if posting.status != Posting.Status.OPEN:
        return 0
    if posting.available is not None:
        return posting.available
    return max(0, posting.places - counts.total() + counts[Unit.LEFT])


def _operation(op: Operation) -> OpenOperation:
    posting = op.posting or (op.participation.posting if op.participation else None)
    return OpenOperation(
        operation_id=op.pk,
        batch_id=op.batch_id or (posting.batch_id if posting else None),
        kind=str(op.get_kind_display()),
        posting=posting.public_id if posting else "",
        status=op.status,
        code=op.code,
        message=op.message,
        remedy=REMEDIES.get(op.code) or BY_STATUS[Operation.Status(op.status)],
        attempts=op.attempts,
        due_at=op.due_at,
    )


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
    """When the crowd will next approve work by itself that nobody here has decided about."""
    waiting = Participation.objects.filter(
        posting__batch__campaign=campaign_id, status=Unit.CONFIRMED, auto_approval_at__isnull=False
    )
    return dict(waiting.order_by().values_list("posting__batch").annotate(Min("auto_approval_at")))
