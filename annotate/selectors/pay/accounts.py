"""What each participation of a campaign has earned, lost and been paid."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from annotate.models import LedgerEntry, Participation, Payout
from annotate.selectors.pay.ledger import GIVEN, MONEY, ZERO

REFUSED = (LedgerEntry.Kind.REFUSAL, LedgerEntry.Kind.REINSTATEMENT)


@dataclass(frozen=True)
class Totals:
    """`earned` is what was ever earned, `refused` the part of it that is refused now."""

    earned: Decimal
    refused: Decimal
    paid: Decimal

    @property
    def due(self) -> Decimal:
        return self.earned - self.refused - self.paid


@dataclass(frozen=True)
class Account(Totals):
    """One participation's."""

    participation: int
    pseudonym: str
    external_id: str


def of_campaign(campaign_id: int) -> list[Account]:
    """Return everybody's account in the order in which they came."""
    return _read(Participation.objects.filter(campaign=campaign_id))


def by_person(accounts: list[Account]) -> list[Account]:
    """Return one account for each annotator: on a marketplace people have one for each unit."""
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
    """Return what somebody has been paid in a campaign, without payments that were undone."""
    row = Payout.objects.filter(
        participation__campaign=campaign_id, participation__annotator=annotator_id
    ).aggregate(sum=Sum("amount"))
    return (row["sum"] or ZERO).quantize(ZERO)


def paid_for_work(campaign_id: int, annotator_id: int) -> Decimal:
    """Return what of that a crowd has paid for work: units, and bonuses for more of it."""
    given = LedgerEntry.objects.filter(
        campaign=campaign_id, participation__annotator=annotator_id, kind__in=GIVEN
    )
    keys = [f"bonus:{pk}" for pk in given.values_list("pk", flat=True)]
    rows = Payout.objects.filter(
        participation__campaign=campaign_id,
        participation__annotator=annotator_id,
        participation__posting__isnull=False,
    )
    return (rows.exclude(key__in=keys).aggregate(sum=Sum("amount"))["sum"] or ZERO).quantize(ZERO)


def _read(participations: QuerySet[Participation]) -> list[Account]:
    """One statement, hence one snapshot: nothing is paid before it is earned."""
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
