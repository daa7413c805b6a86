"""Low agreement: answers that agree less than usual with the others' on the same outputs."""

import numpy as np

from annotate.screening import crowd
from annotate.screening.agreement.likelihood import (
    Believed,
    Ratios,
    SameOutputs,
    believed,
    careless,
    ratios,
)
from annotate.screening.base import Columns, ScreenFinding, finding
from annotate.screening.grouping import once
from annotate.screening.slopes import slopes
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats, Ints, half_width

# The weight of the campaign's usual spread beside an annotator's own, in comparisons.
_PRIOR = 8.0
_MANY = 20  # people who must remain as a yardstick of agreement


class AgreementThresholds(Thresholds):
    """Agreement below `threshold`, where 0 is chance and 1 is usual in the campaign."""

    threshold: float = between(0.5, 0, 0.9)
    level: float = between(0.99, 0.6, 0.99999)
    minimum: int = between(8, 8, 1000)


def find(columns: Columns, own: AgreementThresholds, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose agreement is below `threshold` with confidence; 0 is chance, 1 usual.

    Answers become standardised scores z of their column, less the person's level, in directions
    that are unrelated (`apart`). They are ordinal and centred, so chance gives 0 whatever a
    person's own base rates are. For each output that others judged too, v = sum of guess² over the
    directions, where the guess is what careful people would say given the others' answers, and x =
    sum of z · guess. An output on which the others are undecided has a small v and little
    influence. Agreement is sum x / sum v, divided by the same for all other annotators' rows. The
    interval uses t, with a spread moderated by the campaign's. The evidence is the logarithm of how
    much likelier the answers are of somebody careless than of somebody careful (`likelihood`).
    """
    people = columns.people.size
    counts = _counts(columns)
    yardstick = crowd.varied(counts, limits)
    same, seen = _seen(columns, limits)
    who, odds = same.who, _odds(same, seen, people)
    n = np.bincount(who[seen.shared], minlength=people)
    found = slopes(who, seen.x, seen.v, _near(odds, yardstick))
    half = _half_width(who, found.own, seen, own.level)
    value, half = found.own / found.usual, half / found.usual
    enough = (n >= own.minimum) & np.isfinite(value)
    enough &= crowd.large_enough(counts, yardstick, limits)
    return finding(
        "low_agreement",
        columns,
        evidence=odds / np.log(10),
        past=value + half < own.threshold,
        value=value,
        low=value - half,
        high=value + half,
        threshold=own.threshold,
        n=n,
        enough=enough,
        numbers={"agreement": found.own, "usual_agreement": found.usual},
    )


@once
def _counts(columns: Columns) -> crowd.Counts:
    return crowd.counts(columns, crowd.categories(columns))


@once
def _believed(columns: Columns, limits: CrowdThresholds) -> tuple[SameOutputs, Believed]:
    yardstick = crowd.varied(_counts(columns), limits)
    same = SameOutputs.of(columns, yardstick)
    return same, believed(same, yardstick)


@once
def _seen(columns: Columns, limits: CrowdThresholds) -> tuple[SameOutputs, Ratios]:
    same, said = _believed(columns, limits)
    return same, ratios(same, said.counted, cautious=True)


def belief(columns: Columns, limits: CrowdThresholds) -> Floats:
    """Return (T,) how far each judgment counts where others are compared with it, -1 to 1.

    Below 0 counts the other way round; 1 where nobody else judged the same.
    """
    same, said = _believed(columns, limits)
    found = np.ones(len(columns.who))
    found[same.rows] = said.counted
    return found


def kinds_of_people(columns: Columns, limits: CrowdThresholds) -> Floats:
    """Return (3,) the shares of people who are careful, do not look, and answer upside down."""
    return _believed(columns, limits)[1].shares


def unseen(columns: Columns, limits: CrowdThresholds) -> Floats:
    """Return (T,) how much likelier each judgment is of somebody who does not look.

    Natural logarithms of likelihood ratios to somebody careful; 0 where nobody else judged.
    """
    same, seen = _seen(columns, limits)
    found = np.zeros(len(columns.who))
    found[same.rows] = seen.unseen
    return found


def _odds(same: SameOutputs, seen: Ratios, people: int) -> Floats:
    """Return (A,) natural logarithms: how much likelier each person is careless than careful."""
    return careless(*(same.of_people(part, people) for part in (seen.unseen, seen.mirrored)))


def _near(odds: Floats, yardstick: crowd.Mask) -> crowd.Mask:
    """Return (A,) with whom a person's agreement is compared: who is likelier careful."""
    near = yardstick & (odds < 0)
    return near if near.sum() >= _MANY else yardstick


def _half_width(who: Ints, slope: Floats, seen: Ratios, level: float) -> Floats:
    """Return (A,) the half-width of each slope, its spread moderated by all, in proportion to v.

    A few outputs on which the others are far from the middle make up most of the sum, and vary the
    most. The degrees of freedom are those of an equivalent number of equal comparisons.
    """
    people, v = slope.size, seen.v
    residual = np.where(seen.shared, seen.x - slope[who] * v, 0.0)
    squares, total, total_squares = (
        np.bincount(who, part, people) for part in (residual**2, v, v**2)
    )
    equal = total**2 / np.where(total_squares > 0, total_squares, np.nan)
    usual = residual @ residual / max(float(v.sum()), 1e-12)
    variance = (equal * squares + _PRIOR * usual * total) / (equal + _PRIOR)
    # One-sided at `level`: only the upper end decides.
    half = half_width(np.sqrt(variance), equal + _PRIOR - 1, level=2 * level - 1)
    return np.asarray(half / np.where(total > 0, total, np.nan))
