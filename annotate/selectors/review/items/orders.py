"""The stored orders of items, and those that need every item's place: arrays, never rows."""

from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from django.db.models import F, QuerySet
from numpy.typing import NDArray

from annotate.models import Item, ItemOrder
from annotate.selectors import bulk
from annotate.selectors.keysets import FixedOrder, Places, SortedColumns
from annotate.selectors.review.items.wanted import EXCLUDED, JUDGED, RANKED, UNJUDGED, ItemListing
from annotate.states import ItemMeasure

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StoredOrder:
    """positions, figures: (n,), in order. at: when it was made, from how many judgments."""

    positions: Ints
    figures: Floats
    at: datetime | None
    judgments: int


NOTHING = StoredOrder(np.empty(0, np.int64), np.empty(0), None, 0)


def sort_keys(measure: str, figures: Floats, *, higher_is_better: bool) -> Floats:
    """Return what items are sorted by, ascending; equal ones are in the order of collecting."""
    if measure == ItemMeasure.RESIDUAL:
        return -np.abs(figures)
    return figures if measure == ItemMeasure.WORST and higher_is_better else -figures


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


def of(
    campaign_id: int, listing: ItemListing, rows: QuerySet[Item], *, only: Ints | None = None
) -> tuple[StoredOrder, Places]:
    """Return the items that are asked for, in order; `rows`: those that the search leaves.

    only: the places of those that a filter leaves, in any order and perhaps several times.
    Items without the figure of the order are left out of it.
    """
    measure = listing.sort if listing.sort in RANKED else ItemMeasure.JUDGED
    known = stored(campaign_id, measure, criterion=listing.criterion, system_id=listing.system_id)
    if listing.sort in RANKED:
        return _ranked(known, listing, rows, only)
    return _by_judgment(known, listing, rows)


def _ranked(
    known: StoredOrder, listing: ItemListing, rows: QuerySet[Item], only: Ints | None
) -> tuple[StoredOrder, Places]:
    """Return the items of a stored order that are asked for."""
    fits = np.full(known.positions.size, listing.choice != UNJUDGED)
    if _leaves_out(listing):
        (left,) = bulk.columns(rows.order_by(), position="i4")
        fits = _among(known.positions, left)
    if only is not None:
        fits &= _among(known.positions, only)
    chosen = np.flatnonzero(fits)[:: -1 if listing.backwards else 1]
    found = replace(known, positions=known.positions[chosen], figures=known.figures[chosen])
    best = listing.asked_criterion.higher_is_better
    columns = (sort_keys(listing.sort, found.figures, higher_is_better=best), found.positions)
    return found, SortedColumns(tuple(-one if listing.backwards else one for one in columns))


def _by_judgment(
    judged: StoredOrder, listing: ItemListing, rows: QuerySet[Item]
) -> tuple[StoredOrder, Places]:
    """Return the items that are judged, or are not, in an order that needs no figure."""
    every = _plain(rows, listing.sort)[:: -1 if listing.backwards else 1]
    kept = _among(every, judged.positions) == (listing.choice == JUDGED)
    found = replace(judged, positions=every[kept], figures=np.full(np.count_nonzero(kept), np.nan))
    return found, FixedOrder(every, kept)


def _leaves_out(listing: ItemListing) -> bool:
    """Return whether the search does, of a stored order: it is already one system's."""
    return bool(listing.search) or listing.choice not in ("all", JUDGED, UNJUDGED, EXCLUDED)


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
