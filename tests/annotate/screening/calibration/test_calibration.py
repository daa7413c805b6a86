"""Cut-offs from simulated honest people: what they depend on, and what they keep."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from annotate.screening import Highlights, Settings, screen_all
from annotate.screening.agreement.finding import belief
from annotate.screening.base import PAUSED
from annotate.screening.calibration import calibrated, calibrating
from annotate.screening.calibration.answering import Answering
from annotate.screening.calibration.tails import (
    DECADE,
    LEAST_RATIO,
    cutoff,
    least_cutoff,
    listing,
)
from annotate.screening.cutoffs import NOMINAL, Cutoffs
from annotate.screening.joining import last, taken
from annotate.screening.running import findings
from bench.screening import crowds, table
from bench.screening.campaigns import Design
from tests.annotate.screening.columns import SMALL, crowd


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(calibrating, "HISTORIES", 60)


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
def test_a_stricter_share_moves_every_cutoff_up(quick):
    strict = Settings.from_dict({"flags": {"listed": 0.001, "paused": 0.0001}})
    usual, more = (calibrated(crowd(5), one) for one in (Settings(), strict))
    assert all(more.listed(name) > usual.listed(name) for name in ("own_consistency", "too_fast"))


def test_the_tail_is_extrapolated_as_logarithms_of_probabilities_fall():
    chances = -np.log10((np.arange(20_000) + 0.5) / 20_000)
    assert cutoff(chances, 0.01, 2.0, DECADE) == pytest.approx(2.0, abs=0.01)
    assert cutoff(chances, 0.00001, 5.0, DECADE) == pytest.approx(5.0, abs=0.1)


@pytest.mark.parametrize("some", [5, 10, 30, 39, 40, 41, 200])
def test_a_tail_that_begins_far_above_nothing_is_no_longer_for_it(some):
    """Few people have any evidence, and whoever has some has at least 1."""
    evidence = np.zeros(2000)
    evidence[:some] = 1 - np.log10((np.arange(some) + 0.5) / some)
    passing = 0.1 * some / 2000
    assert cutoff(evidence, passing, 0.5, DECADE) == pytest.approx(2.0, abs=0.2)


@settings(max_examples=20, deadline=None)
@given(criteria=st.integers(1, 8), levels=st.integers(2, 7), seed=st.integers(0, 99))
def test_simulated_answers_have_the_campaign_s_levels_and_shares(criteria, levels, seed):
    rng = np.random.default_rng(seed)
    base = crowd(3, people=12, each=30)
    share = rng.dirichlet(np.full(levels, 3.0))
    scores = {f"c{c}": rng.choice(levels, len(base.who), p=share) * 1.0 for c in range(criteria)}
    found = replace(base, scores=scores, levels=tuple(np.arange(levels) * 1.0))
    model = Answering.fitted(found, np.ones(12, bool), np.ones(len(found.who)))
    drawn = model.answers(found, model.reasons(found, rng), np.ones(len(found.who)))
    assert drawn.shape == found.answers.shape
    assert np.isin(drawn, found.answers).all()
    assert np.abs(drawn.mean(axis=0) - found.answers.mean(axis=0)).max() < levels / 3


def test_a_person_s_last_judgments_are_their_newest():
    found = crowd(2, people=6, each=12)
    recent = last(found, 5)
    for person in found.people:
        mine = np.sort(found.order[found.annotator == person])[-5:]
        assert np.sort(recent.order[recent.annotator == person]).tolist() == mine.tolist()


def test_nothing_is_flagged_by_sums_before_they_are_calibrated():
    assert NOMINAL.listed("several_signs") > 50


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize("study", ["rating 1×5", "rating 4×5", "rating 8×7"])
def test_few_honest_people_are_listed_and_hardly_any_paused(study):
    """Refuted by what the promises, 2 % and .17 %, would bring about in one run of a hundred."""
    people = listed = paused = 0
    for seed in range(3):
        tally = table.one((study, "usual", 120, seed, True))
        people += 120
        listed += len(tally.first["listed"]) + tally.bystanders["listed"]
        paused += len(tally.first["paused"]) + tally.bystanders["paused"]
    print(f"{listed} listed and {paused} paused of {people} honest people")
    assert binom.sf(listed - 1, people, 0.02) >= 0.01
    assert binom.sf(paused - 1, people, 0.0017) >= 0.01


@pytest.mark.slow
@pytest.mark.simulation
def test_who_becomes_fast_later_is_found_in_the_last_judgments():
    tally = table.one(("rating 4×5", "fast after 10", 120, 0, True))
    assert tally.by("listed", 25) >= 0.8 * tally.people


@pytest.mark.slow
@pytest.mark.simulation
def test_careless_people_in_the_data_hardly_hide_themselves():
    """A fifth answer upside down; cut-offs from such a campaign still find most of them."""
    tally = table.one(("language quality", "mirrored scale", 120, 1, True))
    assert tally.by("listed", 25) >= 0.6 * tally.people


def test_a_screen_that_only_lists_pauses_nobody():
    rng = np.random.default_rng(0)
    columns = crowds.drawn("rating 4×5", Design(people=20), [crowds.USUAL] * 20, rng)
    fast = replace(columns, seconds=np.where(columns.who < 3, 1.5, columns.seconds))
    chosen = Settings.from_dict({"flags": {"list_only": ["too_fast", "several_signs"]}})
    tiers = {
        name: _paused(fast, chosen_)
        for name, chosen_ in (("usual", Settings()), ("list only", chosen))
    }
    assert {0, 1, 2} <= tiers["usual"]
    assert not {0, 1, 2} & tiers["list only"]
    off = Settings.from_dict({"flags": {"off": ["too_fast"]}})
    assert "too_fast" not in {v.screen for v in screen_all(fast, off)}


def test_a_look_at_some_judgments_keeps_their_highlights():
    words = [frozenset({k}) for k in range(8)]
    marked = Highlights(np.arange(0, 24, 3), np.zeros(8, int), words, np.full(8, 9))
    found = replace(crowd(2, people=6, each=4), highlights=marked)
    some = taken(found, np.arange(3, 15))
    assert some.highlights is not None
    assert some.highlights.judgment.tolist() == [0, 3, 6, 9]
    assert [set(one) for one in some.highlights.tokens] == [{1}, {2}, {3}, {4}]


def _paused(columns, chosen):
    found = screen_all(columns, chosen, Cutoffs({}, (2.0, 2.0)))
    return {verdict.annotator for verdict in found if verdict.tier == PAUSED}


def test_a_likelihood_ratio_is_as_rare_as_the_simulation_says():
    """It falls off faster than logarithms of probabilities do, and its cut-off is lower."""
    evidence = -np.log10((np.arange(20_000) + 0.5) / 20_000) / 2
    share = 0.0001
    ratio, chance = (
        cutoff(evidence, share, *listing(screen, share)) for screen in ("low_agreement", "too_fast")
    )
    assert ratio == pytest.approx(2.0, abs=0.1)
    assert chance >= 4.0  # by its own evidence, one look passes more people
    assert least_cutoff("low_agreement", share) == LEAST_RATIO


def test_nobody_is_listed_for_less_than_three_times_as_likely_careless():
    """Before anything is compared, the simulation finds nothing, and later more is compared."""
    none = np.zeros(1000)
    listed = cutoff(none, 0.001, *listing("low_agreement", 0.001))
    assert 10**listed == pytest.approx(3, abs=0.2)


@pytest.mark.parametrize(("screen", "usable"), [("low_agreement", False), ("too_fast", True)])
def test_whoever_is_ten_times_likelier_careless_is_no_model_of_honest_people(
    screen, usable, monkeypatch
):
    """Evidence of 1.5 is a ratio of 30, and a probability that is not rare among sixty people."""
    found = crowd(3, people=20, each=30)
    said = [
        replace(one, evidence=np.where((one.people == 4) & (one.screen == screen), 1.5, 0.0))
        for one in findings(found, SMALL)
    ]
    monkeypatch.setattr(calibrating, "findings", lambda *_given: said)
    assert calibrating._usable(found, SMALL)[4] == usable
    assert calibrating._usable(found, SMALL).sum() == 19 + usable


@pytest.mark.parametrize("kind", ["random (usual answers)", "mirrored scale"])
def test_careless_people_do_not_make_the_simulated_ones_disagree(kind):
    """Honest people of ratings of four criteria have .35 of the variance in common."""
    rng = np.random.default_rng(3)
    limits, items = Settings().crowd, {"weighed": [], "plain": []}
    for _ in range(3):
        found, _mine = table.campaign("rating 4×5", kind, 120, rng)
        everybody, ones = np.ones(120, bool), np.ones(len(found.who))
        for name, weight in (("weighed", belief(found, limits)), ("plain", ones)):
            model = Answering.fitted(found, everybody, weight)
            items[name] += [question.item for question in model.kinds.values()]
    assert np.mean(items["weighed"]) > np.mean(items["plain"]) + 0.05
    assert np.mean(items["weighed"]) == pytest.approx(0.35, abs=0.08)
