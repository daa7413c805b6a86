"""Random answers: combinations of answers that dice give, and people like the others do not."""

import numpy as np
from scipy.special import gammaln

from annotate.screening.base import Columns, Verdict, verdicts
from annotate.screening.settings import Settings
from estimation.core.sample import Floats, Ints
from estimation.core.straightlining import person_correlation

# What a judgment of paragraphs comes down to.
IMPLAUSIBLE, NEUTRAL, FOR, AGAINST, BOTH = range(5)


def random_answers(columns: Columns, settings: Settings) -> list[Verdict]:
    """Flag whose answers are `odds` times as probable from dice as from one of the others.

    A judgment's answers together are one category (for instance: best, worst, middle). Dice choose
    every answer with equal probability. A person like the others chooses categories with
    probabilities of their own, Dirichlet about the others' shares, with the correlation within
    people that the others have; `slips` of the time anybody may give anything. The ratio is a
    martingale under that model, so over all looks together at most 1 / odds of such people are
    flagged (Ville 1939).
    value: log10 of the odds; threshold likewise. It needs no output that others judged too.
    """
    own, people = settings.patterns, columns.people.size
    category, chance = categories(columns)
    counts = category_counts(columns, category, chance.shape[1])
    usual = _shares_of_others(counts, chance, own.slips)
    size = 1 / correlations(columns, category, own.correlation) - 1
    likelihood = _dirichlet_multinomial(counts, usual * size[:, None], size)
    dice = np.bincount(columns.who, np.log(chance[np.arange(len(category)), category]), people)
    odds, n = (dice - likelihood) / np.log(10), columns.judgments
    threshold = float(np.log10(own.odds))
    enough = (n >= own.minimum) & columns.crowd_of(settings.crowd.people, settings.crowd.judgments)
    enough &= columns.answers.shape[1] > 1  # a single answer has no combinations
    return verdicts(
        "random_answers", columns, flagged=odds >= threshold, value=odds, threshold=threshold,
        n=n, enough=enough, numbers={"correlation": 1 / (1 + size)},
    )  # fmt: skip


def categories(columns: Columns) -> tuple[Ints, Floats]:
    """((T,) the category of each judgment, (T, K) the probabilities that dice give it)."""
    if columns.verdicts is not None and columns.plausible is not None:
        return _of_paragraphs(columns.plausible, columns.verdicts)
    answers = columns.answers
    rows, category = np.unique(answers, axis=0, return_inverse=True)
    chance = float(len(columns.levels)) ** -answers.shape[1]
    return category.ravel(), np.full((len(answers), len(rows)), chance)


def _of_paragraphs(plausible: Floats, verdict: Floats) -> tuple[Ints, Floats]:
    pro, con = (verdict > 0).any(axis=1), (verdict < 0).any(axis=1)
    category = np.select([plausible == 0, pro & con, pro, con], [IMPLAUSIBLE, BOTH, FOR, AGAINST], NEUTRAL)
    # How many paragraphs an implausible answer had is not asked: as many as usual.
    m = np.isfinite(verdict).sum(axis=1)
    m = np.where(plausible == 0, np.median(m[plausible == 1]) if plausible.any() else 1, m)
    none, one_sided = 3.0**-m, 1.5**-m - 3.0**-m
    shown = np.stack([none, one_sided, one_sided, 1 - 2 * one_sided - none], axis=1)
    return category, np.column_stack([np.full(len(m), 0.5), np.maximum(shown, 1e-12) / 2])


def category_counts(columns: Columns, category: Ints, size: int) -> Floats:
    """(A, K) how often each annotator's judgments fall into each category."""
    counts = np.zeros((columns.people.size, size))
    np.add.at(counts, (columns.who, category), 1)
    return counts


def correlations(columns: Columns, category: Ints, least: float) -> Floats:
    """(A,) the correlation of categories within the *other* people, at least `least`."""
    found = np.full(columns.people.size, least)
    for j in range(columns.people.size):
        rest = columns.who != j
        found[j] = max(least, person_correlation(columns.who[rest], category[rest]))
    return found


def _shares_of_others(counts: Floats, chance: Floats, slips: float) -> Floats:
    others = counts.sum(axis=0) - counts
    total = np.maximum(others.sum(axis=1, keepdims=True), 1)
    return np.asarray((1 - slips) * others / total + slips * chance.mean(axis=0))


def _dirichlet_multinomial(counts: Floats, parameter: Floats, size: Floats) -> Floats:
    """(A,) log probability of each annotator's sequence of categories."""
    cells = gammaln(parameter + counts) - gammaln(parameter)
    return np.asarray(
        np.where(counts > 0, cells, 0.0).sum(axis=1)
        + gammaln(size)
        - gammaln(size + counts.sum(axis=1))
    )
