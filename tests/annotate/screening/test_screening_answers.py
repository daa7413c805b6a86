"""Agreement, variation and dice: formulas by another way, and who may be a yardstick."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm, rankdata, t

from annotate.screening import Settings
from annotate.screening import agreement as likelihood
from annotate.screening.agreement import LOW_AGREEMENT, SameOutputs, ratios
from annotate.screening.patterns import RANDOM_ANSWERS
from annotate.screening.screens import run
from annotate.screening.uniform import NO_VARIATION
from tests.annotate.screening.columns import SMALL, columns, crowd, rescored, verdict


def test_comparisons_by_pairs():
    found = crowd(1, people=6, each=8)
    same = SameOutputs.of(found)
    said = ratios(same, np.ones(same.who.size))
    scores = [norm.ppf((rankdata(a) - 0.5) / a.size) for a in found.answers.T]
    z = np.column_stack([a - a.mean() for a in scores])
    z /= z.std(axis=0)
    for person in range(6):
        mine = found.annotator == person
        z[mine] -= z[mine].sum(axis=0) / (mine.sum() + 6)  # their level, less sure of few
    shrunk = (z.T @ z + 60 * (z**2).mean() * np.eye(3)) / (len(z) + 60)
    z = np.linalg.solve(np.linalg.cholesky(shrunk), z.T).T  # another root of the same
    _values, vectors = np.linalg.eigh(z.T @ z)
    partner = [
        next((k for k in np.flatnonzero(found.output == o) if k != t), None)
        for t, o in enumerate(found.output)
    ]
    assert None not in partner
    assert said.shared.all()
    z = z @ vectors  # which turns it to the same directions, but for their signs
    other = z[partner]
    share = np.maximum((z * other).sum(axis=0) / (len(z) + 60), 0)  # nearer 0 while data are few
    assert same.rows.tolist() == list(range(len(z)))
    assert said.x == pytest.approx((z * other) @ share)
    assert said.v == pytest.approx(other**2 @ share**2)


def test_the_usual_annotator_agrees_as_usual_and_a_contrary_one_does_not():
    found = crowd(2, each=60)
    mine = found.answers[found.annotator == 4]
    usual, contrary = (verdict(LOW_AGREEMENT, rescored(found, 4, s * mine), 4) for s in (1, -1))
    assert not usual.flagged
    assert 0.6 < usual.value < 1.4
    assert contrary.flagged
    assert contrary.value < 0
    assert contrary.high < contrary.threshold


def test_answers_of_other_outputs_agree_by_chance_whatever_their_shares():
    rng, values = np.random.default_rng(5), []
    for seed in range(30):
        found = crowd(seed, each=30)
        mine = found.answers[found.annotator == 4]
        values.append(verdict(LOW_AGREEMENT, rescored(found, 4, rng.permutation(mine)), 4).value)
    assert abs(np.mean(values)) < 4 * np.std(values) / 30**0.5


def test_seven_comparisons_are_too_few_to_speak_of_agreement():
    found = rescored(
        crowd(2, each=60), 4, -crowd(2, each=60).answers[crowd(2, each=60).annotator == 4]
    )
    mine = np.flatnonzero(found.annotator == 4)
    lone = found.output.copy()
    lone[mine[7:]] = 10_000 + np.arange(mine.size - 7)
    cut = verdict(LOW_AGREEMENT, replace(found, output=lone), 4)
    assert (cut.n, cut.enough, cut.flagged) == (7, False, False)


def test_where_nobody_agrees_less_than_usual_means_nothing():
    found = crowd(2, each=40)
    rng = np.random.default_rng(0)
    for who in range(12):
        mine = found.answers[found.annotator == who]
        found = rescored(found, who, rng.permutation(mine))
    answers = run(LOW_AGREEMENT, found, SMALL)
    assert min(v.n for v in answers) >= 8
    assert not any(v.enough for v in answers)


def test_the_interval_by_hand_where_all_comparisons_count_alike(monkeypatch):
    monkeypatch.setattr(likelihood, "ROUNDS", 0)
    # z is ±1 throughout, so with an agreement of w, v = w² for each of 12 comparisons, and x = ±w.
    signs = np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1.0])
    theirs = np.tile([1.0, -1.0], 30)
    who = np.r_[np.repeat(np.arange(5), 12), np.repeat(np.arange(5, 10), 12)]
    scores = np.r_[theirs, theirs]
    scores[:12] = theirs[:12] * signs
    scores[36:40] *= -1  # four of another's, to keep each answer as frequent as the other
    output = np.tile(np.arange(60), 2)
    found = verdict(LOW_AGREEMENT, columns(who, scores[:, None], output=output), 0)
    slope = (9 - 3) / 12
    squares = (9 * (1 - slope) ** 2 + 3 * (1 + slope) ** 2) / 12
    usual_slope = (6 + 2 * 4 + 6 * 12) / (9 * 12)
    assert found.value == pytest.approx(slope / usual_slope, abs=0.05)
    # Everybody's spread: of the ten, two pairs of people have 3 and 4 of 12 answers crossed.
    two = [(12 - k) * (2 * k / 12) ** 2 + k * (2 - 2 * k / 12) ** 2 for k in (3, 4)]
    usual = 2 * sum(two) / 120
    error = ((12 * squares + 8 * usual) / 20 * 12) ** 0.5 / 12
    expected = t.ppf(0.99, 12 + 8 - 1) * error / usual_slope
    assert found.high - found.value == pytest.approx(expected, rel=0.02)


def test_an_output_on_which_the_others_are_in_the_middle_counts_nothing():
    # Person 0 answers at will; 1 and 2 judge 16 outputs, of which the last 8 all in the middle.
    theirs = np.r_[np.tile([-1.0, 1.0], 4), np.zeros(8)]
    who, output = np.repeat([0, 1, 2], 16), np.tile(np.arange(16), 3)
    found = columns(who, np.r_[theirs, theirs, theirs][:, None], output=output)
    v = ratios(SameOutputs.of(found), np.ones(len(found.who))).v
    assert v[:8].min() > 0
    assert v[8:16].max() == pytest.approx(0)


def test_whoever_answers_always_the_same_is_found():
    found = rescored(crowd(3), 4, [1, 1, 1])
    assert verdict(NO_VARIATION, found, 4).flagged
    assert verdict(NO_VARIATION, found, 4).numbers["modal_share"] == 1


WHOLE = Settings.from_dict({**SMALL.to_dict(), "flags": {"recent": 100}})


def test_the_order_of_arrival_makes_runs():
    base = crowd(3)
    mine = np.flatnonzero(base.annotator == 4)
    n = mine.size
    by_time = mine[np.argsort(base.order[mine])]
    for pattern, longest in ((np.arange(n) % 2, 1), (np.arange(n) < n // 2, n - n // 2)):
        scores = {name: column.copy() for name, column in base.scores.items()}
        for column in scores.values():
            column[by_time] = np.where(pattern, 1.0, 0.0)
        found = verdict(NO_VARIATION, replace(base, scores=scores), 4, WHOLE)
        assert found.numbers["longest_run"] == longest


def test_uniform_people_neither_excuse_each_other_nor_accuse_the_others():
    found = crowd(6, people=14, each=26)
    for who in range(5):
        found = rescored(found, who, [1, 1, 1])
    fires = {v.annotator for v in run(NO_VARIATION, found, SMALL) if v.flagged}
    assert fires == set(range(5))
    assert not any(v.flagged for v in run(RANDOM_ANSWERS, found, SMALL))
    believed = replace(SMALL, crowd=SMALL.crowd.model_copy(update={"uniform_minimum": 1000}))
    assert not any(v.flagged for v in run(NO_VARIATION, found, believed))


def test_where_everybody_is_uniform_nobody_is_accused():
    found = crowd(6)
    for who in range(12):
        found = rescored(found, who, [1, 1, 1])
    assert not any(v.enough for v in run(NO_VARIATION, found, SMALL))


def test_varied_answers_are_not_taken_for_dice():
    """With one large correlation within people, several in a hundred of these were."""
    odds = [v.value for seed in range(40) for v in run(RANDOM_ANSWERS, crowd(seed), SMALL)]
    assert len(odds) == 480
    assert max(odds) < np.log10(300)


def test_people_who_dice_do_not_excuse_each_other():
    found, rng = crowd(9, people=24, each=22), np.random.default_rng(1)
    for who in range(7):
        dice = rng.integers(-1, 2, ((found.annotator == who).sum(), 3))
        found = rescored(found, who, dice)
    likely = {v.annotator for v in run(RANDOM_ANSWERS, found, SMALL) if v.evidence > 1}
    assert likely == set(range(7))
