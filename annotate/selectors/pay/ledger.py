"""The ledger as plain numbers."""

from decimal import Decimal

from django.db.models import Count, DecimalField, F, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from annotate.crowds.tariffs import CENT, ZERO
from annotate.models import LedgerEntry

__all__ = ["CENT", "GIVEN", "MONEY", "ZERO", "earned", "spent", "sum_of"]
# Never for work: no ruling takes it back.
GIVEN = (LedgerEntry.Kind.TUTORIAL, LedgerEntry.Kind.BONUS)
MONEY = DecimalField(max_digits=12, decimal_places=2)


def spent(campaign_id: int) -> Decimal:
    """Return what a campaign has spent, fees included."""
    row = LedgerEntry.objects.filter(campaign=campaign_id).aggregate(
        total=Coalesce(Sum(F("amount") + F("fee")), ZERO, output_field=MONEY)
    )
    return _cents(row["total"])


def earned(participation_id: int) -> tuple[Decimal, int]:
    """Return (amount earned, paid units) of one participation, fees excluded."""
    row = LedgerEntry.objects.filter(participation_id=participation_id).aggregate(
        total=Coalesce(Sum("amount"), ZERO, output_field=MONEY),
        units=Count("pk", filter=Q(amount__gt=0)),
    )
    return _cents(row["total"]), row["units"]


def sum_of(rows: QuerySet[LedgerEntry], by: str, *, fees: bool = False) -> Coalesce:
    """Return the sum of these rows as an expression of a query; they share the value of `by`."""
    what = F("amount") + F("fee") if fees else F("amount")
    total = rows.order_by().values(by).annotate(total=Sum(what)).values("total")
    return Coalesce(Subquery(total, output_field=MONEY), ZERO, output_field=MONEY)


def _cents(total: Decimal) -> Decimal:
    """Undo what SQLite does to sums: it adds decimals as floats, so cents drift at 1e-12."""
    return total.quantize(CENT)
