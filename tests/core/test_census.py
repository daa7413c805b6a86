"""Small populations: what remains to be known when nearly every output is judged."""

from dataclasses import replace

import numpy as np
import pytest

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


@pytest.mark.parametrize("estimator", ["balanced", "regression"])
def test_a_census_does_not_shrink_the_annotator_part(estimator):
    sample = census(0.5)
    milder = replace(sample, score=sample.score + sample.annotator)
    corrected, plain = (
        estimate(milder, estimator=estimator, finite_population=finite) for finite in (True, False)
    )
    assert corrected.variance.annotator == plain.variance.annotator > 0
    assert corrected.variance.item < plain.variance.item


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
