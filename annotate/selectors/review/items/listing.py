"""The items of a campaign, page by page."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, cast

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Left

from annotate.models import Authorship, Campaign, Exclusion, Item, Judgment, Output, Slot
from annotate.selectors import bulk, keysets
from annotate.selectors.review.items import figures, orders
from annotate.selectors.review.items.figures import ItemFigures
from annotate.selectors.review.items.wanted import EXCLUDED, SUPERSEDED, ItemListing
from annotate.selectors.studies import instruments
from annotate.states import ItemMeasure

BEGINNING = 160  # characters of a text


@dataclass(frozen=True)
class ItemLine:
    """One item. judgments: without superseded ones; excluded: those of them that do not count.

    words: of the input; number: its place in the order of collecting, from 1. residual: in the
    order by it alone, as it was when that was made.
    """

    number: int
    key: str
    beginning: str
    words: int
    outputs: int
    judgments: int
    excluded: int
    superseded: int
    said: ItemFigures
    residual: float | None


@dataclass(frozen=True)
class ItemsPage:
    """stored: whether the page rests on an order that a worker made, at `made_at`, None if it has
    made none; judgments: how many counted then."""

    listing: ItemListing
    rows: tuple[ItemLine, ...]
    stored: bool = False
    made_at: datetime | None = None
    judgments: int = 0


def page(campaign: Campaign, listing: ItemListing) -> ItemsPage:
    """Return one page, in a constant number of queries."""
    rows = _matching(campaign.pk, listing)
    if orders.needed(listing):
        return _ordered(campaign, listing, rows)
    if listing.choice == EXCLUDED:
        rows = rows.filter(position__in=_excluded_places(campaign.pk).distinct())
    found, shown = keysets.page(_columns(rows), _ordering(listing), listing)
    return ItemsPage(found, _lines(campaign, found, shown, {}))


def _ordered(campaign: Campaign, listing: ItemListing, rows: QuerySet[Item]) -> ItemsPage:
    """Return a page of an order that was made beforehand."""
    only = None
    if listing.choice == EXCLUDED:
        (only,) = bulk.columns(_excluded_places(campaign.pk), place="i4")
    order, ranks = orders.of(campaign.pk, listing, rows, only=only)
    found, part = keysets.cut(ranks, listing)
    places = order.positions[part].tolist()
    shown = Item.objects.filter(campaign=campaign.pk, position__in=places)
    by_place = {row[1]: row for row in _columns(shown)}
    residual = {}
    if found.sort == ItemMeasure.RESIDUAL:
        residual = dict(zip(places, order.figures[part].tolist(), strict=True))
    here = [by_place[place] for place in places if place in by_place]
    lines = _lines(campaign, found, here, residual)
    return ItemsPage(found, lines, True, order.at, order.judgments)


class ItemRow(NamedTuple):
    """An item as it is read; `beginning`: of its input."""

    pk: int
    position: int
    key: str
    beginning: str
    words: int


def _columns(rows: QuerySet[Item]) -> "QuerySet[Item, ItemRow]":
    begun = rows.annotate(beginning=Left("input", BEGINNING))
    return cast("QuerySet[Item, ItemRow]", begun.values_list(*ItemRow._fields, named=True))


def _matching(campaign_id: int, listing: ItemListing) -> QuerySet[Item]:
    """Select the items that are asked for, whether they have excluded work or not."""
    rows = Item.objects.filter(campaign=campaign_id)
    if listing.search:
        named = rows.annotate(name=F("key"))  # the researcher's own name for it
        rows = named.filter(name__icontains=listing.search)
    if listing.system:
        wrote = Authorship.objects.filter(system=int(listing.system))
        rows = rows.filter(pk__in=wrote.values("item"))
    if listing.choice == SUPERSEDED:
        later = Judgment.every.filter(campaign=campaign_id, supersedes__isnull=False)
        rows = rows.filter(pk__in=later.values("output__item"))
    return rows


def _excluded_places(campaign_id: int) -> QuerySet[Exclusion, Any]:
    """Select the places of the items with excluded work.

    Each exclusion looks at a slot of its output: in a join, Postgres would read the judgments of
    all campaigns.
    """
    output = Judgment.every.filter(pk=OuterRef(OuterRef("judgment"))).values("output")
    slots = Slot.objects.filter(output=Subquery(output)).order_by()
    out = Exclusion.objects.filter(restored_at=None, ruling__review__campaign=campaign_id)
    place = Subquery(slots.values("position")[:1])
    return out.order_by().annotate(place=place).values("place")


def _ordering(listing: ItemListing) -> list[str]:
    """Return the names that sort the items."""
    order = {"order": ["position"], "longest": ["-words", "position"], "name": ["key"]}
    return keysets.turned(order[listing.sort]) if listing.backwards else order[listing.sort]


def _lines(
    campaign: Campaign, listing: ItemListing, rows: Sequence[ItemRow], residual: Mapping[int, float]
) -> tuple[ItemLine, ...]:
    ids = [row[0] for row in rows]
    written = dict(Output.objects.filter(item__in=ids).values_list("pk", "item"))
    outputs = Counter(written.values())
    counts = _counts(written)
    version = instruments.of(campaign).scoring
    theirs = _theirs(written, listing)
    said = figures.said(theirs, listing.asked_criterion, version=version)
    return tuple(
        ItemLine(
            number=position + 1,
            key=key,
            beginning=beginning,
            words=words,
            outputs=outputs[pk],
            judgments=counts[pk][0],
            excluded=counts[pk][1],
            superseded=counts[pk][2],
            said=said.get(pk, ItemFigures()),
            residual=residual.get(position),
        )
        for pk, position, key, beginning, words in rows
    )


def _theirs(written: Mapping[int, int], listing: ItemListing) -> dict[int, int]:
    """Return the texts, with their items, that the figures are about: of one system or all."""
    if not listing.system:
        return dict(written)
    rows = Authorship.objects.filter(system=int(listing.system), output__in=list(written))
    mine = set(rows.values_list("output", flat=True))
    return {output: item for output, item in written.items() if output in mine}


def _counts(items: Mapping[int, int]) -> dict[int, list[int]]:
    """Return by item how many judgments there are, how many are excluded and superseded."""
    found: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    judged = Judgment.every.filter(output__in=list(items))
    out = Exclusion.objects.filter(restored_at=None, judgment__output__in=list(items))
    excluded = set(out.values_list("judgment", flat=True))
    for pk, output, superseded_at in judged.values_list("pk", "output", "superseded_at"):
        counts = found[items[output]]
        counts[2 if superseded_at else 0] += 1
        counts[1] += pk in excluded and not superseded_at
    return found
