"""How far each person's slope is below the usual one: the sum of x over the sum of v, by rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from estimation.core import Floats, Ints

_FAR = 1.3  # evidence from which a person is no yardstick
_MANY = 20  # people who must remain
# The middle half of people tells the spread as well as this part of all would (Rousseeuw and Croux
# 1993, "Alternatives to the median absolute deviation"): so many are the degrees of freedom.
_MIDDLE_HALF = 0.37
_LEAST_USUAL = 0.05  # below this, or less than 3 standard errors above 0, nobody is compared


@dataclass(frozen=True, eq=False)
class Slopes:
    """The slopes of A people.

    own: (A,) each person's. usual: (A,) that of the others, NaN where it is not clearly above 0.
    evidence: (A,) -log10 of the probability of so low a slope of a person like the others.
    """

    own: Floats
    usual: Floats
    evidence: Floats


def slopes(
    who: Ints, x: Floats, v: Floats, counts: NDArray[np.bool_], *, least: float = _LEAST_USUAL
) -> Slopes:
    """Compare the slopes of people with the others'.

    who, x, v: (T,) each row's person and its parts of the sums; rows with v = 0 say nothing.
    counts: (A,) who is a yardstick for others. least: the least slope that is usual.

    The spread of a person's sum is the yardstick's, in proportion to v. People differ as well: the
    middle half of all show by how much, which a careless minority hardly changes. Who is then much
    lower than the others is no yardstick, and all is computed once more.
    """
    return _slopes(who, x, v, _believed(who, x, v, counts, least=least), least)


def _believed(
    who: Ints, x: Floats, v: Floats, counts: NDArray[np.bool_], *, least: float = _LEAST_USUAL
) -> NDArray[np.bool_]:
    """Return (A,) who remains a yardstick: not who is much lower, if enough remain."""
    found = _slopes(who, x, v, counts, least)
    near = counts & ~(np.nan_to_num(found.evidence) > _FAR)
    return near if near.sum() >= _MANY else counts


def _slopes(who: Ints, x: Floats, v: Floats, counts: NDArray[np.bool_], least: float) -> Slopes:
    people = counts.size
    sums: Floats = np.stack([np.bincount(who, part, people) for part in (x, v)])
    used = sums * counts
    rest = used.sum(axis=1, keepdims=True) - used
    usual, own = _ratio(rest), _ratio(sums)
    mine = counts[who] & (v > 0)
    residual = np.where(mine, x - own[who] * v, 0.0)
    error = np.sqrt(residual @ residual) / max(float(v @ mine), 1e-12)
    usual = np.where(usual > max(least, 3 * error), usual, np.nan)
    about = np.where(mine, x - np.nan_to_num(usual[who]) * v, 0.0)
    spread = about @ about / max(float(v @ mine), 1e-12)
    scale = np.sqrt(spread * np.where(sums[1] > 0, sums[1], np.nan))
    z = (sums[0] - usual * sums[1]) / np.where(scale > 0, scale, np.nan)
    known = z[counts & np.isfinite(z)]
    wider = np.quantile(np.abs(known - np.median(known)), 0.5) / 0.6745 if known.size else 1.0
    z = z / max(1.0, float(wider))
    chance = stdtr(max(_MIDDLE_HALF * known.size, 1.0), z)
    return Slopes(own, usual, -np.log10(np.maximum(chance, 1e-300)))


def _ratio(sums: Floats) -> Floats:
    """Return (A,) the first row over the second, NaN where the second is not above 0."""
    return np.asarray(sums[0] / np.where(sums[1] > 0, sums[1], np.nan))
