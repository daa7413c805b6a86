"""What one participation earned and was refused, as its annotator reads it."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Sum

from annotate.crowds.tariffs import ZERO
from annotate.models import LedgerEntry


@dataclass(frozen=True)
class Earning:
    """The amount and number for one kind of work; `reason` is a person's text about it."""

    kind: str
    reason: str
    n: int
    amount: Decimal


def of(participation_id: int) -> list[Earning]:
    """Return what was earned and refused, grouped by its reason."""
    rows = (
        LedgerEntry.objects.filter(participation=participation_id)
        .exclude(amount=0)  # corrections of a crowd's fee
        .order_by("kind", "reason")
        .values_list("kind", "reason")
        .annotate(n=Count("pk"), total=Sum("amount"))
    )
    found = [Earning(kind, why, n, total.quantize(ZERO)) for kind, why, n, total in rows]
    order = [kind.value for kind in LedgerEntry.Kind]
    return sorted(found, key=lambda each: order.index(each.kind))
