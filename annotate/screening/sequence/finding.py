"""Answer pattern: answers that follow from the last ones, and not from the texts."""

import numpy as np
from scipy.special import gammaln

from annotate.screening import crowd
from annotate.screening.base import Columns, ScreenFinding, finding
from annotate.screening.sequence.sides import AS_LIKELY, leaning
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats, Ints

# Answers after which a pattern begins again, with the weight of each.
PERIODS = {2: 0.5, 3: 0.2, 4: 0.1, 5: 0.1, 6: 0.05, 7: 0.05}
COPIES = (0.7, 0.95)  # how often an answer is that of one period before
THROUGHOUT = (crowd.IMPLAUSIBLE, crowd.ALL_FOR, crowd.ALL_AGAINST)
ENDINGS = 1.0  # a run may begin at any task: a factor of ten


class Sequence(Thresholds):
    """Answers at least `odds` times as probable from a pattern as from any frequencies."""

    odds: float = between(300, 2, 1e9)
    minimum: int = between(8, 5, 1000)


def find(columns: Columns, own: Sequence, limits: CrowdThresholds) -> ScreenFinding:
    """Find annotators who repeat a pattern, such as best and worst by turns.

    Texts come in random order, so an honest person's answers are in random order too, whatever
    their frequencies are. The odds compare "the same answer as two (three, ..., seven) tasks ago"
    with the frequencies that suit the person best. The numerator is a probability that is known
    before each answer, so over all looks at most 1 / odds of such people pass the odds (universal
    inference, Wasserman, Ramdas and Balakrishnan 2020). The other pattern is one answer from some
    task on: of all orders of a person's answers, the share that ends with as long a run of one. Of
    pairs it may also be one side (`sides.leaning`).
    value: log10 of the odds. numbers, of pairs alone: the odds of leaning to a side, and the share
    of the text shown first.
    """
    found = crowd.categories(columns)
    counts = crowd.counts(columns, found)
    order = columns.turns
    who, category = columns.who[order], found.category[order]
    rate = ((found.typical + found.unrelated) / 2)[category]
    free = _free(columns, category, rate, order)
    people = columns.people.size
    patterns = [
        np.bincount(who, _copied(who, category, (rate, free), period, copy), people)
        + np.log(weight / 2)
        for period, weight in PERIODS.items()
        for copy in COPIES
    ]
    odds = np.logaddexp.reduce(patterns, axis=0)
    n = columns.judgments
    own_share = counts.times / n[counts.who]
    best = np.bincount(counts.who, counts.times * np.log(own_share), people)
    odds = np.maximum((odds - best) / np.log(10), _ending(who, category, people) - ENDINGS)
    numbers: dict[str, Floats] = {}
    if columns.turned is not None:
        side, share = leaning(columns)
        odds = np.maximum(odds + np.log10(1 - AS_LIKELY), side + np.log10(AS_LIKELY))
        numbers = {"side": side + np.log10(AS_LIKELY), "first": share}
    threshold = float(np.log10(own.odds))
    others = columns.others(limits.people, limits.judgments)
    return finding(
        "answer_pattern",
        columns,
        evidence=odds,
        past=odds >= threshold,
        value=odds,
        threshold=threshold,
        n=n,
        enough=(n >= own.minimum) & (columns.answers.shape[1] > 0) & others,
        numbers=numbers,
    )


def _free(columns: Columns, category: Ints, rate: Floats, order: Ints) -> Floats:
    """Return (T,) the probability of an answer that copies none: usual, or one level throughout.

    Patterns are made of answers such as "all best" and "all worst", however rare these are.
    """
    if columns.verdicts is not None:
        throughout, n = np.isin(category, THROUGHOUT), len(THROUGHOUT)
    elif columns.answers.shape[1]:
        answers = columns.presented[order]
        throughout, n = (answers == answers[:, :1]).all(axis=1), len(columns.levels)
    else:
        return rate
    return np.asarray((rate + throughout / n) / 2)


def _copied(
    who: Ints, category: Ints, chances: tuple[Floats, Floats], period: int, copy: float
) -> Floats:
    """Return (T,) the log probability of each answer; the first ones of a person are free."""
    rate, free = chances
    before = np.zeros(who.size, dtype=bool)
    before[period:] = who[period:] == who[:-period]
    same = np.zeros(who.size, dtype=bool)
    same[period:] = category[period:] == category[:-period]
    return np.asarray(np.log(np.where(before, copy * same + (1 - copy) * rate, free)))


def _ending(who: Ints, category: Ints, people: int) -> Floats:
    """Return (A,) -log10 of the share of orders that end with as many of the last answer."""
    n = np.bincount(who, minlength=people)
    ends = np.cumsum(n) - 1
    same = category == category[ends][who]
    others = np.where(same, -1, np.arange(who.size))
    newest = np.maximum.reduceat(others, ends - n + 1)  # the last task with another answer
    run = ends - np.maximum(newest, ends - n)
    times = np.bincount(who, same, people)
    # (times choose run) / (n choose run)
    share = gammaln(times + 1) - gammaln(times - run + 1) - gammaln(n + 1) + gammaln(n - run + 1)
    return np.asarray(-share / np.log(10))
