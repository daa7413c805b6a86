"""An oracle that is not told who is careless: its probabilities are those of all possibilities."""

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from bench.screening import oracle, untold


def exact(crowd):
    """(P,) how likely each is careless, by the sum over the states of everybody."""
    people, states = crowd.alone.shape
    each = np.array(list(product(range(states), repeat=people)))
    total = crowd.alone[np.arange(people), each].sum(axis=1)
    for (one, other), both in zip(crowd.pairs, crowd.together, strict=True):
        total = total + both[each[:, one], each[:, other]]
    chance = np.exp(total - logsumexp(total))
    return chance @ crowd.careless[each]


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


@pytest.mark.parametrize("kind", ["usual", "mirrored"])
def test_careless_people_are_as_many_as_the_probabilities_say(kind):
    rng = np.random.default_rng(4)
    crowds = [untold.rounded(kind, rng, people=40) for _ in range(20)]
    likely = untold.posterior(crowds, rng)
    told = np.stack([crowd.told for crowd in crowds])
    assert likely.mean() == pytest.approx(told.mean(), abs=0.05)
    assert likely[told].mean() > likely[~told].mean() + 0.05


def test_who_is_told_that_all_others_are_careful_finds_more():
    rng = np.random.default_rng(5)
    knows = oracle.found("rating 4×5", "usual", 4000, rng)
    draw = untold.drawing("rating 4×5, before rounding", "usual")
    assert knows[0] > untold.found(draw, 20, rng)[0] > 0.2
