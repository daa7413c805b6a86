"""Compares campaigns with their facts, one after another, while each one's leases wait."""

from collections.abc import Collection, Iterator

from django.db import transaction

from annotate.errors import NotFound
from annotate.models import Campaign
from annotate.selectors.work import recounting
from annotate.selectors.work.recounting import Recount
from annotate.services import lease_allowances


def each(public_ids: Collection[str], *, mend: bool) -> Iterator[tuple[str, Recount]]:
    """Yield every campaign's public id and recount; of all campaigns where none is named.

    mend: take back an allowance that exceeds the limits.
    Raises `NotFound` for a name that no campaign has.
    """
    rows = Campaign.objects.order_by("pk").values_list("pk", "public_id")
    found = list(rows.filter(public_id__in=public_ids) if public_ids else rows)
    if public_ids and len(found) < len(set(public_ids)):
        raise NotFound("There is no campaign of one of these names.")
    for pk, public_id in found:
        with transaction.atomic():
            # Not `locks.campaign`, which takes the allowance back before it can be compared.
            campaign = Campaign.objects.select_for_update(no_key=True).get(pk=pk)
            counted = recounting.recount(campaign)
            if mend and not counted.is_right:
                lease_allowances.withdraw(pk)
        yield public_id, counted
