"""What each person of a campaign has judged, earned and been paid, as arrays."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np
from django.db.models import Count, Max, Min, Q, Sum
from django.utils import timezone

from annotate.models import Judgment, LedgerEntry, Participation, Payout
from annotate.selectors import bulk
from annotate.selectors.bulk import Ints
from annotate.selectors.pay.accounts import REFUSED

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
    fees: Ints
    paid: Ints

    @property
    def due(self) -> Ints:
        return np.asarray(self.earned - self.refused - self.paid)

    @property
    def spent(self) -> Decimal:
        """Return what the campaign has spent, fees included."""
        return amount((self.earned - self.refused + self.fees).sum())


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
            earned=Sum("amount", filter=~back), refused=Sum("amount", filter=back), fees=Sum("fee")
        )
    )
    # A correction is no further judgment.
    first = Judgment.every.filter(campaign=campaign_id, supersedes=None).order_by()
    judged_rows = list(
        first.values_list("annotator").annotate(n=Count("pk"), at=Max("submitted_at"))
    )
    annotators, entered = _entered(campaign_id)
    order = np.argsort(annotators, kind="stable")
    table = np.zeros((6, annotators.size), dtype=np.int64)  # as in `Tallies`, from judgments on
    for columns, rows in (
        ([0, 1], [(who, n, milliseconds(at)) for who, n, at in judged_rows]),
        ([2, 3, 4], [(w, cents(e), -cents(r), cents(f)) for w, e, r, f in entry_rows]),
        ([5], [(who, cents(n)) for who, n in paid_rows]),
    ):
        found = np.array(rows, dtype=np.int64).reshape(-1, 1 + len(columns))
        place = bulk.places(annotators[order], wanted=found[:, 0])
        here = place >= 0  # not those who entered between the queries
        for column, values in zip(columns, found.T[1:], strict=True):
            table[column, order[place[here]]] = values[here]
    return Tallies(annotators, entered, *table)


def _entered(campaign_id: int) -> tuple[Ints, Ints]:
    """Return the annotators in the order of entry, and each one's first participation."""
    pk, annotator = bulk.columns(
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
