"""Low agreement: answers that agree less than usual with the others' on the same outputs."""

import numpy as np

from annotate.screening import crowd
from annotate.screening.agreement.apart import Apart, apart, variety
from annotate.screening.base import Columns, ScreenFinding, finding
from annotate.screening.slopes import believed, slopes
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats, Ints, half_width

# The weight of the campaign's usual spread beside an annotator's own, in comparisons.
_PRIOR = 8.0
# The least weight of a kind of column.
_LEAST_WEIGHT = 0.05
# How often people are believed anew, and the comparisons that weigh as much as "as usual".
_ROUNDS, _FEW = 5, 5.0


class AgreementThresholds(Thresholds):
    """Agreement below `threshold`, where 0 is chance and 1 is usual in the campaign."""

    threshold: float = between(0.5, 0, 0.9)
    level: float = between(0.99, 0.6, 0.99999)
    minimum: int = between(8, 8, 1000)


def find(columns: Columns, own: AgreementThresholds, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose agreement is below `threshold` with confidence; 0 is chance, 1 usual.

    Answers become standardised mid-ranks z of their column, less the person's level, in directions
    that are unrelated (`apart`). They are ordinal and centred, so chance gives 0 whatever a
    person's own base rates are. For each output that others judged too, v = sum
    of w·zbar² over its columns, with zbar the mean of the *others*, and x = sum of w·z·zbar; w is
    the agreement on the column. An output on which the others are undecided has a small v and
    little influence. Agreement is sum x / sum v, divided by the same for all other annotators'
    rows. The interval uses t, with a spread moderated by the campaign's. The evidence is the
    distance from the usual agreement (`slopes`).

    Whoever nearly always gives the best answer cannot go along with the others as far as people who
    use the whole scale. So the evidence expects of a person the usual agreement times the
    `variety` of their answers.
    """
    people = columns.people.size
    counts = crowd.counts(columns, crowd.categories(columns))
    yardstick = crowd.varied(counts, limits)
    x, v, shared = comparisons(columns, yardstick[columns.who].astype(np.float64))
    for _ in range(_ROUNDS):
        near = believed(columns.who, x, v, yardstick)
        x, v, _shared = comparisons(columns, credit(columns.who, x, v, near))
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
        evidence=_evidence(columns, x, v, near, found.usual),
        past=value + half < own.threshold,
        value=value,
        low=value - half,
        high=value + half,
        threshold=own.threshold,
        n=n,
        enough=enough,
        numbers={"agreement": found.own, "usual_agreement": found.usual},
    )


def comparisons(columns: Columns, credit: Floats) -> tuple[Floats, Floats, crowd.Mask]:
    """Return (T,) x and v of each judgment, and whether a yardstick judged its output as well.

    credit: (T,) how far each judgment is believed, 0 to 1.
    """
    said = apart(columns)
    others = _counted(columns.text, said, credit)
    products, squares = [], []
    for z, n in zip(said.filled, others, strict=True):
        mean = np.where(n > 0, _of_others(columns.text, z * credit) / np.maximum(n, 1), 0.0)
        products.append(z * mean)
        squares.append(mean**2)
    weight = _weights(products, squares, said.kinds)
    size = len(columns.who)
    x, v, shared = np.zeros(size), np.zeros(size), np.zeros(size, dtype=bool)
    for w, product, square, n in zip(weight, products, squares, others, strict=True):
        x += w * product
        v += w * square
        shared |= n > 0
    return x, v, shared


def _counted(output: Ints, said: Apart, credit: Floats) -> list[Floats]:
    """Return for each direction (T,) how many believed others said something of the same output.

    0 where oneself said nothing. Where everything was answered, they are as many for each.
    """
    counted = (credit > 0).astype(np.float64)
    if said.there is None:
        return [_of_others(output, counted)] * len(said.kinds)
    return [_of_others(output, np.where(there, counted, 0.0)) * there for there in said.there]


def _evidence(columns: Columns, x: Floats, v: Floats, near: crowd.Mask, usual: Floats) -> Floats:
    """Return (A,) the evidence of less agreement than is usual for answers of such variety."""
    beyond = (1 - variety(columns)) * np.nan_to_num(usual)
    return slopes(columns.who, x + beyond[columns.who] * v, v, near).evidence


def credit(who: Ints, x: Floats, v: Floats, near: crowd.Mask) -> Floats:
    """Return (T,) how far each judgment is believed: how well its person agrees elsewhere.

    People who answer upside down, or at random, would make the others' answers look like chance.
    So a person is believed as far as they agree with the others on all other outputs: 1 as usual, 0
    by chance or less. Few comparisons change little. Who is not `near` is not believed.
    """
    total, weight = (np.bincount(who, part, near.size) for part in (x, v))
    usual = total[near].sum() / max(float(weight[near].sum()), 1e-12)
    few = _FEW * v[v > 0].mean() if (v > 0).any() else 1.0
    slope = (total[who] - x + few * usual) / (weight[who] - v + few)
    found = np.clip(slope / usual, 0.0, 1.0) if usual > 0 else np.ones(who.size)
    return np.where(near[who], found, 0.0)


def _of_others(output: Ints, values: Floats) -> Floats:
    """Return (T,) the sum over all other judgments of the same output."""
    return np.asarray(np.bincount(output, values)[output] - values)


def _weights(products: list[Floats], squares: list[Floats], kinds: Ints) -> Floats:
    """Return (D,) the agreement on each kind of direction over the campaign, at least a little."""
    product, square = (np.array([part.sum() for part in each]) for each in (products, squares))
    weight = np.ones(kinds.size)
    for kind in np.unique(kinds):
        at = kinds == kind
        total = square[at].sum()
        weight[at] = max(_LEAST_WEIGHT, product[at].sum() / total) if total > 0 else 0.0
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
