"""Counting the work of a participation, once the crowd has confirmed the participation."""

from datetime import datetime

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
from annotate.services import change_marks
from annotate.services.work import assignment_states, leasing, slots

# The crowd's list is authoritative: submitted work is confirmed from any state here, even from a
# state in which it was believed to be returned.


Status = Assignment.Status
TAKES_BACK = (Campaign.Status.OPEN, Campaign.Status.PAUSED, Campaign.Status.CLOSING)


def verify(participation: Participation, *, now: datetime) -> int:
    """Let the unit's judgments count; return how many were not verified before.

    Judgments whose slots were freed because the unit was believed lost take a free slot of their
    outputs again. Without a free slot they are kept and paid, and do not count.
    """
    leasing.end_leases(_of(participation), now=now)
    came = _locked(_of(participation).filter(status=Status.SUBMITTED))
    lost = _locked(_of(participation).filter(Assignment.has_work(), status=Status.RETURNED))
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
    """Free the slots of a unit that was not submitted; its judgments stay as facts."""
    leasing.end_leases(_of(participation), now=now)
    held = _locked(_of(participation).filter(status__in=(Status.SUBMITTED, Status.VERIFIED)))
    campaign_id, judged = participation.campaign_id, (Status.SUBMITTED, Status.VERIFIED)
    assignment_states.move(held, Status.RETURNED, campaign_id=campaign_id, sources=judged)
    slots.free(held, campaign_id=campaign_id)
    if held:
        change_marks.mark(participation.campaign_id, "left")
    return len(held)


def _take_back(assignment_id: int, participation: Participation) -> None:
    """Let lost work count again where it can; the answer to a gold item never did."""
    assignment = Assignment.objects.get(pk=assignment_id)
    if assignment.output_id is None:
        return
    campaign = participation.campaign
    if eligibility.excluded(campaign.pk, participation.annotator_id):
        _leave_out(assignment_id)
        return
    if campaign.status in TAKES_BACK:
        slots.take_for(assignment)


def _leave_out(assignment_id: int) -> None:
    """Exclude a judgment that is added to a person's already excluded work."""
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
    """Lock them in the global lock order (`locks`)."""
    held = assignments.select_for_update(no_key=True).order_by("pk")
    return list(held.values_list("pk", flat=True))
