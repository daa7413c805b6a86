"""PPI++ against the design's known answer and the authors' formulas."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from estimation.core import Sample, Scale, errors, estimate
from estimation.core.estimators import ppi_mean
from tests.core.cases import X, Y, random_sample
from tests.core.drawn import Draw, campaign, covers, refuted

seeds = st.integers(0, 10_000)
few = settings(max_examples=25, deadline=None)


def test_the_known_answer():
    # Known answer 3: case 2 with a pool of its own, unstandardised.
    estimate, std_error, _slope = ppi_mean(np.array(Y), np.array(X), np.linspace(-2, 2, 21))
    low, high = stats.norm.interval(0.95, estimate, std_error)
    assert estimate == pytest.approx(0.258640, abs=5e-7)
    assert (low, high) == pytest.approx((-0.164494, 0.681773), abs=5e-7)


def as_the_authors_write_it(y, g, pool):
    """The power-tuned mean by its gradients, as ppi_py 0.2.3 has it, without its clipping.

    ppi_py itself needs numba and scikit-learn, too much for a test. It was run once beside
    `ppi_mean` on 300 random inputs (n 5..200, pool 5..500), the metric rescaled so that its
    slope is not clipped: point and both ends agreed to 5e-16.
    """
    n, m = len(y), len(pool)
    point = np.mean(pool) + np.mean(y - g)
    of_y, of_g, of_pool = y - point, g - point, pool - point
    cross = np.sum((of_y - of_y.mean()) * (of_g - of_g.mean())) / n
    slope = 2 * cross / (2 * (1 + n / m) * np.cov(np.concatenate([of_g, of_pool])))
    estimate = np.mean(slope * pool) + np.mean(y - slope * g)
    imputed, rectifier = np.std(slope * pool) / m**0.5, np.std(y - slope * g) / n**0.5
    return estimate, (imputed**2 + rectifier**2) ** 0.5


@given(seed=seeds, n=st.integers(3, 60), m=st.integers(2, 200))
@few
def test_the_authors_formulas(seed, n, m):
    rng = np.random.default_rng(seed)
    g, pool = rng.normal(size=n), rng.normal(size=m)
    y = rng.normal(size=n) + rng.normal() * g
    assert ppi_mean(y, g, pool)[:2] == pytest.approx(as_the_authors_write_it(y, g, pool))


def test_the_pool_of_a_sample_is_what_nobody_judged():
    sample = random_sample(2)
    judged = np.unique(sample.item)
    mean = np.array([sample.score[sample.item == i].mean() for i in judged])
    pool = np.delete(sample.metric, judged)
    point, error = as_the_authors_write_it(mean, sample.metric[judged], pool)
    result = estimate(sample, estimator="ppi")
    assert (result.estimate, result.std_error) == pytest.approx((point, error))
    assert (result.centre, result.method.interval) == (result.estimate, "iid")
    low, high = stats.norm.interval(0.9, point, error)
    interval = result.interval(0.9)
    assert (interval.low, interval.high) == pytest.approx((low, high))


@given(seed=seeds, factor=st.sampled_from([-7.0, -0.01, 300.0]), shift=st.floats(-50, 50))
@few
def test_the_metrics_units_do_not_matter(seed, factor, shift):
    sample = random_sample(seed)
    other = replace(sample, metric=factor * sample.metric + shift)
    one, two = (estimate(s, estimator="ppi") for s in (sample, other))
    assert two.estimate == pytest.approx(one.estimate, rel=1e-8)
    assert two.std_error == pytest.approx(one.std_error, rel=1e-8)


def test_a_constant_metric_is_said():
    sample = random_sample(2)
    result = estimate(replace(sample, metric=np.full(50, 3.0)), estimator="ppi")
    mean = estimate(sample, estimator="mean")
    assert result.notices[0].code == "constant_metric"
    assert result.estimate == pytest.approx(mean.estimate)


def test_a_census_and_a_missing_metric_are_refused():
    whole = Sample(np.arange(4.0), np.arange(4), np.arange(4), 4, Scale(0, 3), np.arange(4.0))
    with pytest.raises(errors.MetricMissingError):
        estimate(whole, estimator="ppi")
    with pytest.raises(errors.MetricMissingError):
        estimate(replace(random_sample(1), metric=None), estimator="ppi")
    with pytest.raises(errors.InvalidOptionError):
        estimate(random_sample(1), estimator="ppi", estimand="everybody")


def coverage(person: float, replicates: int) -> int:
    covered = 0
    draw = Draw(person=person, people=15)
    for child in np.random.SeedSequence(2018).spawn(replicates):
        sample, truth = campaign(draw, np.random.default_rng(child))
        covered += covers(estimate(sample, estimator="ppi"), truth)
    return covered


@pytest.mark.simulation
def test_ppi_covers_when_people_agree():
    # Asymptotic: .94 is what 120 items may cost it.
    assert not refuted(coverage(0.0, 500), 500, 0.94)


@pytest.mark.simulation
def test_ppi_fails_when_people_differ():
    assert refuted(coverage(0.06, 500), 500, 0.9)


@given(seed=seeds, score=st.floats(1, 5))
@few
def test_equal_scores_have_no_width_and_say_so(seed, score):
    sample = random_sample(seed)
    found = estimate(replace(sample, score=np.full(sample.n_judgments, score)), estimator="ppi")
    assert found.estimate == pytest.approx(score)
    assert found.interval(0.95).width < 1e-9
    assert found.correlation is None
    assert "constant_scores" in {notice.code for notice in found.notices}
