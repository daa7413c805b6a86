"""Compares campaigns with their facts, one after another, while each one's leases wait."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from django.db import transaction

from annotate.errors import NotFound
from annotate.models import Campaign
from annotate.selectors.work import recounting
from annotate.selectors.work.recounting import Recount
from annotate.services import lease_allowances, slot_tallies
from annotate.services.pay import tallying


def each(public_ids: Collection[str], *, mend: bool) -> Iterator[tuple[str, Recount]]:
    """Yield every campaign's public id and recount; of all campaigns where none is named.

    mend: take back an allowance that exceeds the limits, and let wrong tallies be made again.
    Raises `NotFound` for a name that no campaign has.
    """
    rows = Campaign.objects.order_by("pk").values_list("pk", "public_id")
    named = list(rows.filter(public_id__in=public_ids) if public_ids else rows)
    if public_ids and len(named) < len(set(public_ids)):
        raise NotFound("There is no campaign of one of these names.")
    for pk, public_id in named:
        with transaction.atomic():
            # Not `locks.campaign`, which takes the allowance back before it can be compared.
            campaign = Campaign.objects.select_for_update(no_key=True).get(pk=pk)
            counted = recounting.recount(campaign)
            found = replace(counted, wrong=(*counted.wrong, *_tallies(pk, mend=mend)))
            if mend and not counted.is_right:
                lease_allowances.withdraw(pk)
        yield public_id, found


def _tallies(campaign_id: int, *, mend: bool) -> Iterator[str]:
    """Yield a sentence for each tally that does not agree with its facts."""
    slots, people = slot_tallies.recount(campaign_id), tallying.recount(campaign_id)
    if any(slots):
        yield f"the tally of slots is wrong by {slots[0]} and that of outputs by {slots[1]}"
    if people:
        yield f"{people} tallies of people and money are wrong"
    if mend and any(slots):
        slot_tallies.rebuild(campaign_id)
    if mend and people:
        tallying.rebuild()
