"""An oracle that is not told who is careless: its probabilities are those of all possibilities."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

from bench.screening import oracle, untold


def likely(crowd, each):
    """(N,) logarithms of how likely the states (N, P) of everybody are."""
    total = crowd.alone[np.arange(each.shape[1]), each].sum(axis=1)
    for (one, other), both in zip(crowd.pairs, crowd.together, strict=True):
        total = total + both[each[:, one], each[:, other]]
    return total


def exact(crowd):
    """(P,) how likely each is careless, by the sum over the states of everybody."""
    people, states = crowd.alone.shape
    each = np.array(list(product(range(states), repeat=people)))
    total = likely(crowd, each)
    return np.exp(total - logsumexp(total)) @ crowd.careless[each]


@pytest.mark.parametrize(
    ("study", "kind"),
    [("rating 1×5", "usual"), ("rating 1×5", "mirrored"), ("language quality", "usual")],
)
def test_the_sampler_finds_the_probabilities_of_latent_answers(study, kind):
    rng = np.random.default_rng(1)
    crowds = [untold.latent(study, kind, rng, people=8) for _ in range(12)]
    found = untold.posterior(crowds, rng, turns=4000)
    wanted = np.array([exact(crowd) for crowd in crowds])
    assert np.ptp(wanted) > 0.5
    assert found == pytest.approx(wanted, abs=0.05)


@pytest.mark.parametrize("kind", ["usual", "mirrored"])
def test_the_sampler_finds_the_probabilities_of_answers_as_given(kind):
    rng = np.random.default_rng(2)
    crowds = [untold.rounded(kind, rng, people=3) for _ in range(8)]
    found = untold.posterior(crowds, rng, turns=4000)
    assert found == pytest.approx(np.array([exact(crowd) for crowd in crowds]), abs=0.05)


def test_a_crowd_that_turns_over_is_as_likely_as_all_its_answers():
    rng = np.random.default_rng(6)
    crowd = untold.rounded("mirrored", rng, people=5)
    state = rng.integers(0, 2 * untold.GRID, (1, 5))
    sampler = untold._Sampler(untold._Places.of([crowd]), crowd.alone[None], state, rng)
    assert sampler._likely(state) == pytest.approx(likely(crowd, state))


@pytest.mark.parametrize("kind", ["usual", "mirrored"])
def test_answers_are_as_likely_as_an_integral_says(kind, monkeypatch):
    """Whatever is answered: every answer alone, and in pairs, in the states of both people."""
    seen = {}

    def said(_kind, who, _output, _careless, cuts, _rng):
        seen.update(who=who, cuts=np.r_[-np.inf, cuts, np.inf], said=np.arange(who.size) * 7 % 5)
        return seen["said"]

    monkeypatch.setattr(untold, "_said", said)
    crowd = untold.rounded(kind, np.random.default_rng(7), people=4)
    level, twice = untold._grid(), 2 * len(crowd.pairs)

    def chance(text, answer, state):
        careless, at = divmod(state, untold.GRID)
        answer = 4 - answer if careless and kind == "mirrored" else answer
        between = seen["cuts"][[answer, answer + 1]] - np.sqrt(0.35) * text - level[at]
        return np.diff(norm.cdf(between / np.sqrt(0.5)))[0]

    def together(*answers):
        whole = quad(
            lambda text: norm.pdf(text) * np.prod([chance(text, *one) for one in answers]), -8, 8
        )
        return np.log(whole[0])

    for state in (3, untold.GRID + 9):
        own = seen["said"][twice:][seen["who"][twice:] == 1]
        wanted = sum(together((answer, state)) for answer in own.tolist())
        prior = untold._prior()[state]
        assert crowd.alone[1, state] == pytest.approx(prior + wanted, rel=1e-6)
        for other in (12, untold.GRID + 2):
            for pair in (0, 5, 11):
                answers = list(
                    zip(seen["said"][2 * pair :][:2].tolist(), (state, other), strict=True)
                )
                if kind == "usual" and max(state, other) >= untold.GRID:
                    wanted = sum(together(one) for one in answers)
                else:
                    wanted = together(*answers)
                assert crowd.together[pair, state, other] == pytest.approx(wanted, rel=1e-6)


def test_latent_answers_of_mirrored_people_agree_with_each_other():
    rng = np.random.default_rng(8)
    crowd = untold.latent("language quality", "mirrored", rng)
    odds = crowd.together[:, 0, 1]
    assert crowd.together[:, 1, 0].tolist() == odds.tolist()
    assert not crowd.together[:, [0, 1], [0, 1]].any()
    one, other = crowd.told[crowd.pairs].T
    assert odds[one != other].mean() > 1 > -1 > odds[one == other].mean()


def test_the_odds_of_a_pair_are_those_of_a_normal_distribution():
    rng = np.random.default_rng(3)
    text, chance = oracle.parts("language quality")
    mine, other = rng.standard_normal((2, 5, 3))

    def joint(shared):
        whole = text + chance
        both = np.block([[whole, shared * text], [shared * text, whole]])
        return multivariate_normal.logpdf(np.hstack([mine, other]), cov=both)

    for shared in (0.0, -1.0):
        found, usual = (oracle.density("language quality", mine, other, s) for s in (shared, 1.0))
        assert found - usual == pytest.approx(joint(shared) - joint(1.0))


def test_two_answers_are_as_likely_as_a_part_of_a_normal_distribution():
    cuts = np.array([-1.0, 0.2, 1.0])
    one, two = untold.chances(cuts)
    assert np.exp(one).sum(axis=0) == pytest.approx(1)
    assert np.exp(two).sum(axis=(0, 1)) == pytest.approx(1)
    middle = untold.GRID // 2  # of somebody with the usual level
    below = multivariate_normal(cov=[[0.85, 0.35], [0.35, 0.85]]).cdf([cuts[0], cuts[0]])
    assert np.exp(two[0, 0, middle, middle]) == pytest.approx(below, rel=1e-4)


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["usual", "mirrored"])
def test_careless_people_are_as_many_as_the_probabilities_say(kind):
    rng = np.random.default_rng(4)
    crowds = [untold.rounded(kind, rng, people=40) for _ in range(20)]
    likely = untold.posterior(crowds, rng)
    told = np.stack([crowd.told for crowd in crowds])
    assert likely.mean() == pytest.approx(told.mean(), abs=0.05)
    assert likely[told].mean() > likely[~told].mean() + 0.05


@pytest.mark.simulation
def test_who_is_told_that_all_others_are_careful_finds_more():
    rng = np.random.default_rng(5)
    knows = oracle.found("rating 4×5", "usual", 4000, rng)
    draw = untold.drawing("rating 4×5, before rounding", "usual")
    assert knows[0] > untold.found(draw, 20, rng)[0] > 0.2
