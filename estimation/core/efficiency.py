"""What varies, and what a metric can save: variance components, correlation, data efficiency."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.errors import InvalidOptionError, ReplicatesNeededError, ShapeMismatchError
from estimation.core.fit import Moments, moments
from estimation.core.intervals import check_level
from estimation.core.sample import Floats, Ints, Sample, distinct, standardised

# --- Variance components: how much scores differ between items, between annotators, and otherwise.
#
# Several definitions look alike and differ: each function says which one it computes.


@dataclass(frozen=True, slots=True)
class OneWay:
    """The result of `one_way`, in squared score units; both may be negative.

    item: sigma_f² = (MSB - MSW) / k0, the variance of what people say of an item on average.
    noise: sigma_a² = MSW, the variance of single judgments of one item.
    """

    item: float
    noise: float


@dataclass(frozen=True, slots=True)
class Crossed:
    """Variance components of items crossed with annotators, in squared score units.

    Estimated components may be negative.

    item: between items.
    person: between annotators.
    rest: everything else.

    >>> from estimation.core import Crossed
    >>> Crossed(item=0.14, person=-0.01, rest=0.23).truncated()
    Crossed(item=0.14, person=0.0, rest=0.23)
    """

    item: float
    person: float
    rest: float

    def truncated(self) -> "Crossed":
        """Set negative components to 0: for plans and weights, not for reports.

        Returns: no component is negative.
        """
        return Crossed(max(0.0, self.item), max(0.0, self.person), max(0.0, self.rest))


def one_way(sample: Sample) -> OneWay:
    """Estimate the variance between items and within items by one-way analysis of variance.

    With k0 = (T - sum k_i² / T) / (n - 1) for items judged k_i times: unbiased, and negative where
    items differ less than the noise lets one expect.

    sample: the judgments; the metric is not used.
    Returns: the paper's sigma_f² and sigma_a².
    Raises ReplicatesNeededError: fewer than two items were judged, or no item was judged twice.

    .. [1] S. R. Searle, G. Casella and C. E. McCulloch (1992). Variance Components. Wiley.
    """
    stats = _plain_moments(sample)
    t, n = sample.n_judgments, float(stats.n_items)
    if n < 2 or t == n:
        raise ReplicatesNeededError(
            "Telling items from noise takes two items or more, some of them judged twice."
        )
    within = float(stats.within)
    about_mean = stats.judgments.y_y - stats.judgments.one_y**2 / t
    between = (float(about_mean) - within) / (n - 1)
    noise = within / (t - n)
    k0 = (t - _sum_of_squared_counts(sample.item) / t) / (n - 1)
    return OneWay(item=(between - noise) / k0, noise=noise)


def crossed(sample: Sample) -> Crossed:
    """Estimate the components of items crossed with annotators, by moments.

    Solves three equations that hold in expectation [1]_: U_a = (person + rest)(T - n),
    U_b = (item + rest)(T - A) and U_e = item (T² - sum k_i²) + person (T² - sum T_j²)
    + rest (T² - T). U_a and U_b are the sums of squares within items and within annotators;
    U_e = T sum y² - (sum y)².

    sample: the judgments; the metric is not used.
    Returns: raw components, which may be negative.
    Raises ReplicatesNeededError: the equations are singular: no item was judged by several people,
        or no one judged several items.

    .. [1] K. Gao and A. B. Owen (2017). Efficient moment calculations for variance components in
       large unbalanced crossed random effects models. Electronic Journal of Statistics 11,
       1235-1296.
    """
    t = sample.n_judgments
    items, people = distinct(sample.item).size, distinct(sample.annotator).size
    by_item = _sum_of_squared_counts(sample.item)
    by_person = _sum_of_squared_counts(sample.annotator)
    determinant = t * (t + 1) - by_item - by_person
    if t in (items, people) or determinant == 0:
        raise ReplicatesNeededError(
            "Telling items from annotators takes items judged by several people and people who "
            "judged several items."
        )
    stats = _plain_moments(sample)
    noise = float(stats.within) / (t - items)  # person + rest
    spread = _within_annotators(sample) / (t - people)  # item + rest
    total = t * float(stats.judgments.y_y) - float(stats.judgments.one_y) ** 2
    explained = spread * (t * t - by_item) + noise * (t * t - by_person)
    rest = (explained - total) / determinant
    return Crossed(item=spread - rest, person=noise - rest, rest=rest)


def variance_of_item_means(sample: Sample) -> float:
    """Return the variance of item means, divisor n - 1: sigma_f² as the paper's Table 2 prints it.

    It contains sigma_a² / m for m judgments of each item, so it overstates sigma_f²; `one_way` does
    not.

    sample: the judgments; the metric is not used.
    Returns: in squared score units.
    Raises ReplicatesNeededError: only one item was judged.

    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.
    """
    items = _plain_moments(sample).means
    n = float(items.one_one)
    if n < 2:
        raise ReplicatesNeededError("The variance of item means takes at least two items.")
    return max(0.0, float(items.y_y - items.one_y**2 / n) / (n - 1))


def _plain_moments(sample: Sample) -> Moments:
    return moments(sample, x=np.zeros(sample.n_population))


def _sum_of_squared_counts(label: Ints) -> int:
    _, count = np.unique(label, return_counts=True)
    return int((count**2).sum())


def _within_annotators(sample: Sample) -> float:
    _, annotator, count = np.unique(sample.annotator, return_inverse=True, return_counts=True)
    mean = np.bincount(annotator, sample.score) / count
    return float(((sample.score - mean[annotator]) ** 2).sum())


# --- How much a metric can save: correlation, normalised annotator variance, data efficiency.


def data_efficiency(*, rho: float, gamma: float, raters: float = 1.0) -> float:
    """Return by what factor a metric saves judgments.

    Var(sample mean) / Var(control variates) = (1 + c) / (1 - rho² + c), c = gamma / raters:
    equation (7) of [1]_ for one judgment of each item.

    rho: correlation of the metric with the human metric f, from -1 to 1.
    gamma: sigma_a² / sigma_f², 0 or more; see `normalised_annotator_variance`.
    raters: judgments of each item, above 0.
    Returns: 1 or more; infinite for a perfect metric without noise.
    Raises InvalidOptionError: A number lies outside its range.

    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.
    """
    if not (-1 <= rho <= 1 and gamma >= 0 and raters > 0):
        raise InvalidOptionError("Data efficiency takes a correlation, gamma >= 0 and raters > 0.")
    noise = gamma / raters
    left = 1 - rho**2 + noise
    return (1 + noise) / left if left > 0 else float("inf")


def data_efficiency_cap(*, gamma: float, raters: float = 1.0) -> float:
    """Return the data efficiency of a perfect metric: (1 + gamma) / gamma.

    gamma, raters: as in `data_efficiency`.
    Returns: 1 or more; infinite without noise.
    Raises InvalidOptionError: A number lies outside its range.

    >>> from estimation.core import data_efficiency_cap
    >>> data_efficiency_cap(gamma=0.5)
    3.0
    """
    return data_efficiency(rho=1.0, gamma=gamma, raters=raters)


def normalised_annotator_variance(sample: Sample) -> float | None:
    """Return gamma = sigma_a² / sigma_f², both from the one-way analysis of variance.

    sample: the judgments; the metric is not used.
    Returns: None where the estimate of sigma_f² is not positive.
    Raises ReplicatesNeededError: as in `one_way`.
    """
    components = one_way(sample)
    return components.noise / components.item if components.item > 0 else None


def human_metric_correlation(sample: Sample) -> float | None:
    """Estimate rho, the correlation of metric and human metric without the judges' noise.

    rho = Cov(ybar, g) / (sigma_f sigma_g), equation (5) of [1]_: the covariance over the judged
    items, sigma_f from the one-way analysis of variance, sigma_g over all N outputs.

    sample: the judgments and one metric.
    Returns: cut to -1..1; None where the estimate of sigma_f² is not positive.
    Raises ReplicatesNeededError: as in `one_way`.
    Raises MetricMissingError: the sample has no metric.
    Raises InvalidOptionError: the sample has several metrics.

    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.
    """
    x = sample.standardised_metric()
    item_variance = one_way(sample).item
    if item_variance <= 0:
        return None
    judged, item = np.unique(sample.item, return_inverse=True)
    mean = np.bincount(item, sample.score) / np.bincount(item)
    covariance = float(np.cov(mean, x[judged])[0, 1])
    return float(np.clip(covariance / np.sqrt(item_variance), -1.0, 1.0))


# --- Pearson's correlation with an interval that needs no normal distribution.


LEAST = 4  # pairs; with fewer, Fisher's transformation has no standard error


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's correlation of pairs.

    r: the correlation, -1 to 1.
    low, high: the ends of the interval; None with fewer than 4 pairs, or where all
        pairs lie on a line.
    n: how many pairs there are.
    """

    r: float
    low: float | None
    high: float | None
    n: int


def correlation(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation | None:
    """Return the correlation of two variables, with an interval.

    The interval is atanh(r) -+ q s, as Fisher's, but with the standard error
    s² = mean(d²) / ((n - 3) (1 - r²)²), d = u v - r (u² + v²) / 2 for the standardised pairs
    (u, v). It needs no normal distribution [1]_; under one, s² is near Fisher's 1 / (n - 3). It
    speaks for further pairs of the same kind, of which these are a random sample.

    x, y: (n,) floats; the pairs.
    level: the level of the interval.
    Returns: None where one of both does not vary.
    Raises ShapeMismatchError: both are not lists of one length.
    Raises InvalidOptionError: the level is not between 0 and 1.

    .. [1] Steiger, J. H. and Hakstian, A. R. (1982). The asymptotic distribution of elements of a
       correlation matrix: Theory and application. British Journal of Mathematical and Statistical
       Psychology 35.

    >>> found = correlation([0.1, 0.4, 0.5, 0.9, 0.7, 0.3], [-1, 0, 1, 1, 0, -1])
    >>> round(found.r, 2), found.n
    (0.78, 6)
    """
    check_level(level)
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if first.ndim != 1 or first.shape != second.shape:
        raise ShapeMismatchError("x and y must be two lists of one length.")
    if first.size < 2 or any(one.min() == one.max() for one in (first, second)):
        return None
    u, v = standardised(first), standardised(second)
    r = float(np.clip(np.mean(u * v), -1.0, 1.0))
    rest = 1.0 - r * r
    if first.size < LEAST or rest < 1e-12:
        return Correlation(r, None, None, first.size)
    pull = u * v - r * (u * u + v * v) / 2
    error = float(np.sqrt(np.mean(pull**2) / (first.size - 3))) / rest
    half, centre = NormalDist().inv_cdf(0.5 + level / 2) * error, float(np.arctanh(r))
    low, high = np.tanh([centre - half, centre + half]).tolist()
    return Correlation(r, low, high, first.size)


# --- What was said of each text: means and spreads, and what metrics predict of the means.


@dataclass(frozen=True, slots=True, eq=False)
class TextScores:
    """The scores of N texts.

    n: (N,) ints; how many scores each text has.
    mean: (N,) floats; their mean, NaN without any.
    spread: (N,) floats; their standard deviation (n - 1), NaN below two scores.
    """

    n: Ints
    mean: Floats
    spread: Floats


def text_scores(text: ArrayLike, score: ArrayLike, *, n_texts: int) -> TextScores:
    """Summarise the scores of each text.

    text: (T,) ints; which text each score is about, 0 to n_texts - 1.
    score: (T,) floats; the scores.
    n_texts: how many texts there are.
    Returns: one row for each text.

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

    intercept: what is predicted where all metrics are 0.
    slopes: (p,) floats; one for each metric.
    """

    intercept: float
    slopes: Floats

    def of(self, metrics: Floats) -> Floats:
        """Return what the metrics (N, p) predict, (N,)."""
        return np.asarray(self.intercept + metrics @ self.slopes)


def predictor(metrics: ArrayLike, mean: ArrayLike) -> Predictor | None:
    """Fit the means of texts on their metrics by least squares.

    metrics: (N, p) floats; the metrics; texts with NaN are left out.
    mean: (N,) floats; the means; NaN leaves a text out too.
    Returns: None where fewer than p + 2 texts are left, or no metric varies
        among them.

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
