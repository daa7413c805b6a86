"""How metrics enter estimates: by ranks alone, so that no value can stretch anything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from estimation.core import (
    METRIC_TRANSFORMS,
    InvalidOptionError,
    Sample,
    Scale,
    entering,
    estimate,
)

SCALE = Scale(-1, 1)
VALUES = st.lists(st.integers(-6, 6), min_size=1, max_size=40).map(lambda v: np.array(v, float))


def judged(metric, *, n=300, of=120, seed=1) -> Sample:
    """120 of 300 outputs, each judged once, by 20 people in turn."""
    rng = np.random.default_rng(seed)
    item = np.arange(of)
    return Sample(rng.choice([-1, 0, 1], of), item, item % 20, n, SCALE, metric)


def perplexities(n=300, seed=2):
    return np.random.default_rng(seed).lognormal(3, 0.2, n)


def test_one_value_moves_an_estimate_without_limit_as_it_is_and_not_by_its_rank():
    metric = perplexities()
    found = {}
    for size in (1e2, 1e4, 1e6):
        metric[250] = size  # nobody judged it
        for transform in ("raw", "normal_scores"):
            entered = entering(metric, transform=transform)
            found[transform, size] = estimate(judged(entered)).estimate
    base = estimate(judged(None)).estimate
    assert abs(found["raw", 1e6] - base) > 3  # on a scale of -1 to 1
    assert abs(found["normal_scores", 1e6] - base) < 0.05
    assert found["normal_scores", 1e2] == found["normal_scores", 1e6]


def test_the_scores_are_the_normal_quantiles_of_mid_ranks():
    values = np.array([3.0, 1, 1, 7, 5, 5, 5, 2])
    expected = norm.ppf((rankdata(values) - 0.5) / values.size)
    np.testing.assert_allclose(entering(values), expected, atol=1e-15)
    signed = np.array([3.0, -1, 1, -7, 0, 5])
    ranks = rankdata(np.abs(signed))
    expected = np.sign(signed) * norm.ppf(0.5 + (ranks - 0.5) / (2 * signed.size))
    np.testing.assert_allclose(entering(signed, transform="signed_scores"), expected, atol=1e-15)


@given(VALUES)
def test_increasing_transformations_change_nothing(values):
    for changed in (np.exp(values), values**3, 5 * values - 1e6, np.arctan(values)):
        np.testing.assert_array_equal(entering(changed), entering(values))
    for changed in (values**3, np.sinh(values), 1e-3 * values):
        np.testing.assert_array_equal(
            entering(changed, transform="signed_scores"),
            entering(values, transform="signed_scores"),
        )


@given(VALUES)
def test_a_changed_sign_changes_the_sign_exactly(values):
    np.testing.assert_array_equal(entering(-values), -entering(values))


@given(VALUES, st.randoms(use_true_random=False))
def test_swapping_the_texts_of_some_pairs_flips_theirs_and_no_others(values, random):
    flips = np.array([random.choice([-1.0, 1.0]) for _ in values])
    np.testing.assert_array_equal(
        entering(flips * values, transform="signed_scores"),
        flips * entering(values, transform="signed_scores"),
    )


@given(VALUES, st.randoms(use_true_random=False), st.sampled_from(METRIC_TRANSFORMS))
def test_the_order_of_outputs_changes_nothing(values, random, transform):
    order = np.array(random.sample(range(values.size), values.size))
    entered = entering(values, transform=transform)
    np.testing.assert_array_equal(entering(values[order], transform=transform), entered[order])


@given(VALUES, st.sampled_from(("normal_scores", "signed_scores")))
def test_ties_share_a_score_and_scores_are_bounded(values, transform):
    entered = entering(values, transform=transform)
    for value in np.unique(values):
        assert np.unique(entered[values == value]).size == 1
    assert np.abs(entered).max() <= -norm.ppf(0.25 / values.size) + 1e-12


def test_a_constant_metric_enters_as_nothing():
    assert not entering(np.full(7, 20.0)).any()
    found = estimate(judged(entering(np.full(300, 20.0))))
    assert found.slope == 0
    assert "constant_metric" in {notice.code for notice in found.notices}


@pytest.mark.parametrize("transform", ["normal_scores", "signed_scores"])
def test_one_output_and_none(transform):
    assert entering(np.array([]), transform=transform).size == 0
    assert np.isfinite(entering(np.array([4.0]), transform=transform)).all()
    assert entering(np.array([4.0, -9.0]), transform=transform)[1] < 0


def test_missing_values_have_the_mean_rank_and_infinite_ones_the_ends():
    values = np.array([np.nan, 1.0, np.inf, 2.0, -np.inf, np.nan])
    entered = entering(values)
    assert entered[0] == entered[5] == 0
    np.testing.assert_array_equal(entered[1:5], entering(np.array([1.0, 9.0, 2.0, 0.0])))
    assert not entering(np.full(3, np.nan)).any()
    assert np.isnan(entering(values, transform="raw")[0])  # a sample refuses it


def test_several_metrics_enter_each_by_its_own_ranks():
    table = np.stack([perplexities(), perplexities(seed=3), np.arange(300) % 2], axis=1)
    entered = entering(table)
    for column in range(3):
        np.testing.assert_array_equal(entered[:, column], entering(table[:, column]))


def test_an_unknown_transformation_is_refused():
    with pytest.raises(InvalidOptionError, match="'log' is not one of normal_scores"):
        entering(np.ones(3), transform="log")
