"""A long list on a page: what its address asks for, and the links to its other pages.

Whatever stands in the address, it is answered: an unknown order is the usual one, and a page that
does not exist is the nearest that does.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar
from urllib.parse import urlencode

import numpy as np
from django.db.models import F, Model, Q, QuerySet
from numpy.typing import NDArray

from annotate.common.errors import BadCursor

LONGEST = 100  # characters of what is searched for
MOST = 10**9  # a page number beyond it is the last
Values = tuple[Any, ...]  # what a row is sorted by


@dataclass(frozen=True)
class RowPlace:
    """The place right after the row with these sort values; (): the start of the list.

    before: right before it, where a page ends that is read backwards; (): the end of the list.
    """

    values: Values = ()
    before: bool = False


@dataclass(frozen=True)
class Walk:
    """The way through a list by its rows. here: where this page begins, or ends.

    previous, next: the same of the pages beside it, known after its rows are; None: no page.
    """

    here: RowPlace = RowPlace()
    previous: RowPlace | None = None
    next: RowPlace | None = None


@dataclass(frozen=True)
class Filter:
    """A further choice about a list; `options`: (value, name).

    label: of its field; "" where the form shows none. usual: the value that addresses leave out.
    narrows: whether other values leave rows out. Other choices stay where the whole list is shown.
    """

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    value: str
    usual: str = ""
    narrows: bool = True


@dataclass(frozen=True)
class Listing:
    """What is asked of a list. The first of `sorts` and of `choices` is the usual one.

    sorts: names of the orders by their key, each with its usual direction; `backwards`: the other.
    choices: names of the parts of the list that can be chosen; the usual one is all of it.
    param: how the number of the page is named in the address.
    n: how many rows the search and the choice leave; known after `found`.
    walk: the place of the page where it has no number; None: `number` says which page it is.
    """

    sorts: Mapping[str, str]
    choices: Mapping[str, str]
    search: str
    sort: str
    backwards: bool
    choice: str
    number: int
    size: int
    anchor: str
    param: str = "page"
    n: int = 0
    walk: Walk | None = None
    filters: tuple[Filter, ...] = ()

    def chosen(self, name: str) -> str:
        """Return the value of a filter; "" without one of this name."""
        return next((one.value for one in self.filters if one.name == name), "")

    def found(self, n: int) -> Self:
        """Return the same with the number of rows; its page is one that exists."""
        pages = max(1, -(-n // self.size))
        return replace(self, n=n, number=min(max(1, self.number), pages))

    @property
    def pages(self) -> int:
        return max(1, -(-self.n // self.size))

    @property
    def start(self) -> int:
        """Return how many rows come before this page."""
        return (self.number - 1) * self.size

    @property
    def rows(self) -> slice:
        return slice(self.start, self.start + self.size)

    @property
    def first(self) -> int:
        return min(self.start + 1, self.n)

    @property
    def last(self) -> int:
        return min(self.start + self.size, self.n)

    @property
    def narrowed(self) -> bool:
        """Return whether rows are left out."""
        chosen = any(one.narrows and one.value != one.usual for one in self.filters)
        return bool(self.search) or self.choice != next(iter(self.choices), "") or chosen

    @property
    def orders(self) -> list[tuple[str, str]]:
        return list(self.sorts.items())

    @property
    def parts(self) -> list[tuple[str, str]]:
        return list(self.choices.items())

    @property
    def selects(self) -> list[Filter]:
        """Return the filters that the form shows, beside the parts of the list."""
        return [one for one in self.filters if one.label]

    @property
    def here(self) -> str:
        """Return the address of this page of the list."""
        return self._address(number=self.number)

    @property
    def before(self) -> str:
        return self._address(number=self.number - 1) if self.number > 1 else ""

    @property
    def after(self) -> str:
        return self._address(number=self.number + 1) if self.number < self.pages else ""

    @property
    def to_first(self) -> str:
        return self._address(number=1) if self.number > 2 else ""

    @property
    def to_last(self) -> str:
        return self._address(number=self.pages) if self.number < self.pages - 1 else ""

    @property
    def all(self) -> str:
        """Return the address of the whole list."""
        kept = tuple(replace(one, value=one.usual) if one.narrows else one for one in self.filters)
        choice = next(iter(self.choices), "")
        return self._address(number=1, search="", choice=choice, filters=kept)

    def sorted_by(self, sort: str) -> str:
        """Return the address in this order; of the present order, in the other direction."""
        backwards = sort == self.sort and not self.backwards
        return self._address(number=1, sort=sort, backwards=backwards)

    @property
    def query(self) -> str:
        """Return what names this page of the list in an address."""
        return self.here.removeprefix("?").partition("#")[0]

    @property
    def kept(self) -> str:
        """Return what names this list, whatever its page, in an address."""
        return self._address(number=1).removeprefix("?").partition("#")[0]

    def _address(self, **changes: Any) -> str:
        then = replace(self, **changes)
        usual = (next(iter(self.sorts), ""), next(iter(self.choices), ""))
        order = f"-{then.sort}" if then.backwards else then.sort
        said = {
            **{one.name: one.value for one in then.filters if one.value != one.usual},
            "q": then.search,
            "show": "" if then.choice == usual[1] else then.choice,
            "sort": "" if order == usual[0] else order,
            then.param: "" if then.number == 1 else str(then.number),
        }
        asked = urlencode({name: value for name, value in said.items() if value})
        return f"?{asked}#{self.anchor}"


def asked(
    query: Mapping[str, str],
    *,
    sorts: Mapping[str, str],
    choices: Mapping[str, str] | None = None,
    size: int,
    anchor: str,
    param: str = "page",
    filters: tuple[Filter, ...] = (),
) -> Listing:
    """Read `q`, `sort`, `show` and the page's number from an address; `param`: its name there."""
    choices = choices or {}
    order, shown = query.get("sort", ""), query.get("show", "")
    sort = order.removeprefix("-")
    typed = query.get(param, "").strip()
    number = 1
    if typed.isascii() and typed.isdigit():
        number = min(int(typed), MOST) if len(typed) <= LONGEST else MOST
    return Listing(
        sorts=sorts,
        choices=choices,
        search=_words(query.get("q", "")),
        sort=sort if sort in sorts else next(iter(sorts), ""),
        backwards=order.startswith("-") and sort in sorts,
        choice=shown if shown in choices else next(iter(choices), ""),
        number=number,
        size=size,
        anchor=anchor,
        param=param,
        filters=filters,
    )


def _words(typed: str) -> str:
    """Return what is searched for: no database stores a NUL, and lone surrogates are no text."""
    readable = typed.replace("\0", " ").encode("utf-8", "ignore").decode("utf-8")
    return " ".join(readable.split())[:LONGEST].strip()


# Pages that begin beside a row instead of at a number, so rows may come and go between two pages.
#
# The place of a row is what it is sorted by, and the last of that is unique. A page holds the rows
# after such a place, or before it, whether or not the row that gave the place is still there.


L = TypeVar("L", bound=Listing)
M = TypeVar("M", bound=Model)
R = TypeVar("R")
NO_ROW = Q(pk__in=())


# ---------------------------------------------------------------- rows of the database


def page_beside(
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
    names = [_bare(name) for name in order]
    ends = [
        tuple(getattr(row, name) for name in names)
        for row in ((shown[0], shown[-1]) if shown else ())
    ]
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


# ---------------------------------------------------------------- rows in memory


@dataclass(frozen=True)
class SortedColumns:
    """Rows in the order of these columns, (n,) each, ascending; together they are unique."""

    columns: tuple[NDArray[Any], ...]

    @property
    def n(self) -> int:
        return self.columns[0].size

    def at(self, place: int) -> Values:
        """Return the position of this row in the order."""
        return tuple(column[place].item() for column in self.columns)

    def upto(self, values: Values, *, itself: bool) -> int:
        """Return how many rows come before that place; itself: count the row of the place too."""
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


Places = SortedColumns | FixedOrder


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
