"""Straight-lining: one answer repeated, compared with what the others answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc, roots_jacobi

from estimation.core.agreement.alpha import judgment_arrays, numbers_of
from estimation.core.data import errors
from estimation.core.data.incidence import Floats, Ints, distinct

_MOST_NODES = 64


@dataclass(frozen=True, slots=True, eq=False)
class StraightLining:
    """How uniform each annotator's answers are, against the others' base rates; rows (A,).

    Attributes
    ----------
    annotator : (A,) array of int
        The labels, in ascending order.
    judgments : (A,) array of int
        How many judgments each annotator made.
    modal_share : (A,) array of float
        The share of the most frequent answer.
    longest_run : (A,) array of int
        The longest run of one answer, in order of arrival.
    share_p, run_p : (A,) array of float
        The probability of that many equal answers, or of a run of that length, for the least likely
        answer, times the number of answers (Bonferroni).
    p_value : (A,) array of float
        2 min(share_p, run_p), at most 1.
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
    """Test whether each annotator's answers are all the same or come in long runs.

    Without `person_correlation`, answers count as independent: the number of equal answers is
    binomial, and the longest run of length L follows the recurrence
    q_m = q_(m-1) - (1 - p) p^L q_(m-L-1) [1]_. Honest people differ, so with
    `person_correlation` rho a person's p varies as a beta distribution with the base rate as its
    mean and rho = 1 / (a + b + 1). Both probabilities are then averaged over it by quadrature.

    Parameters
    ----------
    annotator : (T,) array of int
        Any labels, in order of arrival.
    value : (T,) array of float
        The answers.
    base_rates : mapping of float to float, optional
        The probability of each answer; by default the other annotators' counts plus one half each.
    person_correlation : float, default 0
        The correlation within people, at least 0 and below 1; see `person_correlation`.

    Returns
    -------
    StraightLining
        One row for each annotator.

    Raises
    ------
    ShapeMismatchError, InvalidScoreError
        The arrays are not valid answers.
    InvalidOptionError
        The base rates miss an answer or lie outside 0..1, or the correlation is out of range.

    References
    ----------
    .. [1] W. Feller (1968). An Introduction to Probability Theory and Its Applications, volume 1,
       third edition, section XIII.7. Wiley.

    Examples
    --------
    >>> from estimation.core import straight_lining
    >>> annotator = [1] * 10 + [2] * 10
    >>> answers = [1] * 10 + [0, 1] * 5
    >>> found = straight_lining(annotator, answers, base_rates={0: 0.5, 1: 0.5})
    >>> found.longest_run.tolist(), found.p_value.round(3).tolist()
    ([10, 1], [0.004, 1.0])
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
    """Estimate the correlation of answers within people, answers taken as categories.

    (MSB - MSW) / (MSB + (k0 - 1) MSW) from one-way analysis of variance by annotator, summed over
    the indicators of the answers. Straight-liners raise it, which makes `straight_lining` more
    lenient.

    Parameters
    ----------
    annotator : (T,) array of int
        Any labels.
    value : (T,) array of float
        The answers.

    Returns
    -------
    float
        From 0 to 0.99; 0 where nothing is known.

    Raises
    ------
    ShapeMismatchError, InvalidScoreError
        The arrays are not valid answers.

    Examples
    --------
    >>> from estimation.core import person_correlation
    >>> person_correlation([1, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1])
    0.99
    >>> person_correlation([1, 1, 2, 2], [0, 1, 0, 1])
    0.0
    """
    labels, who, levels, answer = _answers(annotator, value)
    n, k = np.bincount(who), labels.size
    total = int(n.sum())
    if k < 2 or total <= k:
        return 0.0
    # Only combinations that occur: people × answers may far outnumber judgments.
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
    """Test the answers of one annotator for uniformity; one row of `StraightLining`.

    Parameters
    ----------
    answer : (n,) array of int
        The answers in order, as positions in `rates`.
    rates : (V,) array of float
        The probability of each answer.
    correlation : float
        The correlation within people, at least 0 and below 1.

    Returns
    -------
    tuple of six float
        n, modal share, longest run, share_p, run_p and p_value.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import uniformity
    >>> row = uniformity(np.array([1, 1, 1, 1, 1, 1]), np.array([0.5, 0.5]), 0.0)
    >>> [round(float(number), 3) for number in row]
    [6.0, 1.0, 6.0, 0.031, 0.031, 0.062]
    """
    counts, runs = _tallied(answer.tolist(), rates.size)
    n, levels = answer.size, rates.size
    share_p = run_p = 1.0
    for rate, many, long_ in zip(rates.tolist(), counts, runs, strict=True):
        if many:
            share_p = min(share_p, levels * _so_many(rate, correlation, n, many))
            run_p = min(run_p, levels * _so_long(rate, correlation, n, long_))
    p_value = min(1.0, 2 * min(share_p, run_p))
    return n, max(counts) / n, float(max(runs)), share_p, run_p, p_value


def _tallied(answers: list[int], levels: int) -> tuple[list[int], list[int]]:
    """How often each level occurs, and its longest run. For a few answers numpy takes longer."""
    counts, longest = [0] * levels, [0] * levels
    before, run = -1, 0
    for answer in answers:
        run = run + 1 if answer == before else 1
        before = answer
        counts[answer] += 1
        if run > longest[answer]:
            longest[answer] = run
    return counts, longest


@lru_cache(maxsize=2**14)  # in a crowd the same few numbers recur
def _so_many(rate: float, correlation: float, n: int, many: int) -> float:
    """Return the probability of `many` or more of an answer among n."""
    p, weight = _spread_out(rate, correlation, min(n // 2 + 1, _MOST_NODES))
    return float(weight @ bdtrc(many - 1.0, n, p))


@lru_cache(maxsize=2**14)
def _so_long(rate: float, correlation: float, n: int, length: int) -> float:
    """Return the probability of a run of `length` or more of an answer among n."""
    p, weight = _spread_out(rate, correlation, min(n // 2 + 1, _MOST_NODES))
    return float(weight @ _run_probability(p, n, length))


@lru_cache(maxsize=2**12)
def _spread_out(rate: float, correlation: float, nodes: int) -> tuple[Floats, Floats]:
    """Nodes and weights of a person's rate; exact for up to 2 * nodes - 1 answers."""
    rate = float(np.clip(rate, 1e-12, 1 - 1e-12))
    if correlation <= 0:
        return np.array([rate]), np.array([1.0])
    size = 1 / correlation - 1
    a, b = rate * size, (1 - rate) * size
    at, weights = roots_jacobi(nodes, b - 1, a - 1)
    return (1 + at) / 2, weights / weights.sum()


def _run_probability(p: Floats, n: int, length: int) -> Floats:
    """Probability of at least `length` successes in a row among n, for each p."""
    none = np.ones((n + 1, p.size))  # none[m]: no such run among the first m
    if length <= n:
        none[length] = 1 - p**length
    for m in range(length + 1, n + 1):
        none[m] = none[m - 1] - (1 - p) * p**length * none[m - length - 1]
    return np.asarray(np.clip(1 - none[n], 0, 1))


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
    rows = np.arange(np.size(value))  # every row is an item of its own, so no judgment is a repeat
    _, _, values = judgment_arrays(rows, annotator, value)
    labels, who = labels_of(annotator)
    levels = distinct(values)
    return labels, who, levels, np.searchsorted(levels, values)


def labels_of(annotator: ArrayLike) -> tuple[Ints, Ints]:
    """(the labels ascending, (T,) which of them each row has)."""
    labels = np.asarray(annotator)
    return distinct(labels), numbers_of(labels)
