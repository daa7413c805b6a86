"""Pages that begin beside a row instead of at a number, so rows may come and go between two pages.

The place of a row is what it is sorted by, and the last of that is unique. A page holds the rows
after such a place, or before it, whether or not the row that gave the place is still there.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from django.db.models import F, Model, Q, QuerySet
from numpy.typing import NDArray

from annotate.errors import BadCursor
from annotate.selectors.listings import Listing, RowPlace, Values, Walk

L = TypeVar("L", bound=Listing)
M = TypeVar("M", bound=Model)
R = TypeVar("R")
NO_ROW = Q(pk__in=())


# ---------------------------------------------------------------- rows of the database


def page(
    rows: "QuerySet[M, R]", order: Sequence[str], listing: L, *, nullable: Collection[str] = ()
) -> tuple[L, list[R]]:
    """Return the rows of a page, and the listing with its place; two queries.

    order: the names that sort, the last of them unique; `-name`: descending. Each is an attribute
    of the rows. nullable: those that may be NULL, which is sorted as if it were the largest value.
    """
    listing = listing.found(rows.count())
    if listing.walk is None:
        return listing, list(_sorted(rows, order, nullable)[listing.rows])
    here = listing.walk.here
    way = turned(order) if here.before else order
    beyond = _sorted(_after(rows, way, here.values, nullable), way, nullable)
    found = list(beyond[: listing.size + 1])
    shown = found[: listing.size]
    if here.before:
        shown.reverse()
    ends = [_values(row, order) for row in (shown[0], shown[-1])] if shown else []
    return replace(listing, walk=_walked(here, ends, more=len(found) > listing.size)), shown


def _after(
    rows: "QuerySet[M, R]", order: Sequence[str], values: Values, nullable: Collection[str]
) -> "QuerySet[M, R]":
    """Return the rows that are sorted after these values; all of them for ()."""
    if not values:
        return rows
    if len(values) != len(order):
        raise BadCursor
    after = NO_ROW
    for name, value in reversed(list(zip(order, values, strict=True))):
        same = Q(**{_bare(name): value})
        after = _beyond(name, value, _bare(name) in nullable) | (same & after)
    return rows.filter(after)


def _beyond(name: str, value: Any, nullable: bool) -> Q:
    """Return which rows are sorted after this value by one name."""
    field, descends = _bare(name), name.startswith("-")
    if value is None:
        return Q(**{f"{field}__isnull": False}) if descends else NO_ROW
    further = Q(**{f"{field}__{'lt' if descends else 'gt'}": value})
    return further | Q(**{f"{field}__isnull": True}) if nullable and not descends else further


def _sorted(
    rows: "QuerySet[M, R]", order: Sequence[str], nullable: Collection[str]
) -> "QuerySet[M, R]":
    """Sort them; the databases do not agree on where NULL belongs, so it is told."""
    return rows.order_by(*(_term(name) if _bare(name) in nullable else name for name in order))


def _term(name: str) -> Any:
    field = F(_bare(name))
    return field.desc(nulls_first=True) if name.startswith("-") else field.asc(nulls_last=True)


def _bare(name: str) -> str:
    return name.removeprefix("-")


def turned(order: Sequence[str]) -> list[str]:
    """Return the names of the same order backwards."""
    return [_bare(name) if name.startswith("-") else f"-{name}" for name in order]


def _values(row: Any, order: Sequence[str]) -> Values:
    return tuple(getattr(row, _bare(name)) for name in order)


# ---------------------------------------------------------------- rows in memory


class Places(Protocol):
    """Rows in memory, in order."""

    @property
    def n(self) -> int: ...

    def at(self, place: int) -> Values:
        """Return the position of this row in the order."""

    def upto(self, values: Values, *, itself: bool) -> int:
        """Return how many rows come before that place; itself: count the row of the place too."""


@dataclass(frozen=True)
class SortedColumns:
    """Rows in the order of these columns, (n,) each, ascending; together they are unique."""

    columns: tuple[NDArray[Any], ...]

    @property
    def n(self) -> int:
        return self.columns[0].size

    def at(self, place: int) -> Values:
        return tuple(column[place].item() for column in self.columns)

    def upto(self, values: Values, *, itself: bool) -> int:
        if len(values) != len(self.columns):
            raise BadCursor
        before = np.zeros(self.n, dtype=bool)
        same = np.ones(self.n, dtype=bool)
        for column, value in zip(self.columns, values, strict=True):
            before |= same & (column < value)
            same &= column == value
        return int(np.count_nonzero(before | same if itself else before))


@dataclass(frozen=True)
class FixedOrder:
    """Rows whose order never changes, though which of them are listed does.

    ids: (m,), unique, of all rows in order. kept: (m,), which of them are listed.
    """

    ids: NDArray[np.int64]
    kept: NDArray[np.bool_]

    @property
    def n(self) -> int:
        return int(np.count_nonzero(self.kept))

    def at(self, place: int) -> Values:
        return (int(self.ids[np.flatnonzero(self.kept)[place]]),)

    def upto(self, values: Values, *, itself: bool) -> int:
        found = np.flatnonzero(self.ids == values[0])
        if not found.size:
            raise BadCursor
        return int(np.count_nonzero(self.kept[: int(found[0]) + itself]))


def cut(places: Places, listing: L) -> tuple[L, slice]:
    """Return which rows of a list in memory a page holds, and the listing with its place."""
    listing = listing.found(places.n)
    if listing.walk is None:
        return listing, listing.rows
    here = listing.walk.here
    if here.before:
        stop = places.upto(here.values, itself=False) if here.values else places.n
        rows = slice(max(0, stop - listing.size), stop)
    else:
        start = places.upto(here.values, itself=True) if here.values else 0
        rows = slice(start, min(start + listing.size, places.n))
    more = rows.start > 0 if here.before else rows.stop < places.n
    ends = [places.at(one) for one in (rows.start, rows.stop - 1)] if rows.start < rows.stop else []
    return replace(listing, walk=_walked(here, ends, more=more)), rows


# ---------------------------------------------------------------- both


def _walked(here: RowPlace, ends: Sequence[Values], *, more: bool) -> Walk:
    """Return the way on from a page. ends: its first and its last row. more: the way goes on.

    Beside an empty page there is nothing but the other end of the list.
    """
    first, last = ends or ((), ())
    back = bool(here.values)
    has_previous, has_next = (more, back) if here.before else (back, more)
    return Walk(
        here,
        RowPlace(first, before=True) if has_previous else None,
        RowPlace(last) if has_next else None,
    )
