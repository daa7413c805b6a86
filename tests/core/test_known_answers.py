"""Answers of the design (statistics.md, section 9), each beside an independent computation."""

import numpy as np
import pytest
from scipy import stats

from estimation.core import (
    Method,
    Sample,
    Scale,
    crossed,
    data_efficiency,
    data_efficiency_cap,
    estimate,
    one_way,
    variance_of_item_means,
)
from tests.core.cases import POOL, REST, X, Y, crossed_case, random_sample, single_case

PANEL = {"estimator": "regression", "estimand": "panel", "finite_population": False}


@pytest.mark.parametrize(
    ("rho", "gamma", "expected"),
    [(0.5, 1, 1.1429), (0.8, 1, 1.4706), (0.9, 0, 5.2632), (0.3, 2, 1.0309), (0.4, 0.5, 1.1194)],
)
def test_data_efficiency(rho, gamma, expected):
    # Known answer 1: equation (7) of the paper, worked by hand.
    assert data_efficiency(rho=rho, gamma=gamma) == pytest.approx(expected, abs=5e-5)


def test_data_efficiency_is_capped_by_noise():
    assert data_efficiency_cap(gamma=0.5) == pytest.approx(3.0)
    assert data_efficiency_cap(gamma=0.5, raters=2) == pytest.approx(5.0)
    assert data_efficiency_cap(gamma=0) == float("inf")


def test_regression_is_least_squares():
    # Known answer 2, and scipy's least squares as the independent source.
    result = estimate(single_case(), pseudo_rows=False, **PANEL)
    line = stats.linregress(X, Y)
    assert result.slope == pytest.approx(0.759406, abs=5e-7)
    assert result.estimate == pytest.approx(0.168795, abs=5e-7)
    assert result.std_error == pytest.approx(0.155572, abs=5e-7)
    assert result.interval(0.95).width / 2 == pytest.approx(0.431936, abs=5e-7)
    assert (result.slope, result.estimate) == pytest.approx((line.slope, line.intercept))
    assert result.std_error == pytest.approx(line.intercept_stderr)
    assert result.correlation == pytest.approx(line.rvalue)
    assert result.centre == result.estimate


def test_options_come_in_place_of_those_of_a_method():
    by_name = estimate(single_case(), **PANEL)
    for method, options in (
        (Method(**PANEL), {}),
        (Method(estimand="panel"), {"estimator": "regression", "finite_population": False}),
        (Method(**PANEL | {"estimator": "algorithm_1"}), {"estimator": "regression"}),
    ):
        found = estimate(single_case(), method, **options)
        assert found.method == by_name.method == Method(**PANEL)
        assert (found.estimate, found.std_error) == (by_name.estimate, by_name.std_error)
    with pytest.raises(TypeError, match="estimater"):
        estimate(single_case(), estimater="regression")


def test_algorithm_1_to_the_letter():
    # Known answer 2, and the three lines of the paper's Algorithm 1.
    result = estimate(single_case(), **PANEL | {"estimator": "algorithm_1"}, pseudo_rows=False)
    x, y = np.array(X), np.array(Y)
    alpha = np.mean((y - y.mean()) * x)
    assert result.slope == pytest.approx(0.611111, abs=5e-7)
    assert result.estimate == pytest.approx(0.200926, abs=5e-7)
    assert result.estimate == pytest.approx(np.mean(y - alpha * x))
    residual = y - alpha * x
    assert result.std_error == pytest.approx(np.sqrt(residual.var() * 6 / 4 / 6))


def test_pseudo_rows():
    # Known answer 2 with pseudo-rows, and least squares on the ten rows written out.
    result = estimate(single_case(), **PANEL)
    line = stats.linregress([*X, 0, 0, 0, 0], [*Y, -1, -1, 1, 1])
    assert result.estimate == pytest.approx(0.168795, abs=5e-7)
    assert result.centre == pytest.approx(0.0989678, abs=5e-8)
    assert result.std_error == pytest.approx(0.2442728, abs=5e-8)
    assert result.df == 4
    assert result.interval(0.95).width / 2 == pytest.approx(0.6782101, abs=5e-8)
    assert (result.centre, result.std_error) == pytest.approx(
        (line.intercept, line.intercept_stderr)
    )


def test_independent_interval_is_the_textbook_one():
    # With one judgment per item, judgments and items are the same and scipy's answer holds.
    result = estimate(single_case(), estimator="regression", interval="iid")
    line = stats.linregress(X, Y)
    assert (result.estimate, result.std_error) == pytest.approx(
        (line.intercept, line.intercept_stderr)
    )


def test_crossed_components():
    # Known answer 7: three items, three people, by hand.
    sample = Sample(
        np.array([3.0, 5, 1, 2, 4, 5]),
        np.array([0, 0, 1, 1, 2, 2]),
        np.array([0, 1, 0, 2, 1, 2]),
        3,
        Scale(1, 5),
    )
    found = crossed(sample)
    assert (found.item, found.person, found.rest) == pytest.approx((7 / 3, 1, 0))


def test_crossed_components_solve_the_moment_equations():
    # The three equations as printed, solved by numpy.
    sample = random_sample(3)
    y, t = sample.score, sample.n_judgments
    _, i, k = np.unique(sample.item, return_inverse=True, return_counts=True)
    _, j, m = np.unique(sample.annotator, return_inverse=True, return_counts=True)
    within_items = sum(((y[i == g] - y[i == g].mean()) ** 2).sum() for g in range(k.size))
    within_people = sum(((y[j == g] - y[j == g].mean()) ** 2).sum() for g in range(m.size))
    left = [
        [0, t - k.size, t - k.size],
        [t - m.size, 0, t - m.size],
        [t**2 - (k**2).sum(), t**2 - (m**2).sum(), t**2 - t],
    ]
    right = [within_items, within_people, t * (y**2).sum() - y.sum() ** 2]
    found = crossed(sample)
    assert [found.item, found.person, found.rest] == pytest.approx(np.linalg.solve(left, right))


def test_one_way_is_the_textbook_analysis_of_variance():
    # Balanced: scipy's F is MSB / MSW, and k0 is the group size.
    groups = np.array([[1.0, 2, 4], [3, 5, 5], [1, 1, 2], [4, 4, 5]])
    sample = Sample(
        groups.ravel(), np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4), 4, Scale(1, 5)
    )
    found = one_way(sample)
    ratio = stats.f_oneway(*groups).statistic
    assert found.noise == pytest.approx(groups.var(axis=1, ddof=1).mean())
    assert found.item == pytest.approx((ratio - 1) * found.noise / 3)
    assert variance_of_item_means(sample) == pytest.approx(groups.mean(axis=1).var(ddof=1))


def test_the_metric_is_standardised_over_the_whole_population():
    x = crossed_case().standardised_metric()
    assert (x.mean(), x.std()) == pytest.approx((0, 1))
    assert x == pytest.approx((np.array(POOL) - np.mean(POOL)) / np.std(POOL))
    assert single_case().standardised_metric()[6:] == pytest.approx(REST)
