"""What decided pairs say about the order of systems: places, with ties where pairs are open."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from estimation.core.stopping.ranking import Pair, PairOutcome


def places(
    outcomes: Mapping[Pair, PairOutcome], *, higher_is_better: bool = True
) -> dict[str, tuple[int, int]]:
    """Return the best and the worst place that each system can have.

    A system comes after all that are known to be better and before all that are known to be worse;
    what is open or close leaves both orders possible. So does a circle (a better than b, b than c,
    c than a), which people may prefer where they judge each pair side by side: its systems share
    their places.

    Parameters
    ----------
    outcomes : mapping of (str, str) to str
        The outcome of each pair, as in `PairVerdict.outcome`.
    higher_is_better : bool, default True
        Whether the higher score is the better one.

    Returns
    -------
    dict of str to (int, int)
        (best, worst) of each system, from 1, in the order in which they are first named.

    Examples
    --------
    >>> from estimation.core import places
    >>> places({("a", "b"): "first", ("a", "c"): "first", ("b", "c"): "close"})
    {'a': (1, 1), 'b': (2, 3), 'c': (2, 3)}
    """
    number, better = _known(outcomes)
    if not higher_is_better:
        better = better.T
    circle = _circles(better)
    beaten = better & (circle[:, None] != circle)
    best, worst = 1 + beaten.sum(axis=0), len(number) - beaten.sum(axis=1)
    return {name: (int(best[n]), int(worst[n])) for name, n in number.items()}


def circles(outcomes: Mapping[Pair, PairOutcome]) -> tuple[tuple[str, ...], ...]:
    """Return the systems of each circle of decided pairs: each is better than another of them.

    Parameters
    ----------
    outcomes : mapping of (str, str) to str
        The outcome of each pair, as in `PairVerdict.outcome`.

    Returns
    -------
    tuple of tuple of str
        The names in the order in which they are first named; empty without a circle.

    Examples
    --------
    >>> from estimation.core import circles
    >>> circles({("a", "b"): "first", ("a", "c"): "second", ("b", "c"): "first"})
    (('a', 'b', 'c'),)
    """
    number, better = _known(outcomes)
    found: dict[int, list[str]] = {}
    for name, circle in zip(number, _circles(better).tolist(), strict=True):
        found.setdefault(circle, []).append(name)
    return tuple(tuple(names) for names in found.values() if len(names) > 1)


def _known(outcomes: Mapping[Pair, PairOutcome]) -> tuple[dict[str, int], NDArray[np.bool_]]:
    """The number of each system, and (K, K) whether the row's is known to be the higher one."""
    names = dict.fromkeys(system for pair in outcomes for system in pair)
    number = {name: n for n, name in enumerate(names)}
    higher = np.zeros((len(number), len(number)), dtype=np.bool_)
    for (first, second), outcome in outcomes.items():
        higher[number[first], number[second]] |= outcome == "first"
        higher[number[second], number[first]] |= outcome == "second"
    return number, higher


def _circles(better: NDArray[np.bool_]) -> NDArray[np.int32]:
    """(K,) a number for each system, the same for those of one circle."""
    if not better.size:
        return np.zeros(0, dtype=np.int32)
    _n, found = connected_components(better, connection="strong")
    return np.asarray(found)
