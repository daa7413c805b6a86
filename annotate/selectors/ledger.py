"""Money, as plain numbers."""

from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, DecimalField, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from annotate.models import Assignment, Campaign, LedgerEntry, Participation, TutorialRun

CENT = Decimal("0.01")
ZERO = Decimal("0.00")
MONEY = DecimalField(max_digits=12, decimal_places=2)
RESERVED = timedelta(minutes=60)  # how long the bonus of a tutorial under way is kept free


class Committed(NamedTuple):
    """What a campaign has spent, fees included, and what may still become due.

    promised: tasks that are not judged yet and will be paid if they are: open leases by link, and
    on a marketplace all that is left of the units that people are working on.
    """

    spent: Decimal
    leases: int
    promised: int
    tutorials: int  # under way, with a bonus that their annotator was not paid yet


def committed(campaign_id: int) -> Committed:
    """Return what a campaign has committed itself to.

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
    leases = Assignment.objects.filter(campaign=OuterRef("pk"), status=Assignment.Status.LEASED)
    row = (
        Campaign.objects.filter(pk=campaign_id)
        .annotate(
            spent=Coalesce(Subquery(spent, output_field=MONEY), ZERO, output_field=MONEY),
            leases=_number(leases),
            by_link=_number(leases.filter(participation__tasks=None)),
            units=Coalesce(Subquery(_promised()), 0),
            tutorials=Coalesce(Subquery(_tutorials()), 0),
        )
        .values_list("spent", "leases", "by_link", "units", "tutorials")
        .get()
    )
    total, n_leases, by_link, units, tutorials = row
    return Committed(_cents(total), n_leases, by_link + units, tutorials)


def _number(rows: QuerySet[Assignment]) -> Coalesce:
    return Coalesce(
        Subquery(rows.order_by().values("campaign").annotate(n=Count("pk")).values("n")), 0
    )


def _promised() -> QuerySet[Participation, int]:
    """What is left of the paid units of marketplaces that people are working on."""
    judged = Assignment.objects.filter(participation=OuterRef("pk"), status__in=Assignment.JUDGED)
    done = judged.order_by().values("participation").annotate(n=Count("pk")).values("n")
    return (
        Participation.objects.filter(
            Q(deadline_at=None) | Q(deadline_at__gt=timezone.now()),
            campaign=OuterRef("pk"),
            status=Participation.Status.ACTIVE,
            tasks__isnull=False,
        )
        .annotate(left=Greatest(F("tasks") - Coalesce(Subquery(done), 0), 0))
        .order_by()
        .values("campaign")
        .annotate(n=Sum("left"))
        .values_list("n", flat=True)
    )


def _tutorials() -> QuerySet[TutorialRun, int]:
    paid = LedgerEntry.objects.filter(
        kind=LedgerEntry.Kind.TUTORIAL,
        participation__annotator=OuterRef("annotator"),
        campaign__instrument=OuterRef("instrument"),
    )
    return (
        TutorialRun.objects.filter(
            ~Exists(paid),
            participation__campaign=OuterRef("pk"),
            passed_at=None,
            started_at__gt=timezone.now() - RESERVED,
        )
        .order_by()
        .values("participation__campaign")
        .annotate(n=Count("pk"))
        .values_list("n", flat=True)
    )


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
