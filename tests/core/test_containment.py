"""An interval contains its estimate, whatever the scores, the people and the level."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import (
    Sample,
    Scale,
    confidence_sequence,
    difference,
    estimate,
    precision,
    sequence_half_widths,
    trajectory,
)

levels = st.one_of(st.floats(0.01, 0.999), st.sampled_from([0.01, 0.05, 0.5, 0.95, 0.999]))
TWO_WAY = ["balanced", "regression", "algorithm_1", "mean", "multi"]


def scores_of(kind: str, size: int, rng: np.random.Generator) -> tuple[np.ndarray, Scale]:
    """Skewed and heavy-tailed scores, on bounded and unbounded scales."""
    if kind == "nearly all 1":
        return (rng.random(size) < 0.97) * 1.0, Scale(0, 1)
    if kind == "all 0":
        return np.zeros(size), Scale(0, 1)
    if kind == "ternary":
        return rng.choice([-1.0, 0.0, 1.0], size, p=[0.02, 0.05, 0.93]), Scale(-1, 1)
    if kind == "beyond the range":
        return rng.lognormal(1.0, 1.5, size), Scale(0, 2, bounded=False)
    return rng.uniform(0, 100, size), Scale(0, 100)


KINDS = ["nearly all 1", "all 0", "ternary", "beyond the range", "slider"]


@st.composite
def samples(draw, *, columns: int = 1) -> Sample:
    """From 3 items to a census; metrics with a few values far from the rest."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    items, people = draw(st.integers(3, 60)), draw(st.integers(2, 20))
    outputs = items + draw(st.sampled_from([0, 1, 20, 2000]))
    twice = draw(st.sampled_from([0.0, 0.25, 1.0]))
    activity = np.exp(draw(st.sampled_from([0.0, 1.0, 3.0])) * rng.normal(size=people))
    pairs = [
        (item, person)
        for item in rng.permutation(outputs)[:items]
        for person in rng.choice(
            people, 1 + (rng.random() < twice), False, activity / sum(activity)
        )
    ]
    item, person = np.array(pairs).T
    score, scale = scores_of(draw(st.sampled_from(KINDS)), item.size, rng)
    tails = draw(st.sampled_from([0.5, 2.0, 30.0]))
    metric = rng.standard_t(tails, size=(outputs, columns)) if columns else None
    metric = metric.ravel() if columns == 1 else metric
    return Sample(score, item, person, outputs, scale, metric)


def assert_contained(result, level: float) -> None:
    if result.has_interval:
        interval = result.interval(level)
        assert interval.low <= result.estimate <= interval.high
        assert interval.low <= interval.centre <= interval.high


@given(
    estimator=st.sampled_from(TWO_WAY),
    estimand=st.sampled_from(["population", "panel"]),
    data=st.data(),
    level=levels,
    finite=st.booleans(),
)
@settings(max_examples=120, deadline=None)
def test_an_interval_contains_its_estimate(estimator, estimand, data, level, finite):
    columns = data.draw(st.sampled_from([1, 3])) if estimator in ("multi", "balanced") else 1
    sample = data.draw(samples(columns=columns))
    options = {"estimator": estimator, "estimand": estimand, "finite_population": finite}
    assert_contained(estimate(sample, **options), level)


@given(
    estimator=st.sampled_from(["balanced", "regression", "mean", "multi"]),
    data=st.data(),
    level=levels,
    finite=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_the_interval_of_a_difference_contains_it(estimator, data, level, finite):
    sample = data.draw(samples(columns=data.draw(st.sampled_from([1, 3]))))
    if estimator == "regression" and sample.metric.ndim == 2:
        sample = replace(sample, metric=sample.metric[:, 0])
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    score = rng.permutation(sample.score)
    other = replace(sample, score=score, metric=rng.permutation(sample.metric))
    result = difference(sample, other, estimator=estimator, finite_population=finite)
    assert_contained(result, level)


@given(sample=samples(), level=levels, planned=st.sampled_from([30.0, 1e6]))
@settings(max_examples=40, deadline=None)
def test_a_confidence_sequence_contains_its_estimates(sample, level, planned):
    history = trajectory(sample)
    half = sequence_half_widths(
        history.std_error, history.n_units, alpha=1 - level, planned_items=planned
    )
    low, high = history.around(half)
    known = np.isfinite(high - low)
    assert (low <= history.estimate)[known].all()
    assert (history.estimate <= high)[known].all()
    result = estimate(sample)
    if result.has_interval and result.n_items >= 30:
        interval = confidence_sequence(result, level=level, planned_items=planned)
        assert interval.low <= result.estimate <= interval.high
        ends = interval.low, interval.high
        assert ends == pytest.approx((low[-1], high[-1]), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("score", "end"), [(1.0, "high"), (0.0, "low")])
def test_a_confidence_sequence_moves_its_end(score, end):
    sample = Sample(np.full(30, score), np.arange(30), np.arange(30), 400, Scale(0, 1))
    result = estimate(sample, estimator="mean")
    half = float(sequence_half_widths(result.std_error, 30, alpha=0.99, planned_items=12.5))
    assert abs(result.centre - result.estimate) > half
    interval = confidence_sequence(result, level=0.01, planned_items=12.5)
    assert getattr(interval, end) == result.estimate == score


def test_an_end_is_moved_and_the_rule_stops_by_the_moved_width():
    # At a low level the interval about the shifted centre would leave the estimate out.
    score = np.ones(40)
    sample = Sample(score, np.arange(40), np.arange(40) % 20, 400, Scale(0, 1))
    result = estimate(sample)
    interval = result.interval(0.05)
    half = interval.centre - interval.low
    assert result.centre + half < result.estimate
    assert interval.high == result.estimate == 1
    assert interval.width > 2 * half
    assert not precision(result, target_width=2 * half, level=0.05).stop
    assert precision(result, target_width=interval.width, level=0.05).stop
