"""How many items decide a pair judged side by side, and with which probability: by simulation."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from estimation.core.data import errors
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Sample
from estimation.core.estimators.trajectory import Trajectory, trajectory
from estimation.core.planning.drawing import looks_of, samples_with_truth
from estimation.core.planning.order import forecast_ranking
from estimation.core.planning.study import Range, Study
from estimation.core.stopping.ranking import pair_outcomes


@dataclass(frozen=True, slots=True)
class PairForecast:
    """What it takes to decide a pair whose true preference is known.

    Attributes
    ----------
    preference : float
        The true preference, counted from a tie, in score units.
    decided : float
        The probability that the pair is decided before the items run out.
    usual_items : int or None
        The items that decide it with a probability of one half; None where there are not as many.
    enough_items : int or None
        The items that decide it with the asked probability; None where there are not as many.
    judgments : Range
        Of all pairs of the study, if all have this preference; a decided pair takes no more.
    """

    preference: float
    decided: float
    usual_items: int | None
    enough_items: int | None
    judgments: Range


@dataclass(frozen=True, slots=True)
class _Course:
    """How one pair was known at L looks: (L,) by how much its estimate was off, and the rest."""

    off: Floats
    std_error: Floats
    n_items: Floats
    people: Floats
    judgments: NDArray[np.int64]


def forecast_pairs(
    study: Study,
    *,
    margin: float,
    preferences: Sequence[float],
    probability: float = 0.9,
    replicates: int = 200,
    seed: int = 0,
) -> tuple[PairForecast, ...]:
    """Forecast when pairs of texts judged side by side are decided, by their true preference.

    Campaigns of one pair are drawn with the expected variances and people, estimated as a campaign
    is, and decided by the rule of `ranking`, with the planned items of `forecast_ranking`. The same
    campaigns serve for each preference: their estimates are moved by it.

    Parameters
    ----------
    study : Study
        The collection; each of its systems is a pair.
    margin : float
        The largest preference that does not matter, in score units; positive.
    preferences : sequence of float
        The true preferences, counted from a tie, for each of which a forecast is made.
    probability : float, default 0.9
        For `enough_items`; between 0 and 1.
    replicates : int, default 200
        How many pairs are drawn; fewer where items are many.
    seed : int, default 0
        Of the draws.

    Returns
    -------
    tuple of PairForecast
        One for each preference.

    Raises
    ------
    InvalidOptionError
        As `forecast_ranking`; or the probability is not between 0 and 1, or nothing is drawn.

    Examples
    --------
    >>> from estimation.core.planning import TYPICAL, Study, forecast_pairs
    >>> study = Study(TYPICAL["overall"], n_items=400, systems=3)
    >>> options = {"margin": 0.3, "replicates": 20}
    >>> alike, far = forecast_pairs(study, preferences=(0.0, 0.8), **options)
    >>> far.decided, far.usual_items < alike.usual_items
    (1.0, True)
    """
    if not 0 < probability < 1:
        raise errors.InvalidOptionError(f"A probability lies between 0 and 1; got {probability}.")
    planned = forecast_ranking(study, margin=margin, side_by_side=True).planned_items
    courses = [
        _course(study, sample, truth)
        for sample, truth in samples_with_truth(study, replicates, seed)
    ]
    rng = np.random.default_rng(seed)
    return tuple(
        _forecast(
            study,
            one,
            [_end(course, one, study, margin=margin, planned=planned) for course in courses],
            probability,
            rng,
        )
        for one in preferences
    )


def _course(study: Study, sample: Sample, truth: float) -> _Course:
    known: Trajectory = trajectory(
        sample,
        estimand=study.estimand,
        balance=study.balance,
        person_share=study.person_share,
        looks=looks_of(sample.n_judgments),
    )
    return _Course(
        known.centre - truth,
        known.std_error,
        known.n_items,
        known.effective_annotators,
        known.n_judgments,
    )


def _end(
    course: _Course, preference: float, study: Study, *, margin: float, planned: int
) -> tuple[float, int]:
    """The items that decide a pair, infinite where all do not, and the judgments until then."""
    said = pair_outcomes(
        (course.off + preference)[None],
        np.where(np.isfinite(course.std_error), course.std_error, np.nan)[None],
        course.n_items,
        margin=margin,
        level=1 - (1 - study.level) / study.systems,
        planned_items=planned,
        effective_annotators=course.people,
    )[0]
    decided = np.flatnonzero(said > 0)
    if not decided.size:
        return np.inf, int(course.judgments[-1])
    look = int(decided[0])
    return float(course.n_items[look]), int(course.judgments[look])


def _forecast(
    study: Study,
    preference: float,
    ends: Sequence[tuple[float, int]],
    probability: float,
    rng: np.random.Generator,
) -> PairForecast:
    items = np.array([one for one, _judgments in ends])
    judgments = np.array([one for _items, one in ends])
    together = rng.choice(judgments, size=(2000, study.systems)).sum(axis=1)
    low, high = np.quantile(together, (0.1, 0.9))
    return PairForecast(
        preference,
        float(np.mean(np.isfinite(items))),
        _by(items, 0.5),
        _by(items, probability),
        Range(float(study.systems * judgments.mean()), float(low), float(high)),
    )


def _by(items: Floats, probability: float) -> int | None:
    found = float(np.sort(items)[ceil(probability * items.size) - 1])
    return int(found) if np.isfinite(found) else None
