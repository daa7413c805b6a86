"""Money, as plain numbers."""

from decimal import Decimal

from django.db.models import Count, DecimalField, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from annotate.models import Assignment, Campaign, LedgerEntry

CENT = Decimal("0.01")
ZERO = Decimal("0.00")
MONEY = DecimalField(max_digits=12, decimal_places=2)


def committed(campaign_id: int) -> tuple[Decimal, int]:
    """Return (spent with fees, open leases) of a campaign.

    One statement, hence one snapshot: a submit that turns a lease into a ledger row meanwhile
    is seen before or after, never half.
    """
    spent = (
        LedgerEntry.objects.filter(campaign=OuterRef("pk"))
        .order_by()
        .values("campaign")
        .annotate(total=Sum(F("amount") + F("fee")))
        .values("total")
    )
    leases = (
        Assignment.objects.filter(campaign=OuterRef("pk"), status=Assignment.Status.LEASED)
        .order_by()
        .values("campaign")
        .annotate(n=Count("pk"))
        .values("n")
    )
    row = (
        Campaign.objects.filter(pk=campaign_id)
        .annotate(
            spent=Coalesce(Subquery(spent, output_field=MONEY), ZERO, output_field=MONEY),
            leases=Coalesce(Subquery(leases), 0),
        )
        .values_list("spent", "leases")
        .get()
    )
    return _cents(row[0]), row[1]


def earned(participation_id: int) -> tuple[Decimal, int]:
    """Return (amount earned, paid units) of one participation, fees excluded."""
    row = LedgerEntry.objects.filter(participation_id=participation_id).aggregate(
        total=Coalesce(Sum("amount"), ZERO, output_field=MONEY),
        units=Count("pk", filter=Q(amount__gt=0)),
    )
    return _cents(row["total"]), row["units"]


def _cents(total: Decimal) -> Decimal:
    """Undo what SQLite does to sums: it adds decimals as floats, so cents drift at 1e-12."""
    return total.quantize(CENT)
