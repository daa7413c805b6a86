"""Honest people are simulated beside as many careless ones as the campaign seems to have."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from annotate.screening import Settings
from annotate.screening.agreement.finding import belief, kinds_of_people
from annotate.screening.calibration import calibrated, calibrating
from annotate.screening.calibration.answering import Answering, LatentQuestion
from annotate.screening.calibration.honest import Honest
from bench.screening import table
from tests.annotate.screening.columns import crowd

CROWD = Settings().crowd


def together(z, who, one, other):
    """The mean product of what two kinds of people say of one output; outputs are two rows each."""
    product = z[::2].mean(axis=1) * z[1::2].mean(axis=1)
    first, second = who[::2], who[1::2]
    both = (np.isin(first, one) & np.isin(second, other)) | (
        np.isin(first, other) & np.isin(second, one)
    )
    return product[both].mean()


def test_who_does_not_look_is_related_to_nobody_and_upside_down_the_other_way():
    rng = np.random.default_rng(4)
    found = crowd(3, people=30, each=400)
    order = np.argsort(found.output, kind="stable")
    model = Answering.fitted(found, np.ones(30, bool), np.ones(len(found.who)))
    careful, unseen, turned = np.arange(10), np.arange(10, 20), np.arange(20, 30)
    looking = np.repeat([1.0, 0.0, -1.0], 10)
    answers = model.answers(found, model.reasons(found, rng), looking[found.who])[order]
    z, who = (answers - answers.mean(axis=0)) / answers.std(axis=0), found.who[order]
    agree = together(z, who, careful, careful)
    assert agree > 0.2
    assert together(z, who, careful, turned) == pytest.approx(-agree, abs=0.08)
    assert together(z, who, turned, turned) == pytest.approx(agree, abs=0.08)
    for others in (careful, unseen, turned):
        assert together(z, who, unseen, others) == pytest.approx(0, abs=0.08)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 99),
    item=st.floats(0, 0.95),
    person=st.floats(0, 0.95),
    look=st.floats(-5, 5),
)
def test_answers_are_as_frequent_however_well_people_look(seed, item, person, look):
    """The shares are those of a normal scale of variance 1, and nothing is undefined."""
    rng = np.random.default_rng(seed)
    found = crowd(3, people=40, each=50)
    question = LatentQuestion(np.arange(3.0), norm.ppf([0.3, 0.7]), item, min(person, 1 - item))
    model = Answering(dict.fromkeys(range(3), question), np.eye(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = model.answers(found, model.reasons(found, rng), np.full(len(found.who), look))
    # Of 40 people, whose answers may all be one each.
    assert (answers == 1).mean() == pytest.approx(0.4, abs=5 * (0.4 * 0.6 / 120) ** 0.5)


def test_who_looks_better_agrees_more():
    rng = np.random.default_rng(4)
    found = crowd(3, people=30, each=400)
    order = np.argsort(found.output, kind="stable")
    model = Answering.fitted(found, np.ones(30, bool), np.ones(len(found.who)))
    look = np.repeat([1.3, 1.0, 0.7], 10)[found.who]
    answers = model.answers(found, model.reasons(found, rng), look)[order]
    z, who = (answers - answers.mean(axis=0)) / answers.std(axis=0), found.who[order]
    better, usual, worse = (together(z, who, kind, kind) for kind in np.arange(30).reshape(3, 10))
    assert better > 1.3 * usual > 1.3 * 1.3 * worse > 0


def test_careless_answers_are_as_frequent_as_careful_ones():
    rng = np.random.default_rng(4)
    found = crowd(3, people=30, each=400)
    model = Answering.fitted(found, np.ones(30, bool), np.ones(len(found.who)))
    look = np.repeat([1.0, 0.0, -1.0], 10)[found.who]
    answers = model.answers(found, model.reasons(found, rng), look)
    for level in (-1.0, 0.0, 1.0):
        share = [(answers[found.who // 10 == kind] == level).mean() for kind in range(3)]
        assert share == pytest.approx([share[0]] * 3, abs=0.06)


def test_only_honest_people_are_counted(monkeypatch):
    """Here the evidence on a person is whether they looked at the outputs, and how well."""
    drawn = Honest.campaign
    seen = []

    def noted(self, plan, looking, rng):
        seen.append(looking)
        return drawn(self, plan, looking, rng)

    monkeypatch.setattr(Honest, "campaign", noted)
    monkeypatch.setattr(calibrating, "most_evidence", lambda *_given: {"low_agreement": seen[-1]})
    monkeypatch.setattr(calibrating, "shares", lambda *_given: np.array([0.5, 0.3, 0.2]))
    monkeypatch.setattr(calibrating, "HISTORIES", 200)
    monkeypatch.setattr(calibrating, "uniform", lambda *_given: np.zeros(0))
    found = calibrating._simulated(crowd(5), Settings(), np.random.default_rng(1))
    looked = found.most["low_agreement"]
    assert looked.min() > 0.5
    assert looked.mean() == pytest.approx(1, abs=0.03)
    assert looked.std() == pytest.approx(calibrating.CARE, rel=0.3)
    assert 200 <= len(found.most["low_agreement"]) == len(found.part) < 212
    shares = [(np.sign(np.concatenate(seen)) == kind).mean() for kind in (1, 0, -1)]
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=0.08)


def test_whoever_does_not_look_edits_what_is_really_bad():
    """Their edits follow what they would have answered, as in `random (usual answers)`."""
    rng = np.random.default_rng(2)
    found, _mine = table.campaign("language quality", "usual", 120, rng)
    model = Honest.fitted(found, np.ones(120, bool), np.ones(len(found.who)))
    made = model.campaign(found, np.repeat([1.0, 0.0, -1.0], 40), rng)
    slopes = []
    for kind in range(3):
        rows = (made.who // 40 == kind) & np.isfinite(made.edit_distance)
        bad = -made.answers[rows].mean(axis=1)
        slopes.append(np.polyfit(bad, np.log(made.edit_distance[rows]), 1)[0])
    assert slopes[0] > 0.5
    assert slopes[1] == pytest.approx(0, abs=0.3 * slopes[0])
    assert slopes[2] < -0.2 * slopes[0]


def test_if_people_had_looked_they_had_said_the_same_something_else_or_the_opposite():
    rng = np.random.default_rng(2)
    found = crowd(3, people=40, each=100)
    model = Answering.fitted(found, np.ones(40, bool), np.ones(len(found.who)))
    reasons = model.reasons(found, rng)
    look = np.repeat([1.2, 0.8, 0.0, -1.0], 10)[found.who]
    careful = model.careful(reasons, look, rng)
    assert careful.item is reasons.item
    assert careful.person is reasons.person
    for kind, same in ((1.2, 1.0), (0.8, 0.8), (0.0, 0.0), (-1.0, -1.0)):
        one, other = reasons.rest[look == kind].ravel(), careful.rest[look == kind].ravel()
        assert np.corrcoef(one, other)[0, 1] == pytest.approx(same, abs=0.05)
        assert other.std() == pytest.approx(1, abs=0.05)


def test_small_campaigns_are_simulated_a_few_times_only(monkeypatch):
    times = []
    monkeypatch.setattr(
        calibrating, "most_evidence", lambda campaign, _settings: times.append(campaign) or {}
    )
    calibrated(crowd(5, people=6), Settings())
    assert len(times) == calibrating.MOST_CAMPAIGNS


@pytest.mark.parametrize(("people", "simulated"), [(5, False), (6, True)])
def test_where_nobody_can_be_compared_nothing_is_simulated(people, simulated, monkeypatch):
    """Of five people, each has four others; five are the least."""
    called = []
    nothing = calibrating.MostEvidence({}, np.zeros((0, 2)), np.zeros(0))
    monkeypatch.setattr(calibrating, "_simulated", lambda *_given: called.append(1) or nothing)
    found = calibrated(crowd(5, people=people), Settings())
    assert bool(called) == simulated
    assert found.of == calibrating.ASSUMED
    assert found.listed("too_fast") > 3


@pytest.mark.parametrize(("kind", "place"), [("random (usual answers)", 1), ("mirrored scale", 2)])
def test_the_shares_of_careless_people_are_learned(kind, place):
    """A fifth are careless, and there are more of them than where everybody is honest."""
    shares = []
    for one in ("usual", kind):
        found, _mine = table.campaign("rating 8×7", one, 120, np.random.default_rng(2))
        shares.append(kinds_of_people(found, CROWD))
        assert shares[-1].sum() == pytest.approx(1)
        assert belief(found, CROWD).shape == found.who.shape
    assert shares[0][place] < 0.08 < shares[1][place] < 0.22
