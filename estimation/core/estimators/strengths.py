"""One strength for each system from comparisons of two: Bradley and Terry's model."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from estimation.core.data.errors import ShapeMismatchError, TooFewJudgmentsError
from estimation.core.data.incidence import Floats

PRIOR = 0.5  # wins for each side of every pair that was compared
CLOSE = 1e-10
MOST_ROUNDS = 10_000


def bradley_terry(wins: ArrayLike, *, prior: float = PRIOR) -> Floats:
    """Return the strength of each system as log-odds against a system of average strength.

    A system of strength s beats one of strength t with probability 1 / (1 + exp(t - s)). Strengths
    summarise pairs: where no strengths fit the pairs (A beats B, B beats C, C beats A), they hide
    it. `strength_half_widths` makes intervals around them.

    Parameters
    ----------
    wins : (K, K) array_like
        `wins[a, b]`: how often a was better than b; a tie is half a win of both.
    prior : float, default 0.5
        Added to both sides of every pair with a comparison. It keeps strengths finite where one
        side won always.

    Returns
    -------
    (K,) array of float
        Their mean is 0.

    Raises
    ------
    ShapeMismatchError
        Not square, or with negative or infinite numbers.
    TooFewJudgmentsError
        Some systems are not connected by any comparisons.

    Notes
    -----
    Maximum likelihood by the iteration of Hunter, "MM algorithms for generalized Bradley-Terry
    models", Annals of Statistics 32 (2004).

    Examples
    --------
    >>> bradley_terry([[0, 3], [1, 0]], prior=0).round(3)
    array([ 0.549, -0.549])
    """
    won = _with_prior(wins, prior)
    times, total = won + won.T, won.sum(axis=1)
    share = np.ones(len(won))
    for _round in range(MOST_ROUNDS):
        new = total / (times / (share[:, None] + share)).sum(axis=1)
        new /= np.exp(np.log(new).mean())
        if np.abs(np.log(new / share)).max() < CLOSE:
            break
        share = new
    return np.asarray(np.log(new))


def strength_half_widths(
    wins: ArrayLike, half_widths: ArrayLike, *, prior: float = PRIOR
) -> Floats:
    """Return half the width of an interval around each strength, from those of the pairs' shares.

    By the delta method, and for the worst case of what pairs have in common: they share items,
    people and texts, and these half-widths hold however strongly their estimates depend on each
    other. So intervals are wider than needed, not narrower. They speak of the strengths that fit
    the true shares best, whether or not the model is right.

    Parameters
    ----------
    wins : (K, K) array_like
        As in `bradley_terry`.
    half_widths : (K, K) array_like
        Half the width of the interval of each pair's share of wins; symmetric, and not read where
        there is no comparison.
    prior : float, default 0.5
        As in `bradley_terry`.

    Returns
    -------
    (K,) array of float
        In log-odds.

    Raises
    ------
    ShapeMismatchError
        A table is not square, has negative or infinite numbers, or another size than the other.
    TooFewJudgmentsError
        Some systems are not connected by any comparisons.

    Notes
    -----
    Strengths s solve sum_b m_ab (p_ab - expit(s_a - s_b)) = 0 for all a, so a change of one share
    moves them by n_ab H^+ (e_a - e_b), H the information of the fit. The bound adds the absolute
    moves of all pairs, each by its half-width: no correlation makes their sum larger.

    Examples
    --------
    >>> from estimation.core import strength_half_widths
    >>> strength_half_widths([[0, 50], [50, 0]], [[0, 0.1], [0.1, 0]], prior=0).round(3)
    array([0.2, 0.2])
    """
    strength = bradley_terry(wins, prior=prior)
    given, widths = np.array(wins, dtype=np.float64), np.array(half_widths, dtype=np.float64)
    times = given + given.T
    np.fill_diagonal(times, 0)
    if widths.shape == times.shape:
        widths = np.where(times > 0, widths, 0.0)
    if widths.shape != times.shape or not np.all((widths >= 0) & (widths < np.inf)):
        raise ShapeMismatchError("Half-widths are a table like that of wins, of numbers from 0 up.")
    share = expit(strength[:, None] - strength)
    won = _with_prior(wins, prior)
    weight = (won + won.T) * share * (1 - share)
    inverse = np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight)
    moves = np.abs(inverse[:, :, None] - inverse[:, None, :]) * (times * widths)
    return np.asarray(moves.sum(axis=(1, 2)) / 2)  # each pair stands there twice


def _with_prior(wins: ArrayLike, prior: float) -> Floats:
    won = np.array(wins, dtype=np.float64)
    if won.ndim != 2 or won.shape[0] != won.shape[1] or not np.all((won >= 0) & (won < np.inf)):
        raise ShapeMismatchError("Wins are a square table of numbers from 0 up.")
    np.fill_diagonal(won, 0)
    won = np.where(won + won.T > 0, won + prior, 0)
    if connected_components(won, connection="strong")[0] != 1:
        raise TooFewJudgmentsError("Some systems are not connected by comparisons.")
    return won
