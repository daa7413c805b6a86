"""Cut-offs from simulated honest people: what they depend on, and what they keep."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.screening import Highlights, Settings, screen_all
from annotate.screening import calibration as calibrating
from annotate.screening.base import PAUSED, Cutoffs, last, taken
from annotate.screening.calibration import Honest, calibrated, cutoff, sampled
from tests.annotate.screening.columns import crowd


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(calibrating, "PEOPLE", 60)


@pytest.mark.slow
def test_the_same_campaign_has_the_same_cutoffs(quick):
    found = crowd(5)
    first = calibrated(found, Settings())
    assert calibrated(found, Settings()) == first
    assert Cutoffs.from_dict(first.to_dict()) == first


def test_nobody_is_paused_who_would_not_be_listed(quick):
    found = calibrated(crowd(5), Settings())
    assert all(0 < listed <= paused for listed, paused in found.of.values())


@pytest.mark.slow
def test_a_stricter_share_moves_cutoffs_up(quick):
    strict = Settings.from_dict({"flags": {"listed": 0.001, "paused": 0.0001}})
    usual, more = (calibrated(crowd(5), one) for one in (Settings(), strict))
    assert all(more.listed(name) >= at for name, (at, _paused) in usual.of.items())
    assert more.listed("own_consistency") > usual.listed("own_consistency")


def test_where_few_people_work_nothing_is_simulated(monkeypatch):
    monkeypatch.setattr(calibrating, "simulated", lambda *_all: pytest.fail("it was simulated"))
    found = calibrated(crowd(5, people=4), Settings())
    assert found.listed("too_fast") == pytest.approx(-np.log10(0.00025))


def test_a_share_of_the_simulated_people_pass():
    evidence = -np.log10((np.arange(20_000) + 0.5) / 20_000)
    at = cutoff("too_fast", evidence, 0.01)
    assert (evidence > at).mean() == pytest.approx(0.01, abs=0.0002)


def test_the_tail_is_extrapolated_as_logarithms_of_probabilities_fall():
    evidence = -np.log10((np.arange(20_000) + 0.5) / 20_000)
    assert cutoff("too_fast", evidence, 0.00001) == pytest.approx(5.0, abs=0.1)


def test_a_probability_is_believed_no_more_than_it_says_and_a_ratio_as_the_simulation_says():
    evidence = -np.log10((np.arange(20_000) + 0.5) / 20_000) / 2
    assert cutoff("low_agreement", evidence, 0.001) == pytest.approx(1.5, abs=0.1)
    assert cutoff("too_fast", evidence, 0.001) == pytest.approx(3.0)
    assert 10 ** cutoff("low_agreement", np.zeros(1000), 0.001) == pytest.approx(3, abs=0.2)


@settings(max_examples=20, deadline=None)
@given(criteria=st.integers(1, 8), levels=st.integers(2, 7), seed=st.integers(0, 99))
def test_simulated_answers_have_the_campaign_s_levels_and_shares(criteria, levels, seed):
    rng = np.random.default_rng(seed)
    base = crowd(3, people=12, each=30)
    share = rng.dirichlet(np.full(levels, 3.0))
    scores = {f"c{c}": rng.choice(levels, len(base.who), p=share) * 1.0 for c in range(criteria)}
    found = replace(base, scores=scores, levels=tuple(np.arange(levels) * 1.0))
    drawn = Honest.fitted(found, np.ones(12, bool), np.ones(len(found.who))).campaign(found, rng)
    assert drawn.answers.shape == found.answers.shape
    assert np.isin(drawn.answers, found.answers).all()
    assert np.abs(drawn.answers.mean(axis=0) - found.answers.mean(axis=0)).max() < levels / 3
    assert drawn.annotator.tolist() == found.annotator.tolist()


def test_a_large_campaign_is_simulated_by_some_of_its_people(monkeypatch):
    monkeypatch.setattr(calibrating, "MOST_ROWS", 100)
    found = crowd(5)
    some = sampled(found, np.random.default_rng(1))
    assert len(some.who) <= 100
    each = dict(zip(found.people.tolist(), found.judgments.tolist(), strict=True))
    assert all(
        n == each[person]
        for person, n in zip(some.people.tolist(), some.judgments.tolist(), strict=True)
    )
    assert (np.bincount(some.text) <= 2).all()


def test_a_person_s_last_judgments_are_their_newest():
    found = crowd(2, people=6, each=12)
    recent = last(found, 5)
    for person in found.people:
        mine = np.sort(found.order[found.annotator == person])[-5:]
        assert np.sort(recent.order[recent.annotator == person]).tolist() == mine.tolist()


def test_a_screen_that_only_lists_pauses_nobody():
    columns = crowd(3)
    fast = replace(columns, seconds=np.where(columns.who < 3, 1.5, columns.seconds))
    chosen = Settings.from_dict({"flags": {"list_only": ["too_fast"]}})
    assert {0, 1, 2} <= _paused(fast, Settings())
    assert not {0, 1, 2} & _paused(fast, chosen)
    off = Settings.from_dict({"flags": {"off": ["too_fast"]}})
    assert "too_fast" not in {v.screen for v in screen_all(fast, off)}


def _paused(columns, chosen):
    found = screen_all(columns, chosen, Cutoffs({}, (2.0, 2.0)))
    return {verdict.annotator for verdict in found if verdict.tier == PAUSED}


def test_a_look_at_some_judgments_keeps_their_highlights():
    words = [frozenset({k}) for k in range(8)]
    marked = Highlights(np.arange(0, 24, 3), np.zeros(8, int), words, np.full(8, 9))
    found = replace(crowd(2, people=6, each=4), highlights=marked)
    some = taken(found, np.arange(3, 15))
    assert some.highlights is not None
    assert some.highlights.judgment.tolist() == [0, 3, 6, 9]
    assert [set(one) for one in some.highlights.tokens] == [{1}, {2}, {3}, {4}]


def test_what_earlier_versions_stored_is_read_and_does_nothing():
    old = {
        "flags": {"list_only": ["several_signs"]},
        "together": {"sum": 8.0, "minimum": 8},
        "patterns": {"odds": 100, "slips": 0.1, "per_combination": 10, "information": 0.05},
    }
    read = Settings.from_dict(old)
    assert read.to_dict()["patterns"] == {"odds": 100, "minimum": 8}
    assert "several_signs" not in {v.screen for v in screen_all(crowd(3), read)}
