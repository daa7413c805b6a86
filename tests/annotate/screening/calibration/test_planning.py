"""The tasks of simulated people: the campaign's own, and as many comparisons as are to come."""

from dataclasses import replace
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.screening.base import Columns, Highlights
from annotate.screening.calibration.planning import (
    MOST_JUDGMENTS,
    MOST_ROWS,
    continued,
    growth,
    sampled,
)
from annotate.screening.joining import taken
from bench.screening.campaigns import Design, arrivals, draw_places
from tests.annotate.screening.columns import crowd


def begun(seed, part, *, people=120, cap=25, double=0.25, at_once=False):
    """The first part of a campaign without answers, and the whole.

    Outputs are judged again at any time, or at once.
    """
    rng = np.random.default_rng(seed)
    who, output = draw_places(Design(people=people, cap=cap, double=double), rng)
    order = rng.random(int(output.max()) + 1)[output] if at_once else arrivals(who, rng)
    rows = np.argsort(order, kind="stable")
    none = np.full(rows.size, np.nan)
    whole = Columns(who[rows], output[rows], np.arange(float(rows.size)), none, none)
    return taken(whole, np.arange(round(part * rows.size))), whole


def shared(columns):
    return sum(n for n in np.bincount(columns.text).tolist() if n > 1)


def pairs_of(columns):
    return list(zip(columns.output.tolist(), columns.annotator.tolist(), strict=True))


def same_outputs(columns):
    """Each row's output, by the row in which it occurs first."""
    first = {}
    return [first.setdefault(output, row) for row, output in enumerate(columns.output.tolist())]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 99),
    people=st.integers(6, 40),
    part=st.floats(0.1, 1),
    power=st.floats(1, 2),
    double=st.sampled_from([0.0, 0.25, 0.6, 0.9, 1.0]),
    at_once=st.booleans(),
)
def test_work_goes_on_up_to_the_horizon(seed, people, part, power, double, at_once):
    found, _whole = begun(seed, part, people=people, double=double, at_once=at_once)
    plan = continued(found, power, np.random.default_rng(seed))
    now = len(found.who)
    usual = min(np.median(found.judgments), found.judgments.mean())
    assert len(plan.who) == round(now * min(6, max(1, 25 / usual)))
    assert (np.diff(plan.order) > 0).all()
    own = taken(plan, np.arange(now))
    assert own.annotator.tolist() == found.annotator.tolist()
    assert same_outputs(own) == same_outputs(found)
    assert set(plan.annotator.tolist()) == set(found.annotator.tolist())
    assert len(set(pairs_of(plan))) == len(pairs_of(plan))  # nobody judges an output twice
    assert np.bincount(plan.text).max() <= max(2, np.bincount(found.text).max())


@pytest.mark.parametrize("part", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("at_once", [False, True])
def test_it_has_as_many_comparisons_as_will_be_there(part, at_once):
    counts = []
    for seed in range(8):
        found, whole = begun(seed, part, at_once=at_once)
        plan = continued(found, growth(found), np.random.default_rng(seed))
        there = len(plan.who) / len(whole.who)  # fewer people work at first
        counts.append(shared(plan) / shared(whole) / there ** (1 if at_once else 2))
    assert np.mean(counts) == pytest.approx(1, abs=0.12)


def test_shared_judgments_that_come_as_fast_as_others_are_left_as_they_are():
    found, _whole = begun(3, 0.4, at_once=True)
    plan = continued(found, 1.0, np.random.default_rng(3))
    assert shared(plan) == pytest.approx(shared(found) * len(plan.who) / len(found.who), rel=0.02)
    more = continued(found, 1.5, np.random.default_rng(3))
    assert shared(more) == pytest.approx(
        shared(found) * (len(more.who) / len(found.who)) ** 1.5, rel=0.02
    )


@pytest.mark.parametrize("seed", range(12))
def test_no_more_judgments_are_shared_than_there_are_to_be(seed):
    """Also where the part of a round that is repeated happens to share more."""
    part = 0.3 + 0.05 * seed
    found, _whole = begun(seed, part, at_once=True)
    plan = continued(found, 1.0, np.random.default_rng(seed))
    wanted = shared(found) * len(plan.who) / len(found.who)
    assert 0.93 * wanted < shared(plan) < 1.07 * wanted


def test_nothing_goes_on_beyond_the_horizon():
    found, _whole = begun(1, 1.0, people=30, cap=40)
    plan = continued(found, 2.0, np.random.default_rng(1))
    assert plan.annotator.tolist() == found.annotator.tolist()
    assert same_outputs(plan) == same_outputs(found)


def test_many_people_who_did_little_stay_within_the_most_rows():
    found, _whole = begun(1, 1.0, people=2000, cap=4)
    plan = continued(found, 1.0, np.random.default_rng(1))
    assert len(plan.who) == MOST_ROWS < 6 * len(found.who)


def test_highlights_are_left_out():
    """They are not simulated."""
    found, _whole = begun(1, 0.2, people=20)
    marks = Highlights(np.arange(3), np.zeros(3, int), [frozenset({1})] * 3, np.full(3, 9))
    plan = continued(replace(found, highlights=marks), 1.0, np.random.default_rng(1))
    assert plan.highlights is None


@pytest.mark.parametrize(("part", "double"), [(0.3, 0.6), (0.5, 1.0)])
def test_there_are_no_more_comparisons_than_judgments(part, double):
    """With power 2 more would be shared than there are."""
    found, _whole = begun(1, part, double=double, at_once=True)
    plan = continued(found, 2.0, np.random.default_rng(1))
    assert 0.95 * len(plan.who) < shared(plan) <= len(plan.who)


def test_what_is_alone_today_is_judged_again_by_later_work_only():
    """Here later work could not share as much as power 2 asks for."""
    found, _whole = begun(1, 0.8, double=0.6, at_once=True)
    plan = continued(found, 2.0, np.random.default_rng(1))
    assert same_outputs(taken(plan, np.arange(len(found.who)))) == same_outputs(found)
    assert (np.bincount(plan.text)[plan.text[len(found.who) :]] > 1).mean() > 0.95


@pytest.mark.parametrize(("at_once", "power"), [(True, 1.0), (False, 2.0)])
def test_growth_is_learned_of_both_halves(at_once, power):
    found = [growth(begun(seed, 0.5, at_once=at_once)[0]) for seed in range(10)]
    assert np.mean(found) == pytest.approx(power, abs=0.1)


def test_growth_by_hand():
    """Of 8 judgments 6 share an output, of the first 4 only 2: log2((6 + 8) / (2 + 4))."""
    output = np.array([0, 0, 1, 2, 1, 2, 3, 4])
    none = np.full(8, np.nan)
    found = Columns(np.arange(8), output, np.arange(8.0), none, none)
    assert growth(found) == pytest.approx(np.log2(14 / 6))
    backwards = taken(found, np.arange(8)[::-1])
    assert growth(backwards) == growth(found)
    first = taken(found, np.array([0, 1, 2, 3, 6, 7]))  # a pair, and then four that are alone
    assert growth(first) == 1  # no fewer than as all judgments do
    alone = Columns(np.arange(8), np.arange(8), np.arange(8.0), none, none)
    assert growth(alone) == 1
    assert growth(taken(found, np.arange(1))) == 1


def test_people_go_on_beside_other_people():
    found = crowd(1, people=40, each=5)
    plan = continued(found, 1.0, np.random.default_rng(1))
    beside = _beside(plan)
    assert len(beside) > 3 * len(beside & _beside(found)) > 0


def _beside(found):
    return {
        (one, other)
        for output in np.unique(found.output)
        for one in found.who[found.output == output].tolist()
        for other in found.who[found.output == output].tolist()
        if one < other
    }


def test_a_part_of_a_large_campaign_has_as_many_shared_judgments():
    found, _whole = begun(2, 1.0, people=ceil(MOST_ROWS / 10))
    part = sampled(found, np.random.default_rng(2))
    assert MOST_ROWS - 25 < len(part.who) <= MOST_ROWS
    assert shared(part) / len(part.who) == pytest.approx(shared(found) / len(found.who), abs=0.01)
    assert len(set(pairs_of(part))) == len(pairs_of(part))
    busy = replace(found, annotator=np.where(np.arange(len(found.who)) % 10, found.annotator, 0))
    part = sampled(busy, np.random.default_rng(2))
    assert part.judgments.max() == MOST_JUDGMENTS < busy.judgments.max()
    few, _whole = begun(2, 1.0, people=30)
    assert sampled(few, np.random.default_rng(2)) is few
