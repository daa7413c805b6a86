"""The engine agrees with the brute-force reference on random campaigns, to 1e-8."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import IntervalUnavailableError, Sample, Scale, anytime
from estimation.core import difference as engine_difference
from estimation.core import estimate as engine_estimate
from tests.core import reference
from tests.core.reference_cases import KINDS, campaigns, draw

many = settings(max_examples=60, deadline=None)
levels = st.sampled_from([0.8, 0.9, 0.95, 0.99])
balances = st.sampled_from([0.0, 0.03, 0.15, 1.0])
person_shares = st.sampled_from([0.0, 0.03, 0.08, 0.5])
NAMES = {"algorithm_1": "algorithm1"}


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


def ends_of(found, level):
    """The two ends of the engine's interval, or None twice."""
    try:
        interval = found.interval(level)
    except IntervalUnavailableError:
        return {"low": None, "high": None}
    return {"low": interval.low, "high": interval.high, "df": found.df}


def engine_parts(found, level):
    """What the engine found, under the reference's names."""
    parts = found.variance
    return {
        "estimate": found.estimate,
        "centre": found.centre,
        "A_eff": found.effective_annotators,
        "item": parts.item,
        "residual": parts.rest,
        "V_annot": parts.annotator_sum,
        "V_cell": parts.cell_sum,
    } | ends_of(found, level)


def reference_parts(found):
    found = found | {"item": (1 - found["f"]) * found["V_item"]}
    return found if found["low"] is not None else found | {"df": None}


def agree(engine, expected):
    for name, value in engine.items():
        wanted = expected[name]
        if value is None or wanted is None:
            assert value is wanted, (name, value, wanted)
        else:
            assert value == pytest.approx(wanted, rel=1e-8, abs=1e-8), name


def both(system, campaign, estimator, level, **options):
    """The engine's result and the reference's, under the reference's names."""
    found = engine_estimate(sample_of(system, campaign), estimator=estimator, **options)
    expected = reference.estimate(
        system.rows,
        campaign.outputs,
        KINDS[campaign.kind],
        system.metric,
        estimator=NAMES.get(estimator, estimator),
        level=level,
        **options,
    )
    return found, expected


# --- one system


@pytest.mark.parametrize("estimand", ["population", "panel"])
@pytest.mark.parametrize("estimator", ["mean", "algorithm_1", "regression", "balanced"])
@given(campaign=campaigns, level=levels, balance=balances, person_share=person_shares)
@many
def test_two_way(estimator, estimand, campaign, level, balance, person_share):
    system, _ = draw(campaign)
    options = {"estimand": estimand, "balance": balance, "person_share": person_share}
    found, expected = both(system, campaign, estimator, level, **options)
    agree(engine_parts(found, level), reference_parts(expected))


@pytest.mark.parametrize("estimator", ["mean", "algorithm_1", "regression"])
@given(campaign=campaigns, level=levels)
@many
def test_independent_judgments(estimator, campaign, level):
    system, _ = draw(campaign)
    found, expected = both(system, campaign, estimator, level, interval="iid")
    agree({"estimate": found.estimate, "std_error": found.std_error}, expected)
    agree(ends_of(found, level), expected)


@given(campaign=campaigns, level=levels)
@many
def test_ppi(campaign, level):
    system, _ = draw(campaign)
    found, expected = both(system, campaign, "ppi", level)
    agree({"estimate": found.estimate, "std_error": found.std_error}, expected)
    interval = found.interval(level)
    agree({"low": interval.low, "high": interval.high}, expected)


@pytest.mark.parametrize("estimator", ["mean", "regression", "balanced"])
@given(campaign=campaigns, level=levels, planned=st.integers(20, 400))
@many
def test_sequence(estimator, campaign, level, planned):
    system, _ = draw(campaign)
    found = engine_estimate(sample_of(system, campaign), estimator=estimator)
    width = anytime(found, target_width=0.1, level=level, planned_items=planned).width
    expected = reference.estimate(
        system.rows,
        campaign.outputs,
        KINDS[campaign.kind],
        system.metric,
        estimator=estimator,
        level=level,
        interval="sequence",
        t_opt=2.4 * planned,
    )
    if expected["low"] is not None:
        assert width == pytest.approx(expected["high"] - expected["low"], rel=1e-8, abs=1e-8)


# --- two systems


@pytest.mark.parametrize("estimand", ["population", "panel"])
@pytest.mark.parametrize("estimator", ["mean", "regression", "balanced"])
@given(campaign=campaigns, level=levels, balance=balances, person_share=person_shares)
@many
def test_difference(estimator, estimand, campaign, level, balance, person_share):
    first, second = draw(campaign)
    options = {"estimand": estimand, "balance": balance, "person_share": person_share}
    samples = [sample_of(system, campaign) for system in (first, second)]
    found = engine_difference(*samples, estimator=estimator, **options)
    expected = reference.difference(
        first.rows,
        second.rows,
        campaign.outputs,
        KINDS[campaign.kind],
        (first.metric, second.metric),
        estimator=estimator,
        level=level,
        **options,
    )
    agree(engine_parts(found, level), reference_parts(expected))
