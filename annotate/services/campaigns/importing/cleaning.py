"""Removes what finished and cancelled imports leave behind: kept files, unfinished campaigns."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotate.models import Campaign, CampaignImport, ImportChunk, Item
from annotate.services.campaigns.importing import states
from annotate.states import ImportStatus as Status

KEPT = timedelta(days=7)  # an import that waits for its owner
AT_ONCE = 200  # items that one transaction removes, with all that belongs to them
OVER = (Status.DONE, Status.CANCELLED, Status.REFUSED)


def clean(of: CampaignImport) -> bool:
    """Remove what a finished import no longer needs; safe to run twice."""
    if of.status not in OVER:
        return False
    chunks = ImportChunk.objects.filter(campaign_import=of)
    removed = 0
    for pk in list(chunks.values_list("pk", flat=True)):
        removed += chunks.filter(pk=pk).delete()[0]
    if of.status != Status.DONE and of.campaign_id is not None:
        _remove(of, of.campaign_id)
        removed += 1
    return bool(removed)


def due() -> list[int]:
    """Return the imports that have something to be removed."""
    over = CampaignImport.objects.filter(status__in=OVER)
    with_file = over.filter(chunks__isnull=False).distinct()
    unfinished = over.exclude(status=Status.DONE).filter(campaign__isnull=False)
    return sorted(
        {*with_file.values_list("pk", flat=True), *unfinished.values_list("pk", flat=True)}
    )


def expire() -> None:
    """Cancel imports that have waited for their owner for a week."""
    old = timezone.now() - KEPT
    for of in CampaignImport.objects.filter(status__in=CampaignImport.WAITING, changed_at__lt=old):
        states.move(of, Status.CANCELLED)


def _remove(of: CampaignImport, campaign_id: int) -> None:
    """Remove a campaign that was never finished, in short transactions."""
    items = Item.objects.filter(campaign=campaign_id)
    while keys := list(items.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        items.filter(pk__in=keys).delete()
    with transaction.atomic():
        CampaignImport.objects.filter(pk=of.pk).update(campaign=None)
        Campaign.objects.filter(pk=campaign_id).delete()
