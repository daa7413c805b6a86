"""Batches, postings and operations as researchers see them, and which postings are due."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Case, Count, Exists, F, Min, OuterRef, Q, QuerySet, Sum, When
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
from annotate.pay import promise_queries
from annotate.pay.budget import TO_COME

Stage = Posting.Status
OVER = (Stage.CLOSED, Stage.FAILED)


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
    """One listing at the crowd. at_the_crowd: people can accept it, or may be able to later."""

    posting: Posting
    units: Units
    at_the_crowd: bool


@dataclass(frozen=True)
class BatchRow:
    """One launch, with all its postings.

    confirmed: the cost shown before launching, with fees.
    paid, due: to people, without fees. A bonus belongs to the batch of the unit for which it is
        owed.
    next_auto_approval: of undecided work.
    """

    batch: Batch
    postings: list[PostingRow]
    confirmed: Decimal
    paid: Decimal
    due: Decimal
    next_auto_approval: datetime | None

    @property
    def units(self) -> Units:
        return sum((one.units for one in self.postings), Units())

    @property
    def created_by(self) -> str:
        """Return the user's name; "" for a launch without a user."""
        return self.batch.created_by.get_username() if self.batch.created_by else ""

    @property
    def world(self) -> CrowdEnvironment:
        return world_of_posting(self.batch.crowd, self.batch.environment)

    @property
    def is_over(self) -> bool:
        return all(one.posting.status in OVER for one in self.postings)

    @property
    def state(self) -> str:
        """Return one word for all postings: the earliest stage among them."""
        stages = {one.posting.status for one in self.postings}
        if self.batch.stopped_at and stages & {Stage.OPEN, Stage.PLANNED}:
            return "stopping"
        if stages == {Stage.CLOSED} and self.may_go_on:
            return "full" if self.units.taken >= self.units.places else "idle"
        order = (Stage.OPEN, Stage.PLANNED, Stage.DRAINING, Stage.FAILED)
        return next((str(stage) for stage in order if stage in stages), str(Stage.CLOSED))

    @property
    def may_go_on(self) -> bool:
        """Return whether a place that becomes free may be taken again (not stopped)."""
        there = any(one.at_the_crowd for one in self.postings)
        return self.batch.stopped_at is None and there

    @property
    def can_stop(self) -> bool:
        waits = self.state in (Stage.PLANNED, Stage.FAILED)
        return self.may_go_on or (self.batch.stopped_at is None and waits)

    @property
    def problems(self) -> tuple[tuple[str, int], ...]:
        """Return the problems of its postings: each sentence, and how many postings have it."""
        problems = (one.posting.problem for one in self.postings)
        return tuple(Counter(filter(None, problems)).items())

    @property
    def looked_at(self) -> datetime | None:
        """Return when the crowd was last asked about any of its postings."""
        looked = (one.posting.looked_at for one in self.postings)
        return max(filter(None, looked), default=None)

    @property
    def share_taken(self) -> int:
        """Return the share of places that are taken, in percent."""
        return _percent(self.units.taken, self.batch.places)

    @property
    def share_handed_in(self) -> int:
        return _percent(self.units.taken - self.units.accepted, self.batch.places)


def _percent(part: int, whole: int) -> int:
    return min(100, round(100 * part / whole)) if whole else 0


# Unfinished operations on a crowd: waiting, failed, or in need of a person.


State = Operation.Status
OPERATION_OVER = (State.DONE, State.DROPPED)
STUCK = Operation.STUCK
PERSON_FIRST = Case(*(When(status=status, then=n) for n, status in enumerate(STUCK)), default=9)


def operations_told(campaign_id: int) -> QuerySet[Operation]:
    """Select a campaign's operations that failed or wait, those that need a person first."""
    told = Q(status__in=STUCK) | ~Q(message="")
    return unfinished().filter(told, campaign=campaign_id)


def unfinished() -> QuerySet[Operation]:
    """Select all open, refused or unclear operations, those that need a person first."""
    rows = _related().exclude(status__in=OPERATION_OVER)
    return rows.annotate(turn=PERSON_FIRST).order_by("turn", "pk")


def operation_counts(campaign_id: int) -> dict[str, int]:
    """Return how many operations are unfinished.

    n: those with something to say; n_stuck, n_refused: those of them that need a person.
    under_way: those in progress without problems. later: those planned for a later time.
    """
    stuck, now = Q(status__in=STUCK), timezone.now()
    fine = ~stuck & Q(message="")
    rows = Operation.objects.filter(campaign=campaign_id).exclude(status__in=OPERATION_OVER)
    return rows.aggregate(
        n=Count("pk", filter=~fine),
        n_stuck=Count("pk", filter=stuck),
        n_refused=Count("pk", filter=Q(status=State.REFUSED)),
        under_way=Count("pk", filter=fine & Q(due_at__lte=now)),
        later=Count("pk", filter=fine & Q(due_at__gt=now)),
    )


def operations_move(counts: dict[str, int]) -> bool:
    """Return whether any of them may change without an act of the researcher."""
    return counts["under_way"] > 0 or counts["n"] > counts["n_stuck"]


def operation(campaign_id: int, operation_id: int) -> Operation:
    """Return one operation of this campaign in any state; raises `NotFound` for any other."""
    found = _related().filter(campaign=campaign_id, pk=operation_id).first()
    if found is None:
        raise NotFound("There is no such operation in this campaign.")
    return found


def _related() -> QuerySet[Operation]:
    return Operation.objects.select_related("batch", "posting", "participation__annotator")


# Which postings are due for a comparison with their crowd, and what a comparison has changed.


Unit = Participation.Status
LIVE = (Stage.OPEN, Stage.DRAINING)
AT_WORK = (Unit.ACTIVE, Unit.HANDED_IN)
UNDECIDED = (*AT_WORK, Unit.CONFIRMED)
QUIET = timedelta(minutes=5)  # between two looks at a posting without people at work
AT_ONCE = 200  # postings per run, the longest unseen first


def due(*, all_: bool = False) -> list[int]:
    """Return the postings that are due, the longest unseen first."""
    quiet = Q(looked_at__lte=timezone.now() - QUIET)
    live = Q(status__in=LIVE)
    busy = live & (Q(pending__gt=0) | _has(AT_WORK))
    over = Q(status=Stage.CLOSED) & (_has(UNDECIDED) | _not_all_in() | may_go_on())
    rows = watching_kept().filter(status__in=(*LIVE, Stage.CLOSED))
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
    found = rows.filter(Q(status__in=LIVE) | (Q(status=Stage.CLOSED) & may_go_on()))
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
        posting=OuterRef("pk"), kind=Operation.Kind.STOP, status=State.DONE
    )
    rows = watching_kept().filter(batch__campaign=campaign, status=Stage.CLOSED)
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
    ended = watching_kept().filter(status=Stage.CLOSED, expires_at__lte=now)
    for batch in Batch.objects.filter(pk__in=ended.values("batch")):
        try:
            lists_all = adapters.marketplace(batch.crowd).can.verify_at_entry
        except Configuration:
            continue  # it cannot be asked or archived
        if not lists_all:
            last = now - from_json(batch.terms).duration - settings.CROWD_GRACE
            found |= Q(batch=batch, expires_at__gt=last, expires_at__lte=now)
    return found


# Batches as researchers see them: places, progress and pay.


ZERO = Decimal("0.00")
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
    postings, confirmed, deadlines = _postings(ids), _confirmed(rows), _deadlines(ids)
    theirs = {"participation__posting__batch__in": ids}
    earned = _sums(LedgerEntry.objects.filter(**theirs))
    paid = _sums(Payout.objects.filter(**theirs))
    return [
        BatchRow(
            batch,
            postings.get(batch.pk, []),
            confirmed=confirmed.get(batch.public_id, ZERO),
            paid=paid.get(batch.pk, ZERO),
            due=earned.get(batch.pk, ZERO) - paid.get(batch.pk, ZERO),
            next_auto_approval=deadlines.get(batch.pk),
        )
        for batch in rows
    ]


def moving(campaign_id: int) -> bool:
    """Return whether any batch of a campaign may change without an act of the researcher."""
    postings = Posting.objects.filter(batch__campaign=campaign_id).exclude(status__in=OVER)
    units = Participation.objects.filter(posting__batch__campaign=campaign_id, status__in=UNDECIDED)
    # People who are at work in a posting that has closed will not hand in any more.
    ended = Q(status=Unit.ACTIVE, posting__status=Stage.CLOSED)
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


def _postings(batches: list[int]) -> dict[int, list[PostingRow]]:
    counts: dict[int, Counter[str]] = {}
    units = Participation.objects.filter(posting__batch__in=batches).order_by()
    for posting, status, n in units.values_list("posting", "status").annotate(n=Count("pk")):
        counts.setdefault(posting, Counter())[status] = n
    found: dict[int, list[PostingRow]] = {}
    there = set(at_the_crowd().filter(batch__in=batches).values_list("pk", flat=True))
    for posting in Posting.objects.filter(batch__in=batches).select_related("batch"):
        units_there = _units(posting, counts.get(posting.pk, Counter()))
        row = PostingRow(posting, units_there, posting.pk in there)
        found.setdefault(posting.batch_id, []).append(row)
    return found


def _units(posting: Posting, counts: Counter[str]) -> Units:
    left, at_work = counts[Unit.LEFT], counts[Unit.ACTIVE]
    if posting.status == Stage.CLOSED:  # it has ended there, so no one works on it
        left, at_work = left + at_work, 0
    return Units(
        posting.places,
        _available(posting, counts),
        at_work,
        counts[Unit.HANDED_IN],
        counts[Unit.CONFIRMED],
        counts[Unit.APPROVED],
        counts[Unit.REJECTED],
        left,
        counts[Unit.REJECTED] if posting.batch.crowd in adapters.reopening() else 0,
    )


def _available(posting: Posting, counts: Counter[str]) -> int:
    """Return the crowd's count; before the first comparison, the places that are free here."""
    if posting.status != Stage.OPEN:
        return 0
    if posting.available is not None:
        return posting.available
    return max(0, posting.places - counts.total() + counts[Unit.LEFT])


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


MOST_MISSING = 10_000  # free slots are counted up to here


def unoffered(campaign_id: int) -> int:
    """Return the free slots while nothing is offered, at most `MOST_MISSING` + 1; otherwise 0."""
    if offered(campaign_id):
        return 0
    return progress.free(campaign_id).order_by()[: MOST_MISSING + 1].count()
