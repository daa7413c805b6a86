"""Under which conditions people worked: their pay and time, refusals, appeals, and the tutorial."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np
from django.db.models import Avg, Count, Q, QuerySet, Sum
from numpy.typing import NDArray

from annotate.common import lists as common_lists
from annotate.common.lists import FixedOrder, Listing, Places, SortedColumns
from annotate.common.rows import Ints, columns, places
from annotate.common.text import keys
from annotate.crowds.prices import ZERO
from annotate.models import Annotator, Appeal, Campaign, Flag, LedgerEntry, TutorialRound
from annotate.pay import promise_queries, tallies, work_times
from annotate.pay.tallies import Tallies, Totals
from annotate.screening.screens import n_signs

HURRIED = 1000  # words a minute that the median person hardly reads


@dataclass(frozen=True)
class WorkConditions:
    """What people were paid, how many came, and how many appealed. None: not known or paid.

    seconds: one judgment, the median of people's means. hourly: of active time, the median of
    people; least: what nine of ten people earned at least. refused: people whose pay was refused.
    bonus: for the tutorial; 0 where there is none. failed_try: for both rounds of the tutorial
    completed and not passed. hurried: `seconds` are too few to read a text.
    entered, begun, passed, judged: people; begun and passed: the tutorial of this campaign; judged:
    with judgments that count. appeals: how many were made; upheld and waiting: of these.
    at: of when times and the counts of people are that are read with them; None: of now.
    """

    reward: Decimal
    bonus: Decimal
    failed_try: Decimal
    seconds: float | None
    hourly: float | None
    least: float | None
    hurried: bool
    refused: int
    entered: int
    begun: int
    passed: int
    judged: int
    appeals: int
    upheld: int
    waiting: int
    at: datetime | None


def of_campaign(campaign: Campaign) -> WorkConditions:
    """Return the conditions so far; the number of queries does not grow.

    Times, the people who judged and those whose pay was refused may be some minutes old where
    there are many judgments; `at` says so.
    """
    times = work_times.of_campaign(campaign.pk)
    words = campaign.outputs.aggregate(mean=Avg("words"))["mean"]
    tutorial = TutorialRound.objects.filter(campaign=campaign.pk).aggregate(
        begun=Count("annotator", distinct=True),
        passed=Count("annotator", distinct=True, filter=Q(passed=True)),
    )
    came = campaign.participations.aggregate(entered=Count("annotator", distinct=True))
    appeals = Appeal.objects.filter(review__campaign=campaign.pk).aggregate(
        appeals=Count("pk"),
        upheld=Count("pk", filter=Q(upheld=True)),
        waiting=Count("pk", filter=Q(answered_at=None)),
    )
    return WorkConditions(
        reward=campaign.reward,
        bonus=campaign.tutorial_bonus if campaign.tutorial_required else ZERO,
        failed_try=promise_queries.for_failing(campaign),
        seconds=times.seconds,
        hourly=_earned(campaign, times.per_hour),
        least=_earned(campaign, times.least_per_hour),
        hurried=bool(times.seconds is not None and words and times.seconds < words * 60 / HURRIED),
        refused=times.refused,
        judged=times.people,
        at=times.at,
        **came,
        **tutorial,
        **appeals,
    )


def _earned(campaign: Campaign, judgments: float | None) -> float | None:
    """Return what so many judgments pay; None where they are not known, or pay nothing."""
    return float(campaign.reward) * judgments if campaign.reward and judgments else None


# The people of a campaign as a list that is searched, ordered and shown page by page.


# The orders by their key; the largest or newest first.
ORDERS: Mapping[str, Callable[[Tallies], Ints]] = {
    "judgments": lambda found: found.judgments,
    "due": lambda found: found.due,
    "earned": lambda found: found.earned,
    "refused": lambda found: found.refused,
    "paid": lambda found: found.paid,
    "last": lambda found: found.judged_ms,
    "new": lambda found: found.first,
    "entered": lambda found: -found.first,  # the first one first
}
NEWEST = "new"
BY_NAME = "name"  # alphabetical
FLAGGED = "flags"  # by how many screens
PARTS: Mapping[str, Callable[[Tallies], NDArray[np.bool_]]] = {
    "due": lambda found: found.due > 0,
    "refused": lambda found: found.refused > 0,
    "idle": lambda found: found.judgments == 0,
}


@dataclass(frozen=True)
class Person:
    """One annotator of a campaign. `external_id`: the name or code, for the owner alone."""

    pseudonym: str
    external_id: str
    judgments: int
    money: Totals
    judged_at: datetime | None  # the last time
    entered_at: datetime | None
    annotator_id: int


@dataclass(frozen=True)
class PeoplePage:
    """One page of a campaign's people. totals: of everybody, whatever is searched for."""

    listing: Listing
    rows: tuple[Person, ...]
    totals: Totals
    n: int


def people_of_campaign(campaign_id: int, listing: Listing, *, by_name: bool) -> PeoplePage:
    """Return a page of the people who entered; always the same number of queries.

    by_name: search their names or codes too, which only owners may see.
    """
    found = tallies.of_campaign(campaign_id)
    fits = _fitting(campaign_id, found, listing, by_name=by_name)
    order, ranks = _ordered(campaign_id, found, listing, fits)
    listing, part = common_lists.cut(ranks, listing)
    shown = order[part]
    return PeoplePage(
        listing, _people_rows(campaign_id, found, shown), _totals(found), found.annotator.size
    )


def _fitting(
    campaign_id: int, found: Tallies, listing: Listing, *, by_name: bool
) -> NDArray[np.bool_]:
    """Return who in `found` is asked for."""
    fits = np.ones(found.annotator.size, dtype=bool)
    if listing.choice in PARTS:
        fits &= PARTS[listing.choice](found)
    if listing.search:
        fits &= np.isin(found.annotator, _searched(campaign_id, listing.search, by_name=by_name))
    return fits


def _ordered(
    campaign_id: int, found: Tallies, listing: Listing, fits: NDArray[np.bool_]
) -> tuple[Ints, Places]:
    """Return the places in `found` of those who fit, in the order that is asked for.

    People with the same value are in the order of entry, which is the order of `found`.
    """
    if listing.sort == BY_NAME:
        every = _alphabetical(campaign_id, found)
        every = every[::-1] if listing.backwards else every
        return every[fits[every]], FixedOrder(found.annotator[every], fits[every])
    by_flags = listing.sort == FLAGGED
    value = _flags(campaign_id, found) if by_flags else ORDERS[listing.sort](found)
    value = value if listing.backwards else -value
    order = np.argsort(value, kind="stable")
    order = np.asarray(order[fits[order]])
    return order, SortedColumns((value[order], found.first[order]))


def _flags(campaign_id: int, found: Tallies) -> Ints:
    """Return how many screens have flagged each of them; flags are few."""
    rows = Flag.objects.filter(review__campaign=campaign_id).order_by()
    screens: defaultdict[int, set[str]] = defaultdict(set)
    for pk, screen in rows.values_list("review__annotator", "screen").distinct():
        screens[pk].add(screen)
    each = {pk: n_signs(names) for pk, names in screens.items()}
    flagged = np.array(sorted(each), dtype=np.int64)
    place = places(flagged, wanted=found.annotator)
    counts = np.array([each[pk] for pk in flagged.tolist()] + [0])
    return np.asarray(counts[place])  # -1, of those without flags, is the last


def _here(campaign_id: int) -> QuerySet[Annotator]:
    return Annotator.objects.filter(participations__campaign=campaign_id)


def _searched(campaign_id: int, words: str, *, by_name: bool) -> Ints:
    """Return whom the words may mean: a part of the pseudonym, or of the name, or its look."""
    meant = Q(pseudonym__icontains=words)
    if by_name:
        look = keys(words)
        meant |= Q(external_id__icontains=words)
        meant |= Q(name_small=look.small) | Q(name_large=look.large)
    (found,) = columns(_here(campaign_id).filter(meant).order_by(), id="i8")
    return np.asarray(found)


def _alphabetical(campaign_id: int, found: Tallies) -> Ints:
    """Return the places in `found` in the order of the names."""
    (ids,) = columns(_here(campaign_id).order_by("external_id", "pk"), id="i8")
    _ids, first = np.unique(ids, return_index=True)
    ids = ids[np.sort(first)]  # on a marketplace a person may have many units
    by_id = np.argsort(found.annotator, kind="stable")
    place = places(found.annotator[by_id], wanted=ids)
    return np.asarray(by_id[place[place >= 0]])


def _people_rows(campaign_id: int, found: Tallies, shown: Ints) -> tuple[Person, ...]:
    ids = [int(one) for one in found.annotator[shown]]
    rows = Annotator.objects.filter(pk__in=ids).values_list("pk", "pseudonym", "external_id")
    names = {pk: (pseudonym, external_id) for pk, pseudonym, external_id in rows}
    entered = tallies.entered_at(campaign_id, ids)
    return tuple(
        Person(
            *names[pk],
            judgments=int(found.judgments[at]),
            money=_money(found, at),
            judged_at=tallies.moment(found.judged_ms[at]),
            entered_at=entered.get(pk),
            annotator_id=pk,
        )
        for pk, at in zip(ids, shown, strict=True)
    )


def _money(found: Tallies, at: int) -> Totals:
    sums = (found.earned[at], found.refused[at], found.paid[at])
    return Totals(*map(tallies.amount, sums))


def _totals(found: Tallies) -> Totals:
    sums = (found.earned.sum(), found.refused.sum(), found.paid.sum())
    return Totals(*map(tallies.amount, sums))


def totals(campaign_id: int) -> Totals:
    """Return the sums over all people of a campaign."""
    return _totals(tallies.of_campaign(campaign_id))


# What one participation earned and was refused, as its annotator reads it.


def earnings_of(participation_id: int) -> list[dict[str, Any]]:
    """Return what was earned and refused, grouped by its kind and reason.

    Each with the number of rows (`n`) and their `amount`. A reason is a person's text.
    """
    rows = (
        LedgerEntry.objects.filter(participation=participation_id)
        .exclude(amount=0)  # corrections of a crowd's fee
        .order_by("kind", "reason")
        .values("kind", "reason")
        .annotate(n=Count("pk"), total=Sum("amount"))
    )
    order = [kind.value for kind in LedgerEntry.Kind]
    found = sorted(rows, key=lambda row: order.index(row["kind"]))
    return [{**row, "amount": row["total"].quantize(ZERO)} for row in found]
