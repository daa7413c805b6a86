"""How far people are believed as a yardstick of others: as far as they agree elsewhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.screening import Settings
from annotate.screening.agreement import finding
from annotate.screening.agreement.finding import (
    AgreementThresholds,
    comparisons,
    credit,
    find,
)
from annotate.screening.agreement.screen import LOW_AGREEMENT
from annotate.screening.running import run
from bench.screening import table
from tests.annotate.screening.columns import SMALL, crowd, rescored

TASKS = 30


def upside_down(seed, few):
    """A campaign of 20 people, the first of whom turn the scale round."""
    found = crowd(seed, people=20, each=TASKS)
    for who in range(few):
        found = rescored(found, who, -found.answers[found.annotator == who])
    return found


def test_credit_by_hand():
    who = np.repeat([0, 1], 3)
    x, v = np.array([1.0, 1, 1, 0, 0, -1]), np.ones(6)
    near = np.array([True, True])
    usual = 2 / 6
    said = credit(who, x, v, near)
    rest = np.array([2, 2, 2, -1, -1, 0])  # what each says on its person's other outputs
    expected = (rest + 5 * usual) / (2 + 5) / usual
    assert expected.max() > 1  # more than usual is believed as usual is
    assert said == pytest.approx(np.clip(expected, 0, 1))
    assert credit(who, x, v, np.array([True, False]))[3:].tolist() == [0, 0, 0]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), row=st.integers(0, 39), more=st.floats(-3, 3))
def test_nobody_is_believed_for_what_they_say_of_the_same_output(seed, row, more):
    """A judgment that moves what is usual not at all changes credit on other outputs alone."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(4), 10)
    x, v, near = rng.normal(0.5, 1, 40), rng.random(40) + 0.1, np.ones(4, bool)
    x += 40 / v.sum() if x.sum() < 5 else 0
    moved = x.copy()
    moved[row] += more
    moved[(row + 10) % 40] -= more  # somebody else's, so the sum remains
    before, after = credit(who, x, v, near), credit(who, moved, v, near)
    assert after[row] == pytest.approx(before[row], abs=1e-9)


def test_who_answers_upside_down_is_hardly_believed():
    found = upside_down(1, 4)
    x, v, _shared = comparisons(found, np.ones(len(found.who)))
    said = credit(found.who, x, v, np.ones(20, bool))
    mean = np.bincount(found.who, said) / TASKS
    assert mean[:4].max() < 0.3
    assert np.median(mean[4:]) > 0.7


def test_people_who_answer_upside_down_hide_each_other_less_if_they_are_not_believed(monkeypatch):
    campaigns = [upside_down(seed, 5) for seed in range(4)]

    def usual():
        answers = [v for one in campaigns for v in run(LOW_AGREEMENT, one, SMALL)]
        return np.median([v.evidence for v in answers if v.annotator < 5])

    weighed = usual()
    monkeypatch.setattr(finding, "credit", lambda who, _x, _v, near: 1.0 * near[who])
    assert weighed > 1.3 * usual()


def test_the_best_answer_over_and_over_is_no_sign_of_chance(monkeypatch):
    """Lenient people follow the others where their scale allows it, which is seldom."""
    campaigns = [lenient(seed, 3) for seed in range(4)]

    def most():
        answers = [v for one in campaigns for v in run(LOW_AGREEMENT, one, SMALL)]
        return np.mean([v.evidence for v in answers if v.annotator < 3])

    allowed = most()
    monkeypatch.setattr(finding, "variety", lambda columns: np.ones(columns.people.size))
    assert allowed < 0.8 * most()


def test_who_answers_upside_down_is_found_once_people_are_believed_anew(monkeypatch):
    """A fifth of 120 people who have ten comparisons each: two rounds leave many of them hidden."""
    rng = np.random.default_rng(7)
    campaigns = [table.campaign("rating 4×5", "mirrored scale", 120, rng) for _ in range(6)]

    def usual():
        found = [
            find(one, AgreementThresholds(), Settings().crowd).evidence[mine]
            for one, mine in campaigns
        ]
        return np.median(found)

    often = usual()
    monkeypatch.setattr(finding, "_ROUNDS", 2)
    assert often > 1.03 * usual()


def lenient(seed, few):
    """A campaign of 20 people, of whom the first call the middle good and half of the bad too."""
    found = crowd(seed, people=20, each=TASKS)
    rng = np.random.default_rng(seed)
    for who in range(few):
        own = found.answers[found.annotator == who]
        kind = (own == 0) | (rng.random((len(own), 1)) < 0.5)
        found = rescored(found, who, np.where(kind, 1.0, own))
    return found
