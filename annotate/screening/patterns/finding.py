"""Random answers: combinations that dice would give, and that people like the others do not."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from annotate.screening import crowd, pairwise
from annotate.screening.base import Columns, ScreenFinding, finding
from annotate.screening.crowd import Categories, Counts, Mask
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats

# Correlations within people, from "like all others" to "an individual style". One value alone is
# not safe: a large one takes everyone with varied answers for dice.
WITHIN = (0.001, 0.02, 0.05, 0.1, 0.2, 0.4)


class Patterns(Thresholds):
    """Answers at least `odds` times as probable from dice as from a person like the others.

    slips: the share of answers that careful people also give by mistake.
    per_combination: the least number of others' judgments per possible combination of answers, or
        of two questions' answers; with fewer, rare combinations of honest people look random.
    information: how much the others' answers in one judgment must say about each other, in nats per
        answer. Where criteria are unrelated, honest people look random.
    """

    odds: float = between(300, 2, 1e9)
    slips: float = between(0.1, 0.001, 0.9)
    per_combination: int = between(10, 10, 1000)
    information: float = between(0.05, 0.05, 10)
    minimum: int = between(8, 5, 1000)


def find(columns: Columns, own: Patterns, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose answers are `odds` times as probable from dice as from the others.

    Dice choose every answer with equal probability. A person like the others chooses categories
    (`crowd.categories`) with individual probabilities, Dirichlet-distributed about the others'
    shares, with the concentration that is most favourable to this person; in a share `slips` of
    answers, any answer is possible. If the shares were known, the ratio would stay below a
    martingale, so over all looks at most 1 / odds of such people would be flagged (Ville 1939).
    Annotators who are more probably random are then removed from the yardstick, and the computation
    is repeated; otherwise many random answerers would resemble each other.
    It runs only where others gave `per_combination` judgments for each possible combination (with
    fewer, their shares are uncertain; from as many for each combination of two questions on, shares
    come from pairs of questions, see `pairwise`), and where the information of their answers is at
    least `information`. value: log10 of the odds; threshold likewise. It needs no outputs judged
    twice.
    """
    found = crowd.categories(columns)
    counts = crowd.counts(columns, found)
    long_ = (columns.judgments >= own.minimum) & (columns.answers.shape[1] > 1)
    likelihood = np.bincount(columns.who, np.log(found.dice), columns.people.size)
    yardstick = crowd.varied(counts, limits)
    least = own.per_combination * min(found.possible, found.possible_pairs)
    related = own.information * columns.answers.shape[1]
    for _ in range(2):
        usual = _usual(columns, own, found, counts, yardstick)
        person = np.stack([_dirichlet_multinomial(counts, usual.shares, 1 / r - 1) for r in WITHIN])
        odds = (likelihood - person.max(axis=0)) / np.log(10)
        enough = long_ & crowd.large_enough(counts, yardstick, limits)
        enough &= (usual.judgments >= least) & (usual.information >= related)
        random = yardstick & long_ & (odds > 0)
        if not random.any():
            break
        yardstick = yardstick & ~random
    threshold = float(np.log10(own.odds))
    return finding(
        "random_answers",
        columns,
        evidence=odds,
        past=odds >= threshold,
        value=odds,
        threshold=threshold,
        n=columns.judgments,
        enough=enough,
        numbers={
            "correlation": np.array(WITHIN)[person.argmax(axis=0)],
            "others": usual.judgments,
            "others_needed": np.full(odds.size, float(least)),
            "information": usual.information,
            "information_needed": np.full(odds.size, related),
        },
    )


@dataclass(frozen=True, eq=False)
class _Usual:
    """The others. shares: (P,) of each row of `Counts`, slips included. The rest: (A,)."""

    shares: Floats
    judgments: Floats
    information: Floats


def _usual(
    columns: Columns, own: Patterns, found: Categories, counts: Counts, yardstick: Mask
) -> _Usual:
    """Return the others' shares, from all questions at once where they gave enough judgments."""
    others = crowd.of_others(counts, yardstick, found.unrelated)
    shares = others.times / np.maximum(others.judgments, 1)[counts.who]
    information = others.information
    counted = others.judgments >= own.per_combination * found.possible
    if found.possible_pairs < found.possible and not counted.all():
        paired = pairwise.combined(columns, counts, yardstick)
        shares = np.where(counted[counts.who], shares, paired.shares)
        information = np.where(counted, information, paired.information)
    slipped = (1 - own.slips) * shares + own.slips * found.typical[counts.category]
    return _Usual(np.asarray(slipped), others.judgments, information)


def _dirichlet_multinomial(counts: Counts, shares: Floats, size: float) -> Floats:
    """Return (A,) the log probability of each annotator's sequence of categories."""
    parameter = shares * size
    cells = gammaln(parameter + counts.times) - gammaln(parameter)
    whole = gammaln(size) - gammaln(size + counts.judgments)
    return np.asarray(np.bincount(counts.who, cells, counts.people) + whole)
