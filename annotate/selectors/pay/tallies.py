"""What each person of a campaign has judged, earned and been paid, as arrays.

Most of it is added up beforehand (`PersonTally`, `annotate/services/pay/tallying.py`). The facts
that came since are added here, so the figures are exact however long ago that was.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np
from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum
from django.utils import timezone
from numpy.typing import NDArray

from annotate.models import (
    Assignment,
    Judgment,
    LedgerEntry,
    Participation,
    Payout,
    PersonTally,
    TallyProgress,
)
from annotate.selectors import bulk
from annotate.selectors.bulk import Ints
from annotate.selectors.pay.accounts import REFUSED

CENTS = 100
RETRIES = 5
FACTS: dict[str, QuerySet[Any]] = {
    "judgment": Judgment.every.all(),
    "entry": LedgerEntry.objects.all(),
    "payout": Payout.objects.all(),
    "assignment": Assignment.objects.all(),  # nothing is added of it here
}


@dataclass(frozen=True)
class Upto:
    """Ids of facts, inclusive. None: no limit."""

    judgment: int | None = 0
    entry: int | None = 0
    payout: int | None = 0
    assignment: int | None = 0

    @classmethod
    def of(cls, progress: TallyProgress | None, prefix: str = "") -> "Upto":
        if progress is None:
            return cls()
        return cls(*(getattr(progress, prefix + field.name) for field in fields(cls)))


EVERYTHING = Upto(None, None, None, None)


@dataclass(frozen=True)
class Sums:
    """Sums of one person in one campaign; amounts in cents."""

    judgments: int = 0
    judged_ms: int = 0
    earned: int = 0
    refused: int = 0
    fees: int = 0
    paid: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        last = max(self.judged_ms, other.judged_ms)
        sums = {name: getattr(self, name) + getattr(other, name) for name in COLUMNS}
        return Sums(**{**sums, "judged_ms": last})


COLUMNS = tuple(field.name for field in fields(Sums))
Key = tuple[int, int]  # campaign and annotator


def since(
    after: Upto, upto: Upto = EVERYTHING, *, campaign_id: int | None = None
) -> dict[Key, Sums]:
    """Return the sums of the facts after these ids; three queries.

    Pay-outs are read first, and so earnings include whatever they pay.
    """
    found: dict[Key, Sums] = {}
    for read in (_payouts, _entries, _judgments):
        for campaign, annotator, part in read(after, upto, campaign_id):
            found[campaign, annotator] = found.get((campaign, annotator), Sums()) + part
    return found


def _facts(
    name: str, after: Upto, upto: Upto, campaign: str, campaign_id: int | None
) -> QuerySet[Any]:
    first, last = getattr(after, name), getattr(upto, name)
    rows = FACTS[name].order_by()
    rows = rows.filter(pk__gt=first) if first else rows
    rows = rows if last is None else rows.filter(pk__lte=last)
    return rows if campaign_id is None else rows.filter(**{campaign: campaign_id})


def _judgments(after: Upto, upto: Upto, campaign_id: int | None) -> Iterator[tuple[int, int, Sums]]:
    """Count corrections not at all: each supersedes a judgment that was counted."""
    rows = _facts("judgment", after, upto, "campaign", campaign_id)
    by = rows.filter(supersedes=None).values_list("campaign", "annotator")
    for campaign, annotator, n, at in by.annotate(n=Count("pk"), at=Max("submitted_at")):
        yield campaign, annotator, Sums(judgments=n, judged_ms=milliseconds(at))


def _entries(after: Upto, upto: Upto, campaign_id: int | None) -> Iterator[tuple[int, int, Sums]]:
    rows = _facts("entry", after, upto, "campaign", campaign_id)
    by = rows.values_list("campaign", "participation__annotator")
    back = Q(kind__in=REFUSED)
    sums = by.annotate(
        earned=Sum("amount", filter=~back), refused=Sum("amount", filter=back), fees=Sum("fee")
    )
    for campaign, annotator, earned, refused, fees in sums:
        part = Sums(earned=cents(earned), refused=-cents(refused), fees=cents(fees))
        yield campaign, annotator, part


def _payouts(after: Upto, upto: Upto, campaign_id: int | None) -> Iterator[tuple[int, int, Sums]]:
    rows = _facts("payout", after, upto, "participation__campaign", campaign_id)
    by = rows.values_list("participation__campaign", "participation__annotator")
    for campaign, annotator, paid in by.annotate(paid=Sum("amount")):
        yield campaign, annotator, Sums(paid=cents(paid))


def judged(campaign_id: int) -> tuple[Ints, Ints]:
    """Return (A,) annotators and (A,) how many judgments each has given in a campaign."""
    for _attempt in range(RETRIES):
        before = TallyProgress.objects.first()
        rows = PersonTally.objects.filter(campaign=campaign_id, judgments__gt=0).order_by()
        stored = bulk.columns(rows, annotator="i8", judgments="i4")
        more = [
            (annotator, sums.judgments)
            for _campaign, annotator, sums in _judgments(Upto.of(before), EVERYTHING, campaign_id)
        ]
        if Upto.of(TallyProgress.objects.first()) == Upto.of(before):
            break
    new = np.array(more, dtype=np.int64).reshape(-1, 2).T
    return added_up(np.concatenate([stored[0], new[0]]), np.concatenate([stored[1], new[1]]))


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
    """Return the tallies of a campaign; always the same number of queries."""
    for _attempt in range(RETRIES):
        before = TallyProgress.objects.first()
        stored = bulk.columns(
            PersonTally.objects.filter(campaign=campaign_id).order_by(),
            annotator="i8",
            judgments="i4",
            **dict.fromkeys(COLUMNS[1:], "i8"),
        )
        more = since(Upto.of(before), campaign_id=campaign_id)
        if Upto.of(TallyProgress.objects.first()) == Upto.of(before):
            break  # no fact has moved from the one to the other meanwhile
    return _added(_entered(campaign_id), stored, more)


def _entered(campaign_id: int) -> tuple[Ints, Ints]:
    """Return the annotators in the order of entry, and each one's first participation."""
    pk, annotator = bulk.columns(
        Participation.objects.filter(campaign=campaign_id).order_by(), id="i8", annotator="i8"
    )
    order = np.argsort(pk, kind="stable")
    _people, first = np.unique(annotator[order], return_index=True)
    first = order[np.sort(first)]
    return annotator[first], pk[first]


def _added(
    came: tuple[Ints, Ints], stored: tuple[NDArray[Any], ...], more: dict[Key, Sums]
) -> Tallies:
    entered, first = came
    order = np.argsort(entered, kind="stable")
    table = np.zeros((len(COLUMNS), entered.size), dtype=np.int64)
    place = bulk.places(entered[order], wanted=stored[0])
    known = place >= 0
    table[:, order[place[known]]] = np.stack(stored[1:])[:, known]
    wanted = np.array([annotator for _campaign, annotator in more], dtype=np.int64)
    for at, part in zip(bulk.places(entered[order], wanted=wanted), more.values(), strict=True):
        if at >= 0:  # not if they entered between the queries
            sums = Sums(*map(int, table[:, order[at]])) + part
            table[:, order[at]] = [getattr(sums, name) for name in COLUMNS]
    return Tallies(entered, first, *table)


def spent(campaign_ids: list[int]) -> dict[int, Decimal]:
    """Return what these campaigns have spent, fees included; always the same number of queries."""
    for _attempt in range(RETRIES):
        before = TallyProgress.objects.first()
        rows = (
            PersonTally.objects.filter(campaign__in=campaign_ids).order_by().values_list("campaign")
        )
        stored = dict(rows.annotate(n=Sum(F("earned") - F("refused") + F("fees"))))
        new = _facts("entry", Upto.of(before), EVERYTHING, "", None)
        mine = new.filter(campaign__in=campaign_ids).values_list("campaign")
        more = dict(mine.annotate(n=Sum(F("amount") + F("fee"))))
        if Upto.of(TallyProgress.objects.first()) == Upto.of(before):
            break
    return {pk: amount(stored.get(pk, 0) + cents(more.get(pk))) for pk in campaign_ids}


def moment(in_milliseconds: Any) -> datetime | None:
    """Return the time of `judged_ms`; None: never."""
    if not in_milliseconds:
        return None
    return datetime.fromtimestamp(int(in_milliseconds) / 1000, tz=timezone.get_current_timezone())


def entered_at(campaign_id: int, annotators: list[int]) -> dict[int, datetime]:
    """Return when these people first entered a campaign."""
    rows = Participation.objects.filter(campaign=campaign_id, annotator__in=annotators)
    return dict(rows.order_by().values_list("annotator").annotate(Min("entered_at")))
