"""What a person has done in a campaign and has open there: it decides about the next task."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q
from django.utils import timezone

from annotate.models import Assignment, Participation

Status = Assignment.Status


@dataclass(frozen=True)
class Standing:
    """Counts of one participation, and of its annotator in the campaign.

    held: tasks that count toward the campaign's cap.
    had_gold: gold items that the annotator ever got.
    n_open, waiting: the open tasks of the participation, and the one that is next; None without.
    judged: tasks done under the participation.
    judged_today: those of today as its annotator is shown them (`task_page.Visit`).
    """

    held: int
    had_gold: int
    n_open: int
    waiting: int | None
    judged: int
    judged_today: int


def of(who: Participation, *, now: datetime) -> Standing:
    """Return where this person stands; one query."""
    today = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    here, judged = Q(participation=who), Q(status__in=Assignment.JUDGED)
    is_open = here & Q(status=Status.LEASED)
    shown = Q() if who.is_sure else here
    theirs = Assignment.objects.filter(campaign=who.campaign_id, annotator=who.annotator_id)
    found = theirs.aggregate(
        held=Count("pk", filter=Q(status__in=Assignment.HELD, gold=None)),
        had_gold=Count("pk", filter=Q(gold__isnull=False)),
        n_open=Count("pk", filter=is_open),
        waiting=Min("pk", filter=is_open & Q(expires_at__gt=now)),
        judged=Count("pk", filter=here & judged),
        judged_today=Count("pk", filter=judged & Q(ended_at__gte=today) & shown),
    )
    return Standing(**found)
