"""Random answers: combinations of answers that dice give, and people like the others do not."""

import numpy as np
from scipy.special import gammaln

from annotate.screening import crowd
from annotate.screening.base import Columns, Verdict, verdicts
from annotate.screening.crowd import Counts, Others
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats

# Correlations within people, from "as all the others" to "in a way of their own". One alone is not
# safe: too large a one takes everybody with varied answers for dice.
WITHIN = (0.001, 0.02, 0.05, 0.1, 0.2, 0.4)


class Patterns(Thresholds):
    """Answers at least `odds` times as probable from dice as from somebody like the others.

    slips: the share of answers that also careful people give by mistake.
    per_combination: how many judgments of others it takes for each combination of answers that is
    possible: with fewer, rare combinations of honest people look like dice.
    information: how much the others' answers in one judgment must say about each other, in nats for
    each answer: where criteria are unrelated, honest people look like dice.
    """

    odds: float = between(300, 2, 1e9)
    slips: float = between(0.1, 0.001, 0.9)
    per_combination: int = between(10, 10, 1000)
    information: float = between(0.05, 0.05, 10)
    minimum: int = between(8, 5, 1000)


def find(columns: Columns, own: Patterns, limits: CrowdThresholds) -> list[Verdict]:
    """Flag whose answers are `odds` times as probable from dice as from one of the others.

    Dice choose every answer with equal probability. A person like the others chooses categories
    (`crowd.categories`) with probabilities of their own, Dirichlet about the others' shares, as
    close to them or as far from them as speaks best for this person; `slips` of the time anybody
    may give anything. Were the shares known, the ratio would stay below a martingale, so over all
    looks together at most 1 / odds of such people would be flagged (Ville 1939).
    Who is likelier dice than a person is then no yardstick, and all is computed once more: else
    many who dice would look like each other.
    It runs only where others gave `per_combination` judgments for each combination that is possible
    (with fewer, their shares are hardly known), and where these say something about each other:
    at least `information`. Honest people whose criteria are unrelated look like dice.
    value: log10 of the odds; threshold likewise. It needs no output that others judged too.
    """
    found = crowd.categories(columns)
    counts = crowd.counts(columns, found)
    long_ = (columns.judgments >= own.minimum) & (columns.answers.shape[1] > 1)
    likelihood = np.bincount(columns.who, np.log(found.dice), columns.people.size)
    yardstick = crowd.varied(counts, limits)
    needed = own.per_combination * found.possible
    related = own.information * columns.answers.shape[1]
    for _ in range(2):
        others = crowd.of_others(counts, yardstick, found.unrelated)
        usual = _shares(counts, others, found.typical, own.slips)
        person = np.stack([_dirichlet_multinomial(counts, usual, 1 / r - 1) for r in WITHIN])
        odds = (likelihood - person.max(axis=0)) / np.log(10)
        enough = long_ & crowd.large_enough(counts, yardstick, limits)
        enough &= (others.judgments >= needed) & (others.information >= related)
        yardstick &= ~(long_ & (odds > 0))
    threshold = float(np.log10(own.odds))
    return verdicts(
        "random_answers",
        columns,
        flagged=odds >= threshold,
        value=odds,
        threshold=threshold,
        n=columns.judgments,
        enough=enough,
        numbers={
            "correlation": np.array(WITHIN)[person.argmax(axis=0)],
            "others": others.judgments,
            "others_needed": np.full(odds.size, float(needed)),
            "information": others.information,
            "information_needed": np.full(odds.size, related),
        },
    )


def _shares(counts: Counts, others: Others, typical: Floats, slips: float) -> Floats:
    """(P,) how probable each category of `counts` is in somebody like the others."""
    total = np.maximum(others.judgments, 1)[counts.who]
    return np.asarray((1 - slips) * others.times / total + slips * typical[counts.category])


def _dirichlet_multinomial(counts: Counts, shares: Floats, size: float) -> Floats:
    """(A,) log probability of each annotator's sequence of categories."""
    parameter = shares * size
    cells = gammaln(parameter + counts.times) - gammaln(parameter)
    whole = gammaln(size) - gammaln(size + counts.judgments)
    return np.asarray(np.bincount(counts.who, cells, counts.people) + whole)
