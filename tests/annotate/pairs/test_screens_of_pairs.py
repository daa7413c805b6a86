"""Who answers by the place of a text is found, although pairs are stored in one order."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from annotate.screening import Columns, Settings, screen_all
from annotate.screening.patterns import ANSWER_PATTERN, leaning
from annotate.screening.patterns import SequenceThresholds as Sequence

PEOPLE, EACH, SEEDS = 24, 25, 8
LEVELS = (-2.0, -1.0, 0.0, 1.0, 2.0)


def crowd(seed: int) -> Columns:
    """Honest people with noise of their own; each pair is judged twice, in either order."""
    rng = np.random.default_rng(seed)
    n = PEOPLE * EACH // 2
    who = np.stack([rng.permutation(np.repeat(np.arange(PEOPLE), EACH // 2 + 1))[:n]] * 2)
    who[1] = (who[0] + 1 + rng.integers(0, PEOPLE - 1, n)) % PEOPLE
    quality = rng.normal(0.3, 1.0, n)
    answers = np.clip(np.round(quality + rng.normal(0, 0.7, (2, n))), -2, 2)
    rows = rng.permutation(2 * n)
    return Columns(
        annotator=who.ravel()[rows],
        output=np.tile(np.arange(n), 2)[rows],
        order=np.arange(2.0 * n),
        seconds=rng.uniform(20, 60, 2 * n),
        words=np.full(2 * n, 60.0),
        scores={"preference": answers.ravel()[rows]},
        levels=LEVELS,
        turned=rng.integers(0, 2, 2 * n).astype(float),
    )


def by_place(columns: Columns, shown: np.ndarray) -> Columns:
    """Let the first person give these answers for the text that they see first."""
    mine = columns.annotator == 0
    own = shown[: mine.sum()] * (1 - 2 * columns.turned[mine])
    scores = columns.scores["preference"].copy()
    scores[mine] = own
    return replace(columns, scores={"preference": scores})


def flagged(columns: Columns, *screens: str) -> set[int]:
    found = screen_all(columns, Settings())
    return {one.annotator for one in found if one.flagged and one.screen in screens}


@pytest.mark.parametrize("level", LEVELS)
def test_always_the_same_place_is_found(level):
    each = [by_place(crowd(seed), np.full(99, level)) for seed in range(SEEDS)]
    found = [flagged(one, "no_variation") for one in each]
    assert sum(0 in one for one in found) == SEEDS
    assert sum(len(one - {0}) for one in found) <= 1


def leaning_to(share: float, seed: int, ties: float = 0.2) -> np.ndarray:
    """Answers that prefer the text shown first with this probability, ties aside."""
    rng = np.random.default_rng((7, seed))
    size = rng.choice([1.0, 2.0], 99) * (rng.random(99) >= ties)
    return size * np.where(rng.random(99) < share, 1, -1)


@pytest.mark.parametrize(("share", "least"), [(1.0, 7), (0.95, 5), (0.05, 4)])
def test_nearly_always_one_side_is_found(share, least):
    """Even if how much better it is varies, and a fifth are ties."""
    found = [
        flagged(by_place(crowd(seed), leaning_to(share, seed)), "answer_pattern")
        for seed in range(SEEDS)
    ]
    assert sum(0 in one for one in found) >= least


def test_the_odds_of_a_side_by_hand():
    """Three pairs, the first text preferred in all: the mixture over the fairest share, .55."""
    each = Columns(
        annotator=np.zeros(3, np.int64),
        output=np.arange(3),
        order=np.arange(3.0),
        seconds=np.full(3, 30.0),
        words=np.full(3, 60.0),
        scores={"preference": np.array([1.0, -2.0, 1.0])},
        levels=LEVELS,
        turned=np.array([0.0, 1.0, 0.0]),
    )
    odds, share = leaning(each)
    mixture = sum(q**3 + (1 - q) ** 3 for q in (0.8, 0.95)) / 4
    assert share == [1.0]
    assert odds == pytest.approx(np.log10(mixture / 0.55**3))
    nothing, none = leaning(replace(each, scores={"preference": np.zeros(3)}))
    assert nothing == pytest.approx(0)
    assert np.isnan(none)


def test_a_side_is_said_and_a_pattern_is_not_called_one():
    leaning_one = by_place(crowd(1), leaning_to(1.0, 1))
    by_turns = by_place(crowd(1), np.where(np.arange(99) % 2, 2.0, -2.0))
    for columns, title, detail in (
        (leaning_one, "the same side", "first in 100\u00a0% of the pairs"),
        (by_turns, "follow a pattern", "From the order of answers in"),
    ):
        (mine,) = [
            one
            for one in screen_all(columns, Settings())
            if one.annotator == 0 and one.screen == "answer_pattern"
        ]
        told, (sentence,) = ANSWER_PATTERN.annotators.notice(mine, Sequence(), paragraphs=False)
        assert title in told
        assert ("100\u00a0% of the pairs" in sentence) == (columns is leaning_one)
        assert detail in ANSWER_PATTERN.reviewers.detail(mine)


@pytest.mark.parametrize("share", [0.45, 0.5, 0.55])
def test_fair_people_pass_the_odds_as_rarely_as_promised(share):
    """At most 1 in 30 of them pass odds of 30 at any of 60 moments."""
    people, tasks = 4000, 60
    rng = np.random.default_rng(3)
    sides = np.where(rng.random((people, tasks)) < share, 1.0, -1.0)
    passed = np.zeros(people, dtype=bool)
    for n in range(1, tasks + 1):
        columns = Columns(
            annotator=np.repeat(np.arange(people), n),
            output=np.arange(people * n),
            order=np.arange(float(people * n)),
            seconds=np.ones(people * n),
            words=np.ones(people * n),
            scores={"preference": sides[:, :n].ravel()},
            levels=LEVELS,
            turned=np.zeros(people * n),
        )
        passed |= leaning(columns)[0] >= np.log10(30)
    assert binomtest(int(passed.sum()), people, 1 / 30, alternative="greater").pvalue > 1e-4


def test_honest_people_are_left_alone():
    found = [flagged(crowd(seed), "no_variation", "answer_pattern") for seed in range(SEEDS)]
    assert sum(map(len, found)) <= 2  # of 192 people
