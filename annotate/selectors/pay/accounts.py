"""What each participation of a campaign has earned, lost and been paid."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.db.models import (
    BigIntegerField,
    Count,
    DecimalField,
    F,
    IntegerField,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce

from annotate.crowds.tariffs import CENT, ZERO
from annotate.models import (
    Campaign,
    LedgerEntry,
    Participation,
    Payout,
)

# Not for work, so no ruling cancels it.
GIVEN = (LedgerEntry.Kind.TUTORIAL, LedgerEntry.Kind.FAILED_TRY, LedgerEntry.Kind.BONUS)
REFUSED = (LedgerEntry.Kind.REFUSAL, LedgerEntry.Kind.REINSTATEMENT)
MONEY = DecimalField(max_digits=12, decimal_places=2)
NUMBER = IntegerField()
BIG = BigIntegerField()


def spent(campaign_id: int) -> Decimal:
    """Return what a campaign has spent, fees included."""
    rows = Campaign.objects.filter(pk=campaign_id).order_by().annotate(total=spent_of())
    return in_cents(rows.values_list("total", flat=True).first() or ZERO)


def spent_of() -> Any:
    """Return what a campaign has spent as a query expression about it."""
    return Coalesce(F("totals__spent"), ZERO, output_field=MONEY)


def earned(participation_id: int) -> tuple[Decimal, int]:
    """Return (amount earned, paid units) of one participation, fees excluded."""
    row = LedgerEntry.objects.filter(participation_id=participation_id).aggregate(
        total=Coalesce(Sum("amount"), ZERO, output_field=MONEY),
        units=Count("pk", filter=Q(amount__gt=0)),
    )
    return in_cents(row["total"]), row["units"]


def sum_of(rows: QuerySet[LedgerEntry], by: str, *, fees: bool = False) -> Coalesce:
    """Return the sum of these rows as a query expression; rows are grouped by `by`."""
    what = F("amount") + F("fee") if fees else F("amount")
    total = rows.order_by().values(by).annotate(total=Sum(what)).values("total")
    return Coalesce(Subquery(total, output_field=MONEY), ZERO, output_field=MONEY)


def count_of(rows: QuerySet[Any], by: str) -> Coalesce:
    """Return the number of these rows as a query expression; rows are grouped by `by`."""
    counted = rows.order_by().values(by).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=NUMBER), 0)


def in_cents(total: Decimal) -> Decimal:
    """Return a sum with two digits, also that of nothing."""
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
    return of_each(Participation.objects.filter(campaign=campaign_id))


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
    (found,) = of_each(Participation.objects.filter(pk=participation_id))
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


def of_each(participations: QuerySet[Participation]) -> list[Account]:
    """Read the accounts, their money in one statement: earnings precede their payment."""
    entries = LedgerEntry.objects.filter(participation__in=participations)
    payouts = Payout.objects.filter(participation__in=participations)
    back = Q(kind__in=REFUSED)
    none = Value(ZERO, MONEY)
    earned = _by_participation(
        entries, none, Sum("amount", filter=~back), Sum("amount", filter=back)
    )
    paid = _by_participation(payouts, Sum("amount"), none, none)
    sums: dict[int, list[Decimal]] = {}
    for pk, *amounts in earned.union(paid, all=True):
        mine = sums.setdefault(pk, [ZERO, ZERO, ZERO])
        sums[pk] = [old + (new or ZERO) for old, new in zip(mine, amounts, strict=True)]
    return [_account(row, sums.get(row[0], [ZERO, ZERO, ZERO])) for row in _names(participations)]


def _by_participation(rows: QuerySet[Any], *sums: Any) -> QuerySet[Any, Any]:
    """Select (participation, paid, earned, refused): of each at most one row."""
    named = dict(zip(("out", "given", "back"), sums, strict=True))
    by: QuerySet[Any, Any] = rows.order_by().values("participation").annotate(**named)
    return by.values_list("participation", *named)


def _names(participations: QuerySet[Participation]) -> QuerySet[Participation, Any]:
    names = ("pk", "annotator__pseudonym", "annotator__external_id")
    return participations.order_by("pk").values_list(*names)


def _account(row: tuple[int, str, str], sums: list[Decimal]) -> Account:
    pk, pseudonym, external_id = row
    paid, earned, refused = map(in_cents, sums)
    return Account(earned, -refused, paid, pk, pseudonym, external_id)


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
