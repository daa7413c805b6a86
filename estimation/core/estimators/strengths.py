"""One strength for each system from comparisons of two: Bradley and Terry's model."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components

from estimation.core.data.errors import ShapeMismatchError, TooFewJudgmentsError
from estimation.core.data.incidence import Floats

PRIOR = 0.5  # wins for each side of every pair that was compared
CLOSE = 1e-10
MOST_ROUNDS = 10_000


def bradley_terry(wins: ArrayLike, *, prior: float = PRIOR) -> Floats:
    """Return the strength of each system as log-odds against a system of average strength.

    A system of strength s beats one of strength t with probability 1 / (1 + exp(t - s)). Strengths
    summarise pairs and have no interval here: where no strengths fit the pairs (A beats B, B beats
    C, C beats A), they hide it.

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
    won = np.array(wins, dtype=np.float64)
    if won.ndim != 2 or won.shape[0] != won.shape[1] or not np.all((won >= 0) & (won < np.inf)):
        raise ShapeMismatchError("Wins are a square table of numbers from 0 up.")
    np.fill_diagonal(won, 0)
    won = np.where(won + won.T > 0, won + prior, 0)
    if connected_components(won, connection="strong")[0] != 1:
        raise TooFewJudgmentsError("Some systems are not connected by comparisons.")
    times, total = won + won.T, won.sum(axis=1)
    share = np.ones(len(won))
    for _round in range(MOST_ROUNDS):
        new = total / (times / (share[:, None] + share)).sum(axis=1)
        new /= np.exp(np.log(new).mean())
        if np.abs(np.log(new / share)).max() < CLOSE:
            break
        share = new
    return np.asarray(np.log(new))
