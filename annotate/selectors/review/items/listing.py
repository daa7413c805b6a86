"""The items of a campaign, page by page."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import F, QuerySet
from django.db.models.functions import Left

from annotate.models import Authorship, Exclusion, Item, Judgment, Output, System
from annotate.selectors.listings import Filter, Listing, asked

ROWS = 50
BEGINNING = 160  # characters of a text
ORDERS = {"order": "As collected", "longest": "Longest input", "name": "Name"}
EXCLUDED, SUPERSEDED = "excluded", "superseded"
PARTS = {"all": "All", EXCLUDED: "With excluded work", SUPERSEDED: "With corrected answers"}


@dataclass(frozen=True)
class ItemListing(Listing):
    """What is asked of the items; `system`: the id of one that wrote for them, "" for all.

    systems: (id, name) of those that may be chosen; none for people who do not see systems.
    """

    system: str = ""
    systems: tuple[tuple[str, str], ...] = ()

    @property
    def narrowed(self) -> bool:
        return super().narrowed or bool(self.system)

    @property
    def all(self) -> str:
        return replace(self, system="", search="")._address(number=1, choice="all")

    @property
    def selects(self) -> list[Filter]:
        if not self.systems:
            return []
        return [Filter("system", "System", (("", "All"), *self.systems), self.system)]

    def _address(self, **changes: Any) -> str:
        address = super()._address(**changes).removeprefix("?")
        system = changes.get("system", self.system)
        ours = urlencode({"system": system}) if system else ""
        return f"?{ours}{'&' if ours and not address.startswith('#') else ''}{address}"


@dataclass(frozen=True)
class ItemLine:
    """One item. judgments: without superseded ones; excluded: those of them that do not count.

    words: of the input; number: its place in the order of collecting, from 1.
    """

    number: int
    key: str
    beginning: str
    words: int
    outputs: int
    judgments: int
    excluded: int
    superseded: int


def wanted(campaign_id: int, query: Mapping[str, str], *, systems: bool) -> ItemListing:
    """Read what is asked from an address; `systems`: whether one may choose a system."""
    found = asked(query, sorts=ORDERS, choices=PARTS, size=ROWS, anchor="items")
    rows = System.objects.filter(campaign=campaign_id).values_list("pk", "name") if systems else ()
    known = tuple((str(pk), name) for pk, name in rows)
    system = query.get("system", "")
    plain = {name: getattr(found, name) for name in Listing.__dataclass_fields__}
    return ItemListing(**plain, system=system if system in dict(known) else "", systems=known)


def page(campaign_id: int, listing: ItemListing) -> tuple[ItemListing, list[ItemLine]]:
    """Return one page, in a constant number of queries."""
    rows = _matching(campaign_id, listing)
    found = listing.found(rows.count())
    assert isinstance(found, ItemListing)
    shown = _sorted(rows, found).annotate(beginning=Left("input", BEGINNING))
    columns = ("pk", "position", "key", "beginning", "words")
    return found, _lines(list(shown.values_list(*columns)[found.rows]))


def _matching(campaign_id: int, listing: ItemListing) -> QuerySet[Item]:
    rows = Item.objects.filter(campaign=campaign_id)
    if listing.search:
        named = rows.annotate(name=F("key"))  # the researcher's own name for it
        rows = named.filter(name__icontains=listing.search)
    if listing.system:
        wrote = Authorship.objects.filter(system=int(listing.system))
        rows = rows.filter(pk__in=wrote.values("item"))
    if listing.choice == EXCLUDED:
        out = Exclusion.objects.filter(restored_at=None, judgment__campaign=campaign_id)
        rows = rows.filter(pk__in=out.values("judgment__output__item"))
    if listing.choice == SUPERSEDED:
        later = Judgment.every.filter(campaign=campaign_id, supersedes__isnull=False)
        rows = rows.filter(pk__in=later.values("output__item"))
    return rows


def _sorted(rows: QuerySet[Item], listing: ItemListing) -> QuerySet[Item]:
    order = {
        "order": [F("position").asc()],
        "longest": [F("words").desc(), F("position").asc()],
        "name": [F("key").asc()],
    }[listing.sort]
    ordered = rows.order_by(*order)
    return ordered.reverse() if listing.backwards else ordered


def _lines(rows: Sequence[tuple[int, int, str, str, int]]) -> list[ItemLine]:
    ids = [row[0] for row in rows]
    written = Output.objects.filter(item__in=ids).values_list("item", "pk")
    outputs = Counter(item for item, _pk in written)
    said = _counts([pk for _item, pk in written], {pk: item for item, pk in written})
    return [
        ItemLine(position + 1, key, beginning, words, outputs[pk], *said[pk])
        for pk, position, key, beginning, words in rows
    ]


def _counts(outputs: Sequence[int], items: Mapping[int, int]) -> dict[int, list[int]]:
    """Return by item how many judgments there are, how many are excluded and superseded."""
    found: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    judged = Judgment.every.filter(output__in=outputs)
    out = Exclusion.objects.filter(restored_at=None, judgment__output__in=outputs)
    excluded = set(out.values_list("judgment", flat=True))
    for pk, output, superseded_at in judged.values_list("pk", "output", "superseded_at"):
        counts = found[items[output]]
        counts[2 if superseded_at else 0] += 1
        counts[1] += pk in excluded and not superseded_at
    return found
