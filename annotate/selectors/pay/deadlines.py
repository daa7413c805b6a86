"""Work that its crowd will soon pay automatically, while a decision here is still due."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, Min, OuterRef, Q
from django.utils import timezone

from annotate.models import Participation, Review

NEAR = timedelta(days=2)


@dataclass(frozen=True)
class Deadline:
    """`units` are held back; the crowd pays the first of them automatically at `first`."""

    units: int
    first: datetime


def near(campaign_id: int) -> Deadline | None:
    """Return units that the crowd pays soon although a review is open or they are in doubt."""
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
