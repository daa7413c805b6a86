"""Estimates with several metrics: against statsmodels, against loops, and at what they claim."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.sandwich_covariance import cov_cluster, cov_cluster_2groups, cov_white_simple

from estimation.core import Sample, Scale, errors, estimate, trajectory
from tests.core.cases import random_sample
from tests.core.drawn import Draw, campaign, covers, refuted

seeds = st.integers(0, 10_000)
few = settings(max_examples=25, deadline=None)
PURE = {"estimand": "panel", "finite_population": False, "pseudo_rows": False}


def sample_with(metrics: int, seed: int = 0, *, items: int = 66) -> Sample:
    """About `items` judged items of twice as many outputs, some twice; one metric is useful."""
    sample = random_sample(seed, judgments=4 * items, items=items)
    rng = np.random.default_rng(seed)
    metric = rng.normal(size=(2 * items, metrics)) @ rng.normal(size=(metrics, metrics))
    # The first goes with the scores.
    judged, row = np.unique(sample.item, return_inverse=True)
    metric[judged, 0] += 2 * np.bincount(row, sample.score) / np.bincount(row)
    return replace(sample, metric=metric)


def rows(sample: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Judged items, their mean scores and standardised metrics, with loops."""
    judged = np.unique(sample.item)
    mean = np.array([sample.score[sample.item == i].mean() for i in judged])
    g = sample.metric.reshape(sample.n_population, -1)
    return judged, mean, ((g - g.mean(axis=0)) / g.std(axis=0))[judged]


def ends(sample: Sample, estimator: str = "multi", **options) -> tuple[float, float, float]:
    result = estimate(sample, estimator=estimator, **options)
    interval = result.interval(0.9)
    return result.estimate, interval.low, interval.high


def codes(result) -> list[str]:
    return [notice.code for notice in result.notices]


@given(seed=seeds)
@few
def test_one_metric_is_the_regression(seed):
    sample = random_sample(seed, judgments=80, items=30)
    several, one = (estimate(sample, estimator=name) for name in ("multi", "regression"))
    column = estimate(replace(sample, metric=sample.metric[:, None]), estimator="multi")
    for name in ("estimate", "centre", "std_error", "df", "slope"):
        assert getattr(several, name) == pytest.approx(getattr(one, name), rel=1e-9)
    assert codes(several) == codes(one)
    assert column == several


@pytest.mark.parametrize("estimator", ["mean", "regression"])
def test_clustered_parts_are_those_of_statsmodels(estimator):
    # Cameron, Gelbach and Miller (2011): items + people - pairs, about a weighted mean.
    sample = sample_with(1 if estimator == "regression" else 3)
    result = estimate(sample, estimator=estimator, **PURE)
    _, row, count = np.unique(sample.item, return_inverse=True, return_counts=True)
    _, _, x = rows(sample)
    corrected = sample.score - (x @ np.array(result.slopes))[row] if result.slopes else sample.score
    fit = sm.WLS(corrected, np.ones(row.size), weights=1 / count[row]).fit()
    assert fit.params[0] == pytest.approx(result.estimate)
    both, by_item, by_person = cov_cluster_2groups(fit, row, sample.annotator, use_correction=False)
    people = cov_cluster(fit, sample.annotator, use_correction=False)
    pairs = cov_white_simple(fit, use_correction=False)
    parts = result.variance
    assert parts.annotator_sum == pytest.approx(float(people.squeeze()), abs=1e-9)
    assert parts.annotator_sum == pytest.approx(float(by_person.squeeze()), abs=1e-9)
    assert parts.cell_sum == pytest.approx(float(pairs.squeeze()), abs=1e-9)
    items = float(by_item.squeeze())
    total = items + parts.annotator_sum - parts.cell_sum
    assert total == pytest.approx(float(both.squeeze()), abs=1e-9)
    if estimator == "mean":
        assert parts.item * (count.size - 1) / count.size == pytest.approx(items, abs=1e-9)


@pytest.mark.parametrize("seed", [3, 4])
def test_an_outsider_can_repeat_it_from_the_penalty(seed):
    sample = sample_with(8, seed)
    _, y, x = rows(sample)
    result = estimate(sample, estimator="multi", **PURE)
    r = y.copy()
    for held in range(y.size):
        train = np.arange(y.size) != held
        about = x[train] - x[train].mean(axis=0)
        left = about.T @ about / y.size + result.penalty * np.eye(8)
        r[held] -= x[held] @ np.linalg.solve(left, about.T @ y[train] / y.size)
    assert result.penalty < np.inf
    assert result.estimate == pytest.approx(r.mean())
    assert result.std_error == pytest.approx(r.std(ddof=1) / y.size**0.5)
    assert result.df == y.size - 1
    guarded = np.r_[r, 1, 1, 5, 5]
    options = {"estimand": "panel", "finite_population": False}
    result = estimate(sample, estimator="multi", **options)
    assert result.centre == pytest.approx(guarded.mean())
    assert result.std_error == pytest.approx(guarded.std(ddof=1) / guarded.size**0.5)


@pytest.mark.parametrize("estimator", ["multi", "balanced"])
@given(seed=seeds)
@few
def test_what_must_not_matter(estimator, seed):
    """The order of judgments, of outputs and of metrics; names, units and scales."""
    sample, metrics = sample_with(5, seed), 5
    rng = np.random.default_rng(seed)
    order, columns = rng.permutation(sample.n_judgments), rng.permutation(metrics)
    output = rng.permutation(sample.n_population)
    other = replace(
        sample,
        score=3 * sample.score[order] - 7,
        scale=Scale(-4, 8),
        item=np.argsort(output)[sample.item[order]],
        annotator=1000 - sample.annotator[order],
        metric=sample.metric[output][:, columns] * rng.choice([-3.0, 0.01, 40.0], metrics) + 5,
    )
    moved = [3 * value - 7 for value in ends(sample, estimator)]
    assert ends(other, estimator) == pytest.approx(moved, rel=1e-7)


@pytest.mark.parametrize("metrics", [3, 10])
def test_constant_metrics_are_left_out_and_said(metrics):
    sample = sample_with(metrics - 1)
    judged = np.isin(np.arange(sample.n_population), sample.item)
    for constant in (np.full(sample.n_population, 0.1), np.where(judged, 2.0, 5.0)):
        more = replace(sample, metric=np.column_stack([constant, sample.metric]))
        result = estimate(more, estimator="multi")
        assert "constant_columns" in codes(result)
        assert result.slopes[0] == 0
        assert ends(more) == pytest.approx(ends(sample))


@pytest.mark.parametrize("metrics", [1, 3, 10])
def test_only_constant_metrics_leave_the_mean_and_say_so(metrics):
    sample = replace(sample_with(1), metric=np.full((132, metrics), 0.3))
    result, mean = estimate(sample, estimator="multi"), estimate(sample, estimator="mean")
    assert codes(result)[0] == "constant_metric"
    assert (result.slope, result.correlation) == (0, None)
    for name in ("estimate", "centre", "std_error", "df"):
        assert getattr(result, name) == pytest.approx(getattr(mean, name))
    weighed, plain = (estimate(one) for one in (sample, replace(sample, metric=None)))
    for name in ("estimate", "centre", "std_error", "df", "effective_annotators"):
        assert getattr(weighed, name) == pytest.approx(getattr(plain, name))


def test_useless_metrics_are_said_not_to_help():
    rng = np.random.default_rng(0)
    sample = sample_with(1)
    judged, mean, _ = rows(sample)
    metric = np.zeros(132)
    metric[judged] = mean
    for others in (1, 8):
        useless = replace(sample, metric=rng.normal(size=(132, others)))
        useful = replace(sample, metric=np.column_stack([useless.metric, metric]))
        assert "not_helping_yet" not in codes(estimate(useful, estimator="multi"))
    said = [
        "not_helping_yet"
        in codes(estimate(replace(sample, metric=rng.normal(size=(132, 8))), estimator="multi"))
        for _ in range(30)
    ]
    assert sum(said) > 15


def test_constant_scores_and_few_items_are_no_obstacle():
    sample = sample_with(8)
    same = replace(sample, score=np.full(sample.n_judgments, 2.0))
    assert estimate(same, estimator="multi").estimate == pytest.approx(2)
    assert estimate(same, estimator="multi").interval(0.95).width > 0
    for judgments in (2, 3, 5):
        first = replace(
            sample,
            score=sample.score[:judgments],
            item=sample.item[:judgments],
            annotator=sample.annotator[:judgments],
        )
        assert np.isfinite(estimate(first, estimator="multi").estimate)


@pytest.mark.parametrize(
    ("metric", "error"),
    [
        (np.zeros((132, 0)), errors.ShapeMismatchError),
        (np.zeros((3, 132)), errors.ShapeMismatchError),
        (np.zeros((132, 2, 2)), errors.ShapeMismatchError),
        (np.where(np.arange(264).reshape(132, 2) == 7, np.nan, 1.0), errors.MetricIncompleteError),
    ],
)
def test_impossible_metrics_are_refused(metric, error):
    with pytest.raises(error):
        replace(sample_with(1), metric=metric)


@pytest.mark.parametrize("estimator", ["regression", "algorithm_1", "ppi"])
def test_estimators_of_one_metric_refuse_several(estimator):
    with pytest.raises(errors.InvalidOptionError, match="one metric, not 3"):
        estimate(sample_with(3), estimator=estimator)


def test_what_multi_cannot_do_is_refused():
    sample = sample_with(3)
    with pytest.raises(errors.InvalidOptionError):
        estimate(sample, estimator="multi", interval="iid")
    with pytest.raises(errors.MetricMissingError):
        estimate(replace(sample, metric=None), estimator="multi")
    with pytest.raises(errors.InvalidOptionError, match="'multi' is not one of"):
        trajectory(sample, estimator="multi")


def coverage(draw: Draw, replicates: int, *, choose=lambda sample: sample, **options) -> int:
    covered = 0
    for child in np.random.SeedSequence(2018).spawn(replicates):
        sample, truth = campaign(draw, np.random.default_rng(child))
        covered += covers(estimate(choose(sample), **options), truth)
    return covered


@pytest.mark.simulation
@pytest.mark.parametrize("metrics", [5, 20])
def test_several_metrics_cover_when_people_differ(metrics):
    draw = Draw(metrics=metrics, useful=3)
    assert not refuted(coverage(draw, 400, estimator="multi"), 400, 0.95)


SINGLE = Draw(outputs=1000, items=30, metrics=20, useful=0, people=100, person=0.0, twice=0.0)


def best(sample: Sample) -> Sample:
    """The metric that correlates best with these very judgments."""
    _, mean, x = rows(sample)
    about = x - x.mean(axis=0)
    r = np.abs((mean - mean.mean()) @ about) / (about**2).sum(axis=0) ** 0.5
    return replace(sample, metric=sample.metric[:, int(np.argmax(r))])


@pytest.mark.simulation
def test_useless_metrics_do_no_harm_when_cross_fitted():
    assert not refuted(coverage(SINGLE, 400, estimator="multi", **PURE), 400, 0.95)


@pytest.mark.simulation
def test_choosing_the_best_of_twenty_on_the_same_data_fails():
    # statistics.md, section 2: .917.
    covered = coverage(SINGLE, 1000, choose=best, estimator="regression", **PURE)
    assert refuted(covered, 1000, 0.95)
