"""Generalised least squares: its weights against matrices, its interval against statsmodels."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.sandwich_covariance import cov_cluster, cov_cluster_2groups

from estimation.core import Crossed, Incidence, Sample, Scale, crossed, estimate
from estimation.core.data import errors
from estimation.core.estimators.weights import gls_weights
from tests.core.cases import crossed_case, random_sample, single_case
from tests.core.drawn import Draw, campaign, covers, refuted
from tests.core.reference_parts import one_way_msw, person_part
from tests.core.referenced import rows_of

seeds = st.integers(0, 10_000)
few = settings(max_examples=25, deadline=None)
GIVEN = Crossed(item=0.3, person=0.2, rest=0.1)
# With much noise no weight is negative, which statsmodels could not take.
NOISY = Crossed(item=0.1, person=0.05, rest=0.3)
PLAIN = {"pseudo_rows": False, "finite_population": False}


def codes(result) -> list[str]:
    return [notice.code for notice in result.notices]


def covariance(incidence: Incidence, components: Crossed) -> np.ndarray:
    """(T, T), written out."""
    item, person = incidence.item, incidence.annotator
    return (
        components.rest * np.eye(item.size)
        + components.item * (item[:, None] == item)
        + components.person * (person[:, None] == person)
    )


def dense(incidence: Incidence, components: Crossed) -> np.ndarray:
    solved = np.linalg.solve(covariance(incidence, components), np.ones(incidence.n_judgments))
    return solved / solved.sum()


def test_the_known_answer():
    # Known answer 9b: case 2b without a metric, components given.
    sample = replace(crossed_case(), metric=None)
    found = gls_weights(sample.incidence, GIVEN)
    result = estimate(sample, estimator="gls", components=GIVEN)
    assert found.weight == pytest.approx(
        [
            0.042075,
            0.042075,
            0.087561,
            0.139301,
            0.079601,
            0.079601,
            0.150673,
            0.139301,
            0.119907,
            0.119907,
        ],
        abs=5e-7,
    )
    assert found.model_variance == pytest.approx(0.1079159, abs=5e-8)
    assert result.estimate == pytest.approx(0.2201023, abs=5e-8)
    assert result.effective_annotators == pytest.approx(4.510029, abs=5e-7)
    assert "no_metric" in codes(result)


variances = st.sampled_from([0.0, 0.01, 0.3, 2.0])


@given(seed=seeds, item=variances, person=variances, rest=st.sampled_from([0.01, 0.2, 3.0]))
@few
def test_woodbury_is_the_dense_solution(seed, item, person, rest):
    incidence, components = random_sample(seed).incidence, Crossed(item, person, rest)
    found = gls_weights(incidence, components)
    assert found.weight == pytest.approx(dense(incidence, components), abs=1e-10)
    matrix = covariance(incidence, components)
    assert found.model_variance == pytest.approx(found.weight @ matrix @ found.weight, abs=1e-10)


@given(seed=seeds)
@few
def test_no_other_weights_have_less_variance(seed):
    incidence = random_sample(seed).incidence
    found, matrix = gls_weights(incidence, GIVEN), covariance(incidence, GIVEN)
    change = np.random.default_rng(seed).normal(size=incidence.n_judgments)
    other = found.weight + 0.01 * (change - change.mean())
    assert other @ matrix @ other > found.model_variance


@pytest.mark.parametrize("metric", [True, False])
@given(seed=seeds)
@few
def test_without_person_effects_and_with_equal_counts_it_is_the_regression(metric, seed):
    # 20 items judged twice each by 8 people in turn.
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(20), 2)
    g = rng.normal(size=50) if metric else None
    sample = Sample(
        rng.normal(size=40), item, np.arange(40) % 8, 50, Scale(-9, 9, bounded=False), g
    )
    found = estimate(sample, estimator="gls", components=Crossed(0.3, 0.0, 0.2), **PLAIN)
    plain = estimate(sample, estimator="regression" if metric else "mean", **PLAIN)
    assert found.estimate == pytest.approx(plain.estimate)
    assert found.slope == pytest.approx(plain.slope)
    assert found.df == pytest.approx(plain.df)
    assert found.variance.annotator_sum == pytest.approx(plain.variance.annotator_sum)
    assert found.variance.cell_sum == pytest.approx(plain.variance.cell_sum)
    if not metric:
        # sum (ybar - mu)² / n² against the s² / n of least squares
        assert found.variance.item == pytest.approx(plain.variance.item * 19 / 20)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_is_the_two_way_one_of_statsmodels(seed):
    sample = random_sample(seed, judgments=150, items=50)
    result = estimate(sample, estimator="gls", components=NOISY, **PLAIN)
    x = (sample.metric - sample.metric.mean()) / sample.metric.std()
    weight = gls_weights(sample.incidence, NOISY).weight
    assert weight.min() > 0
    corrected = sample.score - result.slope * x[sample.item]
    fit = sm.WLS(corrected, np.ones(weight.size), weights=weight).fit()
    assert result.estimate == pytest.approx(fit.params[0])
    both, item, person = (
        float(part.squeeze())
        for part in cov_cluster_2groups(fit, sample.item, sample.annotator, use_correction=False)
    )
    parts = result.variance
    assert parts.item == pytest.approx(item, abs=1e-9)
    assert parts.annotator_sum == pytest.approx(person, abs=1e-9)
    assert parts.item + parts.annotator_sum - parts.cell_sum == pytest.approx(both, abs=1e-9)
    pairs = float(cov_cluster(fit, np.arange(weight.size), use_correction=False).squeeze())
    assert parts.cell_sum == pytest.approx(pairs, abs=1e-9)
    residual = weight * (corrected - fit.params[0])
    pairs = zip(sample.item.tolist(), sample.annotator.tolist(), strict=True)
    both = zip(residual.tolist(), weight.tolist(), strict=True)
    people = person_part(dict(zip(pairs, both, strict=True)), float(sample.score.var()), 0.08)
    assert result.effective_annotators == pytest.approx(people["A_eff"])
    assert parts.annotator_raw == pytest.approx(people["raw"])
    assert result.std_error == pytest.approx((item + people["V_person"]) ** 0.5)
    assert result.df == pytest.approx(people["A_eff"] - 1)


def test_pseudo_rows_weigh_as_the_typical_item():
    # Equal weights: four more rows at the ends of the scale, as for the mean.
    sample = replace(single_case(), metric=None)
    result = estimate(sample, estimator="gls", components=GIVEN)
    rows = np.r_[sample.score, -1, -1, 1, 1]
    assert result.centre == pytest.approx(rows.mean())
    assert result.variance.item == pytest.approx(((rows - rows.mean()) ** 2).sum() / 100)


def test_the_finite_population_by_hand():
    # Variance of sum W_i f_i about the mean of all N: item (sum W² - 1 / N) + noise sum w².
    sample = replace(random_sample(4), metric=None)
    options = {"components": GIVEN, "estimand": "panel", "pseudo_rows": False}
    whole = estimate(sample, estimator="gls", **options, finite_population=False).variance
    parts = estimate(sample, estimator="gls", **options).variance
    weight = gls_weights(sample.incidence, GIVEN).weight
    squared = (np.bincount(sample.item, weight) ** 2).sum()
    within, replicates = one_way_msw(rows_of(sample))
    reach = sample.scale.high - sample.scale.low
    noise = (replicates * within + reach**2 / 4) / (replicates + 0.5)
    assert parts.item == pytest.approx(whole.item * (1 - 1 / (50 * squared)))
    assert parts.rest == pytest.approx(noise * (weight**2).sum() / squared / 50)


def test_components_are_those_of_the_corrected_scores():
    sample = random_sample(5, judgments=120, items=40)
    slope = estimate(sample, estimator="regression").slope
    x = sample.standardised_metric()
    corrected = replace(
        sample, score=sample.score - slope * x[sample.item], scale=Scale(0, 1, bounded=False)
    )
    found = crossed(corrected).truncated()
    assert found.rest > 0.05 * (found.item + found.person + found.rest)
    result = estimate(sample, estimator="gls")
    assert result.slope == pytest.approx(slope)
    weight = dense(sample.incidence, found)
    assert result.estimate == pytest.approx(weight @ corrected.score)


def test_a_negative_rest_is_raised_and_not_divided_by():
    sample = replace(crossed_case(), metric=None)
    assert crossed(sample).rest < 0
    result = estimate(sample, estimator="gls")
    assert np.isfinite([result.estimate, result.std_error]).all()


def singles(seed: int, *, by: int) -> Sample:
    """60 items judged once, by `by` people of uneven activity."""
    rng = np.random.default_rng(seed)
    person = np.minimum(rng.geometric(0.3, 60), by)
    effect = rng.normal(size=by + 1)
    score = effect[person] + rng.normal(size=60)
    return Sample(score, np.arange(60), person, 200, Scale(-9, 9, bounded=False))


def test_without_repeated_items_the_sum_is_enough():
    # item + rest is known, and how it is divided does not move a weight.
    sample = singles(1, by=6)
    result = estimate(sample, estimator="gls")
    assert {"confounded_components", "no_replicates"} <= set(codes(result))
    count = np.bincount(sample.annotator)[1:]
    mean = np.bincount(sample.annotator, sample.score)[1:] / count
    noise = ((sample.score - mean[sample.annotator - 1]) ** 2).sum() / (60 - count.size)
    # The one-way analysis of variance by moments about all pairs of judgments.
    pairs = ((sample.score[:, None] - sample.score) ** 2).sum() / 2
    person = (pairs - noise * 60 * 59) / (60**2 - (count**2).sum())
    for item in (0.0, noise / 2, noise * 0.9):
        weight = dense(sample.incidence, Crossed(item, person, noise - item))
        assert result.estimate == pytest.approx(weight @ sample.score)


def test_without_busy_people_items_and_people_change_places():
    sample = singles(1, by=6)
    turned = Sample(sample.score, sample.annotator, sample.item, 200, sample.scale)
    options = {"estimator": "gls", **PLAIN}
    one, two = estimate(sample, **options), estimate(turned, **options)
    assert "confounded_components" in codes(two)
    assert two.estimate == pytest.approx(one.estimate)


def test_where_nothing_repeats_all_judgments_weigh_the_same():
    result = estimate(replace(single_case(), metric=None), estimator="gls")
    assert result.estimate == pytest.approx(single_case().score.mean())
    assert result.effective_annotators == pytest.approx(6)


@pytest.mark.parametrize("by_item", [True, False])
def test_one_item_or_one_annotator_is_no_obstacle(by_item):
    one, many = np.zeros(8, dtype=int), np.arange(8)
    sample = Sample(
        many % 2 * 1.0, one if by_item else many, many if by_item else one, 20, Scale(0, 1)
    )
    result = estimate(sample, estimator="gls")
    assert result.estimate == pytest.approx(0.5)
    assert not result.has_interval


def test_constant_scores_leave_an_interval():
    sample = replace(random_sample(1), score=np.full(60, 4.0))
    result = estimate(sample, estimator="gls")
    assert result.estimate == pytest.approx(4)
    assert result.interval(0.95).width > 0.05


@given(seed=seeds)
@few
def test_what_must_not_matter(seed):
    sample = random_sample(seed)
    order = np.random.default_rng(seed).permutation(60)
    other = replace(
        sample,
        score=3 * sample.score[order] - 7,
        scale=Scale(-4, 8),
        item=sample.item[order],
        annotator=50 - sample.annotator[order],
        metric=-2 * sample.metric + 1,
    )
    one, two = (estimate(s, estimator="gls").interval(0.9) for s in (sample, other))
    assert (two.low, two.high) == pytest.approx((3 * one.low - 7, 3 * one.high - 7))


def test_several_metrics_correct_as_in_multi():
    sample = random_sample(1, judgments=300, items=60)
    metric = np.random.default_rng(1).normal(size=(120, 6))
    for columns in (2, 6):
        more = replace(sample, metric=metric[:, :columns])
        found, several = (estimate(more, estimator=name) for name in ("gls", "multi"))
        assert found.slopes == several.slopes
        assert "cross_fitted" in codes(found)
        found = estimate(more, estimator="balanced")
        assert "cross_fitted" in codes(found)
        assert found.penalty is not None
        # People weighed equally, it is the same fit.
        equal, several = (
            estimate(more, estimator=name, balance=0) for name in ("balanced", "multi")
        )
        assert equal.penalty == several.penalty
        assert equal.slopes == pytest.approx(several.slopes)
        assert equal.estimate == pytest.approx(several.estimate)
    one = estimate(sample, estimator="gls")
    assert one.slopes == estimate(sample, estimator="regression").slopes
    assert "cross_fitted" not in codes(one)


@pytest.mark.parametrize("components", [Crossed(0.1, 0.1, 0.0), Crossed(-0.1, 0.1, 0.1)])
def test_impossible_components_are_refused(components):
    with pytest.raises(errors.InvalidOptionError):
        estimate(crossed_case(), estimator="gls", components=components)


def test_what_gls_cannot_do_is_refused():
    with pytest.raises(errors.InvalidOptionError):
        estimate(crossed_case(), estimator="gls", interval="iid")
    with pytest.raises(errors.InvalidOptionError):
        estimate(crossed_case(), components=GIVEN)


@pytest.mark.simulation
@pytest.mark.parametrize("person", [0.06, 0.0])
def test_it_covers_and_is_narrower_than_the_regression(person):
    covered, width = 0, {"gls": 0.0, "regression": 0.0}
    for child in np.random.SeedSequence(2018).spawn(300):
        sample, truth = campaign(Draw(person=person), np.random.default_rng(child))
        results = {name: estimate(sample, estimator=name) for name in width}
        covered += covers(results["gls"], truth)
        for name, result in results.items():
            width[name] += result.interval(0.95).width / 300
    print(width)
    assert not refuted(covered, 300, 0.95)
    # Uneven activity is what it gains from; where people agree it loses nothing.
    assert width["gls"] < (0.92 if person else 1.01) * width["regression"]
