"""Facts of a campaign that must agree with one another."""

from django.db.models import Count, Exists, F, OuterRef, Q

from annotate.models import Assignment, Campaign, Slot


def wrong(campaign: Campaign) -> list[str]:
    """Return a sentence for each disagreement between slots, leases and people.

    The caller holds the campaign's lock, or nothing is leased meanwhile.
    """
    found = {
        "slots are held by work that cannot hold one": _wrongly_held(campaign.pk),
        "leases hold no slot": _without_slot(campaign.pk),
        "people have more tasks than one person may": _over_cap(campaign),
    }
    return [f"{n} {what}" for what, n in found.items() if n]


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
