"""Rows in the order of their groups, numbers by what they are equal to, and what is kept of both.

Comparing a million numbers takes many times as long as counting them; most columns of a campaign
hold few different ones.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from estimation.core import Floats, Ints, distinct

T = TypeVar("T")

_FEW = 4096  # different values that are looked up, not sorted
_DENSE = 8  # cells of a table for each row that is counted in it
_HALF = 16  # bits that numpy sorts by counting


def by_group(group: Ints, groups: int, *, after: Floats | None = None) -> Ints:
    """Return (T,) the rows in the order of their groups (0 to `groups` - 1).

    after: (T,) what orders the rows of a group; by default, and where it is equal, their places.
    """
    rows = None
    if after is not None and (after[1:] < after[:-1]).any():
        rows = np.argsort(after, kind="stable")
    for bits in range(0, max(int(groups) - 1, 1).bit_length(), _HALF):
        part = (group if rows is None else group[rows]) >> bits
        order = np.argsort((part & 0xFFFF).astype(np.uint16), kind="stable")
        rows = order if rows is None else rows[order]
    assert rows is not None
    return rows


def levels(values: Floats | Ints) -> tuple[Any, Ints, Ints]:
    """Return the different values, (T,) which of them each is, and how often each occurs.

    As `np.unique`; NaN is a value, one for all.
    """
    found = distinct(values[~np.isnan(values)])
    if found.size > _FEW:
        return np.unique(values, return_inverse=True, return_counts=True)
    which = np.searchsorted(found, values)  # NaN comes after all others
    n = np.bincount(which, minlength=found.size)
    return (np.append(found, np.nan) if n.size > found.size else found), which, n


def pairs(one: Ints, other: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the different numbers one * size + other, ascending, and how often each occurs.

    one: (T,) 0 or more. other: (T,) 0 to `size` - 1.
    """
    both = one * size + other
    if not both.size or int(both.max()) >= _DENSE * both.size:
        return np.unique(both, return_counts=True)
    times = np.bincount(both)
    there = np.flatnonzero(times)
    return there, times[there]


def in_company(group: Ints) -> NDArray[np.bool_]:
    """Return (T,) which rows are not the only ones of their group (0 or more)."""
    return np.asarray((np.bincount(group) > 1)[group])


def products(values: Floats, group: Ints) -> float:
    """Return the sum of the products of every two values (T,) of one group (T,)."""
    total, squares = np.bincount(group, values), np.bincount(group, values**2)
    return float((total**2 - squares).sum()) / 2


def once(act: Callable[..., T]) -> Callable[..., T]:
    """Compute a function of columns (and hashable arguments) once for the same columns.

    Several screens ask for the same. The results live as long as the columns, which do not change.
    """

    @wraps(act)
    def kept(columns: Any, *more: Any) -> T:
        memory = vars(columns).setdefault("_once", {})
        if (act, *more) not in memory:
            memory[act, *more] = act(columns, *more)
        found: T = memory[act, *more]
        return found

    return kept
