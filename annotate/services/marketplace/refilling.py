"""Offers the abandoned gaps of a closing campaign to new people."""

from django.db import transaction
from django.db.models import Count

from annotate.models import Batch, Campaign, Posting
from annotate.selectors.campaigns import slots
from annotate.selectors.pay import budget, open_units
from annotate.selectors.work import admission
from annotate.services import audit, locks
from annotate.services.marketplace import postings

TRIES = 2  # per gap; after that it waits for the researcher


def refill(campaign_id: int) -> Posting | None:
    """Publish the units that a closing campaign's gaps need, within its places and budget.

    The places are those of its last batch. Returns None where there is no gap, people may still
    fill the gaps, or a refill is under way.
    """
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status != Campaign.Status.CLOSING or admission.blocked(campaign, for_now=False):
            return None
        batch = Batch.objects.filter(campaign=campaign).order_by("pk").last()
        if batch is None or _under_way(campaign_id):
            return None
        share = campaign.gold_share
        covered = budget.judgments_of(open_units.promised_tasks(campaign_id), share)
        gaps = _gaps(campaign_id)[covered:]
        wanted = -(-budget.with_gold(len(gaps), share) // batch.tasks)
        units = min(wanted, open_units.unused_units(batch), _paid(batch))
        return _publish(batch, units, gaps[: units * batch.tasks]) if units > 0 else None


def _paid(batch: Batch) -> int:
    """Return how many units of this batch the budget pays for."""
    left, each = budget.left(batch.campaign), budget.unit_price(batch.campaign, batch.reward)
    return batch.places if left is None or not each else max(0, int(left // each))


def _publish(batch: Batch, units: int, gaps: list[int]) -> Posting:
    number = batch.postings.exclude(gaps=None).count() + 1
    posting = postings.plan(batch, units, key=f"refill:{batch.pk}:{number}")
    posting.gaps.set(gaps)
    audit.record(
        "refill",
        campaign_id=batch.campaign_id,
        subject=f"batch:{batch.public_id}",
        places=units,
        gaps=len(gaps),
    )
    return posting


def _under_way(campaign_id: int) -> bool:
    """Return whether a posting is about to be published or stopped, or has places left."""
    live = Posting.objects.filter(batch__campaign=campaign_id, status__in=open_units.TO_COME)
    return live.exists()


def _gaps(campaign_id: int) -> list[int]:
    """Return the free slots that were not offered too often, in order of leasing.

    People at work take the first of them.
    """
    free = slots.free(campaign_id).annotate(offered=Count("refills", distinct=True))
    return list(free.filter(offered__lt=TRIES).values_list("pk", flat=True))
