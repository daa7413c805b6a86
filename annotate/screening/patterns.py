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
    anything. The ratio is a martingale under that model, so over all looks together at most
    1 / odds of such people are flagged (Ville 1939).
    value: log10 of the odds; threshold likewise. It needs no output that others judged too.
    """
    own, people = settings.patterns, columns.people.size
    category, chance = crowd.categories(columns)
    counts = crowd.category_counts(columns, category, chance.shape[1])
    yardstick = crowd.varied(counts, settings.crowd)
    enough = (columns.judgments >= own.minimum) & (columns.answers.shape[1] > 1)
    enough &= crowd.large_enough(counts, yardstick, settings.crowd)
    usual = _shares(crowd.of_others(counts, yardstick), chance.mean(axis=0), own.slips)
    correlation = np.full(people, own.correlation)
    for j in np.flatnonzero(enough):
        correlation[j] = crowd.correlation_of_others(
            columns, category, yardstick, int(j), own.correlation
        )
    likelihood = _dirichlet_multinomial(counts, usual, 1 / correlation - 1)
    dice = np.bincount(columns.who, np.log(chance[np.arange(len(category)), category]), people)
    odds, threshold = (dice - likelihood) / np.log(10), float(np.log10(own.odds))
    return verdicts(
        "random_answers", columns, flagged=odds >= threshold, value=odds, threshold=threshold,
        n=columns.judgments, enough=enough, numbers={"correlation": correlation},
    )  # fmt: skip


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
