"""Two systems on the same items: identities, loops, statsmodels, coverage."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from estimation.core import Difference, Sample, Scale, difference, errors, estimate
from tests.core.cases import random_sample, single_case

seeds = st.integers(0, 10_000)
few = settings(max_examples=25, deadline=None)
ESTIMATORS = ("balanced", "regression", "multi", "mean")
PLAIN = {"pseudo_rows": False, "finite_population": False}
EACH = np.arange(120)


def two(seed: int, *, metrics: int = 1) -> tuple[Sample, Sample]:
    """Two systems judged by the same nine people, not all on the same items."""
    first = random_sample(seed, judgments=120, items=45)
    second = random_sample(seed + 1, judgments=110, items=45)
    if metrics == 1:
        return first, second
    rng = np.random.default_rng(seed)
    return tuple(replace(s, metric=rng.normal(size=(90, metrics))) for s in (first, second))


def codes(result: Difference) -> list[str]:
    return [notice.code for notice in result.notices]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(seed=seeds)
@few
def test_a_system_does_not_differ_from_itself(estimator, seed):
    sample = random_sample(seed)
    order = np.random.default_rng(seed).permutation(60)
    copy = replace(
        sample,
        score=sample.score[order],
        item=sample.item[order],
        annotator=sample.annotator[order],
    )
    result = difference(sample, copy, estimator=estimator)
    assert (result.estimate, result.centre, result.std_error) == (0, 0, 0)
    assert (result.interval(0.99).low, result.interval(0.99).width) == (0, 0)
    assert codes(result)[0] == "identical_systems"


def test_equal_judgments_of_different_outputs_are_no_identity():
    # Another metric: other outputs, which happen to be judged alike. The guard stays.
    sample = random_sample(1)
    other = replace(sample, metric=sample.metric[::-1])
    result = difference(sample, other)
    assert result.estimate == 0
    assert result.interval(0.95).width > 0.1


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(seed=seeds)
@few
def test_turned_round_it_changes_its_sign(estimator, seed):
    first, second = two(seed)
    one = difference(first, second, estimator=estimator)
    other = difference(second, first, estimator=estimator)
    assert other.estimate == pytest.approx(-one.estimate)
    assert other.centre == pytest.approx(-one.centre)
    assert (other.std_error, other.df) == pytest.approx((one.std_error, one.df))


def common(first: Sample, second: Sample) -> tuple[Sample, Sample]:
    both = np.intersect1d(first.item, second.item)
    kept = [np.isin(s.item, both) for s in (first, second)]
    return tuple(
        replace(s, score=s.score[k], item=s.item[k], annotator=s.annotator[k])
        for s, k in zip((first, second), kept, strict=True)
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_plain_difference_is_that_of_the_means(seed):
    first, second = two(seed)
    result = difference(first, second, estimator="mean")
    a, b = (estimate(s, estimator="mean").estimate for s in common(first, second))
    assert result.estimate == pytest.approx(a - b)
    assert "unpaired_items" in codes(result)
    assert "unpaired_items" not in codes(difference(*common(first, second)))
    assert result.n_items == np.intersect1d(first.item, second.item).size


def test_clusters_are_those_of_statsmodels():
    # One stacked regression on system dummies; the contrast of the two.
    first, second = common(*two(3))
    result = difference(first, second, estimator="mean", **PLAIN)
    system = np.repeat([0, 1], [first.n_judgments, second.n_judgments])
    weight = np.concatenate([1 / np.bincount(s.item)[s.item] for s in (first, second)])
    fit = sm.WLS(
        np.r_[first.score, second.score], np.column_stack([system == 0, system == 1]) * 1.0, weight
    ).fit()
    item, person = (np.r_[getattr(first, n), getattr(second, n)] for n in ("item", "annotator"))
    contrast = np.array([1, -1])
    both, by_item, by_person = (
        float(contrast @ part @ contrast)
        for part in cov_cluster_2groups(fit, item, person, use_correction=False)
    )
    assert result.estimate == pytest.approx(contrast @ fit.params)
    parts, n = result.variance, result.n_items
    assert parts.annotator_sum == pytest.approx(by_person, abs=1e-9)
    assert parts.item * (n - 1) / n == pytest.approx(by_item, abs=1e-9)
    assert by_item + parts.annotator_sum - parts.cell_sum == pytest.approx(both, abs=1e-9)


@pytest.mark.parametrize("estimator", ["balanced", "mean"])
def test_what_a_census_leaves(estimator):
    # Everybody judges both outputs of every item: what remains is the noise of their differences.
    rng = np.random.default_rng(1)
    item, person = np.repeat(np.arange(30), 2), np.tile([0, 1], 30)
    mild = rng.normal(size=60)
    first, second = (
        Sample(mild + rng.normal(size=60), item, person, 30, Scale(-9, 9, bounded=False))
        for _ in range(2)
    )
    result = difference(first, second, estimator=estimator, estimand="panel")
    d = (first.score - second.score).reshape(30, 2)
    assert result.variance.item == pytest.approx(0, abs=1e-15)
    # 30 pairs of judgments of each output, and half a pair at the ends of the scale (-18 to 18).
    prior = 0.5 * 36**2 / 2
    noise = (d.var(axis=1, ddof=1).sum() + prior) / 30.5
    assert result.variance.rest == pytest.approx(noise / 2 / 30)
    # People who judge one output only: twice as many judgments, each of half the weight.
    others = replace(second, annotator=person + 2)
    apart = difference(first, others, estimator=estimator, estimand="panel")
    squares = [s.score.reshape(30, 2).var(axis=1, ddof=1).sum() for s in (first, second)]
    assert apart.variance.rest == pytest.approx((sum(squares) * 2 + prior) / 30.5 / 4 / 30)


def test_an_annotators_mildness_towards_both_cancels():
    first, second = common(*two(4))
    second = replace(first, score=6 - first.score, metric=second.metric)
    milder = [replace(s, score=s.score + s.annotator, scale=Scale(0, 20)) for s in (first, second)]
    plain = [replace(s, scale=Scale(0, 20)) for s in (first, second)]
    options = {"estimator": "mean", "pseudo_rows": False}
    one, other = difference(*plain, **options), difference(*milder, **options)
    assert other.estimate == pytest.approx(one.estimate)
    assert other.std_error == pytest.approx(one.std_error)
    assert other.variance.annotator_sum == pytest.approx(one.variance.annotator_sum)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@given(seed=seeds)
@few
def test_what_must_not_matter(estimator, seed):
    first, second = two(seed)
    changed = [
        replace(
            s,
            score=-2 * s.score + 1,
            scale=Scale(-9, -1),
            annotator=99 - s.annotator,
            metric=c * s.metric + 3,
        )
        for s, c in ((first, -4), (second, 0.5))
    ]
    one, other = (
        difference(*pair, estimator=estimator).interval(0.9) for pair in ((first, second), changed)
    )
    assert (other.low, other.high) == pytest.approx((-2 * one.high, -2 * one.low))


def test_several_metrics():
    first, second = two(2, metrics=4)
    result = difference(first, second, estimator="multi")
    assert "cross_fitted" in codes(result)
    assert [len(slopes) for slopes in result.slopes] == [4, 4]
    with pytest.raises(errors.InvalidOptionError, match="one metric, not 4"):
        difference(first, second, estimator="regression")
    assert "cross_fitted" in codes(difference(first, second))
    assert difference(first, second, estimator="mean").slopes == ((), ())


@pytest.mark.parametrize("estimator", ["balanced", "regression"])
def test_two_metrics_that_agree_on_the_judged_items_are_no_obstacle(estimator):
    first, second = two(2)
    result = difference(first, replace(second, metric=first.metric), estimator=estimator)
    assert np.isfinite([result.estimate, result.std_error]).all()
    constant = [replace(s, metric=np.ones(90)) for s in (first, second)]
    result = difference(*constant, estimator=estimator)
    assert "constant_metric" in codes(result)
    plain = [replace(s, metric=None) for s in (first, second)]
    without = difference(*plain, estimator="mean" if estimator == "regression" else estimator)
    found = result.estimate, result.std_error
    assert found == pytest.approx((without.estimate, without.std_error))


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"scale": Scale(0, 5)}, errors.ShapeMismatchError),
        ({"n_population": 91, "metric": np.arange(91.0)}, errors.ShapeMismatchError),
        ({"item": 45 + np.arange(120) % 45, "annotator": EACH}, errors.TooFewJudgmentsError),
    ],
)
def test_systems_that_do_not_belong_together_are_refused(change, error):
    sample = random_sample(1, judgments=120, items=45)
    with pytest.raises(error):
        difference(sample, replace(sample, **change))


@pytest.mark.parametrize(
    "options",
    [
        {"estimator": "gls"},
        {"estimand": "everybody"},
        {"balance": -1.0},
        {"person_share": 1.5},
    ],
)
def test_unknown_options_are_refused(options):
    with pytest.raises(errors.InvalidOptionError):
        difference(*two(1), **options)


def test_one_annotator_and_few_items_have_no_interval():
    first, second = (replace(single_case(), annotator=np.zeros(6, dtype=int)) for _ in range(2))
    second = replace(second, score=-second.score)
    result = difference(first, second)
    assert codes(result)[-2:] == ["no_interval", "no_replicates"]
    with pytest.raises(errors.IntervalUnavailableError):
        result.interval(0.95)
    assert difference(first, second, estimand="panel").has_interval
