"""Straight-lining: the same answer again and again, against what the others answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc, roots_jacobi

from estimation.core.agreement.alpha import judgment_arrays
from estimation.core.data import errors
from estimation.core.data.sample import Floats, Ints

Two = tuple[float, float]
_MOST_NODES = 64


@dataclass(frozen=True, slots=True, eq=False)
class StraightLining:
    """How uniform each annotator's answers are, against the others' base rates; rows (A,).

    modal_share: share of the most frequent answer. longest_run: of one answer, in order.
    share_p, run_p: probability of so many of an answer, or of so long a run of it, for the
    answer that makes it least likely, times the number of answers (Bonferroni).
    p_value: 2 min(share_p, run_p), at most 1.
    """

    annotator: Ints
    judgments: Ints
    modal_share: Floats
    longest_run: Ints
    share_p: Floats
    run_p: Floats
    p_value: Floats


def straight_lining(
    annotator: ArrayLike,
    value: ArrayLike,
    *,
    base_rates: Mapping[float, float] | None = None,
    person_correlation: float = 0.0,
) -> StraightLining:
    """Test each annotator's answers for being all the same or coming in long runs.

    annotator, value: (T,) in order of arrival. base_rates: probability of each answer; by
    default the other annotators' counts plus one half each.
    Without `person_correlation` answers count as independent: X ~ binomial(n, p), and the
    longest run by the recurrence q_m = q_(m-1) - (1 - p) p^L q_(m-L-1) (Feller 1968, XIII.7).
    Honest people differ, so a person's p may vary as a beta distribution with mean p and
    intra-person correlation rho = 1 / (a + b + 1): see `person_correlation`. Both probabilities
    are then averaged over it by quadrature (beta-binomial).

    Raises ShapeMismatchError, InvalidScoreError, or InvalidOptionError for rates that do not
    cover the answers or lie outside 0..1, or a correlation outside 0 <= rho < 1.
    """
    labels, who, levels, answer = _answers(annotator, value)
    if not 0 <= person_correlation < 1:
        raise errors.InvalidOptionError("The correlation within people lies between 0 and 1.")
    given = None if base_rates is None else _given_rates(base_rates, levels)
    counts = np.zeros((labels.size, levels.size))
    np.add.at(counts, (who, answer), 1)
    rows = np.empty((6, labels.size))
    for j in range(labels.size):
        rates = _rates_of_others(counts, j) if given is None else given
        rows[:, j] = uniformity(answer[who == j], rates, person_correlation)
    n, modal, longest, share_p, run_p, p_value = rows
    return StraightLining(
        labels, n.astype(np.int64), modal, longest.astype(np.int64), share_p, run_p, p_value
    )


def person_correlation(annotator: ArrayLike, value: ArrayLike) -> float:
    """Intra-person correlation of answers as categories, 0 or more; 0 where nothing is known.

    (MSB - MSW) / (MSB + (k0 - 1) MSW), one-way analysis of variance by annotator, summed over
    the indicators of the answers. Straight-liners among the annotators raise it, which makes
    the test of `straight_lining` more lenient: the safe side.
    """
    labels, who, levels, answer = _answers(annotator, value)
    n, k = np.bincount(who), labels.size
    total = int(n.sum())
    if k < 2 or total <= k:
        return 0.0
    # Only what occurs: people × answers may be far more than judgments.
    pair, counts = np.unique(who * levels.size + answer, return_counts=True)
    explained = float((counts**2 / n[pair // levels.size]).sum())
    between = (explained - float((np.bincount(answer) ** 2).sum()) / total) / (k - 1)
    within = (total - explained) / (total - k)
    k0 = (total - float((n**2).sum()) / total) / (k - 1)
    unlike = between + (k0 - 1) * within
    return float(np.clip((between - within) / unlike, 0, 0.99)) if unlike > 0 else 0.0


def uniformity(
    answer: Ints, rates: Floats, correlation: float
) -> tuple[float, float, float, float, float, float]:
    """One annotator's row of `StraightLining`, from answers in order, as positions in `rates`."""
    n = answer.size
    counts = np.bincount(answer, minlength=rates.size)
    runs = _longest_runs(answer, rates.size)
    share_p = run_p = 1.0
    for level in np.flatnonzero(counts):
        many, long_ = int(counts[level]), int(runs[level])
        so_many, so_long = _improbable(float(rates[level]), correlation, n, many, long_)
        share_p = min(share_p, rates.size * so_many)
        run_p = min(run_p, rates.size * so_long)
    p_value = min(1.0, 2 * min(share_p, run_p))
    return n, float(counts.max() / n), float(runs.max()), share_p, run_p, p_value


@lru_cache(maxsize=2**14)  # in a crowd the same few numbers come again and again
def _improbable(rate: float, correlation: float, n: int, many: int, long_: int) -> Two:
    """Probabilities of at least so many of an answer among n, and of so long a run of it."""
    p, weight = _spread_out(rate, correlation, n)
    return (
        float(weight @ bdtrc(many - 1.0, n, p)),
        float(weight @ _run_probability(p, n, long_)),
    )


def _spread_out(rate: float, correlation: float, n: int) -> tuple[Floats, Floats]:
    """Nodes and weights of a person's rate; exact for up to 2 * _MOST_NODES - 1 answers."""
    rate = float(np.clip(rate, 1e-12, 1 - 1e-12))
    if correlation <= 0:
        return np.array([rate]), np.array([1.0])
    size = 1 / correlation - 1
    a, b = rate * size, (1 - rate) * size
    nodes, weights = roots_jacobi(min(n // 2 + 1, _MOST_NODES), b - 1, a - 1)
    return (1 + nodes) / 2, weights / weights.sum()


def _run_probability(p: Floats, n: int, length: int) -> Floats:
    """Probability of at least `length` successes in a row among n, for each p."""
    none = np.ones((n + 1, p.size))  # none[m]: no such run among the first m
    if length <= n:
        none[length] = 1 - p**length
    for m in range(length + 1, n + 1):
        none[m] = none[m - 1] - (1 - p) * p**length * none[m - length - 1]
    return np.asarray(np.clip(1 - none[n], 0, 1))


def _longest_runs(answer: Ints, n_levels: int) -> Ints:
    edges = np.flatnonzero(np.r_[True, np.diff(answer) != 0, True])
    longest = np.zeros(n_levels, dtype=np.int64)
    np.maximum.at(longest, answer[edges[:-1]], np.diff(edges))
    return longest


def _rates_of_others(counts: Floats, j: int) -> Floats:
    others = counts.sum(axis=0) - counts[j] + 0.5
    return np.asarray(others / others.sum())


def _given_rates(base_rates: Mapping[float, float], levels: Floats) -> Floats:
    missing = [float(level) for level in levels if level not in base_rates]
    rates = np.array([base_rates.get(float(level), 0.0) for level in levels])
    if missing or not ((rates >= 0) & (rates <= 1)).all():
        raise errors.InvalidOptionError(
            f"Base rates give each answer a probability; see {missing or list(rates)}."
        )
    return rates


def _answers(annotator: ArrayLike, value: ArrayLike) -> tuple[Ints, Ints, Floats, Ints]:
    rows = np.arange(np.size(value))  # each row an item of its own: repeats are not looked for
    _, _, values = judgment_arrays(rows, annotator, value)
    labels, who = labels_of(annotator)
    levels, answer = np.unique(values, return_inverse=True)
    return labels, who, levels, np.asarray(answer, dtype=np.int64)


def labels_of(annotator: ArrayLike) -> tuple[Ints, Ints]:
    """(the labels ascending, (T,) which of them each row has)."""
    labels, who = np.unique(np.asarray(annotator), return_inverse=True)
    return labels, np.asarray(who, dtype=np.int64)
