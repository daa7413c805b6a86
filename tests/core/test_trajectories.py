"""A history is the estimate of every prefix, whatever the weights."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import Estimate, Sample, Scale, Trajectory, errors, estimate, trajectory
from tests.core.cases import random_sample

OPTIONS = [
    {},
    {"balance": 0.0},
    {"balance": 5.0, "person_share": 0.0},
    {"estimand": "panel"},
    {"finite_population": False, "person_share": 1.0},
    {"estimator": "regression"},
    {"estimator": "regression", "interval": "iid"},
    {"estimator": "regression", "estimand": "panel"},
    {"estimator": "algorithm_1"},
    {"estimator": "mean", "pseudo_rows": False},
]


def prefix(sample: Sample, size: int) -> Sample:
    first = {name: getattr(sample, name)[:size] for name in ("score", "item", "annotator")}
    return replace(sample, **first)


def assert_same(history: Trajectory, look: int, result: Estimate) -> None:
    """Squared errors for errors, as the root of a rounded 0 is large."""
    assert history.n_judgments[look] == result.n_judgments
    assert history.n_items[look] == result.n_items
    assert history.estimate[look] == pytest.approx(result.estimate, rel=1e-9, abs=1e-9)
    assert history.centre[look] == pytest.approx(result.centre, rel=1e-9, abs=1e-9)
    assert history.effective_annotators[look] == pytest.approx(result.effective_annotators)
    if not result.has_interval:
        assert np.isnan(history.widths(0.95)[look])
        return
    assert history.std_error[look] ** 2 == pytest.approx(result.std_error**2, rel=1e-9, abs=1e-9)
    assert history.df[look] == pytest.approx(result.df)
    for level in (0.05, 0.95):
        interval = result.interval(level)
        low, high = (ends[look] for ends in history.ends(level))
        assert (low, high) == pytest.approx((interval.low, interval.high), rel=1e-6, abs=1e-6)
        assert history.widths(level)[look] == pytest.approx(interval.width, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_trajectory_is_the_estimate_of_every_prefix(options):
    sample = random_sample(7, judgments=90, items=12)
    history = trajectory(sample, **options)
    assert history.n_judgments.tolist() == list(range(1, 91))
    for size in range(2, sample.n_judgments + 1):
        assert_same(history, size - 1, estimate(prefix(sample, size), **options))


@st.composite
def streams(draw) -> Sample:
    """One busy person or many, items judged up to seven times, returning at any time."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    items, people = draw(st.integers(2, 40)), draw(st.integers(2, 30))
    activity = np.exp(draw(st.sampled_from([0.0, 1.0, 3.0])) * rng.normal(size=people))
    most = draw(st.integers(4, 120))
    drawn = np.stack(
        [rng.integers(0, items, most), rng.choice(people, most, p=activity / sum(activity))]
    )
    _, first = np.unique(drawn, axis=1, return_index=True)
    item, person = drawn[:, np.sort(first)]
    if item.size < 2:
        item, person = np.array([0, 1]), np.array([0, 1])
    score = rng.choice([0.0, 0.5, 1.0], item.size)
    metric = draw(st.sampled_from([None, rng.normal(size=items + 5), np.ones(items + 5)]))
    return Sample(score, item, person, items + 5, Scale(0, 1), metric)


@pytest.mark.slow
@given(
    sample=streams(),
    balance=st.sampled_from([0.0, 0.03, 0.15, 20.0]),
    person_share=st.sampled_from([0.0, 0.08]),
    every=st.sampled_from([1, 2, 7, 1000]),
)
@settings(max_examples=150, deadline=None)
def test_looks_at_balanced_weights_are_estimates(sample, balance, person_share, every):
    options = {"balance": balance, "person_share": person_share}
    history = trajectory(sample, **options, looks=range(every, sample.n_judgments, every))
    expected = np.unique(np.r_[np.arange(every, sample.n_judgments, every), sample.n_judgments])
    assert history.n_judgments.tolist() == expected.tolist()
    for look in np.flatnonzero(expected >= 2):
        assert_same(history, look, estimate(prefix(sample, int(expected[look])), **options))


def test_people_without_a_cap():
    # One person judges 500 of 600 outputs; the weights of all of them change with each.
    rng = np.random.default_rng(8)
    item = np.arange(600)
    person = np.where(rng.random(600) < 5 / 6, 0, 1 + rng.integers(0, 40, 600))
    sample = Sample(rng.normal(size=600), item, person, 900, Scale(-4, 4, bounded=False))
    history = trajectory(sample, looks=range(50, 600, 50))
    for look, size in enumerate(history.n_judgments):
        assert_same(history, look, estimate(prefix(sample, int(size))))


@pytest.mark.parametrize("looks", [[0, 5], [-3], [9, 4], [10_000]])
def test_a_look_takes_judgments(looks):
    with pytest.raises(errors.InvalidOptionError):
        trajectory(random_sample(1), looks=looks)
