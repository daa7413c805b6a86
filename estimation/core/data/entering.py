"""How metrics enter estimates: bounded, by a rule that looks at no judgment."""

from typing import Literal, get_args

import numpy as np
from scipy.special import ndtri

from estimation.core.data import errors
from estimation.core.data.incidence import Floats

MetricTransform = Literal["normal_scores", "signed_scores", "raw"]
METRIC_TRANSFORMS: tuple[str, ...] = get_args(MetricTransform)


def entering(metric: Floats, *, transform: str = "normal_scores") -> Floats:
    """Return what enters estimates in place of a metric.

    The slope is learnt from judged outputs, and the metric's mean is that of all outputs: a few
    extreme values that nobody judged would move an estimate without limit. Ranks cannot.

    Parameters
    ----------
    metric : (M,) or (M, p) array of float
        One metric, or p in columns, for all outputs of all systems of the comparison, judged or
        not. NaN where a value is missing; infinite values are the largest or smallest.
    transform : {"normal_scores", "signed_scores", "raw"}, default "normal_scores"
        "normal_scores": Φ⁻¹((rank − ½) / M), ties sharing their mean rank. A missing value has the
        mean rank, 0; M counts the others. "signed_scores": for differences of two texts, the sign
        times Φ⁻¹(½ + (rank − ½) / 2M), ranks of the absolute values, 0 for no difference and where
        a value is missing. "raw": the values themselves.

    Returns
    -------
    (M,) or (M, p) array of float
        With the normal scores, strictly increasing transformations of a metric change nothing, and
        changing its sign changes that of the result. With the signed scores, changing the sign of
        some differences changes that of their results, and no others.

    Raises
    ------
    InvalidOptionError
        There is no such transformation.

    Examples
    --------
    >>> from estimation.core import entering
    >>> entering([20.0, 18.0, 20000.0, 22.0, 18.0]).round(2).tolist()
    [0.0, -0.84, 1.28, 0.52, -0.84]
    >>> entering([0.1, -20.0, 0.0, 0.3], transform="signed_scores").round(2).tolist()
    [0.49, -1.53, 0.0, 0.89]
    """
    values = np.asarray(metric, dtype=np.float64)
    if transform == "raw" or not values.size:
        return values
    if transform not in METRIC_TRANSFORMS:
        known = ", ".join(METRIC_TRANSFORMS)
        raise errors.InvalidOptionError(f"{transform!r} is not one of {known}.")
    return np.asarray(np.apply_along_axis(_scores, 0, values, transform))


def _scores(values: Floats, transform: str) -> Floats:
    known, scores = ~np.isnan(values), np.zeros(values.size)
    of = _normal_scores if transform == "normal_scores" else _signed_scores
    scores[known] = of(values[known])
    return scores


def _normal_scores(values: Floats) -> Floats:
    # About the middle, so that both halves are exactly alike.
    from_middle = _ranks(values) - (values.size + 1) / 2
    return np.asarray(np.sign(from_middle) * _upper(2 * np.abs(from_middle), values.size))


def _signed_scores(values: Floats) -> Floats:
    return np.asarray(np.sign(values) * _upper(_ranks(np.abs(values)) - 0.5, values.size))


def _ranks(values: Floats) -> Floats:
    """From 1; values that are equal share the mean of their ranks."""
    _, which, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[which])


def _upper(place: Floats, of: int) -> Floats:
    """Φ⁻¹(½ + place / 2M)."""
    return np.asarray(0.0 - ndtri(0.5 - place / (2 * of)))
