"""Low agreement: answers that go with the others' answers for the same outputs less than usual."""

import numpy as np
from scipy.stats import rankdata

from annotate.screening.base import Columns, Verdict, verdicts
from annotate.screening.settings import Settings
from estimation.core.interval import half_width
from estimation.core.sample import Floats

# How much the campaign's usual spread counts beside an annotator's own, in comparisons.
_PRIOR = 8.0
# Where the campaign's own agreement is below this, "less than usual" means nothing.
_LEAST_USUAL = 0.05


def low_agreement(columns: Columns, settings: Settings) -> list[Verdict]:
    """Flag whose agreement, 0 by chance and 1 as usual, lies below `threshold` with confidence.

    Answers become standardised mid-ranks z of their column (ordinal, and centred, so that what
    chance brings is 0 whatever somebody's own base rates). For each output that others judged too,
    v = sum of w·zbar² over its columns, zbar the mean of the *others*, and x = sum of w·z·zbar;
    w: how well the column is agreed on. An output on which the others are undecided has a small v:
    it can neither help nor hurt. Agreement is sum x / sum v, over the same for everybody else's
    rows. Interval: t, its spread moderated by the campaign's.
    """
    own, people = settings.agreement, columns.people.size
    x, v, shared = comparisons(columns)
    n = np.bincount(columns.who[shared], minlength=people)
    sums = np.stack([np.bincount(columns.who, part, people) for part in (x, v)])
    rest = sums.sum(axis=1, keepdims=True) - sums
    usual = np.where(rest[1] > 0, rest[0] / np.where(rest[1] > 0, rest[1], 1), np.nan)
    slope = np.where(sums[1] > 0, sums[0] / np.where(sums[1] > 0, sums[1], 1), np.nan)
    half = _half_width(columns, x - slope[columns.who] * v, shared, own.level) / np.where(sums[1] > 0, sums[1], np.nan)
    usual = np.where(usual > _LEAST_USUAL, usual, np.nan)
    value, half = slope / usual, half / usual
    crowd = columns.crowd_of(settings.crowd.people, settings.crowd.judgments)
    enough = (n >= own.minimum) & crowd & np.isfinite(value)
    return verdicts(
        "low_agreement", columns, flagged=value + half < own.threshold, value=value,
        low=value - half, high=value + half, threshold=own.threshold, n=n, enough=enough,
        numbers={"agreement": slope, "usual_agreement": usual},
    )  # fmt: skip


def comparisons(columns: Columns) -> tuple[Floats, Floats, "np.ndarray[tuple[int], np.dtype[np.bool_]]"]:
    """(T,) x and v of each judgment, and whether anybody else judged its output."""
    z = _ranks(columns.answers, columns.kinds)
    output = np.unique(columns.output, return_inverse=True)[1]
    there = np.isfinite(z)
    others_sum, others = _of_others(output, np.where(there, z, 0.0)), _of_others(output, there * 1.0)
    both = there & (others > 0)
    mean = np.where(both, others_sum / np.maximum(others, 1), 0.0)
    product = np.where(both, z, 0.0) * mean
    weight = _weights(product, mean**2, columns.kinds)
    return product @ weight, mean**2 @ weight, both.any(axis=1)


def _ranks(answers: Floats, kinds: Floats) -> Floats:
    """(T, C) mid-ranks with mean 0 and variance 1 within each kind of column; 0 without variation."""
    z = np.full(answers.shape, np.nan)
    for kind in np.unique(kinds):
        block = answers[:, kinds == kind]
        there = np.isfinite(block)
        rank = rankdata(block[there])
        spread = rank.std() if rank.size else 0.0
        filled = np.full(block.shape, np.nan)
        filled[there] = (rank - rank.mean()) / spread if spread > 0 else 0.0
        z[:, kinds == kind] = filled
    return z


def _of_others(output: Floats, values: Floats) -> Floats:
    """(T, C) the sum over the other judgments of the same output."""
    total = np.zeros((int(output.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(total, output, values)
    return np.asarray(total[output] - values)


def _weights(product: Floats, square: Floats, kinds: Floats) -> Floats:
    """(C,) the agreement on each kind of column over the whole campaign, a little at least."""
    weight = np.ones(kinds.size)
    for kind in np.unique(kinds):
        at = kinds == kind
        total = square[:, at].sum()
        weight[at] = max(_LEAST_USUAL, product[:, at].sum() / total) if total > 0 else 0.0
    return weight


def _half_width(columns: Columns, residual: Floats, shared: Floats, level: float) -> Floats:
    """(A,) the half-width of the sum of x: sqrt(n s²), s² moderated by everybody's."""
    who, e = columns.who[shared], residual[shared]
    n = np.bincount(who, minlength=columns.people.size).astype(np.float64)
    squares = np.bincount(who, e**2, columns.people.size)
    usual = float((e**2).mean()) if e.size else np.nan
    variance = (squares + _PRIOR * usual) / (n + _PRIOR)
    # One-sided at `level`: only the upper end decides.
    return np.asarray(half_width(np.sqrt(n * variance), n + _PRIOR - 1, level=2 * level - 1))
