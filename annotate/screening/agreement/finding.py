"""Low agreement: answers that agree less than usual with the others' on the same outputs."""

import numpy as np

from annotate.screening import crowd
from annotate.screening.base import Columns, ScreenFinding, finding
from annotate.screening.grouping import levels, once
from annotate.screening.slopes import believed, slopes
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats, Ints, half_width

# The weight of the campaign's usual spread beside an annotator's own, in comparisons.
_PRIOR = 8.0
# The least weight of a kind of column.
_LEAST_WEIGHT = 0.05


class AgreementThresholds(Thresholds):
    """Agreement below `threshold`, where 0 is chance and 1 is usual in the campaign."""

    threshold: float = between(0.5, 0, 0.9)
    level: float = between(0.99, 0.6, 0.99999)
    minimum: int = between(8, 8, 1000)


def find(columns: Columns, own: AgreementThresholds, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose agreement is below `threshold` with confidence; 0 is chance, 1 usual.

    Answers become standardised mid-ranks z of their column. They are ordinal and centred, so chance
    gives 0 whatever a person's own base rates are. For each output that others judged too, v = sum
    of w·zbar² over its columns, with zbar the mean of the *others*, and x = sum of w·z·zbar; w is
    the agreement on the column. An output on which the others are undecided has a small v and
    little influence. Agreement is sum x / sum v, divided by the same for all other annotators'
    rows. The interval uses t, with a spread moderated by the campaign's. The evidence is the
    distance from the usual agreement (`slopes`).
    """
    people = columns.people.size
    counts = crowd.counts(columns, crowd.categories(columns))
    yardstick = crowd.varied(counts, limits)
    x, v, shared = comparisons(columns, yardstick)
    # People who answer upside down would make the others' answers look like chance.
    near = believed(columns.who, x, v, yardstick)
    x, v, shared = comparisons(columns, near)
    n = np.bincount(columns.who[shared], minlength=people)
    found = slopes(columns.who, x, v, near)
    residual = np.where(shared, x - found.own[columns.who] * v, 0.0)
    total = np.bincount(columns.who, v, people)
    half = _half_width(columns, residual, v, own.level) / np.where(total > 0, total, np.nan)
    value, half = found.own / found.usual, half / found.usual
    enough = (n >= own.minimum) & np.isfinite(value)
    enough &= crowd.large_enough(counts, yardstick, limits)
    return finding(
        "low_agreement",
        columns,
        evidence=found.evidence,
        past=value + half < own.threshold,
        value=value,
        low=value - half,
        high=value + half,
        threshold=own.threshold,
        n=n,
        enough=enough,
        numbers={"agreement": found.own, "usual_agreement": found.usual},
    )


def comparisons(columns: Columns, yardstick: crowd.Mask) -> tuple[Floats, Floats, crowd.Mask]:
    """Return (T,) x and v of each judgment, and whether another yardstick judged its output."""
    z = _standard_ranks(columns)
    there = np.isfinite(z)
    counts = yardstick[columns.who][:, None]
    others_sum = _of_others(columns.text, np.where(there, z, 0.0) * counts)
    others = _of_others(columns.text, there * counts * 1.0)
    both = there & (others > 0)
    mean = np.where(both, others_sum / np.maximum(others, 1), 0.0)
    product = np.where(both, z, 0.0) * mean
    weight = _weights(product, mean**2, columns.kinds)
    return product @ weight, mean**2 @ weight, np.asarray(both.any(axis=1))


@once
def _standard_ranks(columns: Columns) -> Floats:
    return _ranks(columns.answers, columns.kinds)


def _ranks(answers: Floats, kinds: Ints) -> Floats:
    """Return (T, C) mid-ranks, mean 0 and variance 1 per kind of column; 0 without variation."""
    z = np.full(answers.shape, np.nan)
    for kind in np.unique(kinds):
        block = answers[:, kinds == kind]
        there = np.isfinite(block)
        rank = _mid_ranks(block[there])
        spread = rank.std() if rank.size else 0.0
        filled = np.full(block.shape, np.nan)
        filled[there] = (rank - rank.mean()) / spread if spread > 0 else 0.0
        z[:, kinds == kind] = filled
    return z


def _of_others(output: Ints, values: Floats) -> Floats:
    """Return (T, C) the sum over all other judgments of the same output."""
    sums = [np.bincount(output, column)[output] - column for column in values.T]
    return np.stack(sums, axis=1) if sums else np.empty(values.shape)


def _weights(product: Floats, square: Floats, kinds: Ints) -> Floats:
    """Return (C,) the agreement on each kind of column over the campaign, at least a little."""
    weight = np.ones(kinds.size)
    for kind in np.unique(kinds):
        at = kinds == kind
        total = square[:, at].sum()
        weight[at] = max(_LEAST_WEIGHT, product[:, at].sum() / total) if total > 0 else 0.0
    return weight


def _half_width(columns: Columns, residual: Floats, v: Floats, level: float) -> Floats:
    """Return (A,) the half-width of the sum of x, its spread moderated by all, in proportion to v.

    A few outputs on which the others are far from the middle make up most of the sum, and vary the
    most. The degrees of freedom are those of an equivalent number of equal comparisons.
    """
    people = columns.people.size
    squares = np.bincount(columns.who, residual**2, people)
    total, total_squares = (np.bincount(columns.who, part, people) for part in (v, v**2))
    equal = total**2 / np.where(total_squares > 0, total_squares, np.nan)
    usual = residual @ residual / max(float(v.sum()), 1e-12)
    variance = (equal * squares + _PRIOR * usual * total) / (equal + _PRIOR)
    # One-sided at `level`: only the upper end decides.
    return np.asarray(half_width(np.sqrt(variance), equal + _PRIOR - 1, level=2 * level - 1))


def _mid_ranks(values: Floats) -> Floats:
    """Return ranks from 1; equal values share their mean rank.

    It equals `scipy.stats.rankdata`, whose import would take 60 MB in every process that may
    screen.
    """
    _different, which, n = levels(values)
    return (np.cumsum(n) - (n - 1) / 2)[which]
