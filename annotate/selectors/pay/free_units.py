"""What a campaign has under way on its crowd: units that may be taken, tasks that are promised."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q
from django.utils import timezone

from annotate import adapters
from annotate.models import Assignment, Batch, Operation, Participation, Posting

Unit = Participation.Status
TO_COME = (Posting.Status.PLANNED, Posting.Status.OPEN)


@dataclass(frozen=True)
class Untaken:
    """Units of one posting that are free; `coming`: places that are being added."""

    posting: int
    coming: int
    units: int
    tasks: int  # of each
    reward: Decimal  # for each


def untaken(campaign_id: int) -> list[Untaken]:
    """Return the units that people may take now or after pending operations; two queries."""
    left, rejected = (Q(participations__status=one) for one in (Unit.LEFT, Unit.REJECTED))
    stays = ~(left | (rejected & Q(batch__crowd__in=adapters.REOPENING)))
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
    """Return how many places more are on their way, by posting."""
    found: Counter[int] = Counter()
    rows = Operation.objects.filter(
        campaign=campaign_id, kind=Operation.Kind.ADD_PLACES, status__in=Operation.UNDONE
    )
    for posting, arguments in rows.values_list("posting", "arguments"):
        found[posting] += arguments["places"]
    return found


def promised_tasks(campaign_id: int) -> int:
    """Return how many tasks people at work have before them, beside those that they hold."""
    held = Count("assignments", filter=Q(assignments__status__in=Assignment.HELD))
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
    """Return how many units were handed in here and are not listed so by the crowd yet."""
    units = Participation.objects.filter(campaign=campaign_id)
    return units.filter(status=Participation.Status.HANDED_IN).count()


def unused_units(batch: Batch) -> int:
    """Return how many of a batch's confirmed units are free.

    If a posting continues when a place is free, the places of rejected units are free.
    """
    free = {Unit.LEFT} | ({Unit.REJECTED} if batch.crowd in adapters.REOPENING else set())
    used = Participation.objects.filter(posting__batch=batch)
    return batch.places - used.exclude(status__in=free).count()
