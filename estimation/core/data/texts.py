"""What was said of each text: means and spreads, and what metrics predict of the means."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.data.incidence import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class TextScores:
    """The scores of N texts.

    Attributes
    ----------
    n : (N,) array of int
        How many scores each text has.
    mean : (N,) array of float
        Their mean, NaN without any.
    spread : (N,) array of float
        Their standard deviation (n - 1), NaN below two scores.
    """

    n: Ints
    mean: Floats
    spread: Floats


def text_scores(text: ArrayLike, score: ArrayLike, *, n_texts: int) -> TextScores:
    """Summarise the scores of each text.

    Parameters
    ----------
    text : (T,) array of int
        Which text each score is about, 0 to n_texts - 1.
    score : (T,) array of float
        The scores.
    n_texts : int
        How many texts there are.

    Returns
    -------
    TextScores
        One row for each text.

    Examples
    --------
    >>> found = text_scores([0, 0, 2], [1, -1, 0], n_texts=3)
    >>> found.n.tolist(), round(float(found.spread[0]), 2)
    ([2, 0, 1], 1.41)
    """
    at, y = np.asarray(text, dtype=np.int64), np.asarray(score, dtype=float)
    n = np.bincount(at, minlength=n_texts)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(at, weights=y, minlength=n_texts) / n
        about = np.bincount(at, weights=(y - mean[at]) ** 2, minlength=n_texts)
        spread = np.where(n > 1, np.sqrt(about / (n - 1.0)), np.nan)
    return TextScores(n, mean, spread)


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """A least-squares line from metrics to scores.

    Attributes
    ----------
    intercept : float
        What is predicted where all metrics are 0.
    slopes : (p,) array of float
        One for each metric.
    """

    intercept: float
    slopes: Floats

    def of(self, metrics: Floats) -> Floats:
        """Return what the metrics (N, p) predict, (N,)."""
        return np.asarray(self.intercept + metrics @ self.slopes)


def predictor(metrics: ArrayLike, mean: ArrayLike) -> Predictor | None:
    """Fit the means of texts on their metrics by least squares.

    Parameters
    ----------
    metrics : (N, p) array of float
        The metrics; texts with NaN are left out.
    mean : (N,) array of float
        The means; NaN leaves a text out too.

    Returns
    -------
    Predictor or None
        None where fewer than p + 2 texts are left, or no metric varies among them.

    Examples
    --------
    >>> line = predictor([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
    >>> round(line.intercept, 6), line.slopes.round(6).tolist()
    (1.0, [1.0])
    """
    x, y = np.asarray(metrics, dtype=float), np.asarray(mean, dtype=float)
    known = np.isfinite(y) & np.isfinite(x).all(axis=1)
    x, y = x[known], y[known]
    if y.size < x.shape[1] + 2 or not (np.ptp(x, axis=0) > 0).any():
        return None
    centre = x.mean(axis=0)
    slopes, *_ = np.linalg.lstsq(x - centre, y - y.mean(), rcond=None)
    return Predictor(float(y.mean() - centre @ slopes), slopes)
