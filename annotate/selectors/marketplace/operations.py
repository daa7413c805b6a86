"""Unfinished operations on a crowd: waiting, failed, or in need of a person."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Case, Count, Q, QuerySet, When
from django.utils import timezone

from annotate.errors import NotFound
from annotate.models import Operation
from annotate.models.payloads import AddPlacesPayload, BonusPayload, PublishPayload
from annotate.selectors import keysets
from annotate.selectors.listings import Listing

SHOWN = 20  # the most that are listed
Kind, State = Operation.Kind, Operation.Status
OVER = (State.DONE, State.DROPPED)
UNFINISHED = tuple(status for status in State if status not in OVER)
STUCK = Operation.STUCK
PERSON_FIRST = Case(*(When(status=status, then=n) for n, status in enumerate(STUCK)), default=9)
# By the code of the reason; otherwise by status. The message says what happened, and this text says
# what to do about it.
REMEDIES = {
    "funds": "Top up the account at the crowd, then try again.",
    "configuration": "Correct the settings of this installation. It then continues automatically.",
    "environment": "Name that environment in the settings again. It then continues automatically.",
    "unlisted": "Look for this submission on the crowd’s own pages. If it is handed in there, "
    "try again; if not, drop this: it is not tried any more. "
    "What is still owed can be given as a bonus.",
}
BY_STATUS = {
    State.PENDING: "Nothing to do: it is tried again automatically, at growing intervals.",
    State.SENT: "Nothing to do: before the next attempt, Plumbline checks whether it happened.",
    State.REFUSED: "Correct what the message names, then try again, or drop it.",
    State.UNCLEAR: "Check on the crowd’s own pages whether it happened, and say so here.",
}


@dataclass(frozen=True)
class OpenOperation:
    """An unfinished operation at the crowd, with what to do about it."""

    operation_id: int
    kind: str
    label: str  # of the kind
    batch: str  # its public id, or ""
    title: str  # of the batch
    posting: str  # its public id, or ""
    url: str  # of the posting, at the crowd
    annotator: str  # pseudonym, if it is about a person's unit
    amount: Decimal | None
    places: int | None
    status: str
    code: str
    message: str
    remedy: str
    attempts: int
    due_at: datetime

    @property
    def refused(self) -> bool:
        return self.status == State.REFUSED

    @property
    def unclear(self) -> bool:
        return self.status == State.UNCLEAR

    @property
    def needs_a_person(self) -> bool:
        return self.refused or self.unclear

    @property
    def droppable(self) -> bool:
        """Return whether it is known not to have happened."""
        return self.status in Operation.NOT_HAPPENED


@dataclass(frozen=True)
class Operations:
    """The unfinished operations.

    listed: those that need a person first.
    n: the number of all.
    under_way: those in progress without problems.
    later: those planned for a later time.
    """

    listed: tuple[OpenOperation, ...]
    n: int
    n_stuck: int
    n_refused: int
    under_way: int
    later: int

    @property
    def moving(self) -> bool:
        """Return whether any of them may change without an act of the researcher."""
        return self.under_way > 0 or self.n > self.n_stuck


def of_campaign(campaign_id: int) -> Operations:
    """Return a campaign's unfinished operations; always the same number of queries."""
    open_, stuck = _open(campaign_id), Q(status__in=STUCK)
    fine, now = ~stuck & Q(message=""), timezone.now()
    counts = open_.aggregate(
        n=Count("pk", filter=~fine),
        n_stuck=Count("pk", filter=stuck),
        n_refused=Count("pk", filter=Q(status=State.REFUSED)),
        under_way=Count("pk", filter=fine & Q(due_at__lte=now)),
        later=Count("pk", filter=fine & Q(due_at__gt=now)),
    )
    return Operations(listed=_listed(_told(campaign_id)), **counts)


def page(campaign_id: int, listing: Listing) -> tuple[Listing, list[OpenOperation]]:
    """Return a page of those that failed or wait, those that need a person first."""
    rows = _related(_told(campaign_id)).annotate(turn=PERSON_FIRST)
    listing, shown = keysets.page(rows, ("turn", "pk"), listing)
    return listing, [_operation(op) for op in shown]


def everywhere() -> Iterator[OpenOperation]:
    """Yield all open, refused or unclear operations, those that need a person first."""
    rows = _related(Operation.objects.exclude(status__in=OVER)).order_by(PERSON_FIRST, "pk")
    return (_operation(op) for op in rows.iterator())


def one(campaign_id: int, operation_id: int) -> OpenOperation:
    """Return one operation of this campaign in any state; raises `NotFound` for any other."""
    rows = _related(Operation.objects.filter(campaign=campaign_id, pk=operation_id))
    for op in rows:
        return _operation(op)
    raise NotFound("There is no such operation in this campaign.")


def _open(campaign_id: int) -> QuerySet[Operation]:
    return Operation.objects.filter(campaign=campaign_id, status__in=UNFINISHED)


def _told(campaign_id: int) -> QuerySet[Operation]:
    """Select those about which there is something to say."""
    return _open(campaign_id).filter(Q(status__in=STUCK) | ~Q(message=""))


def _listed(rows: QuerySet[Operation]) -> tuple[OpenOperation, ...]:
    return tuple(_operation(op) for op in _related(rows).order_by(PERSON_FIRST, "pk")[:SHOWN])


def _related(rows: QuerySet[Operation]) -> QuerySet[Operation]:
    return rows.select_related("batch", "posting", "participation__annotator")


def _operation(op: Operation) -> OpenOperation:
    return OpenOperation(
        operation_id=op.pk,
        kind=op.kind,
        label=str(op.get_kind_display()),
        batch=op.batch.public_id if op.batch else "",
        title=str(op.batch.terms["title"]) if op.batch else "",
        posting=op.posting.public_id if op.posting else "",
        url=op.posting.url if op.posting else "",
        annotator=op.participation.annotator.pseudonym if op.participation else "",
        amount=BonusPayload.of(op).amount if op.kind == Kind.BONUS else None,
        places=_places(op),
        status=op.status,
        code=op.code,
        message=op.message,
        remedy=REMEDIES.get(op.code) or BY_STATUS.get(State(op.status), ""),
        attempts=op.attempts,
        due_at=op.due_at,
    )


def _places(op: Operation) -> int | None:
    if op.kind == Kind.PUBLISH:
        return PublishPayload.of(op).places
    return AddPlacesPayload.of(op).places if op.kind == Kind.ADD_PLACES else None
