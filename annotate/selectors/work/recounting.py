"""Counts what a campaign's allowance of leases promises again, from the facts."""

from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q, Sum

from annotate.models import Assignment, Campaign, LeaseAllowance, Slot
from annotate.selectors.work import admission


@dataclass(frozen=True)
class Recount:
    """What was counted in a campaign.

    allowed: leases that may be made without looking at the limits again.
    room: leases that the limits certainly cover now.
    wrong: a sentence for each disagreement between facts.
    """

    allowed: int
    room: int
    wrong: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return not self.wrong and self.allowed <= self.room


def recount(campaign: Campaign) -> Recount:
    """Count leases, slots and people of a campaign from their rows. The caller holds its lock, or
    nothing is leased meanwhile."""
    mine = LeaseAllowance.objects.filter(campaign=campaign)
    allowed = mine.aggregate(sum=Sum("leases"))["sum"] or 0
    found = {
        "slots are held by work that cannot hold one": _wrongly_held(campaign.pk),
        "leases hold no slot": _without_slot(campaign.pk),
        "people have more tasks than one person may": _over_cap(campaign),
    }
    wrong = tuple(f"{n} {what}" for what, n in found.items() if n)
    return Recount(allowed, admission.room(campaign), wrong)


def _wrongly_held(campaign_id: int) -> int:
    held = Slot.objects.filter(campaign=campaign_id, assignment__isnull=False)
    fits = Q(assignment__status__in=Assignment.HELD, assignment__output=F("output"))
    return held.exclude(fits).count()


def _without_slot(campaign_id: int) -> int:
    leases = Assignment.objects.filter(
        campaign=campaign_id, status=Assignment.Status.LEASED, gold=None
    )
    return leases.filter(~Exists(Slot.objects.filter(assignment=OuterRef("pk")))).count()


def _over_cap(campaign: Campaign) -> int:
    if campaign.annotator_cap is None:
        return 0
    held = Assignment.objects.filter(campaign=campaign, slot__isnull=False).order_by()
    people = held.values("annotator").annotate(n=Count("pk"))
    return people.filter(n__gt=campaign.annotator_cap).count()
