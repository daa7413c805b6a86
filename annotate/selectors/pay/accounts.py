"""What each participation of a campaign has earned, lost and been paid."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.db.models import (
    Count,
    DecimalField,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce

from annotate.crowds.tariffs import CENT, ZERO
from annotate.models import LedgerEntry, Participation, Payout

# Not for work, so no ruling cancels it.
GIVEN = (LedgerEntry.Kind.TUTORIAL, LedgerEntry.Kind.BONUS)
REFUSED = (LedgerEntry.Kind.REFUSAL, LedgerEntry.Kind.REINSTATEMENT)
MONEY = DecimalField(max_digits=12, decimal_places=2)
NUMBER = IntegerField()


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
    """Return the sum of these rows as a query expression; rows are grouped by `by`."""
    what = F("amount") + F("fee") if fees else F("amount")
    total = rows.order_by().values(by).annotate(total=Sum(what)).values("total")
    return Coalesce(Subquery(total, output_field=MONEY), ZERO, output_field=MONEY)


def count_of(rows: QuerySet[Any], by: str) -> Coalesce:
    """Return the number of these rows as a query expression; rows are grouped by `by`."""
    counted = rows.order_by().values(by).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=NUMBER), 0)


def _cents(total: Decimal) -> Decimal:
    """Round to cents: SQLite adds decimals as floats, with errors of about 1e-12."""
    return total.quantize(CENT)


@dataclass(frozen=True)
class Totals:
    """Sums of accounts. `earned` includes `refused`, the part that is refused now."""

    earned: Decimal
    refused: Decimal
    paid: Decimal

    @property
    def due(self) -> Decimal:
        return self.earned - self.refused - self.paid


@dataclass(frozen=True)
class Account(Totals):
    """The account of one participation."""

    participation: int
    pseudonym: str
    external_id: str


def of_campaign(campaign_id: int) -> list[Account]:
    """Return all accounts of a campaign, in the order of entry."""
    return _read(Participation.objects.filter(campaign=campaign_id))


def by_person(accounts: list[Account]) -> list[Account]:
    """Return one account per annotator. On a marketplace, a person has one for each unit."""
    people: dict[str, list[Account]] = {}
    for one in accounts:
        people.setdefault(one.pseudonym, []).append(one)
    return [_together(mine) for mine in people.values()]


def _together(mine: list[Account]) -> Account:
    sums, first = totals(mine), mine[0]
    return replace(first, earned=sums.earned, refused=sums.refused, paid=sums.paid)


def of(participation_id: int) -> Account:
    (found,) = _read(Participation.objects.filter(pk=participation_id))
    return found


def totals(accounts: list[Account]) -> Totals:
    return Totals(
        earned=sum((one.earned for one in accounts), ZERO),
        refused=sum((one.refused for one in accounts), ZERO),
        paid=sum((one.paid for one in accounts), ZERO),
    )


def paid_out(campaign_id: int, annotator_id: int) -> Decimal:
    """Return what a person has been paid in a campaign, without payments that were undone."""
    row = Payout.objects.filter(
        participation__campaign=campaign_id, participation__annotator=annotator_id
    ).aggregate(sum=Sum("amount"))
    return (row["sum"] or ZERO).quantize(ZERO)


def paid_for_work(campaign_id: int, annotator_id: int) -> Decimal:
    """Return the part of it that a crowd paid for work: units, and bonuses for more work."""
    rows = Payout.objects.filter(
        participation__campaign=campaign_id,
        participation__annotator=annotator_id,
        participation__posting__isnull=False,
    )
    row = rows.exclude(entry__kind__in=GIVEN).aggregate(sum=Sum("amount"))
    return (row["sum"] or ZERO).quantize(ZERO)


def _read(participations: QuerySet[Participation]) -> list[Account]:
    """Read the accounts in one statement, hence one snapshot: earnings precede their payment."""
    entries = LedgerEntry.objects.filter(participation=OuterRef("pk"))
    rows = participations.order_by("pk").annotate(
        earned=_sum(entries.exclude(kind__in=REFUSED)),
        refused=_sum(entries.filter(kind__in=REFUSED)),
        paid=_sum(Payout.objects.filter(participation=OuterRef("pk"))),
    )
    names = ("annotator__pseudonym", "annotator__external_id", "earned", "refused", "paid")
    return [
        # SQLite gives sums more digits than money has.
        Account(earned.quantize(ZERO), -refused.quantize(ZERO), paid.quantize(ZERO), pk, who, name)
        for pk, who, name, earned, refused, paid in rows.values_list("pk", *names)
    ]


def _sum(rows: Any) -> Coalesce:
    total = rows.order_by().values("participation").annotate(sum=Sum("amount")).values("sum")
    return Coalesce(Subquery(total, output_field=MONEY), ZERO, output_field=MONEY)


Status = Participation.Status
PREFERRED = (Status.CONFIRMED, Status.APPROVED)
POSSIBLE = (*PREFERRED, Status.REJECTED)


@dataclass(frozen=True)
class Carrier:
    """A submitted unit, with the crowd's identifiers, through which a bonus can be paid."""

    participation: int
    listing: str
    unit: str
    person: str


def carrier(participation: Participation) -> Carrier | None:
    """Return the unit for extra pay of this participation; None until there is one.

    It is the participation's own unit; otherwise the latest unit that the same person has submitted
    in the same environment, in any campaign. Rejected units come last.
    """
    annotator = participation.annotator_id
    units = Participation.objects.filter(annotator=annotator, status__in=POSSIBLE)
    published = units.exclude(posting=None).exclude(posting__external_id="")
    rows = published.order_by("-submitted_at", "-pk")
    found = [
        (status in PREFERRED, pk == participation.pk, Carrier(pk, listing, unit, person))
        for pk, status, listing, unit, person in rows.values_list(
            "pk", "status", "posting__external_id", "external_key", "annotator__external_id"
        )
    ]
    best = max(found, key=lambda one: one[:2], default=None)
    return best[2] if best else None
