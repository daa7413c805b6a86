"""Empirical Bernstein stopping: published counts, the algorithms run by hand, the guarantee."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from estimation.core import Sample, Scale, empirical_bernstein
from estimation.core.data import errors
from estimation.core.intervals.bernstein import bernstein_half_widths, bernstein_judgments

RULES = ("ebstop", "ebgstop")
UNIT = Scale(0, 1)


def algorithm(rule, *, variances, score_range, alpha, p=1.1, beta=1.1):
    """c_1, c_2, ... as the two algorithms of Mnih et al. 2008 compute them, step by step."""
    bounds, k, x = [], 0, np.nan
    for t, variance in enumerate(variances, start=1):
        if rule == "ebstop":
            x = np.log(3 / (alpha * (p - 1) / p / t**p))
        elif t > np.floor(beta**k):
            k += 1
            a = np.floor(beta**k) / np.floor(beta ** (k - 1))
            x = -a * np.log(alpha * (p - 1) / p / k**p / 3)
        bounds.append(np.sqrt(2 * variance * x / t) + 3 * score_range * x / t)
    return np.array(bounds)


@pytest.mark.parametrize(
    ("rule", "variance", "judgments"),
    [
        ("ebstop", 0.25, 1518),
        ("ebgstop", 0.25, 1293),
        ("ebstop", 0.09, 2003),
        ("ebgstop", 0.09, 1674),
    ],
)
def test_judgments_for_a_known_variance(rule, variance, judgments):
    # Known answer 5: half-widths for which a normal interval takes 100 judgments.
    half = 1.96 * variance**0.5 / 10
    options = {"variance": variance, "score_range": 1.0, "level": 0.95, "rule": rule}
    assert bernstein_judgments(half_width=half, **options) == judgments
    bounds = algorithm(rule, variances=[variance] * 2100, score_range=1, alpha=0.05)
    assert np.flatnonzero(bounds <= half)[0] + 1 == judgments


@pytest.mark.parametrize("rule", RULES)
@given(seed=st.integers(0, 1000), size=st.integers(1, 400), level=st.floats(0.5, 0.999))
@settings(max_examples=20, deadline=None)
def test_half_widths_are_those_of_the_algorithm(rule, seed, size, level):
    scores = np.random.default_rng(seed).integers(-1, 2, size).astype(float)
    variances = [scores[:t].var() for t in range(1, size + 1)]
    found = bernstein_half_widths(scores, scale=Scale(-1, 1), level=level, rule=rule)
    expected = algorithm(rule, variances=variances, score_range=2, alpha=1 - level)
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("rule", RULES)
@given(factor=st.floats(0.01, 100), shift=st.floats(-100, 100))
def test_half_widths_are_in_score_units(rule, factor, shift):
    scores = np.random.default_rng(1).uniform(size=60)
    scale = Scale(shift - 1e-9, factor + shift + 1e-9)
    one = bernstein_half_widths(scores, scale=UNIT, level=0.9, rule=rule)
    other = bernstein_half_widths(factor * scores + shift, scale=scale, level=0.9, rule=rule)
    assert other[1:] == pytest.approx(factor * one[1:], rel=1e-5)


def test_judgments_are_found_across_chunks():
    options = {"variance": 0.2, "score_range": 1.0, "level": 0.95, "rule": "ebstop"}
    n = bernstein_judgments(half_width=0.008, **options)
    assert n > 100_000
    c = algorithm("ebstop", variances=np.full(n, 0.2), score_range=1, alpha=0.05)
    assert c[-1] <= 0.008 < c[-2]
    assert bernstein_judgments(half_width=0.008, limit=n, **options) == n
    assert bernstein_judgments(half_width=0.008, limit=n - 1, **options) is None


def sample(scores, item=None, scale=UNIT) -> Sample:
    item = np.arange(len(scores)) if item is None else item
    return Sample(np.array(scores), item, np.arange(len(scores)), len(scores), scale)


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_stops_when_twice_the_bound_meets_the_target(rule):
    scores = np.tile([0.0, 1.0], 400)
    width = 2 * bernstein_half_widths(scores, scale=UNIT, level=0.95, rule=rule)[-1]
    options = {"level": 0.95, "rule": rule}
    verdict = empirical_bernstein(sample(scores), target_width=width, **options)
    assert verdict.stop
    assert verdict.width == width
    assert not empirical_bernstein(sample(scores), target_width=width * 0.999, **options).stop


def test_the_rule_looks_at_first_judgments_only():
    scores = np.tile([0.0, 1.0, 1.0, 0.0], 50)
    twice = np.repeat(np.arange(100), 2)
    once = empirical_bernstein(sample(scores[::2]), target_width=1, level=0.95)
    assert empirical_bernstein(sample(scores, twice), target_width=1, level=0.95) == once


@pytest.mark.parametrize(
    ("scores", "options", "error"),
    [
        ([0.5], {"scale": Scale(0, 2, bounded=False)}, errors.InvalidOptionError),
        ([0.5], {"level": 1.0}, errors.InvalidOptionError),
        ([0.5], {"rule": "hoeffding"}, errors.InvalidOptionError),
        ([], {}, errors.ShapeMismatchError),
        ([[0.5]], {}, errors.ShapeMismatchError),
        (["good"], {}, errors.ShapeMismatchError),
        ([np.nan], {}, errors.InvalidScoreError),
        ([1.5], {}, errors.ScoreOffScaleError),
    ],
)
def test_impossible_scores_and_options_are_refused(scores, options, error):
    with pytest.raises(error):
        bernstein_half_widths(scores, **{"scale": UNIT, "level": 0.95, **options})


@pytest.mark.parametrize(
    "bad",
    [
        {"half_width": 0},
        {"variance": -0.1},
        {"variance": 0.26},
        {"score_range": 0},
        {"level": 0},
        {"rule": "x"},
    ],
    ids=str,
)
def test_impossible_plans_are_refused(bad):
    good = {"half_width": 0.1, "variance": 0.25, "score_range": 1.0, "level": 0.95}
    with pytest.raises(errors.InvalidOptionError):
        bernstein_judgments(**{**good, **bad})


@pytest.mark.simulation
@pytest.mark.parametrize("rule", RULES)
def test_the_bound_holds_at_every_look(rule):
    seed, runs, alpha = 3, 200, 0.2
    y = np.random.default_rng(seed).binomial(1, 0.03, (runs, 800)).astype(float)
    mean = np.cumsum(y, axis=1) / np.arange(1, 801)
    half = np.stack(
        [bernstein_half_widths(row, scale=UNIT, level=1 - alpha, rule=rule) for row in y]
    )
    missed = int((np.abs(mean - 0.03) > half).any(axis=1).sum())
    print(f"seed {seed}: {rule} missed {missed} of {runs}")
    assert binom.sf(missed - 1, runs, alpha) > 0.01
