"""The median of everybody else's values, for every person at once."""

import numpy as np

from estimation.core import Floats, Ints


def medians_of_others(who: Ints, value: Floats, people: int) -> Floats:
    """Return (A,) the median over all others' values, NaN without any.

    who: (T,) the person of each value, 0 to A - 1. value: (T,) finite.
    All values are sorted once. A person's own values are then skipped: the r-th of the rest stands
    behind as many own ones as have at most r others before them.
    """
    order = np.argsort(value, kind="stable")
    ordered, owner = value[order], who[order]
    own = np.bincount(who, minlength=people)
    rest = value.size - own
    place = np.argsort(owner, kind="stable")  # of each own value among all, person by person
    person = owner[place]
    before = place - (np.arange(place.size) - (np.cumsum(own) - own)[person])  # others before it

    def at(rank: Ints) -> Floats:
        skipped = np.bincount(person, before <= rank[person], people).astype(np.int64)
        return np.append(ordered, np.nan)[np.where(rest > 0, rank + skipped, value.size)]

    return np.asarray((at((rest - 1) // 2) + at(rest // 2)) / 2)
