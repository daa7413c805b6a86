"""What each participation of a campaign has earned, lost and been paid."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np
from django.db.models import (
    Count,
    DecimalField,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.common import rows as common_rows
from annotate.common.rows import Ints
from annotate.crowds.prices import CENT, ZERO
from annotate.models import (
    Judgment,
    LedgerEntry,
    Participation,
    Payout,
)

# Not for work, so no ruling cancels it.
GIVEN = (LedgerEntry.Kind.TUTORIAL, LedgerEntry.Kind.FAILED_TRY, LedgerEntry.Kind.BONUS)
REFUSED = (LedgerEntry.Kind.REFUSAL, LedgerEntry.Kind.REINSTATEMENT)
MONEY = DecimalField(max_digits=12, decimal_places=2)
NUMBER = IntegerField()


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


def sum_of(rows: QuerySet[Any], by: str, *, fees: bool = False) -> Coalesce:
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


def accounts(participations: QuerySet[Participation]) -> QuerySet[Any]:
    """Select participations with their accounts, in the order of entry; one statement.

    With each: pseudonym, external_id, earned, refused, paid and due, as in `Totals`.
    """
    entries = LedgerEntry.objects.filter(participation=OuterRef("pk"))
    payouts = Payout.objects.filter(participation=OuterRef("pk"))
    sums: QuerySet[Any] = participations.order_by("pk").annotate(
        pseudonym=F("annotator__pseudonym"),
        external_id=F("annotator__external_id"),
        earned=sum_of(entries.exclude(kind__in=REFUSED), "participation"),
        refused=-sum_of(entries.filter(kind__in=REFUSED), "participation"),
        paid=sum_of(payouts, "participation"),
    )
    found: QuerySet[Any] = sums.annotate(due=F("earned") - F("refused") - F("paid"))
    return found


def accounts_of_campaign(campaign_id: int) -> QuerySet[Any]:
    """Select the accounts of a campaign. On a marketplace, a person has one for each unit."""
    return accounts(Participation.objects.filter(campaign=campaign_id))


def accounts_of(participation_id: int) -> Any:
    return accounts(Participation.objects.filter(pk=participation_id)).get()


def totals(accounts: Iterable[Any]) -> Totals:
    every = list(accounts)
    return Totals(
        earned=sum((one.earned for one in every), ZERO),
        refused=sum((one.refused for one in every), ZERO),
        paid=sum((one.paid for one in every), ZERO),
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


Status = Participation.Status
PREFERRED = (Status.CONFIRMED, Status.APPROVED)
POSSIBLE = (*PREFERRED, Status.REJECTED)


def carrier(participation: Participation) -> Participation | None:
    """Return the unit for extra pay of this participation; None until there is one.

    It is the participation's own unit; otherwise the latest unit that the same person has submitted
    in the same environment, in any campaign. Rejected units come last.
    """
    units = Participation.objects.filter(
        annotator=participation.annotator_id, status__in=POSSIBLE
    ).select_related("posting", "annotator")
    published = units.exclude(posting=None).exclude(posting__external_id="")
    found = list(published.order_by("-submitted_at", "-pk"))
    # Of several that are equally good, the first.
    return max(found, key=lambda one: (one.status in PREFERRED, one == participation), default=None)


# What each person of a campaign has judged, earned and been paid, as arrays.


CENTS = 100


def judged(campaign_id: int) -> tuple[Ints, Ints]:
    """Return (A,) annotators and (A,) how many judgments each has given in a campaign."""
    rows = Judgment.objects.filter(campaign=campaign_id).order_by().values_list("annotator")
    found = np.array(list(rows.annotate(n=Count("pk"))), dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def added_up(annotator: Ints, n: Ints) -> tuple[Ints, Ints]:
    """Return each annotator once, with the sum of their numbers."""
    people, at = np.unique(annotator, return_inverse=True)
    return people, np.bincount(at, weights=n, minlength=people.size).astype(np.int64)


def milliseconds(at: datetime | None) -> int:
    return int(at.timestamp() * 1000) if at else 0


def cents(amount: Decimal | None) -> int:
    return round((amount or 0) * CENTS)


def amount(in_cents: Any) -> Decimal:
    return (Decimal(int(in_cents)) / CENTS).quantize(Decimal("0.01"))


@dataclass(frozen=True)
class Tallies:
    """Everybody who entered a campaign, in the order of entry; (A,) each, amounts in cents.

    first: their participations by which they entered. judged_ms: when they judged last, in
    milliseconds since 1970; 0: never.
    """

    annotator: Ints
    first: Ints
    judgments: Ints
    judged_ms: Ints
    earned: Ints
    refused: Ints
    paid: Ints

    @property
    def due(self) -> Ints:
        return np.asarray(self.earned - self.refused - self.paid)


def of_campaign(campaign_id: int) -> Tallies:
    """Return what everybody has judged, earned and been paid; four queries.

    Pay-outs are read first, and so earnings include whatever they pay.
    """
    paid = Payout.objects.filter(participation__campaign=campaign_id).order_by()
    paid_rows = list(paid.values_list("participation__annotator").annotate(n=Sum("amount")))
    entries = LedgerEntry.objects.filter(campaign=campaign_id).order_by()
    back = Q(kind__in=REFUSED)
    entry_rows = list(
        entries.values_list("participation__annotator").annotate(
            earned=Sum("amount", filter=~back), refused=Sum("amount", filter=back)
        )
    )
    # A correction is no further judgment.
    first = Judgment.every.filter(campaign=campaign_id, supersedes=None).order_by()
    judged_rows = list(
        first.values_list("annotator").annotate(n=Count("pk"), at=Max("submitted_at"))
    )
    annotators, entered = _entered(campaign_id)
    order = np.argsort(annotators, kind="stable")
    table = np.zeros((5, annotators.size), dtype=np.int64)  # as in `Tallies`, from judgments on
    for columns, rows in (
        ([0, 1], [(who, n, milliseconds(at)) for who, n, at in judged_rows]),
        ([2, 3], [(who, cents(e), -cents(r)) for who, e, r in entry_rows]),
        ([4], [(who, cents(n)) for who, n in paid_rows]),
    ):
        found = np.array(rows, dtype=np.int64).reshape(-1, 1 + len(columns))
        place = common_rows.places(annotators[order], wanted=found[:, 0])
        here = place >= 0  # not those who entered between the queries
        for column, values in zip(columns, found.T[1:], strict=True):
            table[column, order[place[here]]] = values[here]
    return Tallies(annotators, entered, *table)


def _entered(campaign_id: int) -> tuple[Ints, Ints]:
    """Return the annotators in the order of entry, and each one's first participation."""
    pk, annotator = common_rows.columns(
        Participation.objects.filter(campaign=campaign_id).order_by(), id="i8", annotator="i8"
    )
    order = np.argsort(pk, kind="stable")
    _people, first = np.unique(annotator[order], return_index=True)
    first = order[np.sort(first)]
    return annotator[first], pk[first]


def moment(in_milliseconds: Any) -> datetime | None:
    """Return the time of `judged_ms`; None: never."""
    if not in_milliseconds:
        return None
    return datetime.fromtimestamp(int(in_milliseconds) / 1000, tz=timezone.get_current_timezone())


def entered_at(campaign_id: int, annotators: list[int]) -> dict[int, datetime]:
    """Return when these people first entered a campaign."""
    rows = Participation.objects.filter(campaign=campaign_id, annotator__in=annotators)
    return dict(rows.order_by().values_list("annotator").annotate(Min("entered_at")))
