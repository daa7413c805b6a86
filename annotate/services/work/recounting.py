"""Compares campaigns with their facts, one after another, while each one's leases wait."""

from collections.abc import Collection, Iterator

from django.db import transaction

from annotate.errors import NotFound
from annotate.models import Campaign, CampaignTotals
from annotate.selectors.work import recounting
from annotate.services import locks, totals

COUNTED = ("held", "leased", "spent")


def each(public_ids: Collection[str], *, mend: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield every campaign's public id and what is wrong; of all campaigns where none is named.

    mend: store the right totals. Raises `NotFound` for a name that no campaign has.
    """
    rows = Campaign.objects.order_by("pk").values_list("pk", "public_id")
    named = list(rows.filter(public_id__in=public_ids) if public_ids else rows)
    if public_ids and len(named) < len(set(public_ids)):
        raise NotFound("There is no campaign of one of these names.")
    for pk, public_id in named:
        with transaction.atomic():
            found = recounting.wrong(locks.campaign(pk)) + list(_totals(pk))
            if mend and found:
                totals.recount(pk)
        yield public_id, found


def _totals(campaign_id: int) -> Iterator[str]:
    """Yield a sentence for each total that does not agree with its facts."""
    kept, counted = CampaignTotals.objects.get(pk=campaign_id), totals.counted(campaign_id)
    for name in COUNTED:
        if getattr(kept, name) != getattr(counted, name):
            is_now, is_right = getattr(kept, name), getattr(counted, name)
            yield f"the total “{name}” is {is_now}, and the facts say {is_right}"
