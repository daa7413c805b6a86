"""Random answers: combinations of answers that dice give, and people like the others do not."""

import numpy as np
from scipy.special import gammaln

from annotate.screening import crowd
from annotate.screening.base import Columns, Verdict, verdicts
from annotate.screening.settings import Settings
from estimation.core.sample import Floats

# Correlations within people, from "as all the others" to "in a way of their own". One alone is not
# safe: too large a one takes everybody with varied answers for dice.
WITHIN = (0.001, 0.02, 0.05, 0.1, 0.2, 0.4)


def random_answers(columns: Columns, settings: Settings) -> list[Verdict]:
    """Flag whose answers are `odds` times as probable from dice as from one of the others.

    Dice choose every answer with equal probability. A person like the others chooses categories
    (`crowd.categories`) with probabilities of their own, Dirichlet about the others' shares, as
    close to them or as far from them as speaks best for this person; `slips` of the time anybody
    may give anything. Were the shares known, the ratio would stay below a martingale, so over all
    looks together at most 1 / odds of such people would be flagged (Ville 1939).
    Who is likelier dice than a person is then no yardstick, and all is computed once more: else
    many who dice would look like each other.
    value: log10 of the odds; threshold likewise. It needs no output that others judged too.
    """
    own = settings.patterns
    category, chance = crowd.categories(columns)
    counts = crowd.category_counts(columns, category, chance.shape[1])
    long_ = (columns.judgments >= own.minimum) & (columns.answers.shape[1] > 1)
    dice = np.log(chance[np.arange(len(category)), category])
    likelihood = np.bincount(columns.who, dice, columns.people.size)
    typical = chance.sum(axis=0) / max(len(chance), 1)
    yardstick = crowd.varied(counts, settings.crowd)
    for _ in range(2):
        usual = _shares(crowd.of_others(counts, yardstick), typical, own.slips)
        person = np.stack([_dirichlet_multinomial(counts, usual, 1 / r - 1) for r in WITHIN])
        odds = (likelihood - person.max(axis=0)) / np.log(10)
        enough = long_ & crowd.large_enough(counts, yardstick, settings.crowd)
        yardstick &= ~(long_ & (odds > 0))
    threshold = float(np.log10(own.odds))
    return verdicts(
        "random_answers", columns, flagged=odds >= threshold, value=odds, threshold=threshold,
        n=columns.judgments, enough=enough,
        numbers={"correlation": np.array(WITHIN)[person.argmax(axis=0)]},
    )  # fmt: skip


def _shares(others: Floats, chance: Floats, slips: float) -> Floats:
    """(A, K) how probable each category is in somebody like the others."""
    total = np.maximum(others.sum(axis=1, keepdims=True), 1)
    return np.asarray((1 - slips) * others / total + slips * chance)


def _dirichlet_multinomial(counts: Floats, shares: Floats, size: float) -> Floats:
    """(A,) log probability of each annotator's sequence of categories."""
    parameter = shares * size
    cells = gammaln(parameter + counts) - gammaln(parameter)
    whole = gammaln(size) - gammaln(size + counts.sum(axis=1))
    return np.asarray(np.where(counts > 0, cells, 0.0).sum(axis=1) + whole)
