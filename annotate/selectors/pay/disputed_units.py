"""Paid units about which something does not agree: a person decides whether they are paid."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Exists, OuterRef, QuerySet

from annotate.errors import NotFound
from annotate.models import Participation, Review

Status = Participation.Status


@dataclass(frozen=True)
class Doubtful:
    """A unit that the crowd lists as handed in. `problem` says what does not agree. by_itself: when
    the crowd approves it without a decision.
    """

    participation_id: int
    pseudonym: str
    title: str  # of the batch
    reward: Decimal
    problem: str
    handed_in: datetime | None
    by_itself: datetime | None


def of_campaign(campaign_id: int) -> tuple[Doubtful, ...]:
    """Return those that wait, the oldest first. One query."""
    rows = _waiting(campaign_id).order_by("submitted_at", "pk")
    return tuple(_doubtful(one) for one in rows.select_related("annotator", "posting__batch"))


def count(campaign_id: int) -> int:
    """Return how many wait."""
    return _waiting(campaign_id).count()


def _waiting(campaign_id: int) -> QuerySet[Participation]:
    """Refused pay is a decision."""
    refused = Review.objects.filter(
        campaign=OuterRef("campaign"), annotator=OuterRef("annotator"), pay_refused=True
    )
    rows = Participation.objects.filter(campaign=campaign_id, status=Status.CONFIRMED)
    return rows.exclude(problem="").exclude(Exists(refused))


def one(campaign_id: int, participation_id: int) -> int:
    """Return the unit's id if it is of this campaign; `NotFound` otherwise."""
    if not Participation.objects.filter(campaign=campaign_id, pk=participation_id).exists():
        raise NotFound("There is no such unit in this campaign.")
    return participation_id


def _doubtful(one: Participation) -> Doubtful:
    assert one.posting is not None, "only a marketplace's unit is compared with its crowd"
    batch = one.posting.batch
    return Doubtful(
        one.pk,
        one.annotator.pseudonym,
        str(batch.terms["title"]),
        batch.reward,
        one.problem,
        one.submitted_at,
        one.auto_approval_at,
    )
