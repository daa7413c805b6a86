"""The order of the tests where several workers share them.

xdist cuts the list into as many equal parts as there are workers, and whoever is done steals from
the end of another part. So each part gets a like share of each kind of test, the quick kind last:
what is left to steal at the end is short. Half of the parts begin with the tests of pages, which
wait for a browser, and half with those of the database, which compute.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

import pytest

Test = TypeVar("Test")
PAGES, DATABASE, QUICK = range(3)
DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}


def kind(item: pytest.Item) -> int:
    if item.get_closest_marker("browser"):
        return PAGES
    if item.get_closest_marker("django_db"):
        return DATABASE
    return DATABASE if DATABASE_FIXTURES & {*getattr(item, "fixturenames", ())} else QUICK


def deal(
    tests: Sequence[Test],
    workers: int,
    file_of: Callable[[Test], object],
    kind_of: Callable[[Test], int],
) -> list[Test]:
    """Return the order of the tests for so many workers; a file's tests stay together."""
    of_kind: dict[int, list[Test]] = {PAGES: [], DATABASE: [], QUICK: []}
    for test in tests:
        of_kind[kind_of(test)].append(test)
    hands = {one: _hands(some, workers, file_of) for one, some in of_kind.items()}
    dealt = []
    for n in range(workers):
        first = (PAGES, DATABASE) if n % 2 == 0 else (DATABASE, PAGES)
        dealt += [test for one in (*first, QUICK) for test in hands[one][n]]
    return dealt


def _hands(tests: Iterable[Test], workers: int, file_of: Callable[[Test], object]) -> list[list]:
    """Deal the files, the longest first, always to who has fewest tests."""
    files = [list(file) for _name, file in groupby(tests, key=file_of)]
    hands: list[list[Test]] = [[] for _ in range(workers)]
    for file in sorted(files, key=len, reverse=True):
        min(hands, key=len).extend(file)
    return hands
