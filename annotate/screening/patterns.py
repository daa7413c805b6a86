"""Random answers: combinations of answers that dice give, and people like the others do not."""

import numpy as np
from scipy.special import gammaln

from annotate.screening import crowd
from annotate.screening.base import Columns, Verdict, verdicts
from annotate.screening.settings import Settings
from estimation.core.sample import Floats


def random_answers(columns: Columns, settings: Settings) -> list[Verdict]:
    """Flag whose answers are `odds` times as probable from dice as from one of the others.

    Dice choose every answer with equal probability. A person like the others chooses categories
    (`crowd.categories`) with probabilities of their own, Dirichlet about the others' shares, with
    the correlation within people that the others have; `slips` of the time anybody may give
    anything. Were the shares known, the ratio would be a martingale, so over all looks together at
    most 1 / odds of such people would be flagged (Ville 1939).
    Who is likelier dice than a person is then no yardstick, and all is computed once more: else
    many who dice would look like each other.
    value: log10 of the odds; threshold likewise. It needs no output that others judged too.
    """
    own = settings.patterns
    category, chance = crowd.categories(columns)
    counts = crowd.category_counts(columns, category, chance.shape[1])
    long_ = (columns.judgments >= own.minimum) & (columns.answers.shape[1] > 1)
    yardstick = crowd.varied(counts, settings.crowd)
    odds = _odds(columns, settings, yardstick)[0]
    yardstick &= ~(long_ & (odds > 0))
    odds, correlation = _odds(columns, settings, yardstick)
    enough = long_ & crowd.large_enough(counts, yardstick, settings.crowd)
    threshold = float(np.log10(own.odds))
    return verdicts(
        "random_answers", columns, flagged=odds >= threshold, value=odds, threshold=threshold,
        n=columns.judgments, enough=enough, numbers={"correlation": correlation},
    )  # fmt: skip


def _odds(columns: Columns, settings: Settings, yardstick: crowd.Mask) -> tuple[Floats, Floats]:
    """(A,) log10 odds for dice, and the correlation within the others that they rest on."""
    own, people = settings.patterns, columns.people.size
    category, chance = crowd.categories(columns)
    counts = crowd.category_counts(columns, category, chance.shape[1])
    usual = _shares(crowd.of_others(counts, yardstick), chance.mean(axis=0), own.slips)
    correlation = np.array(
        [
            crowd.correlation_of_others(columns, category, yardstick, j, own.correlation)
            for j in range(people)
        ]
    )
    likelihood = _dirichlet_multinomial(counts, usual, 1 / correlation - 1)
    dice = np.bincount(columns.who, np.log(chance[np.arange(len(category)), category]), people)
    return (dice - likelihood) / np.log(10), correlation


def _shares(others: Floats, chance: Floats, slips: float) -> Floats:
    """(A, K) how probable each category is in somebody like the others."""
    total = np.maximum(others.sum(axis=1, keepdims=True), 1)
    return np.asarray((1 - slips) * others / total + slips * chance)


def _dirichlet_multinomial(counts: Floats, shares: Floats, size: Floats) -> Floats:
    """(A,) log probability of each annotator's sequence of categories."""
    parameter = shares * size[:, None]
    cells = gammaln(parameter + counts) - gammaln(parameter)
    whole = gammaln(size) - gammaln(size + counts.sum(axis=1))
    return np.asarray(np.where(counts > 0, cells, 0.0).sum(axis=1) + whole)
