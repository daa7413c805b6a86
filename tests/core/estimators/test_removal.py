"""Leaving out the people who pull an estimate most: against trying every set of them."""

from dataclasses import replace
from itertools import combinations
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import (
    InvalidOptionError,
    Sample,
    Scale,
    balanced_weights,
    estimate,
    worst_removals,
)
from estimation.core.estimators.weights import gls_weights
from tests.core.cases import random_sample

seeds = st.integers(0, 10_000)
estimators = st.sampled_from(["balanced", "mean", "regression", "algorithm_1", "gls"])
shares = st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.5])
few = settings(max_examples=40, deadline=None)


def found_of(sample, estimator):
    return estimate(sample, estimator=estimator)


def without(sample, people):
    """The sample without these people."""
    kept = ~np.isin(sample.annotator, list(people))
    return Sample(
        sample.score[kept],
        sample.item[kept],
        sample.annotator[kept],
        sample.n_population,
        sample.scale,
        sample.metric,
    )


def kept_mean(sample, found, people):
    """The definition, straight from the judgments: slope and weights as they were."""
    if found.method.estimator == "balanced":
        weight = balanced_weights(sample.incidence, balance=found.method.balance)
    elif found.method.estimator == "gls":
        weight = gls_weights(sample.incidence, found.components).weight
    else:
        weight = sample.incidence.weight
    slope = found.slopes[0] if found.slopes else 0.0
    x = sample.standardised_metric() if found.slopes else np.zeros(sample.n_population)
    stays = ~np.isin(sample.annotator, list(people))
    value = sample.score - slope * x[sample.item]
    return float(weight[stays] @ value[stays] / weight[stays].sum())


def sets_of(sample, most):
    people = np.unique(sample.annotator).tolist()
    return [one for n in range(most + 1) for one in combinations(people, n)]


@pytest.mark.slow
@given(seed=seeds, estimator=estimators, share=shares | st.just(1.0))
@few
def test_no_set_of_so_many_people_reaches_further(seed, estimator, share):
    """Brute force over every set, in small studies with outputs judged several times."""
    sample = random_sample(seed)
    n_people = np.unique(sample.annotator).size
    found = found_of(sample, estimator)
    for worst in worst_removals(sample, found, shares=[share]):
        assert worst.people == min(n_people - 1, ceil(share * n_people))
        tried = [kept_mean(sample, found, one) for one in sets_of(sample, min(worst.people, 3))]
        if worst.people <= 3:
            assert worst.low == pytest.approx(min(tried), abs=1e-9)
            assert worst.high == pytest.approx(max(tried), abs=1e-9)
        assert worst.low - 1e-9 <= min(tried)
        assert max(tried) <= worst.high + 1e-9
        assert kept_mean(sample, found, worst.low_without) == pytest.approx(worst.low)
        assert kept_mean(sample, found, worst.high_without) == pytest.approx(worst.high)


@given(seed=seeds, share=shares, data=st.data())
@few
def test_any_so_many_people_of_a_large_study_stay_within(seed, share, data):
    sample = large(seed)
    found = found_of(sample, "balanced")
    (worst,) = worst_removals(sample, found, shares=[share])
    people = np.unique(sample.annotator).tolist()
    gone = data.draw(st.lists(st.sampled_from(people), max_size=worst.people, unique=True))
    assert worst.low - 1e-9 <= kept_mean(sample, found, gone) <= worst.high + 1e-9


@given(seed=seeds, estimator=st.sampled_from(["balanced", "mean"]), share=shares)
@few
def test_where_outputs_are_judged_once_the_ends_are_estimates_computed_anew(seed, estimator, share):
    sample = large(seed)
    found = found_of(sample, estimator)
    (worst,) = worst_removals(sample, found, shares=[share])
    low = found_of(without(sample, worst.low_without), estimator)
    high = found_of(without(sample, worst.high_without), estimator)
    assert (low.estimate, high.estimate) == pytest.approx((worst.low, worst.high))


def large(seed):
    """Sixty people with one to eight judgments each, of outputs that nobody else judges."""
    rng = np.random.default_rng(seed)
    annotator = np.repeat(np.arange(60) * 7, rng.integers(1, 9, 60))
    score = rng.integers(-1, 2, annotator.size)
    item = rng.permutation(annotator.size)
    return Sample(score, item, annotator, annotator.size + 9, Scale(-1, 1))


def test_more_people_reach_at_least_as_far_and_the_estimate_lies_between():
    sample = large(3)
    found = found_of(sample, "balanced")
    told = worst_removals(sample, found)
    assert [one.people for one in told] == [1, 3, 6, 12]
    ends = [(one.low, one.high) for one in told]
    assert sorted(ends, reverse=True) == ends
    assert [one.high for one in told] == sorted(one.high for one in told)
    assert all(low <= found.estimate <= high for low, high in ends)


def test_who_agrees_with_all_moves_nothing_and_one_person_is_no_study():
    scale = Scale(-1, 1)
    same = Sample([1, 1, 1], [0, 1, 2], [1, 2, 3], 9, scale)
    (worst,) = worst_removals(same, found_of(same, "mean"), shares=[0.5])
    assert (worst.low, worst.high, worst.low_without) == (1.0, 1.0, ())
    alone = Sample([1, 0], [0, 1], [1, 1], 9, scale)
    assert worst_removals(alone, found_of(alone, "mean")) == ()


@pytest.mark.parametrize("share", [0, -0.1, 1.1, float("nan")])
def test_a_share_is_a_share(share):
    sample = replace(random_sample(1), metric=None)
    with pytest.raises(InvalidOptionError):
        worst_removals(sample, found_of(sample, "mean"), shares=[share])
