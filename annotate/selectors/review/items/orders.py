"""The stored orders of items, and those that need every item's place: arrays, never rows."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import F, QuerySet
from numpy.typing import NDArray

from annotate.models import Item, ItemOrder
from annotate.selectors import bulk
from annotate.selectors.review.items.wanted import JUDGED, RANKED, UNJUDGED, ItemListing
from annotate.states import ItemMeasure

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class StoredOrder:
    """positions, figures: (n,), in order. at: when it was made, from how many judgments."""

    positions: Ints
    figures: NDArray[np.float64]
    at: datetime | None
    judgments: int


NOTHING = StoredOrder(np.empty(0, np.int64), np.empty(0), None, 0)


def stored(campaign_id: int, measure: str, *, criterion: str, system_id: int | None) -> StoredOrder:
    """Return the order by this figure; an empty one where none was made yet."""
    found = ItemOrder.objects.filter(
        campaign=campaign_id, measure=measure, criterion=criterion, system=system_id
    ).first()
    if found is None:
        return NOTHING
    return StoredOrder(
        np.frombuffer(found.positions, "<i4").astype(np.int64),
        np.frombuffer(found.figures, "<f4").astype(np.float64),
        found.at,
        found.judgments,
    )


def needed(listing: ItemListing) -> bool:
    """Return whether a stored order is needed for what is asked."""
    return listing.sort in RANKED or listing.choice in (JUDGED, UNJUDGED)


def of(campaign_id: int, listing: ItemListing, rows: QuerySet[Item]) -> StoredOrder:
    """Return the items that are asked for, in order; `rows`: those that the search leaves.

    Items without the figure of the order are left out of it.
    """
    known = {"criterion": listing.criterion, "system_id": listing.system_id}
    if listing.sort in RANKED:
        found = stored(campaign_id, listing.sort, **known)  # type: ignore[arg-type]
        if listing.choice == UNJUDGED:
            found = StoredOrder(NOTHING.positions, NOTHING.figures, found.at, found.judgments)
    else:
        judged = stored(campaign_id, ItemMeasure.JUDGED, **known)  # type: ignore[arg-type]
        places = _plain(rows, listing.sort)
        kept = places[_among(places, judged.positions) == (listing.choice == JUDGED)]
        found = StoredOrder(kept, np.full(kept.size, np.nan), judged.at, judged.judgments)
    if listing.sort in RANKED and _leaves_out(listing):
        (left,) = bulk.columns(rows.order_by(), position="i4")
        fits = _among(found.positions, left)
        found = StoredOrder(found.positions[fits], found.figures[fits], found.at, found.judgments)
    if not listing.backwards:
        return found
    return StoredOrder(found.positions[::-1], found.figures[::-1], found.at, found.judgments)


def _leaves_out(listing: ItemListing) -> bool:
    """Return whether the search does, of a stored order: it is already one system's."""
    return bool(listing.search) or listing.choice not in ("all", JUDGED, UNJUDGED)


def _plain(rows: QuerySet[Item], sort: str) -> Ints:
    """Return the places of these items in an order that needs no figure."""
    if sort == "name":
        (found,) = bulk.columns(rows.order_by(F("key").asc()), position="i4")
        return np.asarray(found)
    if sort == "longest":
        place, words = bulk.columns(rows.order_by(), position="i4", words="i4")
        return np.asarray(place[np.lexsort((place, -words))])
    (found,) = bulk.columns(rows.order_by(), position="i4")
    return np.sort(found)


def _among(places: Ints, others: Ints) -> NDArray[np.bool_]:
    """Return which of these places are among the others."""
    return bulk.places(np.sort(others), wanted=places) >= 0
