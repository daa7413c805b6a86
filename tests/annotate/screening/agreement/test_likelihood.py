"""How likely answers are of careless and of careful people, and how far people are believed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from scipy.stats import binom, multivariate_normal, norm

from annotate.screening import Settings
from annotate.screening.agreement import likelihood
from annotate.screening.agreement.apart import Apart
from annotate.screening.agreement.finding import AgreementThresholds, find, unseen
from annotate.screening.agreement.likelihood import SameOutputs, believed, careless, ratios
from annotate.screening.agreement.screen import LOW_AGREEMENT
from annotate.screening.running import run
from bench.screening import table
from tests.annotate.screening.columns import SMALL, crowd, rescored

TASKS = 30
CROWD = Settings().crowd


def same(who, text, z, there=None, turning=True):
    """Judgments of z (D, S), each direction a kind of its own."""
    z = np.atleast_2d(z)
    z = z if there is None else np.where(there, z, np.nan)
    said = Apart(z.T, np.arange(len(z)), np.full(len(z), turning))
    return SameOutputs.said(np.asarray(who), np.asarray(text), said, np.arange(len(who)))


@pytest.fixture
def known(monkeypatch):
    """Return a function that fixes the agreement; nothing is wider than the model says."""
    monkeypatch.setattr(likelihood, "_overdispersion", lambda *_given: 1.0)

    def fix(share):
        def agreement(given, *_more, **_also):
            return np.full(given.directions.size, share)

        monkeypatch.setattr(likelihood, "_agreement", agreement)

    return fix


@pytest.mark.parametrize("others", [1, 2, 4])
@pytest.mark.parametrize("share", [0.1, 0.35, 0.7])
@pytest.mark.parametrize("belief", [0.3, 0.8, 1.0])
def test_they_are_those_of_the_multivariate_normal(others, share, belief, known):
    """By scipy's densities of one's own answer together with all others of the same output."""
    known(share)
    z = np.random.default_rng(others).normal(size=others + 1)
    found = ratios(same(np.arange(z.size), np.zeros(z.size, int), z), np.full(z.size, belief))
    careful = np.full((z.size, z.size), share * belief**2)
    careful[0] = careful[:, 0] = share * belief
    np.fill_diagonal(careful, 1.0)
    mirror = careful.copy()
    mirror[0, 1:] *= -1
    mirror[1:, 0] *= -1

    def density(covariance):
        return multivariate_normal(np.zeros(z.size), covariance).logpdf(z)

    alone = norm.logpdf(z[0]) + multivariate_normal(np.zeros(others), careful[1:, 1:]).logpdf(z[1:])
    assert found.unseen[0] == pytest.approx(alone - density(careful))
    assert found.mirrored[0] == pytest.approx(density(mirror) - density(careful))


def test_a_direction_in_which_somebody_says_nothing_says_nothing_of_them(known):
    known(0.4)
    who, text = [0, 1, 0, 1], [0, 0, 1, 1]
    z = np.array([[1.0, -1.0, 0.5, 0.5], [2.0, 0.0, 1.0, -1.0]])
    there = np.array([[True] * 4, [True, False, True, True]])
    both = ratios(same(who, text, z, there), np.ones(4))
    first = ratios(same(who, text, z[:1]), np.ones(4))
    assert both.unseen[:2] == pytest.approx(first.unseen[:2])
    assert both.mirrored[:2] == pytest.approx(first.mirrored[:2])
    assert both.mirrored[2] > first.mirrored[2]


def drawn(rng, outputs, share, directions=1):
    """Two careful people's answers to each output."""
    text = np.repeat(np.arange(outputs), 2)
    item = rng.normal(size=(directions, outputs))[:, text]
    return text, np.sqrt(share) * item + np.sqrt(1 - share) * rng.normal(size=item.shape)


def test_the_agreement_is_that_of_the_data_and_cautiously_a_standard_error_less(monkeypatch):
    monkeypatch.setattr(likelihood, "_UNRELATED", 0.0)
    rng, plain, cautious = np.random.default_rng(3), [], []
    for _ in range(300):
        text, z = drawn(rng, 200, 0.4)
        one = same(np.arange(text.size), text, z)
        others = likelihood._Others.of(one, np.ones(text.size))
        plain.append(likelihood._agreement(one, others, cautious=False)[0])
        cautious.append(likelihood._agreement(one, others, cautious=True)[0])
    error = np.std(plain)
    assert np.mean(plain) == pytest.approx(0.4, abs=4 * error / 300**0.5)
    # Both judgments of an output say the same, so of 400 there are 200.
    assert np.mean(plain) - np.mean(cautious) == pytest.approx(error / 2**0.5, rel=0.2)


def test_the_agreement_by_hand():
    """Two kinds of directions, three and one, and people who count for more and for less."""
    rng = np.random.default_rng(5)
    text, count = np.repeat(np.arange(40), 3), rng.uniform(-0.2, 1, 120)
    z = 0.8 * rng.normal(size=(4, 40))[:, text] + 0.6 * rng.normal(size=(4, 120))
    said = Apart(z.T, np.array([0, 1, 0, 0]), np.ones(4, bool))
    one = SameOutputs.said(np.arange(120), text, said, np.arange(120))
    for kind, alike in ((0, [0, 2, 3]), (1, [1])):
        product, weight = np.zeros(120), np.zeros(120)
        for j in range(120):
            for k in set(np.flatnonzero(text == text[j])) - {j}:
                product[j] += count[j] * count[k] * (z[alike, j] * z[alike, k]).sum()
                weight[j] += count[j] ** 2 * count[k] ** 2 * len(alike)
        error = np.sqrt(((product - product.sum() / weight.sum() * weight) ** 2).sum())
        usual = product.sum() / (weight.sum() + 60 * len(alike))
        others = likelihood._Others.of(one, count)
        plain, cautious = (
            likelihood._agreement(one, others, cautious=careful)[kind] for careful in (False, True)
        )
        assert 0.1 < plain == pytest.approx(usual)
        assert plain - cautious == pytest.approx(error / weight.sum())


@pytest.mark.parametrize("directions", [1, 4])
def test_a_ratio_is_rarer_among_careful_people_than_its_inverse(directions):
    """Markov's inequality, with the agreement from the same data."""
    rng = np.random.default_rng(directions)
    people, each = 2000, 10
    text, z = drawn(rng, people * each // 2, 0.4, directions)
    who = rng.permutation(np.repeat(np.arange(people), each))
    one = same(who, text, z)
    found = ratios(one, np.ones(who.size))
    odds = careless(*(one.of_people(part, people) for part in (found.unseen, found.mirrored)))
    for times in (3, 10, 30):
        passed = int((odds > np.log(times)).sum())
        assert binom.sf(passed - 1, people, 1 / times) >= 0.01


def test_answers_in_many_directions_that_err_together_count_less():
    """Ten times the same answer is no ten answers."""
    rng = np.random.default_rng(1)
    text, z = drawn(rng, 400, 0.4)
    who = np.tile(np.arange(40), 20)
    once = ratios(same(who, text, z), np.ones(who.size))
    often = ratios(same(who, text, np.repeat(z, 10, axis=0)), np.ones(who.size))
    assert often.mirrored == pytest.approx(once.mirrored, rel=0.2)


def test_who_is_not_believed_says_nothing_of_how_wide_the_campaign_is():
    rest, expected = np.array([3.0, 1.0, 50.0]), np.ones(3)
    wide = likelihood._overdispersion(rest, expected, np.array([1.0, -0.5, 0.0]))
    assert wide == pytest.approx((9 + 0.25) / 1.25)
    assert likelihood._overdispersion(rest / 9, expected, np.array([1.0, 1.0, 0.0])) == 1


def upside_down(seed, few):
    """A campaign of 20 people, the first of whom turn the scale round."""
    found = crowd(seed, people=20, each=TASKS)
    for who in range(few):
        found = rescored(found, who, -found.answers[found.annotator == who])
    return found


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), row=st.integers(0, 39), more=st.floats(0.5, 3))
def test_nobody_is_believed_for_what_they_say_of_the_same_output(seed, row, more):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(likelihood, "ROUNDS", 1)
        patch.setattr(likelihood, "_overdispersion", lambda *_given: 1.0)
        patch.setattr(likelihood, "_agreement", lambda *_given, **_more: np.array([0.4]))
        patch.setattr(likelihood, "_shares", lambda *_given: np.array(likelihood.KINDS))
        rng = np.random.default_rng(seed)
        text, z = drawn(rng, 20, 0.4)
        who = np.tile(np.arange(4), 10)
        moved = z.copy()
        moved[0, row] += more
        everybody = np.ones(4, bool)
        before, after = (believed(same(who, text, one), everybody).counted for one in (z, moved))
        mine = (who == who[row]) & (np.arange(who.size) != row)
        assert after[row] == pytest.approx(before[row], abs=1e-9)
        assert (after[mine] != before[mine]).all()


def test_who_answers_upside_down_counts_the_other_way_round():
    found = upside_down(1, 4)
    one = SameOutputs.of(found)
    said = believed(one, np.ones(20, bool)).counted
    mean = np.bincount(one.who, said, 20) / np.bincount(one.who, minlength=20)
    assert mean[:4].max() < -0.5
    assert np.median(mean[4:]) > 0.9


@st.composite
def one_turned(draw):
    """Answers (text, who, z) of four people, beliefs in them, and -1 where one of them answered."""
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    text, z = drawn(rng, 200, 0.4)
    who = np.tile(np.arange(4), 100)
    sign = np.where(who == draw(st.integers(0, 3)), -1.0, 1.0)
    return text, who, z, rng.uniform(0.2, 1, who.size), sign


@settings(max_examples=30, deadline=None)
@given(one_turned())
def test_answers_upside_down_say_as_much_as_the_same_answers_upright(found):
    text, who, z, belief, sign = found
    upright = ratios(same(who, text, z), belief, cautious=True)
    other = ratios(same(who, text, z * sign), belief * sign, cautious=True)
    rest = sign > 0
    assert np.abs(upright.unseen).max() > 0.01
    assert other.unseen[rest] == pytest.approx(upright.unseen[rest], abs=1e-12)
    assert other.mirrored[rest] == pytest.approx(upright.mirrored[rest], abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(one_turned())
def test_where_there_is_no_other_side_upside_down_is_careful(made):
    text, who, z, belief, sign = made
    one = same(who, text, z, turning=False)
    found, other = (ratios(one, each, cautious=True) for each in (belief, belief * sign))
    assert np.abs(found.unseen).max() > 0.01
    assert (found.mirrored == 0).all()
    assert other.unseen == pytest.approx(found.unseen, abs=1e-12)
    both = ratios(same(who, text, z), belief, cautious=True)
    assert found.unseen == pytest.approx(both.unseen, abs=1e-12)


def test_only_people_who_are_believed_are_somebody_to_be_compared_with():
    one = same(np.arange(6), [0, 0, 1, 1, 2, 2], np.ones(6))
    found = ratios(one, np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0]))
    assert found.shared.tolist() == [True, True, False, False, True, False]


def test_directions_with_and_without_another_side_are_summed(known):
    known(0.4)
    who, text = [0, 1], [0, 0]
    z = np.array([[1.0, -1.0], [2.0, 0.5]])
    first, second = (ratios(same(who, text, z[[k]], turning=not k), np.ones(2)) for k in (0, 1))
    turning = np.array([True, False])
    both = ratios(same(who, text, z, turning=turning), np.ones(2))
    assert both.unseen == pytest.approx(first.unseen + second.unseen)
    assert both.mirrored == pytest.approx(first.mirrored)


@settings(max_examples=50, deadline=None)
@given(kinds=st.lists(st.integers(0, 2), min_size=1, max_size=60))
def test_shares_of_people_who_leave_no_doubt_are_counted_beside_those_expected(kinds):
    sure = np.where(np.arange(3)[:, None] == np.array(kinds), 0.0, -200.0)
    expected = np.bincount(kinds, minlength=3) + 20 * np.array([0.8, 0.14, 0.06])
    assert likelihood._shares(sure) == pytest.approx(expected / (len(kinds) + 20))


def test_shares_are_those_of_the_likeliest_mixture():
    """Beside scipy's maximum of the posterior, whose prior is Dirichlet."""
    rng = np.random.default_rng(5)
    people = rng.normal(0, 2, (3, 200)) * np.array([[0.0], [1.0], [1.0]])
    prior = likelihood.FIRST * np.array(likelihood.KINDS)

    def loss(free):
        shares = softmax(np.r_[0.0, free])
        mixed = logsumexp(people + np.log(shares)[:, None], axis=0).sum()
        return -mixed - prior @ np.log(shares)

    best = softmax(np.r_[0.0, minimize(loss, np.zeros(2)).x])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(likelihood, "_TURNS", 500)
        assert likelihood._shares(people) == pytest.approx(best, abs=1e-4)


def test_where_nobody_is_careless_people_are_believed_more_than_was_expected(monkeypatch):
    one = SameOutputs.of(crowd(1, people=60, each=10))
    learned = believed(one, np.ones(60, bool)).counted
    monkeypatch.setattr(likelihood, "FIRST", 1e9)
    assert learned.mean() > believed(one, np.ones(60, bool)).counted.mean() + 0.001


def test_people_who_share_no_output_do_not_change_whom_others_believe():
    one = SameOutputs.of(upside_down(1, 4))
    alone, beside = (
        believed(one, np.ones(20, bool)).counted,
        believed(one, np.ones(2000, bool)).counted,
    )
    assert beside == pytest.approx(alone, abs=1e-12)


def test_who_is_no_yardstick_counts_nothing():
    found = upside_down(1, 0)
    one = SameOutputs.of(found)
    some = np.arange(20) > 2
    assert (believed(one, some).counted[one.who <= 2] == 0).all()
    assert (believed(one, some).counted[one.who > 2] > 0).all()


def evidence(columns, who):
    return [v.evidence for v in run(LOW_AGREEMENT, columns, SMALL) if v.annotator in who]


def test_people_who_answer_upside_down_hide_each_other_less_if_they_are_not_believed(monkeypatch):
    campaigns = [upside_down(seed, 5) for seed in range(4)]

    def usual():
        return np.median([e for one in campaigns for e in evidence(replace(one), range(5))])

    weighed = usual()
    monkeypatch.setattr(likelihood, "ROUNDS", 0)
    assert weighed > 1.3 * usual()


def test_who_answers_upside_down_is_found_once_people_are_believed_anew(monkeypatch):
    """A fifth of 120 people who have ten comparisons each: one round leaves many of them hidden."""
    rng = np.random.default_rng(7)
    campaigns = [table.campaign("rating 4×5", "mirrored scale", 120, rng) for _ in range(6)]

    def usual():
        # Nothing is kept from the round before: the columns are new.
        return np.median(
            [
                e
                for one, mine in campaigns
                for e in find(replace(one), AgreementThresholds(), CROWD).evidence[mine]
            ]
        )

    often = usual()
    monkeypatch.setattr(likelihood, "ROUNDS", 1)
    assert often > 1.1 * usual()


def test_the_best_answer_over_and_over_is_no_sign_of_chance():
    """Lenient people follow the others where their scale allows it, which is seldom."""
    found = [e for seed in range(12) for e in evidence(lenient(seed, 3), range(3))]
    assert np.median(found) < 0.5


def lenient(seed, few):
    """A campaign of 20 people, of whom the first call the middle good and half of the bad too."""
    found = crowd(seed, people=20, each=TASKS)
    rng = np.random.default_rng(seed)
    for who in range(few):
        own = found.answers[found.annotator == who]
        kind = (own == 0) | (rng.random((len(own), 1)) < 0.5)
        found = rescored(found, who, np.where(kind, 1.0, own))
    return found


def test_a_campaign_that_has_just_begun_accuses_nobody():
    """What a dozen comparisons show of the agreement is little; as if it were known, it accused."""
    worst = 0.0
    for seed in range(40):
        found = crowd(seed, people=20, each=4)
        worst = max(worst, *find(found, AgreementThresholds(minimum=8), SMALL.crowd).evidence)
        assert unseen(found, SMALL.crowd).max() < np.log(10)
    assert worst < 1
