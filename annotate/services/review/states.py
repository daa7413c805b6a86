"""The only writer of a review's status and of whether its pay is refused (data rule 2).

The callers write the reason for the change in the same transaction: a flag or a ruling, which is a
fact, and its audit row (`reviews`, `rulings`).
"""

from datetime import datetime

from django.db.models import QuerySet

from annotate.errors import Conflict
from annotate.models import Review
from annotate.services import transitions

Status = Review.Status

# A screen may fire again on cleared work. Excluded work can only be restored.
TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.OPEN: frozenset({Status.CLEARED, Status.EXCLUDED}),
    Status.LISTED: frozenset({Status.OPEN, Status.CLEARED, Status.EXCLUDED}),
    Status.CLEARED: frozenset({Status.OPEN, Status.LISTED, Status.EXCLUDED}),
    Status.EXCLUDED: frozenset({Status.CLEARED}),
}


def begin(
    campaign_id: int, annotator_id: int, *, now: datetime, to: Status = Status.OPEN
) -> Review:
    """Open or list the first review of this annotator's work in a campaign."""
    return Review.objects.create(
        campaign_id=campaign_id, annotator_id=annotator_id, status=to, opened_at=now
    )


def open_again(review: Review, *, now: datetime) -> bool:
    """Move cleared or listed -> open; False where it is already open."""
    return bool(_change(review, Status.OPEN, [Status.CLEARED, Status.LISTED], opened_at=now))


def list_again(review: Review, *, now: datetime) -> bool:
    """Move cleared -> listed; False where it is already listed or open."""
    return bool(_change(review, Status.LISTED, [Status.CLEARED], opened_at=now))


def rule(review: Review, to: Status, *, now: datetime) -> None:
    """Move to the state that a ruling gives; raises `Conflict` if the state has changed."""
    if not _change(review, to, [Status(review.status)], ruled_at=now):
        raise Conflict("Another reviewer has ruled meanwhile. Look again.")
    review.status = to


def switch_pay(review: Review, *, refused: bool) -> None:
    """Refuse the pay, or restore it; raises `Conflict` where it is already so."""
    mine = Review.objects.filter(pk=review.pk, pay_refused=not refused)
    if not mine.update(pay_refused=refused):
        raise Conflict("Pay is refused already." if refused else "No pay is refused.")
    review.pay_refused = refused


def _change(review: Review, to: Status, sources: list[Status], **times: datetime) -> int:
    mine = Review.objects.filter(pk=review.pk)
    return transitions.change(
        mine, TRANSITIONS, to, sources=sources, record=transitions.elsewhere, **times
    )


def listed_without_flag() -> QuerySet[Review]:
    """Select the reviews that hold no fact: only a place in the queue."""
    return Review.objects.filter(
        status=Status.LISTED, flags=None, rulings=None, appeals=None, ruled_at=None
    )


def end_listing(campaign_id: int, annotator_id: int) -> bool:
    """Delete a review that holds no fact; False where there is none."""
    mine = listed_without_flag().filter(campaign=campaign_id, annotator=annotator_id)
    gone, _by_model = Review.objects.filter(pk__in=list(mine.values_list("pk", flat=True))).delete()
    return bool(gone)
