"""Straight-lining: one answer repeated, compared with what the others answer."""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc, roots_jacobi

from estimation.core.agreement.alpha import judgment_arrays, numbers_of
from estimation.core.data.incidence import Floats, Ints, distinct

_MOST_NODES = 64


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
