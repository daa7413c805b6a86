"""What levels of answers say among usual judgments, as numbers with mean 0 and variance 1."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from annotate.screening.base import Columns
from annotate.screening.crowd import Mask
from annotate.screening.grouping import levels
from estimation.core import Floats, Ints

# What each level says, (L,), by how often it occurs.
Code = Callable[[Ints], Floats]
_ALIKE = 1e-9  # the spread of scores that differ by rounding only


def usual_rows(columns: Columns, yardstick: Mask | None) -> Mask:
    """Return (T,) the judgments that say what is usual: all, where nobody is a yardstick (A,)."""
    found = np.ones(columns.who.size, dtype=bool) if yardstick is None else yardstick[columns.who]
    return found if found.any() else ~found


def coded(block: Floats, usual: Mask, code: Code) -> Floats:
    """Return (T, C) what the levels of a block say; NaN stays.

    Columns share the meaning of their levels. The `usual` (T,) judgments say how often these occur.
    """
    there = np.isfinite(block)
    different, which, n = levels(block[there])
    among = (there & usual[:, None])[there]
    if not among.all():
        n = np.bincount(which[among], minlength=different.size)
    z = np.full(block.shape, np.nan)
    z[there] = code(n)[which]
    return z


def ranked(n: Ints) -> Floats:
    """Return (L,) the mid-ranks of levels that occur n (L,) times; mean 0 and variance 1."""
    return _unit(_middle(n), n)


def normal(n: Ints) -> Floats:
    """Return (L,) the normal scores of levels that occur n (L,) times (van der Waerden 1952).

    If a normal scale is under the levels of a rating, two people's scores are nearly as correlated
    as these few levels allow. Mean 0 and variance 1; 0 without variation.
    """
    return _unit(ndtri(_middle(n)), n)


def beyond(n: Ints) -> Floats:
    """Return (L,) what levels that occur n (L,) times say beyond their order.

    The square of the rank, less what follows from the rank. Of three verdicts that is all that is
    left: two people may agree that a paragraph is beside the question, or not, whatever side else.
    """
    first = ranked(n)
    square = first**2
    return _unit(square - (square * first) @ n / max(n.sum(), 1) * first, n)


def _middle(n: Ints) -> Floats:
    """Return (L,) the shares below levels that occur n (L,) times, counting half of their own."""
    whole = max(int(n.sum()), 1)
    return np.clip((np.cumsum(n) - n / 2) / whole, 0.5 / whole, 1 - 0.5 / whole)


def _unit(score: Floats, n: Ints) -> Floats:
    """Return (L,) the scores with mean 0 and variance 1; 0 without variation."""
    whole = max(int(n.sum()), 1)
    apart = score - score @ n / whole
    spread = np.sqrt(apart**2 @ n / whole)
    return np.asarray(apart / spread if spread > _ALIKE else np.zeros(apart.shape))
