"""One batch as plain rows for researchers: its places, its progress and its money."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    Min,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    TextChoices,
    When,
)
from django.utils import timezone

from annotate.campaigns import progress
from annotate.common import lists as common_lists
from annotate.common.errors import NotFound
from annotate.common.lists import Listing
from annotate.crowds import adapters
from annotate.crowds.adapters import CrowdEnvironment, world_of_posting
from annotate.crowds.contract import Configuration, Terms, from_json
from annotate.models import (
    LAUNCHES,
    AuditEntry,
    Batch,
    Campaign,
    LedgerEntry,
    Operation,
    Participation,
    Payout,
    Posting,
)
from annotate.models.crowds import AddPlacesPayload, BonusPayload, PublishPayload
from annotate.pay import budget, promise_queries
from annotate.pay.budget import TO_COME, Deadline, DisputedUnit

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
        return world_of_posting(self.crowd, self.environment)

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


# Unfinished operations on a crowd: waiting, failed, or in need of a person.


SHOWN = 20  # the most that are listed
Kind, State = Operation.Kind, Operation.Status
OPERATION_OVER = (State.DONE, State.DROPPED)
UNFINISHED = tuple(status for status in State if status not in OPERATION_OVER)
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


def operations_of_campaign(campaign_id: int) -> Operations:
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


def operations_page(campaign_id: int, listing: Listing) -> tuple[Listing, list[OpenOperation]]:
    """Return a page of those that failed or wait, those that need a person first."""
    rows = _related(_told(campaign_id)).annotate(turn=PERSON_FIRST)
    listing, shown = common_lists.page_beside(rows, ("turn", "pk"), listing)
    return listing, [_operation(op) for op in shown]


def everywhere() -> Iterator[OpenOperation]:
    """Yield all open, refused or unclear operations, those that need a person first."""
    rows = _related(Operation.objects.exclude(status__in=OPERATION_OVER)).order_by(
        PERSON_FIRST, "pk"
    )
    return (_operation(op) for op in rows.iterator())


def operation_row(campaign_id: int, operation_id: int) -> OpenOperation:
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


# Which postings are due for a comparison with their crowd, and what a comparison has changed.


Status = Posting.Status
Unit = Participation.Status
LIVE = (Status.OPEN, Status.DRAINING)
AT_WORK = (Unit.ACTIVE, Unit.HANDED_IN)
UNDECIDED = (*AT_WORK, Unit.CONFIRMED)
QUIET = timedelta(minutes=5)  # between two looks at a posting without people at work
AT_ONCE = 200  # postings per run, the longest unseen first


def due(*, all_: bool = False) -> list[int]:
    """Return the postings that are due, the longest unseen first."""
    quiet = Q(looked_at__lte=timezone.now() - QUIET)
    live = Q(status__in=LIVE)
    busy = live & (Q(pending__gt=0) | _has(AT_WORK))
    over = Q(status=Status.CLOSED) & (_has(UNDECIDED) | _not_all_in() | may_go_on())
    rows = watching_kept().filter(status__in=(*LIVE, Status.CLOSED))
    rows = rows if all_ else rows.filter(Q(looked_at=None) | busy | (quiet & (live | over)))
    ordered = rows.order_by(F("looked_at").asc(nulls_first=True), "pk")
    return list(ordered.values_list("pk", flat=True)[:AT_ONCE])


def campaigns() -> list[int]:
    """Return the campaigns with unarchived postings at a crowd, or with a bonus to be paid."""
    ids = watching_kept().order_by("batch__campaign").values_list("batch__campaign", flat=True)
    return sorted({*ids.distinct(), *promise_queries.to_be_paid()})


def at_the_crowd(campaign_id: int | None = None) -> QuerySet[Posting]:
    """Select the postings that people can enter, now or later; of one campaign, or of all."""
    rows = (
        watching_kept()
        if campaign_id is None
        else watching_kept().filter(batch__campaign=campaign_id)
    )
    found = rows.filter(Q(status__in=LIVE) | (Q(status=Status.CLOSED) & may_go_on()))
    return found.order_by("pk")


def decided(campaign: Campaign) -> list[int]:
    """Return the closed postings with nothing left to decide.

    No unit is undecided or may still be submitted, no operation is open, and no rejection can be
    reversed any more; archiving would make it final. Postings that may continue have been stopped.
    """
    limit = adapters.marketplace(campaign.crowd).can.override_refusal or timedelta(0)
    final = timezone.now() - limit
    mine = Participation.objects.filter(posting=OuterRef("pk"))
    rejected = mine.filter(status=Unit.REJECTED, submitted_at__gt=final)
    waits = Operation.objects.filter(
        Q(posting=OuterRef("pk")) | Q(participation__posting=OuterRef("pk")),
        status__in=Operation.UNDONE,
    ).exclude(kind=Operation.Kind.MESSAGE)  # it concerns a person, not a posting
    stopped = Operation.objects.filter(
        posting=OuterRef("pk"), kind=Operation.Kind.STOP, status=Operation.Status.DONE
    )
    rows = watching_kept().filter(batch__campaign=campaign, status=Status.CLOSED)
    rows = rows.filter(~Q(batch__crowd__in=adapters.reopening()) | Exists(stopped))
    rows = rows.exclude(_has(UNDECIDED) | Exists(rejected) | Exists(waits) | _not_all_in())
    return list(rows.order_by("pk").values_list("pk", flat=True))


def watching_kept() -> QuerySet[Posting]:
    """Return the published postings that are not archived."""
    archive = Operation.objects.filter(posting=OuterRef("pk"), kind=Operation.Kind.ARCHIVE)
    away = archive.exclude(status__in=Operation.OPEN)
    return Posting.objects.exclude(external_id="").exclude(Exists(away))


def may_go_on() -> Q:
    """Select unarchived postings on crowds whose full postings may continue."""
    return Q(batch__crowd__in=adapters.reopening(), pk__in=watching_kept().values("pk"))


def _has(statuses: tuple[Unit, ...]) -> Exists:
    return Exists(Participation.objects.filter(posting=OuterRef("pk"), status__in=statuses))


def _not_all_in() -> Q:
    """Select postings that ended so recently that a person who never came here may still submit.

    A crowd that does not list people at work may call a posting closed while they work.
    """
    found, now = Q(pk__in=()), timezone.now()
    ended = watching_kept().filter(status=Status.CLOSED, expires_at__lte=now)
    for batch in Batch.objects.filter(pk__in=ended.values("batch")):
        try:
            lists_all = adapters.marketplace(batch.crowd).can.verify_at_entry
        except Configuration:
            continue  # it cannot be asked or archived
        if not lists_all:
            last = now - from_json(batch.terms).duration - settings.CROWD_GRACE
            found |= Q(batch=batch, expires_at__gt=last, expires_at__lte=now)
    return found


TABLES: dict[str, tuple[type[Model], type[TextChoices]]] = {
    "postings": (Posting, Posting.Status),
    "submissions": (Participation, Participation.Status),
    "operations": (Operation, Operation.Status),
}


def counts() -> dict[str, int]:
    """Return the number of postings, units and operations by status, and of pay-outs."""
    found = {"pay-outs": Payout.objects.count()}
    for name, (model, status_of) in TABLES.items():
        rows = model._default_manager.order_by().values_list("status").annotate(Count("pk"))
        found |= {f"{name}, {str(status_of(status).label).lower()}": n for status, n in rows}
    return found


def changes(before: dict[str, int], after: dict[str, int]) -> Iterator[str]:
    """Yield the differences, in words."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, 0), after.get(name, 0)
        if old != new:
            yield f"{name}: {old} → {new}"


# Batches as researchers see them: places, progress and pay.


ZERO = Decimal("0.00")
OVER = (Posting.Status.CLOSED, Posting.Status.FAILED)
RUNNING = "running"  # the choice of batches that are not over


def of_campaign(campaign_id: int) -> list[BatchRow]:
    """Return a campaign's batches, the newest first; always the same number of queries."""
    return _rows(_named(campaign_id))


def batches_page(campaign_id: int, listing: Listing) -> tuple[Listing, list[BatchRow]]:
    """Return a page of a campaign's batches, the newest first; always the same number of queries.

    `listing` searches in titles; its choice "running" leaves out batches that are over.
    """
    found = _named(campaign_id)
    if listing.search:
        found = found.filter(terms__title__icontains=listing.search)
    if listing.choice == RUNNING:
        open_ = Posting.objects.filter(batch=OuterRef("pk")).exclude(status__in=OVER)
        found = found.filter(Exists(open_))
    listing, shown = common_lists.page_beside(found, ("-pk",), listing)
    return listing, _rows(shown)


def batch_row(campaign_id: int, public_id: str) -> BatchRow:
    """Return one batch of this campaign; raises `NotFound` for any other."""
    for row in _rows(_named(campaign_id).filter(public_id=public_id)):
        return row
    raise NotFound("There is no such batch in this campaign.")


def _named(campaign_id: int) -> QuerySet[Batch]:
    rows = Batch.objects.filter(campaign=campaign_id)
    return rows.select_related("campaign", "created_by")


def _rows(found: Iterable[Batch]) -> list[BatchRow]:
    rows = list(found)
    ids = [batch.pk for batch in rows]
    postings, money, deadlines = _postings(ids), _money(rows), _deadlines(ids)
    return [
        _row(batch, tuple(postings.get(batch.pk, ())), money[batch.pk], deadlines.get(batch.pk))
        for batch in rows
    ]


def moving(campaign_id: int) -> bool:
    """Return whether any batch of a campaign may change without an act of the researcher."""
    postings = Posting.objects.filter(batch__campaign=campaign_id).exclude(status__in=OVER)
    units = Participation.objects.filter(posting__batch__campaign=campaign_id, status__in=UNDECIDED)
    # People who are at work in a posting that has closed will not hand in any more.
    ended = Q(status=Unit.ACTIVE, posting__status=Posting.Status.CLOSED)
    return postings.exists() or units.exclude(ended).exists()


def offered(campaign_id: int) -> bool:
    """Return whether its crowd offers work in this campaign, or is about to.

    Batches that are being stopped, as after a pause, are not counted: they never continue.
    """
    rows = Posting.objects.filter(batch__campaign=campaign_id, status__in=TO_COME)
    return rows.filter(batch__stopped_at=None).exists()


def last_terms(campaign_id: int) -> Terms | None:
    """Return the terms of the latest batch; None without one."""
    last = Batch.objects.filter(campaign=campaign_id).order_by("pk").last()
    return from_json(last.terms) if last else None


def more_units(campaign_id: int, *, than: int) -> bool:
    """Return whether the campaign has more than so many units, without counting them all."""
    units = Participation.objects.filter(campaign=campaign_id).order_by()
    return units[than : than + 1].exists()


def launched(campaign_id: int) -> bool:
    """Return whether a batch was ever launched in the campaign."""
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
        label=adapters.crowd_label(batch.crowd),
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


def _postings(batches: list[int]) -> dict[int, list[PostingRow]]:
    counts: dict[int, Counter[str]] = {}
    units = Participation.objects.filter(posting__batch__in=batches).order_by()
    for posting, status, n in units.values_list("posting", "status").annotate(n=Count("pk")):
        counts.setdefault(posting, Counter())[status] = n
    found: dict[int, list[PostingRow]] = {}
    there = set(at_the_crowd().filter(batch__in=batches).values_list("pk", flat=True))
    for posting in Posting.objects.filter(batch__in=batches).select_related("batch"):
        row = _posting(posting, counts.get(posting.pk, Counter()), posting.pk in there)
        found.setdefault(posting.batch_id, []).append(row)
    return found


def _posting(posting: Posting, counts: Counter[str], at_the_crowd: bool) -> PostingRow:
    left, at_work = counts[Unit.LEFT], counts[Unit.ACTIVE]
    if posting.status == Posting.Status.CLOSED:  # it has ended there, so no one works on it
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
    """Return the crowd's count; before the first comparison, the places that are free here."""
    if posting.status != Posting.Status.OPEN:
        return 0
    if posting.available is not None:
        return posting.available
    return max(0, posting.places - counts.total() + counts[Unit.LEFT])


def _money(batches: list[Batch]) -> dict[int, Money]:
    confirmed = _confirmed(batches)
    theirs = {"participation__posting__batch__in": [batch.pk for batch in batches]}
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


def _confirmed(batches: list[Batch]) -> dict[str, Decimal]:
    """Return the confirmed cost of all launches and extensions, by the batch's public id."""
    costs: dict[str, Decimal] = {}
    subjects = [f"batch:{batch.public_id}" for batch in batches]
    acts = AuditEntry.objects.filter(verb__in=LAUNCHES, subject__in=subjects)
    for subject, detail in acts.values_list("subject", "detail"):
        name = subject.removeprefix("batch:")
        costs[name] = costs.get(name, ZERO) + Decimal(detail["cost"])
    return costs


def _deadlines(batches: list[int]) -> dict[int, datetime]:
    """Return when the crowd next approves undecided work automatically, by batch."""
    waiting = Participation.objects.filter(
        posting__batch__in=batches, status=Unit.CONFIRMED, auto_approval_at__isnull=False
    )
    return dict(waiting.order_by().values_list("posting__batch").annotate(Min("auto_approval_at")))


# The contents of the page of a campaign's batches, as one value.


MOST_DISPUTED = 20  # units that are listed at a time
MOST_MISSING = 10_000  # free slots are counted up to here


@dataclass(frozen=True)
class Board:
    """The contents of the page.

    world: where the next batch would be launched, by the current settings.
    batches: those of this page of the list; `launched`: whether there are any at all.
    doubtful: the first of `n_doubtful`.
    missing: free slots while nothing is offered, at most `MOST_MISSING` + 1; 0 while something is.
    can_look: there is something at the crowd to compare with.
    live: something may change without an act of the researcher.
    """

    world: CrowdEnvironment
    listing: Listing
    batches: tuple[BatchRow, ...]
    launched: bool
    operations: Operations
    doubtful: tuple[DisputedUnit, ...]
    n_doubtful: int
    missing: int
    near: Deadline | None
    can_look: bool
    live: bool

    @property
    def many_missing(self) -> bool:
        return self.missing > MOST_MISSING

    @property
    def fingerprint(self) -> str:
        """Return a digest of this content. A page with the same digest is up to date."""
        return sha256(repr(self).encode()).hexdigest()[:16]


def board(campaign_id: int, crowd: str, listing: Listing) -> Board:
    """Return the contents; always the same number of queries."""
    listing, rows = batches_page(campaign_id, listing)
    open_ = operations_of_campaign(campaign_id)
    return Board(
        world_of_posting(crowd),
        listing,
        tuple(rows),
        bool(rows) or launched(campaign_id),
        open_,
        budget.disputed(campaign_id, most=MOST_DISPUTED),
        budget.count_disputed(campaign_id),
        0 if offered(campaign_id) else _missing(campaign_id),
        budget.next_deadline(campaign_id),
        at_the_crowd(campaign_id).exists(),
        open_.moving or moving(campaign_id),
    )


def _missing(campaign_id: int) -> int:
    return progress.free(campaign_id).order_by()[: MOST_MISSING + 1].count()
