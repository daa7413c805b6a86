"""Lists for paying by hand, and their state."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import numpy as np
from django.db.models import Count, Min, Q, Sum

from annotate.crowds.tariffs import ZERO
from annotate.errors import NotFound
from annotate.models import Campaign, Participation, Payout, PayoutList
from annotate.selectors import keysets
from annotate.selectors.keysets import FixedOrder
from annotate.selectors.listings import Listing


@dataclass(frozen=True)
class PayoutLine:
    """One participation's line in a list, with what is recorded of its payment."""

    participation: int
    pseudonym: str
    external_id: str
    amount: Decimal
    state: str  # "" before it is marked, then "paid" or "undone"


@dataclass(frozen=True)
class PayoutSummary:
    """A list without its lines. people, amount: all of it; paid: marked, and not undone since."""

    id: int
    public_id: str
    made_at: datetime
    made_by: str
    people: int
    amount: Decimal
    marked_at: datetime | None
    marked_by: str
    paid: Decimal
    undone: int


@dataclass(frozen=True)
class ListPage:
    """One list with the lines of one page."""

    summary: PayoutSummary
    listing: Listing
    lines: tuple[PayoutLine, ...]


def summaries(campaign_id: int, listing: Listing) -> tuple[Listing, list[PayoutSummary]]:
    """Return a page of the lists of a campaign, the newest first; three queries."""
    lists = PayoutList.objects.filter(campaign=campaign_id).select_related("actor")
    listing, shown = keysets.page(lists.defer("rows"), ("-pk",), listing)
    return listing, _summaries(shown)


def summary(campaign: Campaign, public_id: str) -> PayoutSummary:
    """Return a list of this campaign; raises `NotFound` for any other."""
    lists = PayoutList.objects.filter(campaign=campaign, public_id=public_id)
    for found in _summaries(lists.select_related("actor").defer("rows")):
        return found
    raise _missing()


def page(campaign: Campaign, public_id: str, listing: Listing) -> ListPage:
    """Return a list with a page of its lines; raises `NotFound` for that of another campaign.

    `listing` may search for a pseudonym, a name or a code. Always the same number of queries.
    """
    found = summary(campaign, public_id)
    rows = PayoutList.objects.values_list("rows", flat=True).get(pk=found.id)
    every = np.array([participation for participation, _amount in rows], dtype=np.int64)
    kept = np.ones(every.size, dtype=bool)
    if listing.search:
        kept = np.isin(every, list(_searched(campaign.pk, listing.search)))
    listing, part = keysets.cut(FixedOrder(every, kept), listing)
    shown = [rows[at] for at in np.flatnonzero(kept)[part]]
    ids = [participation for participation, _amount in shown]
    payouts = Payout.objects.filter(listed=found.id, participation__in=ids).order_by("pk")
    return ListPage(found, listing, _lines(shown, _names(ids), list(payouts)))


def lines(found: PayoutSummary) -> tuple[PayoutLine, ...]:
    """Return all lines of a list, for its file."""
    rows = PayoutList.objects.values_list("rows", "campaign").get(pk=found.id)
    payouts = Payout.objects.filter(listed=found.id).order_by("pk")
    return _lines(rows[0], dict(_people(rows[1])), list(payouts))


def _summaries(lists: Iterable[PayoutList]) -> list[PayoutSummary]:
    """Return the lists, each read with its actor, with what became of them."""
    every = list(lists)
    states = {
        row.pop("listed"): row
        for row in Payout.objects.filter(listed__in=[one.pk for one in every])
        .order_by()
        .values("listed")
        .annotate(
            marked_at=Min("at"),
            marked_by=Min("actor__username", filter=Q(amount__gt=0)),
            paid=Sum("amount"),
            undone=Count("pk", filter=Q(amount__lt=0)),
        )
    }
    unmarked = {"marked_at": None, "marked_by": "", "paid": ZERO, "undone": 0}
    return [
        PayoutSummary(
            id=one.pk,
            public_id=one.public_id,
            made_at=one.at,
            made_by=one.actor.get_username(),
            people=one.people,
            amount=one.amount,
            **states.get(one.pk, unmarked),
        )
        for one in every
    ]


def _searched(campaign_id: int, words: str) -> set[int]:
    meant = Q(annotator__pseudonym__icontains=words) | Q(annotator__external_id__icontains=words)
    rows = Participation.objects.filter(meant, campaign=campaign_id)
    return set(rows.values_list("pk", flat=True))


def _names(participations: Collection[int]) -> dict[int, tuple[str, str]]:
    rows = Participation.objects.filter(pk__in=participations).values_list(
        "pk", "annotator__pseudonym", "annotator__external_id"
    )
    return {pk: (pseudonym, name) for pk, pseudonym, name in rows}


def _lines(
    rows: list[tuple[int, str]], people: dict[int, tuple[str, str]], payouts: list[Payout]
) -> tuple[PayoutLine, ...]:
    states = {one.participation_id: "paid" if one.amount > 0 else "undone" for one in payouts}
    return tuple(
        PayoutLine(pk, *people[pk], Decimal(amount), states.get(pk, "")) for pk, amount in rows
    )


def _missing() -> NotFound:
    return NotFound("There is no such pay-out list in this campaign.")


def _people(campaign_id: int) -> list[tuple[int, tuple[str, str]]]:
    rows = Participation.objects.filter(campaign=campaign_id).values_list(
        "pk", "annotator__pseudonym", "annotator__external_id"
    )
    return [(pk, (pseudonym, name)) for pk, pseudonym, name in rows]
