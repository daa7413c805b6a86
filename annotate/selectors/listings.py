"""A long list on a page: what its address asks for, and the links to its other pages.

Whatever stands in the address, it is answered: an unknown order is the usual one, and a page that
does not exist is the nearest that does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

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
    """The way through a list by its rows (`keysets`). here: where this page begins, or ends.

    previous, next: the same of the pages beside it, known after its rows are; None: no page.
    """

    here: RowPlace = RowPlace()
    previous: RowPlace | None = None
    next: RowPlace | None = None


@dataclass(frozen=True)
class Filter:
    """A further choice that narrows a list; `options`: (value, name), the first leaves all in."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    value: str


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
        return bool(self.search) or self.choice != next(iter(self.choices), "")

    @property
    def orders(self) -> list[tuple[str, str]]:
        return list(self.sorts.items())

    @property
    def parts(self) -> list[tuple[str, str]]:
        return list(self.choices.items())

    @property
    def selects(self) -> list[Filter]:
        """Return the filters of this list, beside its parts."""
        return []

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
        return self._address(number=1, search="", choice=next(iter(self.choices), ""))

    def sorted_by(self, sort: str) -> str:
        """Return the address in this order; of the present order, in the other direction."""
        backwards = sort == self.sort and not self.backwards
        return self._address(number=1, sort=sort, backwards=backwards)

    @property
    def query(self) -> str:
        """Return what names this page of the list in an address."""
        return self.here.removeprefix("?").partition("#")[0]

    def _address(self, **changes: Any) -> str:
        then = replace(self, **changes)
        usual = (next(iter(self.sorts), ""), next(iter(self.choices), ""))
        order = f"-{then.sort}" if then.backwards else then.sort
        said = {
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
) -> Listing:
    """Read `q`, `sort`, `show` and the page's number from an address; `param`: its name there."""
    choices = choices or {}
    order = query.get("sort", "")
    sort = order.removeprefix("-")
    return Listing(
        sorts=sorts,
        choices=choices,
        search=_words(query.get("q", "")),
        sort=sort if sort in sorts else next(iter(sorts), ""),
        backwards=order.startswith("-") and sort in sorts,
        choice=_one_of(choices, query.get("show", "")),
        number=_number(query.get(param, "")),
        size=size,
        anchor=anchor,
        param=param,
    )


def _words(typed: str) -> str:
    """Return what is searched for: no database stores a NUL, and lone surrogates are no text."""
    readable = typed.replace("\0", " ").encode("utf-8", "ignore").decode("utf-8")
    return " ".join(readable.split())[:LONGEST].strip()


def _one_of(names: Mapping[str, str], typed: str) -> str:
    return typed if typed in names else next(iter(names), "")


def _number(typed: str) -> int:
    digits = typed.strip()
    if not (digits.isascii() and digits.isdigit()):
        return 1
    return min(int(digits), MOST) if len(digits) <= LONGEST else MOST
