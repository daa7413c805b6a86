"""Paid units: their status, which changes only here, and the work that counts with them."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotate.models import (
    Assignment,
    Campaign,
    Exclusion,
    Judgment,
    Participation,
    Ruling,
)
from annotate.selectors.review import eligibility
from annotate.services import audit, change_marks, transitions
from annotate.services.work import assignment_states, leasing, slots

_Status = Participation.Status

# What the crowd lists is the truth: work that it lists as submitted is confirmed wherever we
# thought it was, and so can turn up after it was believed to be given back.
TRANSITIONS: dict[_Status, frozenset[_Status]] = {
    _Status.ACTIVE: frozenset({_Status.HANDED_IN, _Status.CONFIRMED, _Status.LEFT}),
    _Status.HANDED_IN: frozenset({_Status.CONFIRMED, _Status.LEFT}),
    # On Prolific people can return what they have handed in, until it is decided.
    _Status.CONFIRMED: frozenset({_Status.APPROVED, _Status.REJECTED, _Status.LEFT}),
    _Status.APPROVED: frozenset(),
    _Status.REJECTED: frozenset({_Status.APPROVED}),
    _Status.LEFT: frozenset({_Status.ACTIVE, _Status.CONFIRMED}),
}


def move(
    participation_id: int, to: _Status, *, sources: Collection[_Status], **fields: Any
) -> bool:
    """Go from one of `sources` to `to`, and log it, in the caller's transaction.

    `fields` change along with it. False, with nothing done, where it stands elsewhere: somebody
    else was first.
    """
    mine = Participation.objects.filter(pk=participation_id)

    def record() -> None:
        campaign_id = mine.values_list("campaign_id", flat=True).get()
        subject = f"participation:{participation_id}"
        audit.record(f"participation_{to}", campaign_id=campaign_id, subject=subject)

    return bool(transitions.change(mine, TRANSITIONS, to, sources=sources, record=record, **fields))


Status = Assignment.Status
TAKES_BACK = (Campaign.Status.OPEN, Campaign.Status.PAUSED, Campaign.Status.CLOSING)


def verify(participation: Participation, *, now: datetime) -> int:
    """Let the unit's judgments count; return how many were not verified before.

    Those that had been given up, because the unit was believed to be lost, take a free slot of
    their outputs again where there is one; otherwise they are kept, and paid, and do not count.
    """
    leasing.end_leases(_of(participation), now=now)
    came = _locked(_of(participation).filter(status=Status.SUBMITTED))
    lost = _locked(_of(participation).filter(Assignment.has_judgment(), status=Status.RETURNED))
    assignment_states.move(
        came + lost,
        Status.VERIFIED,
        campaign_id=participation.campaign_id,
        sources=(Status.SUBMITTED, Status.RETURNED),
    )
    for pk in lost:
        _take_back(pk, participation)
    if came or lost:
        change_marks.mark(participation.campaign_id, "verified")
    return len(came) + len(lost)


def lose(participation: Participation, *, now: datetime) -> int:
    """Free the slots of a unit that was not handed in; its judgments stay as facts."""
    leasing.end_leases(_of(participation), now=now)
    held = _locked(_of(participation).filter(status__in=(Status.SUBMITTED, Status.VERIFIED)))
    campaign_id, judged = participation.campaign_id, (Status.SUBMITTED, Status.VERIFIED)
    assignment_states.move(held, Status.RETURNED, campaign_id=campaign_id, sources=judged)
    slots.free(held)
    if held:
        change_marks.mark(participation.campaign_id, "left")
    return len(held)


def _take_back(assignment_id: int, participation: Participation) -> None:
    campaign = participation.campaign
    if eligibility.excluded(campaign.pk, participation.annotator_id):
        _leave_out(assignment_id)
        return
    if campaign.status in TAKES_BACK:
        slots.take_for(Assignment.objects.get(pk=assignment_id))


def _leave_out(assignment_id: int) -> None:
    """Leave out a judgment too that comes to somebody whose work has been excluded."""
    judgment = Judgment.objects.get(assignment=assignment_id)
    ruling = Ruling.objects.filter(
        review__campaign=judgment.campaign_id,
        review__annotator=judgment.annotator_id,
        act=Ruling.Act.EXCLUDE,
    ).latest("pk")
    Exclusion.objects.get_or_create(
        judgment=judgment, restored_at=None, defaults={"ruling": ruling}
    )


def _of(participation: Participation) -> QuerySet[Assignment]:
    return Assignment.objects.filter(participation=participation)


def _locked(assignments: QuerySet[Assignment]) -> list[int]:
    """Lock them in the order that all code uses (`locks`)."""
    held = assignments.select_for_update(no_key=True).order_by("pk")
    return list(held.values_list("pk", flat=True))
