"""Small populations: what remains to be known when nearly every output is judged."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import Sample, Scale, estimate
from estimation.core.simulation import Marginal, Plan, draw
from tests.core.drawn import covers

HALF_A_PAIR = 0.5  # of noise at the ends of the scale


def census(noise: float) -> Sample:
    """All 40 outputs judged, half of them twice, by two people in turn."""
    rng = np.random.default_rng(1)
    item = np.r_[np.arange(40), np.arange(20)]
    person = np.r_[np.arange(40) % 2, (np.arange(20) + 1) % 2]
    quality = rng.normal(size=40)
    score = quality[item] + noise * rng.normal(size=60)
    return Sample(score, item, person, 40, Scale(-4, 4, bounded=False), rng.normal(size=40))


@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.parametrize("estimator", ["regression", "mean", "multi"])
def test_a_census_leaves_only_the_noise_of_judgments(estimator, noise):
    sample = census(noise)
    pairs = np.array([sample.score[:20], sample.score[40:]])
    squares = pairs.var(axis=0, ddof=1).sum()
    with_prior = (squares + HALF_A_PAIR * 8**2 / 2) / (20 + HALF_A_PAIR)
    h = (20 * 0.5 + 20) / 40
    result = estimate(sample, estimator=estimator, estimand="panel")
    assert result.variance.item == 0
    assert result.variance.rest == pytest.approx(with_prior * h / 40)
    assert result.std_error == pytest.approx(result.variance.rest**0.5)
    assert result.centre == pytest.approx(result.estimate)


def test_a_census_without_uneven_work_leaves_balanced_weights_nothing_but_noise():
    # Everybody judges every output, so items weigh equally.
    rng = np.random.default_rng(2)
    item, person = np.repeat(np.arange(30), 3), np.tile([0, 1, 2], 30)
    sample = Sample(rng.integers(0, 2, 90) * 1.0, item, person, 30, Scale(0, 1))
    result = estimate(sample, estimand="panel")
    within = sample.score.reshape(30, 3).var(axis=1, ddof=1).sum() * 2
    noise = (within + HALF_A_PAIR / 2) / (60 + HALF_A_PAIR)
    assert result.variance.item == pytest.approx(0, abs=1e-15)
    assert result.variance.rest == pytest.approx(noise / 3 / 30)
    assert result.centre == pytest.approx(result.estimate)


@pytest.mark.parametrize("estimator", ["balanced", "regression"])
def test_a_census_does_not_shrink_the_annotator_part(estimator):
    sample = census(0.5)
    milder = replace(sample, score=sample.score + sample.annotator)
    corrected, plain = (
        estimate(milder, estimator=estimator, finite_population=finite) for finite in (True, False)
    )
    assert corrected.variance.annotator == plain.variance.annotator > 0
    assert corrected.variance.item < plain.variance.item


@pytest.mark.parametrize("estimator", ["balanced", "regression", "mean"])
def test_the_centre_moves_less_the_more_is_judged(estimator):
    # (1 - f) of the shift that the pseudo-rows make.
    rng = np.random.default_rng(3)
    item = np.r_[0:30, 0:10]
    score = (rng.random(40) < 0.9) * 1.0
    shifts = {}
    for size in (30, 60, 3000):
        sample = Sample(score, item, np.arange(40), size, Scale(0, 1), np.arange(float(size)))
        result = estimate(sample, estimator=estimator)
        whole = estimate(sample, estimator=estimator, finite_population=False)
        shifts[size] = (result.centre - result.estimate) / (whole.centre - whole.estimate)
    assert shifts[30] == pytest.approx(0 if estimator != "balanced" else shifts[60] * 2 - 1)
    assert 0 < shifts[60] < 1
    assert shifts[3000] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("estimator", ["balanced", "regression", "multi", "mean"])
@given(good=st.integers(0, 50), seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_a_census_of_yes_and_no(estimator, good, seed):
    # All 50 outputs judged, 13 of them twice.
    rng = np.random.default_rng(seed)
    item = np.r_[rng.permutation(50), rng.permutation(50)[:13]]
    score = (rng.permutation(50) < good)[item] * 1.0
    score[50:] = np.where(rng.random(13) < 0.1, 1 - score[50:], score[50:])
    person = np.r_[np.arange(50) % 12, (np.arange(13) + 5) % 12 + 12]
    sample = Sample(score, item, person, 50, Scale(0, 1), rng.normal(size=50))
    result = estimate(sample, estimator=estimator)
    interval = result.interval(0.95)
    assert interval.low <= result.estimate <= interval.high
    assert interval.width >= 0.05


@pytest.mark.simulation
@pytest.mark.parametrize("estimator", ["balanced", "regression"])
def test_a_census_of_a_small_skewed_population_covers(estimator):
    # Mean .88; 60 outputs, all judged, a quarter twice, by 60 people who differ.
    skewed = Marginal((-1.0, 0.0, 1.0), (0.03, 0.06, 0.91), Scale(-1.0, 1.0))
    plan = Plan(
        skewed, item=0.139 / 0.43, person=0.059 / 0.43, n_population=60, places=60, unevenness=0.0
    )
    covered = 0
    for child in np.random.SeedSequence(2018).spawn(600):
        campaign = draw(plan, np.random.default_rng(child))
        assert np.unique(campaign.sample.item).size == 60
        covered += covers(estimate(campaign.sample, estimator=estimator), campaign.truth)
    print(f"{estimator}: covered {covered} of 600")
    assert covered >= 0.93 * 600
