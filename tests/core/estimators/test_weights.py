"""The closed-form weights: what they do, and their interval beside that of statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.sandwich_covariance import cov_cluster, cov_cluster_2groups

from estimation.core import Incidence, Sample, Scale, balanced_weights, estimate, relative_share
from tests.core.cases import random_sample

seeds = st.integers(0, 10_000)
balances = st.sampled_from([0.0, 0.03, 0.15, 1.0, 50.0])
few = settings(max_examples=25, deadline=None)
PLAIN = {"pseudo_rows": False, "finite_population": False}


@given(seed=seeds, balance=balances)
@few
def test_the_definition(seed, balance):
    incidence = random_sample(seed).incidence
    count = np.bincount(incidence.item)[incidence.item]
    work = np.bincount(incidence.annotator, 1 / count)[incidence.annotator]
    expected = 1 / (count * (1 + balance * work))
    assert balanced_weights(incidence, balance=balance) == pytest.approx(expected)


@given(seed=seeds)
@few
def test_the_less_balance_the_nearer_to_the_regression(seed):
    sample = random_sample(seed)
    plain = estimate(sample, estimator="regression")
    apart = [
        abs(estimate(sample, balance=balance).effective_annotators - plain.effective_annotators)
        for balance in (1.0, 1e-3, 1e-6)
    ]
    assert apart[0] >= apart[1] >= apart[2]
    assert apart[2] < 1e-4


@pytest.mark.parametrize("balance", [0.0, 0.03, 0.15, 2.0])
def test_a_share_levels_off_with_work(balance):
    # Two people with 25 and 5 judgments of items of their own.
    person = np.repeat([0, 1], [25, 5])
    incidence = Incidence(np.arange(30), person, 100)
    share = np.bincount(person, balanced_weights(incidence, balance=balance))
    assert relative_share(25, 5, balance=balance) == pytest.approx(share[0] / share[1])


@pytest.mark.parametrize(("balance", "printed"), [(0.15, 1.84), (0.07, 2.45), (0.03, 3.29)])
def test_the_printed_shares(balance, printed):
    assert relative_share(25, 5, balance=balance) == pytest.approx(printed, abs=0.005)


@pytest.mark.parametrize("balance", [0.0, 0.15, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_interval_is_the_two_way_one_of_statsmodels(seed, balance):
    sample = random_sample(seed, judgments=150, items=50)
    result = estimate(sample, balance=balance, person_share=0, **PLAIN)
    x = (sample.metric - sample.metric.mean()) / sample.metric.std()
    weight = balanced_weights(sample.incidence, balance=balance)
    design = np.column_stack([np.ones(150), x[sample.item]])
    line = sm.WLS(sample.score, design, weights=weight).fit()
    assert (result.estimate, result.slope) == pytest.approx(tuple(line.params))
    # The slope is taken as known, as for several metrics.
    corrected = sample.score - result.slope * x[sample.item]
    fit = sm.WLS(corrected, np.ones(150), weights=weight).fit()
    both, item, person = (
        float(part.squeeze())
        for part in cov_cluster_2groups(fit, sample.item, sample.annotator, use_correction=False)
    )
    pairs = float(cov_cluster(fit, np.arange(150), use_correction=False).squeeze())
    part = result.variance
    assert part.item == pytest.approx(item, abs=1e-9)
    assert part.annotator_sum == pytest.approx(person, abs=1e-9)
    assert part.cell_sum == pytest.approx(pairs, abs=1e-9)
    assert part.item + part.annotator_sum - part.cell_sum == pytest.approx(both, abs=1e-9)


def test_the_default_estimate_counts_a_busy_person_less():
    # One person, milder by 1, gave 25 of 50 judgments; five strict ones gave five each.
    person = np.repeat([0, 1, 2, 3, 4, 5], [25, 5, 5, 5, 5, 5])
    sample = Sample(np.where(person == 0, 1.0, 0.0), np.arange(50), person, 200, Scale(0, 1))
    by_work = estimate(sample, estimator="mean").estimate
    assert by_work == pytest.approx(0.5)
    share = relative_share(25, 5, balance=0.15)
    result = estimate(sample)
    assert result.estimate == pytest.approx(share / (share + 5))
    assert result.work_weighted_mean == pytest.approx(0.5)
    assert result.equal_annotator_mean == pytest.approx(1 / 6)
