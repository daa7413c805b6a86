"""What must not matter does not matter, and what must be exact is exact."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import Sample, Scale, estimate, trajectory
from tests.core.cases import random_sample

seeds = st.integers(0, 10_000)
ESTIMATORS = ("regression", "algorithm_1", "mean")
METHODS = [
    {"estimator": estimator, "interval": interval, "estimand": estimand}
    for estimator in ESTIMATORS
    for interval, estimand in (("two_way", "population"), ("two_way", "panel"), ("iid", "panel"))
]
few = settings(max_examples=25, deadline=None)


def ends(sample: Sample, **options) -> tuple[float, float, float]:
    result = estimate(sample, **options)
    interval = result.interval(0.9)
    return result.estimate, interval.low, interval.high


@pytest.mark.parametrize("method", METHODS, ids=lambda m: "-".join(m.values()))
@given(seed=seeds, factor=st.sampled_from([-7.0, -0.01, 0.5, 300.0]), shift=st.floats(-50, 50))
@few
def test_the_metrics_units_do_not_matter(method, seed, factor, shift):
    sample = random_sample(seed)
    other = replace(sample, metric=factor * sample.metric + shift)
    assert ends(other, **method) == pytest.approx(ends(sample, **method), rel=1e-8)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: "-".join(m.values()))
@given(seed=seeds, factor=st.sampled_from([0.01, 2.0, 100.0]), shift=st.floats(-1000, 1000))
@few
def test_the_scores_units_carry_over(method, seed, factor, shift):
    sample = random_sample(seed)
    scale = Scale(factor * 1 + shift - 1e-9, factor * 5 + shift + 1e-9)
    other = replace(sample, score=factor * sample.score + shift, scale=scale)
    moved = [factor * value + shift for value in ends(sample, **method)]
    assert ends(other, **method) == pytest.approx(moved, rel=1e-6, abs=1e-6 * factor)


@given(seed=seeds)
@few
def test_the_order_of_rows_does_not_matter(seed):
    sample = random_sample(seed)
    order = np.random.default_rng(seed).permutation(sample.n_judgments)
    other = replace(
        sample,
        score=sample.score[order],
        item=sample.item[order],
        annotator=sample.annotator[order] + 1000,
    )
    assert ends(other) == pytest.approx(ends(sample))


@given(seed=seeds, levels=st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)))
@few
def test_a_higher_level_nests(seed, levels):
    result = estimate(random_sample(seed))
    inner, outer = (result.interval(level) for level in sorted(levels))
    assert outer.low <= inner.low <= inner.high <= outer.high


@given(seed=seeds)
@few
def test_identical_systems_have_identical_estimates(seed):
    # Copies with arrays of their own: not a bit may differ.
    first, second = estimate(random_sample(seed)), estimate(random_sample(seed))
    assert first.estimate - second.estimate == 0
    assert first == second


def census(noise: float) -> Sample:
    """All 40 outputs judged, half of them twice, by two people in turn."""
    rng = np.random.default_rng(1)
    item = np.r_[np.arange(40), np.arange(20)]
    person = np.r_[np.arange(40) % 2, (np.arange(20) + 1) % 2]
    quality = rng.normal(size=40)
    score = quality[item] + noise * rng.normal(size=60)
    return Sample(score, item, person, 40, Scale(-4, 4, bounded=False), rng.normal(size=40))


def test_a_census_leaves_only_the_noise_of_judgments():
    sample = census(0.5)
    pairs = np.array([sample.score[:20], sample.score[40:]])
    noise = pairs.var(axis=0, ddof=1).mean()
    h = (20 * 0.5 + 20) / 40
    parts = estimate(sample, estimand="panel").variance
    assert parts.item == 0
    assert parts.rest == pytest.approx(noise * h / 40)
    assert estimate(sample, estimand="panel").std_error == pytest.approx(parts.rest**0.5)


def test_a_census_without_noise_is_exact_for_its_panel():
    assert estimate(census(0.0), estimand="panel").std_error == pytest.approx(0, abs=1e-12)


def test_a_census_does_not_shrink_the_annotator_part():
    sample = census(0.5)
    milder = replace(sample, score=sample.score + sample.annotator)
    corrected, plain = estimate(milder), estimate(milder, finite_population=False)
    assert corrected.variance.annotator == plain.variance.annotator > 0


OPTIONS = [
    {},
    {"interval": "iid"},
    {"estimand": "panel"},
    {"estimator": "algorithm_1"},
    {"estimator": "mean", "pseudo_rows": False},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_trajectory_is_the_estimate_of_every_prefix(options):
    sample = random_sample(7, judgments=90, items=12)
    history = trajectory(sample, **options)
    for t in range(2, sample.n_judgments + 1):
        prefix = replace(
            sample,
            score=sample.score[:t],
            item=sample.item[:t],
            annotator=sample.annotator[:t],
        )
        result = estimate(prefix, **options)
        assert history.estimate[t - 1] == pytest.approx(result.estimate)
        assert history.effective_annotators[t - 1] == pytest.approx(result.effective_annotators)
        half = history.half_widths(0.95)[t - 1]
        expected = result.interval(0.95).width / 2 if result.has_interval else np.nan
        assert half == pytest.approx(expected, nan_ok=True)
        assert history.centre[t - 1] == pytest.approx(result.centre)
