"""The parts of a squared error, drawn forward from what the judgments so far have shown.

Squared residuals of items arrive as a gamma process whose rate is drawn from its posterior. The
mean square between people follows its sampling distribution, whose error shrinks as more is known
about each person and as more people come. Every drawn path starts at the present value.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Sample
from estimation.core.estimators.parts import pulled_up
from estimation.core.estimators.result import Estimate
from estimation.core.estimators.weights import balanced_weights

_PSEUDO_ROWS = 4
_GROWTH_SD = 0.1
_UNSURE = 0.07  # of the number of people, when the judgments grow e times
_SETTLED = 2.0  # prior weight against a rate drawn from one large square
_HEAVY = 25.0  # squares of unbounded scores vary more than a few of them show
_TYPICAL = 1.0  # prior mean of the person variance, over its typical share
_GRID = np.linspace(0.0, 0.7, 281)  # person variance over all variance


@dataclass(frozen=True, slots=True)
class Evenness:
    """How unevenly people work.

    effective: A_eff. squares: S2²/S4, the people that a mean square rests on. overlap: the chance
    that two judgments come from one person. growth: how A_eff has grown with the judgments since
    half of them, as a power.
    """

    effective: float
    squares: float
    overlap: float
    growth: float


def crowd(sample: Sample, estimate: Estimate) -> Evenness:
    share = np.bincount(sample.incidence.person, _weights(sample, estimate))
    share = share / share.sum()
    squares, fourths = (share**2).sum(), (share**4).sum()
    who = sample.incidence.person
    before, now = _evenness(who[: who.size // 2]), _evenness(who)
    growth = np.log(now / before) / np.log(who.size / max(1, who.size // 2))
    overlap = (1 / now - 1 / who.size) / (1 - 1 / who.size)
    return Evenness(
        float(1 / squares),
        float(squares**2 / fourths),
        float(overlap),
        float(np.clip(growth, 0.0, 1.0)),
    )


def _evenness(who: NDArray[np.int64]) -> float:
    """A_eff of these judgments, each weighed alike."""
    counts = np.bincount(who).astype(np.float64)
    return float(counts.sum() ** 2 / (counts**2).sum())


def _weights(sample: Sample, estimate: Estimate) -> Floats:
    who = sample.incidence
    if estimate.method.estimator != "balanced":
        return who.weight
    return balanced_weights(who, balance=estimate.method.balance)


def effective_ahead(
    crowd: Evenness, judgments: Floats, cap: int | None, replicates: int, rng: Generator
) -> Floats:
    """(R, L) A_eff: between a crowd that is all here and one that grows as it has grown.

    Judgments of a crowd that is all here overlap in people as they do now. Each draw lies somewhere
    between the two, and no one goes beyond the cap.
    """
    here = 1 / (1 / judgments + crowd.overlap * (1 - 1 / judgments))
    growth = np.clip(crowd.growth + _GROWTH_SD * rng.standard_normal((replicates, 1)), 0.0, 1.0)
    mixed = rng.random((replicates, 1))
    grown = growth * np.log(judgments / judgments[0])
    people = here[0] * np.exp(mixed * grown + (1 - mixed) * np.log(here / here[0]))
    if cap is not None:
        people = np.maximum(people, judgments / cap)
    walk = np.sqrt(np.log(judgments / judgments[0])) * rng.standard_normal((replicates, 1))
    people = people * np.exp(_UNSURE * walk)
    return np.asarray(crowd.effective * people / people[:, :1])


def item_part(
    sample: Sample, estimate: Estimate, n: Floats, replicates: int, rng: Generator
) -> Floats:
    """(R, L) the item part of the squared error: squares of `rows` rows and four pseudo-rows."""
    credited = estimate.variance.rest > 0
    seen = 1 - (n / estimate.n_population if credited else 0 * n)
    rows = n * _even_items(sample, estimate) / n[0]
    behind = _PSEUDO_ROWS if estimate.method.estimator == "balanced" else _PSEUDO_ROWS - 1
    squares = (estimate.variance.item or 0.0) / max(seen[0], 1e-9) * (rows[0] + behind) ** 2
    scale = estimate.scale
    pseudo = 2 * (scale.low - estimate.centre) ** 2 + 2 * (scale.high - estimate.centre) ** 2
    own = max(squares - pseudo, 0.2 * squares) * rows[0] / max(rows[0] - 2, 1.0)
    kurtosis = max(_kurtosis(sample), 0.0 if scale.bounded else _HEAVY)
    known = rows[0] / kurtosis + (0.0 if scale.bounded else _SETTLED)
    rate = own / np.maximum(kurtosis * rng.gamma(known, size=(replicates, 1)), 1e-3 * rows[0])
    steps = np.maximum(np.diff(rows), 0.0) / kurtosis
    more = rng.gamma(np.broadcast_to(steps, (replicates, steps.size))) * kurtosis * rate
    total = squares + np.pad(np.cumsum(more, axis=1), ((0, 0), (1, 0)))
    return np.asarray(seen * total / (rows + behind) ** 2)


def _even_items(sample: Sample, estimate: Estimate) -> float:
    """How many items of equal weight would leave as much error."""
    by_item = np.bincount(sample.incidence.item, _weights(sample, estimate))
    return float(by_item.sum() ** 2 / (by_item**2).sum())


def _kurtosis(sample: Sample) -> float:
    """Var(r²) / E(r²)² of item means: 2 for normal ones, less for few answers."""
    who = sample.incidence
    judged = who.count > 0
    means = np.bincount(who.item, sample.score, who.n_population)[judged] / who.count[judged]
    squares = (means - means.mean()) ** 2
    typical = squares.mean()
    return float(max(0.3, squares.var() / typical**2)) if typical > 0 else 2.0


def person_part(
    sample: Sample,
    estimate: Estimate,
    crowd: Evenness,
    effective: Floats,
    judgments: Floats,
    rng: Generator,
) -> Floats:
    """(R, L) the part of the squared error from having asked these people."""
    method, part = estimate.method, estimate.variance
    if method.estimand != "population" or method.interval != "two_way":
        return np.zeros_like(effective)
    weights = _weights(sample, estimate)
    cells = float((weights**2).sum() / weights.sum() ** 2) * judgments[0] / judgments
    noise = part.cell_sum / cells[0]
    # What the mean square between people owes to single judgments.
    owed = np.minimum(cells * effective, 1.0)
    typical = float(np.var(sample.score))
    if noise <= 0 or owed[0, 0] >= 1 - 1e-9 or part.annotator_raw is None:
        variance = typical * method.person_share * np.ones_like(effective)
        return np.asarray(variance * np.maximum(1 / effective - cells, 0.0))
    found = part.annotator_raw * crowd.effective / noise + owed[0, 0]
    people = crowd.squares * effective / effective[:, :1]
    mean_square = _mean_square(found, owed, people, method.person_share, rng)
    estimated = np.maximum(0.0, (mean_square - owed) / np.maximum(1 - owed, 1e-9)) * noise
    pulled = pulled_up(estimated, people, share=method.person_share, variance=typical)
    return np.asarray(pulled * np.maximum(1 / effective - cells, 0.0))


def _mean_square(
    found: float, owed: Floats, people: Floats, share: float, rng: Generator
) -> Floats:
    """(R, L) mean squares between people over the variance of a judgment; `found` at first.

    With v the person variance over all variance, a mean square of A people is (owed + v (1 - owed))
    χ²_A / A. Later ones average the same people's noise further, so that successive errors, by the
    cube root as normal ones, are a Brownian motion in their precision.
    """
    replicates, looks = people.shape
    now = _posterior(found, owed[0, 0], people[0, 0], share, rng, replicates)[:, None]
    expected = owed + now * (1 - owed)
    precision = np.maximum.accumulate(people / (2 * expected**2), axis=1)
    sd = np.sqrt(2 / (9 * people))
    start = (np.cbrt(found / expected[:, :1]) - 1 + sd[:, :1] ** 2) / sd[:, :1]
    steps = np.sqrt(np.diff(precision, axis=1)) * rng.standard_normal((replicates, looks - 1))
    path = start * np.sqrt(precision[:, :1]) + np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))
    error = path / np.sqrt(precision)
    return np.asarray(expected * np.maximum(0.0, 1 - sd**2 + error * sd) ** 3)


def _posterior(
    found: float, owed: float, people: float, share: float, rng: Generator, size: int
) -> Floats:
    """(R,) person variance over all variance: an exponential prior about the typical share."""
    expected = owed + _GRID * (1 - owed)
    logs = -people / 2 * (np.log(expected) + found / expected)
    logs -= _GRID / max(_TYPICAL * share, 1e-3)
    weight = np.cumsum(np.exp(logs - logs.max()))
    return np.asarray(_GRID[np.searchsorted(weight / weight[-1], rng.random(size))])
