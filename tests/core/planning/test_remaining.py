"""Forecasts of a campaign's end: known answers, properties, and how often the ranges hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from estimation.core import Sample, errors, estimate
from estimation.core.planning import (
    Arrivals,
    Continuation,
    Range,
    StopDraws,
    closing,
    narrowing,
    pace,
    stops_ahead,
)
from estimation.core.simulation import BINARY, HTER_LIKE, TERNARY, Plan, draw
from tests.core.planning import forecasts

SCORES = {"ternary": TERNARY, "binary": BINARY, "edits": HTER_LIKE}


def begun(scores="ternary", judgments=150, seed=1, **options) -> tuple[Sample, int]:
    """Return the first judgments of a campaign, and how many it has in all."""
    settings = {"item": 0.34, "person": 0.06, "n_population": 600, "places": 40, **options}
    whole = draw(Plan(SCORES[scores], **settings), np.random.default_rng(seed)).sample
    first = slice(0, judgments)
    sample = Sample(
        whole.score[first], whole.item[first], whole.annotator[first], 600, whole.scale,
        whole.metric,
    )  # fmt: off
    return sample, whole.n_judgments


def ends(sample, planned, target, **options):
    return stops_ahead(
        sample,
        estimate(sample),
        Continuation(planned, cap=25),
        target_width=target,
        level=0.95,
        **options,
    )


def certain(judgments, *, reached=True, size=5) -> StopDraws:
    return StopDraws(np.full(size, float(judgments)), np.full(size, reached), Range(0.1, 0.1, 0.1))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    scores=st.sampled_from(sorted(SCORES)),
    judgments=st.integers(60, 500),
    seed=st.integers(0, 2**31),
    person=st.sampled_from([0.0, 0.06, 0.14]),
    cap=st.sampled_from([None, 1, 10, 25]),
    target=st.floats(0.02, 2.0),
)
def test_every_end_lies_between_now_and_the_last_planned_judgment(
    scores, judgments, seed, person, cap, target
):
    sample, planned = begun(scores, judgments, seed, person=person, cap=cap)
    options = {"target_width": target, "level": 0.95, "replicates": 40}
    found = stops_ahead(sample, estimate(sample), Continuation(planned, cap=cap), **options)
    assert np.isfinite(found.judgments).all()
    assert (found.judgments >= sample.n_judgments).all()
    assert (found.judgments <= planned).all()
    assert (found.judgments[~found.reached] == planned).all()
    end = found.width_at_end
    assert 0 < end.low <= end.expected <= end.high


def test_a_target_that_is_reached_takes_nothing_more():
    sample, planned = begun(judgments=500)
    width = estimate(sample).interval(0.95).width
    assert (ends(sample, planned, width * 1.01).judgments == 500).all()
    assert (ends(sample, planned, width * 0.9).judgments > 500).all()


def test_a_target_below_every_end_is_never_reached():
    sample, planned = begun()
    found = ends(sample, planned, 0.01)
    assert (found.chance, found.judgments.min()) == (0.0, planned)
    assert found.width_at_end.low > 0.01


def test_the_range_narrows_as_the_campaign_goes_on():
    spans = []
    for judgments in (80, 160, 240):
        sample, planned = begun(judgments=judgments, seed=3)
        found = np.quantile(ends(sample, planned, 0.2).judgments, (0.05, 0.95))
        spans.append(found[1] - found[0])
    assert spans == sorted(spans, reverse=True)


def test_draws_are_those_of_the_seed():
    sample, planned = begun()
    one, same, other = (ends(sample, planned, 0.2, seed=seed).judgments for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    with pytest.raises(errors.InvalidOptionError):
        ends(sample, planned, 0.2, replicates=0)
    with pytest.raises(errors.InvalidOptionError):
        ends(sample, planned, 0.0)


def test_a_system_ends_with_its_last_criterion_and_systems_add_up():
    found = closing([[certain(200), certain(300)], [certain(100)]], judged=150)
    assert found.judgments == Range(400, 400, 400)
    assert (found.seconds, found.chance) == (None, 1.0)
    # Half of the judgments belong to both systems; 10 more are on their way.
    found = closing([[certain(300)], [certain(100)]], judged=150, shared=0.5, running=10)
    assert found.judgments.expected == 210


def test_the_chance_is_that_every_system_reaches_every_target():
    half = StopDraws(np.array([1.0, 2.0]), np.array([True, False]), Range(1, 1, 1))
    assert closing([[half], [half]], judged=1).chance == 0.25
    assert closing([[half, half]], judged=1).chance == 0.5
    with pytest.raises(errors.InvalidOptionError):
        closing([], judged=1)
    with pytest.raises(errors.InvalidOptionError):
        closing([[]], judged=1)


def test_a_steady_pace_gives_the_time_that_is_left():
    steady = Arrivals(per_second=0.1, spread=0.0, bin_seconds=60, bins=8)
    assert closing([[certain(200)]], judged=100, pace=steady).seconds == Range(1000, 1000, 1000)
    # The slowest judgment in progress may outlast the rest.
    slow = closing(
        [[certain(100)]], judged=100, running=1, durations=np.array([9000.0]), pace=steady
    )
    assert slow.seconds is not None
    assert 10 < slow.seconds.expected < 9000


def test_a_pace_is_learnt_from_whole_days():
    day = 86_400.0
    # 100 judgments in the first hour of each day: neither 100 an hour nor silence, but 100 a day.
    times = np.concatenate([k * day + np.linspace(0, 3600, 100) for k in range(3)])
    for now in (2 * day + 3600, 2.7 * day):
        found = pace(times, now=now)
        assert found is not None
        assert found.per_second * day == pytest.approx(100, abs=1.01)
    assert pace(times[:9], now=4000.0) is None
    assert pace(times, now=9 * day) is None, "the last three days were silent"


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    more=st.integers(1, 1000),
    cap=st.sampled_from([None, 5, 25]),
    person=st.sampled_from([0.0, 0.06, 0.2]),
)
def test_new_people_narrow_an_interval_at_least_as_much(seed, more, cap, person):
    sample, _planned = begun(seed=seed, person=person, cap=cap, judgments=120)
    found = narrowing(sample, estimate(sample), more=more, level=0.95, cap=cap)
    assert found is not None
    assert found.new_people <= found.same_people <= found.now
    assert found.new_people < found.now


def test_what_a_hundred_judgments_narrow_by_hand():
    # One item part only: everyone judges once, so V falls as 1 / T, and df are those of items.
    sample, _planned = begun(cap=1, double_share=0.0, judgments=150)
    made = estimate(sample)
    found = narrowing(sample, made, more=450, level=0.95)
    assert found is not None
    assert found.now == pytest.approx(made.interval(0.95).width)
    assert found.new_people == pytest.approx(found.now / 2, rel=0.01)


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize("name", sorted(forecasts.CASES))
def test_at_a_third_of_the_way_the_range_holds_the_end(name):
    """80 to 95 % of 200 campaigns: refused only where a binomial test at 5 % refuses it."""
    found = forecasts.held(name, 200)
    assert found.campaigns >= 190
    least, most = binom.ppf((0.05, 0.95), found.campaigns, (0.80, 0.95))
    assert found.cost >= least, name
    assert found.time >= least, name
    assert min(found.cost, found.time) <= most, name  # many people: wider than it needs to be


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize("name", sorted(forecasts.UNSURE))
def test_of_rare_events_and_few_large_edits_the_range_holds_half_to_seven_in_ten(name):
    """As the dashboard says: refused where a binomial test at 5 % refuses it."""
    found = forecasts.held(name, 100, seed=77)
    least, most = binom.ppf((0.05, 0.95), found.campaigns, (0.5, 0.7))
    assert least <= found.cost <= most, name
