"""The work done in a paid unit: it counts once the crowd confirms the unit, and is lost with it.

Each verb is done in the caller's transaction, which holds the campaign.
"""

from datetime import datetime

from django.db.models import QuerySet

from annotate.models import Assignment, Campaign, Participation, Place
from annotate.selectors import places, standing
from annotate.services import evidence, exclusions, leasing

Status = Assignment.Status
TAKES_BACK = (Campaign.Status.OPEN, Campaign.Status.PAUSED, Campaign.Status.CLOSING)


def verify(participation: Participation, *, now: datetime) -> int:
    """Let the unit's judgments count; return how many were not verified before.

    Those that had been given up, because the unit was believed to be lost, take a free place of
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
        evidence.mark(participation.campaign_id, "verified")
    return len(came) + len(lost)


def lose(participation: Participation, *, now: datetime) -> int:
    """Free the places of a unit that was not handed in; its judgments stay as facts."""
    leasing.end_leases(_of(participation), now=now)
    held = _locked(_of(participation).filter(status__in=(Status.SUBMITTED, Status.VERIFIED)))
    Assignment.objects.filter(pk__in=held).update(status=Status.RETURNED)
    Place.objects.filter(assignment__in=held).update(assignment=None)
    if held:
        evidence.mark(participation.campaign_id, "left")
    return len(held)


def _take_back(assignment_id: int, participation: Participation) -> None:
    campaign = participation.campaign
    if standing.excluded(campaign.pk, participation.annotator_id):
        exclusions.join(assignment_id)
        return
    if campaign.status not in TAKES_BACK:
        return
    output = Assignment.objects.values_list("output_id", flat=True).get(pk=assignment_id)
    place = places.free(campaign.pk).filter(output=output).first()
    if place is not None:
        held = Place.objects.filter(pk=place.pk, assignment=None).update(assignment=assignment_id)
        assert held == 1, "a place was taken while the campaign was locked"


def _of(participation: Participation) -> QuerySet[Assignment]:
    return Assignment.objects.filter(participation=participation)


def _locked(assignments: QuerySet[Assignment]) -> list[int]:
    """Lock them in the order that everybody keeps."""
    held = assignments.select_for_update(no_key=True).order_by("pk")
    return list(held.values_list("pk", flat=True))
