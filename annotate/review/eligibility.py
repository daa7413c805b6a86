"""Whether an annotator may continue in a campaign, and when a ruling on them becomes final."""

from datetime import datetime, timedelta

from django.db.models import Max, Q
from django.utils import timezone

from annotate.models import (
    Annotator,
    Block,
    Campaign,
    Expert,
    Membership,
    Participation,
    Review,
)

TO_APPEAL = timedelta(days=14)  # after the flag or ruling in question

HIDDEN = "hidden"  # there is a reason, and this person may not be the account's owner

_REASONS = {Review.Status.OPEN: "review", Review.Status.EXCLUDED: "excluded"}
AGAINST = tuple(_REASONS)  # listed and cleared people go on


def barred(campaign_id: int, annotator_id: int) -> str:
    """Return why an annotator gets no lease: review, excluded or blocked; "" if they get one."""
    mine = Review.objects.filter(campaign=campaign_id, annotator=annotator_id)
    status = mine.filter(status__in=AGAINST).values_list("status", flat=True).first()
    if status is not None:
        return _REASONS[Review.Status(status)]
    return "blocked" if block(campaign_id, annotator_id) else ""


def block(campaign_id: int, annotator_id: int) -> Block | None:
    """Return the newest block by one of the campaign's owners that keeps an annotator out."""
    owners = Membership.objects.filter(campaign=campaign_id, role=Membership.Role.OWNER)
    standing = Block.objects.filter(
        annotator=annotator_id, owner__in=owners.values("user"), ended_at=None
    )
    return standing.select_related("ruling__review__campaign").order_by("-pk").first()


def released(campaign: Campaign, annotator_id: int) -> bool:
    """Return whether experts are named and this person is none of them any more."""
    if not campaign.named_experts:
        return False
    mine = Annotator.objects.filter(pk=annotator_id)
    named = Expert.objects.filter(campaign=campaign, released_at=None)
    return not named.filter(name__in=mine.values("external_id")).exists()


def latest_unit(campaign_id: int, annotator_id: int) -> Participation | None:
    """Return the newest confirmed unit of this annotator in a campaign on a marketplace."""
    sure = Q(verified_at__isnull=False) | Q(status__in=Participation.LISTED)
    mine = Participation.objects.filter(sure, campaign=campaign_id, annotator=annotator_id)
    units = mine.exclude(posting=None).select_related("posting__batch", "annotator")
    return units.order_by("-pk").first()


def kept_out_people(campaign_id: int) -> set[int]:
    """Return the people excluded from a campaign or blocked, with or without an open review."""
    reviews = Review.objects.filter(campaign=campaign_id, status=Review.Status.EXCLUDED)
    owners = Membership.objects.filter(campaign=campaign_id, role=Membership.Role.OWNER)
    blocks = Block.objects.filter(owner__in=owners.values("user"), ended_at=None)
    return {
        *reviews.values_list("annotator", flat=True),
        *blocks.values_list("annotator", flat=True),
    }


def excluded(campaign_id: int, annotator_id: int) -> bool:
    """Return whether an annotator's work in a campaign is excluded from its estimates."""
    return Review.objects.filter(
        campaign=campaign_id, annotator=annotator_id, status=Review.Status.EXCLUDED
    ).exists()


def waiting(campaign_id: int) -> int:
    """Return how many annotators of a campaign wait for a ruling."""
    return Review.objects.filter(campaign=campaign_id, status=Review.Status.OPEN).count()


def appeal_until(review: Review) -> datetime:
    """Return the deadline for an appeal, counted from the last flag or ruling."""
    return since(review) + TO_APPEAL


def appealed(review: Review) -> bool:
    """Return whether an annotator has appealed since the last flag or ruling. They may once."""
    return review.appeals.filter(made_at__gte=since(review)).exists()


def since(review: Review) -> datetime:
    """Return the time of the last flag or ruling of a review."""
    last = review.rulings.aggregate(last=Max("at"))["last"]
    return max(last, review.opened_at) if last else review.opened_at


def final_from(
    *, since: datetime, closed_at: datetime | None, appealed_at: datetime | None
) -> datetime | None:
    """Return when a ruling becomes final; None while an appeal is open.

    since: time of the last flag or ruling of the review.
    appealed_at: time of the open appeal.
    """
    limit = since + TO_APPEAL
    if closed_at is not None:
        return max(closed_at, since)
    return None if appealed_at is not None and appealed_at <= limit else limit


def is_final(review: Review) -> bool:
    """Return whether the rulings of this review are final now."""
    waiting = review.appeals.filter(answered_at=None).values_list("made_at", flat=True).first()
    at = final_from(since=since(review), closed_at=review.campaign.closed_at, appealed_at=waiting)
    return at is not None and at <= timezone.now()
