"""Paid units: their status, which changes only here, and the work that counts with them."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotate.models import (
    Assignment,
    Campaign,
    Exclusion,
    Judgment,
    Participation,
    Ruling,
    Slot,
)
from annotate.selectors.campaigns import slots
from annotate.selectors.review import eligibility
from annotate.services import audit, change_marks
from annotate.services.work import leasing

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
    if impossible := [one for one in sources if to not in TRANSITIONS[one]]:
        raise ValueError(f"A participation cannot go from {impossible} to {to}.")
    mine = Participation.objects.filter(pk=participation_id)
    with transaction.atomic(savepoint=False):
        if not mine.filter(status__in=list(sources)).update(status=to, **fields):
            return False
        campaign_id = mine.values_list("campaign_id", flat=True).get()
        subject = f"participation:{participation_id}"
        audit.record(f"participation_{to}", campaign_id=campaign_id, subject=subject)
    return True


Status = Assignment.Status
TAKES_BACK = (Campaign.Status.OPEN, Campaign.Status.PAUSED, Campaign.Status.CLOSING)


def verify(participation: Participation, *, now: datetime) -> int:
    """Let the unit's judgments count; return how many were not verified before.

    Those that had been given up, because the unit was believed to be lost, take a free slot of
    their outputs again where there is one; otherwise they are kept, and paid, and do not count.
    """
    leasing.end_leases(_of(participation), now=now)
    came = _locked(_of(participation).filter(status=Status.SUBMITTED))
    Assignment.objects.filter(pk__in=came).update(status=Status.VERIFIED)
    lost = _locked(_of(participation).filter(status=Status.RETURNED, judgment__isnull=False))
    Assignment.objects.filter(pk__in=lost).update(status=Status.VERIFIED)
    for pk in lost:
        _take_back(pk, participation)
    if came or lost:
        change_marks.mark(participation.campaign_id, "verified")
    return len(came) + len(lost)


def lose(participation: Participation, *, now: datetime) -> int:
    """Free the slots of a unit that was not handed in; its judgments stay as facts."""
    leasing.end_leases(_of(participation), now=now)
    held = _locked(_of(participation).filter(status__in=(Status.SUBMITTED, Status.VERIFIED)))
    Assignment.objects.filter(pk__in=held).update(status=Status.RETURNED)
    Slot.objects.filter(assignment__in=held).update(assignment=None)
    if held:
        change_marks.mark(participation.campaign_id, "left")
    return len(held)


def _take_back(assignment_id: int, participation: Participation) -> None:
    campaign = participation.campaign
    if eligibility.excluded(campaign.pk, participation.annotator_id):
        _leave_out(assignment_id)
        return
    if campaign.status not in TAKES_BACK:
        return
    output = Assignment.objects.values_list("output_id", flat=True).get(pk=assignment_id)
    slot = slots.free(campaign.pk).filter(output=output).first()
    if slot is not None:
        held = Slot.objects.filter(pk=slot.pk, assignment=None).update(assignment=assignment_id)
        assert held == 1, "a slot was taken while the campaign was locked"


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
