"""Who answers by the place of a text is found, although pairs are stored in one order."""

from dataclasses import replace

import numpy as np
import pytest

from annotate.screening import Columns, Settings, screen_all

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


def test_by_turns_is_found_as_a_pattern():
    shown = np.where(np.arange(99) % 2, 2.0, -2.0)
    found = [flagged(by_place(crowd(seed), shown), "answer_pattern") for seed in range(SEEDS)]
    assert sum(0 in one for one in found) >= SEEDS - 1


def test_without_the_order_nothing_would_be_seen():
    """The stored answers of somebody who always takes the first text vary like anybody's."""
    each = [by_place(crowd(seed), np.full(99, 1.0)) for seed in range(SEEDS)]
    blind = [flagged(replace(one, turned=None), "no_variation") for one in each]
    assert sum(0 in one for one in blind) == 0


def test_honest_people_are_left_alone():
    found = [flagged(crowd(seed), "no_variation", "answer_pattern") for seed in range(SEEDS)]
    assert sum(map(len, found)) <= 2  # of 192 people
