"""Leaning to one side: in pairs, the text shown first is preferred too often, or too rarely."""

import numpy as np

from annotate.screening.base import Columns
from estimation.core import Floats

FAIR = 0.55  # honest people's share for one side differs from a half by at most as much
LEANING = (0.8, 0.95)  # shares for one side, each as likely as the other
AS_LIKELY = 0.5  # leaning, beside the patterns of answers


def leaning(columns: Columns) -> tuple[Floats, Floats]:
    """Return (A,) log10 odds of leaning to a side, and the share of the text shown first.

    Which text is first is drawn anew for each person and pair, so the texts do not explain a
    share. The odds compare the shares of `LEANING`, for either side, with the fair share that suits
    the person best, so their expectation at any moment is at most 1 for fair people. Ties count
    for neither side. NaN is the share of who preferred nothing.
    """
    side = np.nansum(columns.presented, axis=1)
    first, second = (
        np.bincount(columns.who, side * sign > 0, columns.people.size) for sign in (1, -1)
    )
    n = first + second
    with np.errstate(invalid="ignore"):
        share = first / n
    fair = np.clip(np.nan_to_num(share, nan=0.5), 1 - FAIR, FAIR)
    null = first * np.log(fair) + second * np.log1p(-fair)
    shares = np.array([q for each in LEANING for q in (each, 1 - each)])
    each = first[:, None] * np.log(shares) + second[:, None] * np.log1p(-shares)
    odds = np.logaddexp.reduce(each, axis=1) - np.log(shares.size) - null
    return odds / np.log(10), share
