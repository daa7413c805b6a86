"""The row of totals of a campaign: what is held, leased and spent. Nothing else writes it.

It is the last row that a lease or a submit locks. Who changes it holds the campaign's lock, alone
or shared (`locks`), so that nobody waits in a circle.
"""

from collections.abc import Collection, Iterable, Iterator
from decimal import Decimal

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, Sum

from annotate.common import locks
from annotate.common.errors import NotFound
from annotate.models import Assignment, Campaign, CampaignTotals, LedgerEntry, Slot

EVERYTHING = Q()


def change(
    campaign_id: int,
    *,
    held: int = 0,
    leased: int = 0,
    spent: Decimal = Decimal(0),
    within: Q = EVERYTHING,
) -> bool:
    """Add these numbers; return False, and change nothing, where the row is not `within`."""
    mine = CampaignTotals.objects.filter(within, campaign=campaign_id)
    return bool(
        mine.update(held=F("held") + held, leased=F("leased") + leased, spent=F("spent") + spent)
    )


def spend(*entries: LedgerEntry) -> None:
    """Add new ledger rows of one campaign."""
    spent = sum((one.amount + one.fee for one in entries), Decimal(0))
    if entries and spent:
        change(entries[0].campaign_id, spent=spent)


def store_once(entries: Iterable[LedgerEntry], *, campaign_id: int) -> list[LedgerEntry]:
    """Store ledger rows of one kind whose keys nobody has used, and return them.

    Another campaign may use a key at this moment. The caller locks these people, or the campaign.
    """
    wanted = list(entries)
    theirs = LedgerEntry.objects.filter(
        campaign=campaign_id,
        participation__in=[one.participation_id for one in wanted],
        kind__in={one.kind for one in wanted},
    )
    before = list(theirs.values_list("pk", flat=True))
    LedgerEntry.objects.bulk_create(wanted, ignore_conflicts=True)
    new = list(theirs.exclude(pk__in=before))
    spend(*new)
    return new


def totals_counted(campaign_id: int) -> CampaignTotals:
    """Return what the facts say. The caller has locked the campaign alone."""
    slots = Slot.objects.filter(campaign=campaign_id, assignment__isnull=False)
    leases = Assignment.objects.filter(campaign=campaign_id, status=Assignment.Status.LEASED)
    ledger = LedgerEntry.objects.filter(campaign=campaign_id)
    spent = ledger.aggregate(sum=Sum(F("amount") + F("fee")))["sum"]
    return CampaignTotals(
        campaign_id=campaign_id,
        held=slots.aggregate(n=Count("assignment"))["n"],
        leased=leases.count(),
        spent=spent or Decimal(0),
    )


def recount(campaign_id: int) -> None:
    """Store what the facts say. The caller has locked the campaign alone."""
    totals_counted(campaign_id).save()


# Facts of a campaign that must agree with one another.


def disagreements(campaign: Campaign) -> list[str]:
    """Return a sentence for each disagreement between slots, leases and people.

    The caller holds the campaign's lock, or nothing is leased meanwhile.
    """
    held = Slot.objects.filter(campaign=campaign, assignment__isnull=False)
    fits = Q(assignment__status__in=Assignment.HELD, assignment__output=F("output"))
    slot = Slot.objects.filter(assignment=OuterRef("pk"))
    leases = Assignment.objects.filter(
        campaign=campaign, status=Assignment.Status.LEASED, gold=None
    )
    with_slot = Assignment.objects.filter(campaign=campaign, slot__isnull=False).order_by()
    people = with_slot.values("annotator").annotate(n=Count("pk"))
    cap = campaign.annotator_cap
    found = {
        "slots are held by work that cannot hold one": held.exclude(fits).count(),
        "leases hold no slot": leases.filter(~Exists(slot)).count(),
        "people have more tasks than one person may": people.filter(n__gt=cap).count()
        if cap is not None
        else 0,
    }
    return [f"{n} {what}" for what, n in found.items() if n]


# Compares campaigns with their facts, one after another, while each one's leases wait.


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
            found = disagreements(locks.campaign(pk))
            kept, counted = CampaignTotals.objects.get(pk=pk), totals_counted(pk)
            for name in COUNTED:
                is_now, is_right = getattr(kept, name), getattr(counted, name)
                if is_now != is_right:
                    found.append(f"the total “{name}” is {is_now}, and the facts say {is_right}")
            if mend and found:
                recount(pk)
        yield public_id, found
