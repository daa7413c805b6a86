"""The row of totals of a campaign: what is held, leased and spent. Nothing else writes it.

It is the last row that a lease or a submit locks. Who changes it holds the campaign's lock, alone
or shared (`locks`), so that nobody waits in a circle.
"""

from collections.abc import Iterable
from decimal import Decimal

from django.db.models import Count, F, Q, Sum

from annotate.models import Assignment, CampaignTotals, LedgerEntry, Slot

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


def counted(campaign_id: int) -> CampaignTotals:
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
    counted(campaign_id).save()
