"""The engine agrees with the brute-force reference on random campaigns, to 1e-8."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import (
    IntervalUnavailableError,
    MetricMissingError,
    Sample,
    Scale,
    anytime,
    confidence_sequence,
)
from estimation.core import difference as engine_difference
from estimation.core import estimate as engine_estimate
from tests.core import reference
from tests.core.reference_cases import KINDS, Campaign, campaigns, draw
from tests.core.referenced import (
    agree,
    ends_of,
    engine_parts,
    reference_parts,
)

many = settings(max_examples=40, deadline=None)
several = st.integers(2, 8)
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
mostly = st.sampled_from([True, True, True, False])
options_of_all = st.fixed_dictionaries(
    {
        "balance": st.sampled_from([0.0, 0.03, 0.15, 1.0]),
        "person_share": st.sampled_from([0.0, 0.03, 0.08, 0.5]),
        "finite_population": mostly,
        "pseudo_rows": mostly,
    }
)


# The adapter: how the engine is fed, and where it keeps what the reference names.


def sample_of(system, campaign, metric=True):
    item, person, score = zip(*system.rows, strict=True)
    lo, hi = KINDS[campaign.kind]
    return Sample(
        score=np.array(score),
        item=np.array(item),
        annotator=np.array(person),
        n_population=campaign.outputs,
        scale=Scale(lo, hi, bounded=campaign.kind != "edit"),
        metric=system.metric if metric else None,
    )


def reference_estimate(system, campaign, estimator, level, **options):
    return reference.estimate(
        system.rows,
        campaign.outputs,
        KINDS[campaign.kind],
        system.metric,
        estimator=estimator,
        level=level,
        **options,
    )


def both(system, campaign, estimator, level, **options):
    """The engine's result and the reference's."""
    found = engine_estimate(sample_of(system, campaign), estimator=estimator, **options)
    return found, reference_estimate(system, campaign, estimator, level, **options)


def reference_difference(systems, campaign, estimator, level, **options):
    first, second = systems
    return reference.difference(
        first.rows,
        second.rows,
        campaign.outputs,
        KINDS[campaign.kind],
        (first.metric, second.metric),
        estimator=estimator,
        level=level,
        **options,
    )


# --- one system


@pytest.mark.slow
@pytest.mark.parametrize("estimand", ["population", "panel"])
@pytest.mark.parametrize("estimator", ["mean", "algorithm_1", "regression", "balanced"])
@given(campaign=campaigns, level=levels, options=options_of_all)
@many
def test_two_way(estimator, estimand, campaign, level, options):
    system, _ = draw(campaign)
    options = options | {"estimand": estimand}
    found, expected = both(system, campaign, estimator, level, **options)
    agree(engine_parts(found, level), reference_parts(expected))


@pytest.mark.parametrize("estimator", ["mean", "regression", "balanced"])
@pytest.mark.parametrize(("kind", "end"), [("binary .1", "low"), ("binary .9", "high")])
def test_an_end_that_misses_the_estimate_is_moved_to_it(estimator, kind, end):
    moved = 0
    for seed in range(20):
        campaign = Campaign(seed, 100, 0.5, 0.0, 60, 0.0, True, kind, "useless", 0.0)
        system, _ = draw(campaign)
        found, expected = both(system, campaign, estimator, 0.5)
        agree(engine_parts(found, 0.5), reference_parts(expected))
        moved += expected[end] == expected["estimate"]
    assert moved > 0


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["multi", "balanced"])
@given(campaign=campaigns, level=levels, options=options_of_all, several=several)
@many
def test_several_metrics(estimator, campaign, level, options, several):
    """Given the penalty that the engine chose."""
    system, _ = draw(campaign, several)
    found = engine_estimate(sample_of(system, campaign), estimator=estimator, **options)
    expected = reference_estimate(
        system, campaign, estimator, level, **options, penalty=found.penalty
    )
    agree(engine_parts(found, level), reference_parts(expected))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["mean", "algorithm_1", "regression"])
@given(campaign=campaigns, level=levels)
@many
def test_independent_judgments(estimator, campaign, level):
    system, _ = draw(campaign)
    found, expected = both(system, campaign, estimator, level, interval="iid")
    agree({"estimate": found.estimate, "std_error": found.std_error}, expected)
    agree(ends_of(found, level), expected)


@pytest.mark.slow
@given(campaign=campaigns, level=levels)
@many
def test_ppi(campaign, level):
    system, _ = draw(campaign)
    if len({item for item, _, _ in system.rows}) == campaign.outputs:
        with pytest.raises(MetricMissingError):
            engine_estimate(sample_of(system, campaign), estimator="ppi")
        return
    found, expected = both(system, campaign, "ppi", level)
    agree({"estimate": found.estimate, "std_error": found.std_error}, expected)
    interval = found.interval(level)
    agree({"low": interval.low, "high": interval.high}, expected)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["mean", "regression", "balanced"])
@given(campaign=campaigns, level=levels, planned=st.integers(20, 400))
@many
def test_sequence(estimator, campaign, level, planned):
    system, _ = draw(campaign)
    found = engine_estimate(sample_of(system, campaign), estimator=estimator)
    options = {"interval": "sequence", "t_opt": 2.4 * planned}
    expected = reference_estimate(system, campaign, estimator, level, **options)
    if expected["low"] is None:
        with pytest.raises(IntervalUnavailableError):
            confidence_sequence(found, level=level, planned_items=planned)
        return
    interval = confidence_sequence(found, level=level, planned_items=planned)
    agree({"low": interval.low, "high": interval.high}, expected)
    width = anytime(found, target_width=0.1, level=level, planned_items=planned).width
    assert width == pytest.approx(expected["high"] - expected["low"], rel=1e-8, abs=1e-8)


# --- two systems


@pytest.mark.slow
@pytest.mark.parametrize("estimand", ["population", "panel"])
@pytest.mark.parametrize("estimator", ["mean", "regression", "balanced"])
@given(campaign=campaigns, level=levels, options=options_of_all)
@many
def test_difference(estimator, estimand, campaign, level, options):
    options = options | {"estimand": estimand}
    systems = draw(campaign)
    samples = [sample_of(system, campaign) for system in systems]
    found = engine_difference(*samples, estimator=estimator, **options)
    expected = reference_difference(systems, campaign, estimator, level, **options)
    agree(engine_parts(found, level), reference_parts(expected))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["multi", "balanced"])
@given(campaign=campaigns, level=levels, options=options_of_all, several=several)
@many
def test_difference_with_several_metrics(estimator, campaign, level, options, several):
    systems = draw(campaign, several)
    samples = [sample_of(system, campaign) for system in systems]
    found = engine_difference(*samples, estimator=estimator, **options)
    expected = reference_difference(
        systems, campaign, estimator, level, **options, penalty=found.penalty
    )
    agree(engine_parts(found, level), reference_parts(expected))
