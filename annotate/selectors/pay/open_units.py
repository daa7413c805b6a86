"""Paid units in progress, and those that need a decision."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, IntegerField, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate import adapters
from annotate.errors import NotFound
from annotate.models import Assignment, Batch, Operation, Participation, Posting, Review
from annotate.models.payloads import AddPlacesPayload
from annotate.selectors import keysets
from annotate.selectors.listings import Listing

Unit = Participation.Status
TO_COME = (Posting.Status.PLANNED, Posting.Status.OPEN)


@dataclass(frozen=True)
class Untaken:
    """The free units of one posting. `coming`: places that are being added."""

    posting: int
    coming: int
    units: int
    tasks: int  # of each
    reward: Decimal  # for each


def untaken(campaign_id: int) -> list[Untaken]:
    """Return the units that people may take now or after pending operations; two queries."""
    left, rejected = (Q(participations__status=one) for one in (Unit.LEFT, Unit.REJECTED))
    stays = ~(left | (rejected & Q(batch__crowd__in=adapters.reopening())))
    rows = (
        Posting.objects.filter(batch__campaign=campaign_id, status__in=TO_COME)
        .annotate(taken=Count("participations", filter=stays))
        .values_list("pk", "places", "taken", "batch__tasks", "batch__reward")
    )
    more = _extensions(campaign_id)
    return [
        Untaken(pk, more[pk], max(0, places + more[pk] - taken), tasks, reward)
        for pk, places, taken, tasks, reward in rows
    ]


def _extensions(campaign_id: int) -> Counter[int]:
    """Return the number of places that are being added, by posting."""
    found: Counter[int] = Counter()
    rows = Operation.objects.filter(
        campaign=campaign_id, kind=Operation.Kind.ADD_PLACES, status__in=Operation.UNDONE
    )
    for posting, payload in rows.values_list("posting", "payload"):
        found[posting] += AddPlacesPayload.from_json(payload).places
    return found


def promised_tasks(campaign_id: int) -> int:
    """Return how many tasks people at work have left, apart from their open leases."""
    # Of each of them apart: in a join, Postgres may read the assignments of all campaigns.
    theirs = Assignment.objects.filter(participation=OuterRef("pk"), status__in=Assignment.HELD)
    counted = theirs.order_by().values("participation").annotate(n=Count("pk")).values("n")
    held = Coalesce(Subquery(counted, output_field=IntegerField()), 0)
    in_time = Q(deadline_at=None) | Q(deadline_at__gt=timezone.now())
    rows = (
        Participation.objects.filter(
            in_time, campaign=campaign_id, status=Participation.Status.ACTIVE, tasks__isnull=False
        )
        .annotate(held=held)
        .values_list("tasks", "held")
    )
    return sum(max(0, (tasks or 0) - held) for tasks, held in rows)


def unconfirmed_units(campaign_id: int) -> int:
    """Return how many units were submitted here and are not yet listed so by the crowd."""
    units = Participation.objects.filter(campaign=campaign_id)
    return units.filter(status=Participation.Status.HANDED_IN).count()


def unused_units(batch: Batch) -> int:
    """Return how many of a batch's confirmed units are free.

    If a posting continues when a place is free, the places of rejected units are free.
    """
    free = {Unit.LEFT} | ({Unit.REJECTED} if batch.crowd in adapters.reopening() else set())
    used = Participation.objects.filter(posting__batch=batch)
    return batch.places - used.exclude(status__in=free).count()


NEAR = timedelta(days=2)


@dataclass(frozen=True)
class Deadline:
    """`units` are held back; the crowd pays the first of them automatically at `first`."""

    units: int
    first: datetime


def next_deadline(campaign_id: int) -> Deadline | None:
    """Return the held units that the crowd will pay soon, despite a review or a discrepancy."""
    reviewed = Review.objects.filter(
        campaign=OuterRef("campaign"), annotator=OuterRef("annotator"), status=Review.Status.OPEN
    )
    held = Participation.objects.filter(
        ~Q(problem="") | Exists(reviewed),
        campaign=campaign_id,
        status=Participation.Status.CONFIRMED,
        auto_approval_at__lte=timezone.now() + NEAR,
    )
    found = held.aggregate(n=Count("pk"), first=Min("auto_approval_at"))
    return Deadline(found["n"], found["first"]) if found["n"] else None


Status = Participation.Status


@dataclass(frozen=True)
class DisputedUnit:
    """A unit that the crowd lists as submitted, with a discrepancy.

    problem: what does not agree.
    by_itself: when the crowd approves it without a decision.
    """

    participation_id: int
    pseudonym: str
    title: str  # of the batch
    reward: Decimal
    problem: str
    handed_in: datetime | None
    by_itself: datetime | None


def disputed(campaign_id: int, *, most: int) -> tuple[DisputedUnit, ...]:
    """Return the units that wait for a decision, at most so many, the oldest first. One query."""
    rows = waiting(campaign_id).order_by("submitted_at", "pk")
    listed = rows.select_related("annotator", "posting__batch")[:most]
    return tuple(_disputed(one) for one in listed)


def disputed_page(campaign_id: int, listing: Listing) -> tuple[Listing, tuple[DisputedUnit, ...]]:
    """Return a page of them, the oldest first; two queries."""
    rows = waiting(campaign_id).select_related("annotator", "posting__batch")
    order = ("submitted_at", "pk")
    listing, shown = keysets.page(rows, order, listing, nullable=("submitted_at",))
    return listing, tuple(_disputed(one) for one in shown)


def count_disputed(campaign_id: int) -> int:
    """Return how many units wait for a decision."""
    return waiting(campaign_id).count()


def waiting(campaign: Any) -> QuerySet[Participation]:
    """Select the waiting units of a campaign: its id, or a reference to an outer query's.

    Refused pay is a decision, so such units do not wait.
    """
    refused = Review.objects.filter(
        campaign=OuterRef("campaign"), annotator=OuterRef("annotator"), pay_refused=True
    )
    rows = Participation.objects.filter(
        campaign=campaign, posting__isnull=False, status=Status.CONFIRMED
    )
    return rows.exclude(problem="").exclude(Exists(refused))


def unit_id_of(campaign_id: int, participation_id: int) -> int:
    """Return the unit's id if it belongs to this campaign; raises `NotFound` otherwise."""
    if not Participation.objects.filter(campaign=campaign_id, pk=participation_id).exists():
        raise NotFound("There is no such submission in this campaign.")
    return participation_id


def _disputed(one: Participation) -> DisputedUnit:
    assert one.posting is not None, "only a marketplace's unit is compared with its crowd"
    batch = one.posting.batch
    return DisputedUnit(
        one.pk,
        one.annotator.pseudonym,
        str(batch.terms["title"]),
        batch.reward,
        one.problem,
        one.submitted_at,
        one.auto_approval_at,
    )
