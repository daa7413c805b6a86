"""The evidence that so few simulated people pass; beyond them, evidence falls off exponentially."""

import numpy as np

from annotate.screening.registry import SCREENS
from estimation.core import Floats

TOP = 0.02  # the tail from which cut-offs beyond it are extrapolated
DECADE = 1 / np.log(10)  # how evidence falls off by chance
LEAST_RATIO = 0.5  # three times as likely of somebody careless


def tail(people: int) -> int:
    return max(5, int(TOP * people))


def least_cutoff(screen: str, share: float) -> float:
    """Return the least cut-off: that of one look by the nominal evidence, which may pass `share`.

    A likelihood ratio is rarer than its inverse; the simulation says how rare. It does not know
    how much more will be compared as the campaign goes on, so nobody is listed for less than that.
    """
    return LEAST_RATIO if SCREENS[screen].ratio else float(-np.log10(share))


def listing(screen: str, share: float) -> tuple[float, float]:
    """Return the least cut-off for listing, and how slowly evidence is taken to fall off."""
    return least_cutoff(screen, share), 0.0 if SCREENS[screen].ratio else DECADE


def cutoff(most: Floats, passing: float, least: float, decade: float) -> float:
    """Return the evidence that a share of the simulated people pass, and at least `least`.

    decade: the least mean by which evidence exceeds a high value that it passes. Only evidence
    above 0 says how it falls off: it may begin far above, and the gap says nothing.
    """
    ordered = np.sort(most)[::-1]
    if passing * ordered.size >= 10:
        return float(max(least, ordered[int(passing * ordered.size)]))
    top = ordered[: tail(ordered.size)]
    top = top[top > 0]
    if not top.size:
        return least
    excess = max(float((top - top[-1]).mean()), decade)
    return float(max(least, top[-1] + excess * np.log(top.size / ordered.size / passing)))
