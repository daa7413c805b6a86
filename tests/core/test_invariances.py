"""What must not matter does not matter, and what must be exact is exact."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import Sample, Scale, estimate
from tests.core.cases import random_sample

seeds = st.integers(0, 10_000)
METHODS = [
    {"estimator": estimator, "interval": interval, "estimand": estimand}
    for estimator in ("balanced", "regression", "algorithm_1", "mean")
    for interval, estimand in (("two_way", "population"), ("two_way", "panel"), ("iid", "panel"))
    if (estimator, interval) != ("balanced", "iid")
]
ESTIMATORS = ["balanced", "regression", "mean", "multi"]
estimators = st.sampled_from(ESTIMATORS)
few = settings(max_examples=60, deadline=None)


def ends(sample: Sample, **options) -> tuple[float, float, float]:
    result = estimate(sample, **options)
    interval = result.interval(0.9)
    return result.estimate, interval.low, interval.high


@given(
    method=st.sampled_from(METHODS),
    seed=seeds,
    factor=st.sampled_from([-7.0, -0.01, 0.5, 300.0]),
    shift=st.floats(-50, 50),
)
@few
def test_the_metrics_units_do_not_matter(method, seed, factor, shift):
    sample = random_sample(seed)
    other = replace(sample, metric=factor * sample.metric + shift)
    assert ends(other, **method) == pytest.approx(ends(sample, **method), rel=1e-8)


@given(estimator=estimators, seed=seeds, power=st.integers(-1010, 1010))
@few
def test_no_size_of_a_metric_changes_a_digit(estimator, seed, power):
    # A power of 2 changes no digit, and squares of most of these are infinite or 0.
    sample = random_sample(seed)
    other = replace(sample, metric=np.ldexp(sample.metric, power))
    assert ends(other, estimator=estimator) == ends(sample, estimator=estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.filterwarnings("error")
def test_the_largest_and_the_smallest_floats_make_a_metric(estimator):
    sample = random_sample(3)
    rng = np.random.default_rng(3)
    for size in (np.finfo(float).max, 5e-324):
        metric = np.where(rng.random(sample.n_population) < 0.5, size, -size)
        assert np.isfinite(ends(replace(sample, metric=metric), estimator=estimator)).all()
        lone = np.where(np.arange(sample.n_population) == 0, size, 0.0)
        assert np.isfinite(ends(replace(sample, metric=lone), estimator=estimator)).all()


@given(
    method=st.sampled_from(METHODS),
    seed=seeds,
    factor=st.sampled_from([0.01, 2.0, 100.0]),
    shift=st.floats(-1000, 1000),
)
@few
def test_the_scores_units_carry_over(method, seed, factor, shift):
    sample = random_sample(seed)
    scale = Scale(factor * 1 + shift - 1e-9, factor * 5 + shift + 1e-9)
    other = replace(sample, score=factor * sample.score + shift, scale=scale)
    moved = [factor * value + shift for value in ends(sample, **method)]
    assert ends(other, **method) == pytest.approx(moved, rel=1e-6, abs=1e-6 * factor)


@given(estimator=estimators, seed=seeds)
@few
def test_the_order_of_rows_does_not_matter(estimator, seed):
    sample = random_sample(seed)
    order = np.random.default_rng(seed).permutation(sample.n_judgments)
    other = replace(
        sample,
        score=sample.score[order],
        item=sample.item[order],
        annotator=sample.annotator[order] + 1000,
    )
    assert ends(other, estimator=estimator) == pytest.approx(ends(sample, estimator=estimator))


@given(
    estimator=estimators, seed=seeds, levels=st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
)
@few
def test_a_higher_level_nests(estimator, seed, levels):
    result = estimate(random_sample(seed), estimator=estimator)
    inner, outer = (result.interval(level) for level in sorted(levels))
    assert outer.low <= inner.low <= inner.high <= outer.high


@given(estimator=estimators, seed=seeds)
@few
def test_identical_systems_have_identical_estimates(estimator, seed):
    # Copies with arrays of their own: not a bit may differ.
    first, second = (estimate(random_sample(seed), estimator=estimator) for _ in range(2))
    assert first.estimate - second.estimate == 0
    assert first == second
