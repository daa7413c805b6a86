"""Confidence sequences: the formula, the guarantee at every look, and the rule that uses them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from estimation.core import (
    Sample,
    Scale,
    anytime,
    confidence_sequence,
    errors,
    estimate,
    first_anytime_stop,
    precision,
    sequence_half_widths,
    trajectory,
)
from estimation.core.sequences import mixture_optimum, unit_half_widths
from tests.core.cases import random_sample

alphas = st.floats(1e-9, 0.9)


@pytest.mark.parametrize(("alpha", "x"), [(0.05, 8.21197), (0.1, 6.63835), (0.2, 5.01276)])
def test_where_the_mixture_is_narrowest(alpha, x):
    # Known answer 4, and the fixed point of x = ln((x + 1) / alpha²) by plain iteration.
    assert mixture_optimum(alpha) == pytest.approx(x, abs=5e-6)
    fixed = 1.0
    for _ in range(200):
        fixed = np.log((fixed + 1) / alpha**2)
    assert mixture_optimum(alpha) == pytest.approx(fixed)


@pytest.mark.parametrize(
    ("t", "t_opt", "alpha", "half"),
    [
        (100, 100, 0.05, 0.30351),
        (50, 100, 0.05, 0.43539),
        (400, 100, 0.05, 0.15655),
        (100, 240, 0.05, 0.31086),
        (100, 100, 0.2, 0.24521),
    ],
)
def test_half_widths(t, t_opt, alpha, half):
    # Known answer 4, and the formula of statistics.md section 5 written out.
    rho2 = mixture_optimum(alpha) / t_opt
    formula = 2 * (t * rho2 + 1) / (t**2 * rho2) * np.log(np.sqrt(t * rho2 + 1) / alpha)
    found = unit_half_widths(t, alpha=alpha, t_opt=t_opt)
    assert found == pytest.approx(half, abs=5e-6)
    assert found == pytest.approx(formula**0.5)
    # The same through the public units: a squared standard error of sd² / t.
    error = 3.0 / t**0.5
    by_error = sequence_half_widths(error, t, alpha=alpha, planned_items=t_opt / 2.4)
    assert by_error == pytest.approx(3 * half, abs=2e-5)


@given(alpha=alphas, t_opt=st.floats(31, 1e5))
def test_no_other_rho_is_narrower_at_the_planned_time(alpha, t_opt):
    def squared(log_x):
        x = np.exp(log_x)
        return (x + 1) / x * np.log((x + 1) / alpha**2)

    best = minimize_scalar(squared, bounds=(-5, 8), method="bounded").fun / t_opt
    assert unit_half_widths(t_opt, alpha=alpha, t_opt=t_opt) ** 2 == pytest.approx(best, rel=1e-6)


def test_the_sequence_of_an_estimate():
    result = estimate(random_sample(3, judgments=90, items=40))
    interval = confidence_sequence(result, level=0.9, planned_items=50)
    half = sequence_half_widths(result.std_error, result.n_items, alpha=0.1, planned_items=50)
    assert interval.centre == result.centre
    assert (interval.low, interval.high) == pytest.approx(
        (result.centre - half, result.centre + half)
    )
    assert (interval.level, interval.df) == (0.9, np.inf)
    # With df known: still wider than the normal interval, by what looking costs.
    assert interval.width > 2 * 1.645 * result.std_error


def prefix(sample: Sample, t: int) -> Sample:
    return replace(
        sample, score=sample.score[:t], item=sample.item[:t], annotator=sample.annotator[:t]
    )


def test_the_sequence_of_a_history_is_the_interval_of_every_prefix():
    sample = random_sample(4, judgments=120, items=45)
    history = trajectory(sample)
    half = sequence_half_widths(history.std_error, history.n_units, alpha=0.05, planned_items=60)
    low, high = history.around(half)
    width = high - low
    for t in (40, 60, 90, 120):
        result = estimate(prefix(sample, t))
        if result.n_items < 30:
            assert np.isnan(width[t - 1])
            continue
        interval = confidence_sequence(result, level=0.95, planned_items=60)
        assert (low[t - 1], high[t - 1]) == pytest.approx((interval.low, interval.high))
    assert np.isnan(width[:29]).all()
    assert np.isfinite(width[-1])


def test_no_sequence_before_thirty_items():
    result = estimate(random_sample(5, judgments=60, items=25))
    with pytest.raises(errors.IntervalUnavailableError, match="25 are judged"):
        confidence_sequence(result, level=0.95, planned_items=50)
    half = sequence_half_widths(np.ones(3), np.array([29, 30, 31]), alpha=0.1, planned_items=50)
    assert np.isnan(half).tolist() == [True, False, False]


@pytest.mark.parametrize(
    "bad",
    [
        {"level": 1.0},
        {"level": 0},
        {"planned_items": 0},
        {"planned_items": np.inf},
        {"planned_items": -5},
        {"planned_items": np.nan},
        {"target_width": 0},
    ],
    ids=str,
)
@pytest.mark.parametrize("items", [20, 40])
def test_numbers_out_of_range_are_refused(bad, items):
    result = estimate(random_sample(3, judgments=90, items=items))
    good = {"target_width": 1.0, "level": 0.95, "planned_items": 100}
    anytime(result, **good)
    with pytest.raises(errors.InvalidOptionError):
        anytime(result, **{**good, **bad})


@pytest.mark.parametrize("alpha", [0, 1, -0.1, np.nan])
def test_alpha_is_a_probability(alpha):
    with pytest.raises(errors.InvalidOptionError, match="alpha"):
        sequence_half_widths(1.0, 50, alpha=alpha, planned_items=100)


def campaign(items: int, people: int, scale: Scale) -> Sample:
    index = np.arange(items)
    # People take turns with both scores, so that they do not differ.
    return Sample(index // people % 2 * 1.0, index, index % people, 1000, scale)


@pytest.mark.parametrize(
    ("items", "people", "scale", "stop"),
    [
        (29, 10, Scale(0, 1), False),
        (30, 10, Scale(0, 1), True),
        (49, 10, Scale(0, 2, bounded=False), False),
        (50, 10, Scale(0, 2, bounded=False), True),
        (40, 4, Scale(0, 1), False),
    ],
)
def test_anytime_keeps_the_guards_of_precision(items, people, scale, stop):
    result = estimate(campaign(items, people, scale), estimator="mean")
    plan = {"target_width": 10, "level": 0.95, "planned_items": 100}
    assert anytime(result, **plan).stop is stop
    assert precision(result, target_width=10, level=0.95).stop is stop


def test_anytime_stops_at_the_width_of_the_sequence_and_later_than_precision():
    result = estimate(campaign(200, 20, Scale(0, 1)), estimator="mean")
    width = confidence_sequence(result, level=0.95, planned_items=100).width
    plan = {"level": 0.95, "planned_items": 100}
    assert anytime(result, target_width=width, **plan).stop
    assert not anytime(result, target_width=width * 0.999, **plan).stop
    assert precision(result, target_width=width * 0.8, level=0.95).stop


def test_the_first_anytime_stop_is_where_the_rule_says_stop():
    sample = campaign(400, 20, Scale(0, 1))
    plan = {"target_width": 0.3, "level": 0.95, "planned_items": 100}
    stop = first_anytime_stop(trajectory(sample, estimator="mean"), **plan)
    assert anytime(estimate(prefix(sample, stop + 1), estimator="mean"), **plan).stop
    assert not anytime(estimate(prefix(sample, stop), estimator="mean"), **plan).stop
    hopeless = {**plan, "target_width": 0.01}
    assert first_anytime_stop(trajectory(sample, estimator="mean"), **hopeless) is None


@pytest.mark.simulation
def test_the_sequence_holds_at_every_look_and_fixed_intervals_do_not():
    # Skewed scores with estimated variance, looked at after each of 1,500 items.
    seed, runs, alpha = 7, 600, 0.1
    y = np.random.default_rng(seed).binomial(1, 0.15, (runs, 1500)) - 0.15
    t = np.arange(1, 1501)
    mean = np.cumsum(y, axis=1) / t
    error = np.sqrt(np.maximum(0, np.cumsum(y**2, axis=1) / t - mean**2) / t)
    # From 100 items on, where .15 of them are some 15 rare scores: asymptotic is what it is.
    half = sequence_half_widths(error, t, alpha=alpha, planned_items=250)
    missed = int((np.abs(mean) > half)[:, 99:].any(axis=1).sum())
    peeked = int((np.abs(mean) > 1.645 * error)[:, 99:].any(axis=1).sum())
    print(f"seed {seed}: sequence missed {missed}, fixed-n {peeked} of {runs}")
    assert binom.sf(missed - 1, runs, alpha) > 0.01
    assert binom.sf(peeked - 1, runs, 0.25) < 0.01
