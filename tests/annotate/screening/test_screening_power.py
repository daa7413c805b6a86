"""What the screens promise of a whole campaign, held by simulation; bench/screening has more.

People are drawn from the released variance components, cap 25, a quarter of the outputs judged
twice, looks all along. A claim is refuted by what it would bring about in one run of a hundred.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from annotate.screening import Settings, screen_all
from annotate.screening.thresholds import CrowdThresholds
from bench.screening import studies
from bench.screening.campaigns import HONEST, Design, campaign, looks, simulated
from bench.screening.power import Tally, run
from estimation.core import uniformity

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

MOST_ACCUSED, LEAST_CAUGHT = 0.02, 0.9


def accuses_too_many(accused: int, honest: int) -> bool:
    print(f"{accused} of {honest} honest people accused")
    return bool(binom.sf(accused - 1, honest, MOST_ACCUSED) < 0.01)


def catches_too_few(tally: Tally) -> bool:
    print(f"{len(tally.caught)} of {tally.spammers} spammers caught")
    return bool(binom.cdf(len(tally.caught), tally.spammers, LEAST_CAUGHT) < 0.01)


@pytest.mark.parametrize(("good", "campaigns"), [(False, 8), (True, 4)])
def test_few_honest_people_are_ever_accused(good, campaigns):
    tally = run("drawn", Design(HONEST, good=good), campaigns)
    assert tally.honest == 40 * campaigns
    assert not accuses_too_many(len(tally.accused), tally.honest)


@pytest.mark.parametrize("crowd", ["usual", "unrelated criteria", "good outputs"])
def test_few_honest_people_are_ever_accused_in_studies_of_ones_own(crowd):
    """1 to 8 criteria of 2 to 7 levels; random_answers accused nearly everybody in some cells."""
    total = studies.Tally()
    for criteria, levels in product(studies.CRITERIA, studies.LEVELS):
        tally = studies.one((criteria, levels, crowd, 0), every=200)
        assert not accuses_too_many(tally.accused, tally.honest), (criteria, levels)
        total.merge(tally)
    assert total.honest == 48 * 40
    assert not accuses_too_many(total.accused, total.honest)


@pytest.mark.parametrize("crowd", ["large", "large, unrelated"])
def test_few_honest_people_are_accused_where_there_are_judgments_enough_for_dice(crowd):
    total = studies.Tally()
    for criteria, levels in ((3, 5), (7, 2)):
        total.merge(studies.one((criteria, levels, crowd, 1), every=400))
    assert total.ran == (2 if crowd == "large" else 0)
    assert not accuses_too_many(total.accused, total.honest)


@pytest.mark.parametrize(
    "kind",
    ["random (dice)", "constant, all best", "fast", "copy-paste, one text", "tiny edits"],
)
@pytest.mark.parametrize("spam", [0.1, 0.3])
def test_spammers_are_caught_by_the_cap(kind, spam):
    tally = run("drawn", Design(kind, spam, every=100), 4)
    assert tally.spammers >= 16
    assert not catches_too_few(tally)
    assert not accuses_too_many(len(tally.accused), tally.honest)


def test_usual_answers_given_at_random_are_not_caught_and_the_documentation_says_so():
    assert catches_too_few(run("drawn", Design("random (usual answers)", 0.3, every=100), 4))


def test_a_yardstick_of_uniform_people_would_miss_them():
    believed = CrowdThresholds(uniform_minimum=1000)
    design = Design("constant, all best", 0.3, every=100)
    assert catches_too_few(run("drawn", design, 4, settings=replace(Settings(), crowd=believed)))


def honest_campaigns(n):
    for seed in range(n):
        rng = np.random.default_rng([7, seed])
        design = Design(HONEST)
        yield campaign(simulated(design, rng), HONEST, rng).columns


def test_a_p_value_per_criterion_and_look_would_accuse_too_many():
    """Straight-lining as in a textbook: each criterion by itself, people alike, p < .01."""
    accused, honest = 0, 0
    for columns in honest_campaigns(4):
        ever: set[int] = set()
        for seen in looks(columns, 100):
            for scores in seen.scores.values():
                levels, answer = np.unique(scores, return_inverse=True)
                for who in np.unique(seen.annotator):
                    own = seen.annotator == who
                    rates = np.bincount(answer[~own], minlength=levels.size) + 0.5
                    n, *_rest, p_value = uniformity(answer[own], rates / rates.sum(), 0.0)
                    if p_value < 0.01 and n >= 8:
                        ever.add(int(who))
        accused, honest = accused + len(ever), honest + columns.people.size
    assert accuses_too_many(accused, honest)


def test_agreement_without_its_interval_would_accuse_too_many():
    accused, honest = 0, 0
    for columns in honest_campaigns(3):
        ever: set[int] = set()
        for seen in looks(columns, 100):
            ever |= {
                v.annotator
                for v in screen_all(seen)
                if v.screen == "low_agreement" and v.enough and (v.value or 0) < v.threshold
            }
        accused, honest = accused + len(ever), honest + columns.people.size
    assert accuses_too_many(accused, honest)
