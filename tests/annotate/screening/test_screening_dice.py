"""Dice: combinations of answers that people like the others do not give."""

import numpy as np
import pytest

from annotate.screening import Columns, Settings
from annotate.screening.patterns import RANDOM_ANSWERS
from annotate.screening.screens import run

EVERYBODY = 40
EACH = 25


def study(answers: np.ndarray, *, levels: int, who: np.ndarray | None = None) -> Columns:
    """Judgments of one output each. answers: (T, C), 0 to `levels` - 1."""
    n = len(answers)
    return Columns(
        np.arange(n) % EVERYBODY if who is None else who,
        np.arange(n),
        np.arange(n, dtype=float),
        np.full(n, 60.0),
        np.full(n, 40.0),
        {f"c{i}": column.astype(float) for i, column in enumerate(answers.T)},
        levels=tuple(np.arange(float(levels))),
    )


def chain(n: int, *, criteria: int, levels: int, same: float, seed: int) -> np.ndarray:
    """Each answer is the one before with probability `same`, else any: a tree by construction."""
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, levels, (n, criteria))
    for c in range(1, criteria):
        kept = rng.random(n) < same
        answers[kept, c] = answers[kept, c - 1]
    return answers


def with_dice(answers: np.ndarray, levels: int, people: int) -> Columns:
    """The last `people` throw dice."""
    dice = np.arange(len(answers)) % EVERYBODY >= EVERYBODY - people
    thrown = np.random.default_rng(9).integers(0, levels, answers.shape)
    return study(np.where(dice[:, None], thrown, answers), levels=levels)


@pytest.mark.parametrize(("criteria", "levels"), [(3, 3), (4, 5), (6, 5), (8, 7)])
def test_dice_are_found_although_combinations_are_far_too_many_to_be_counted(criteria, levels):
    honest = chain(EVERYBODY * EACH, criteria=criteria, levels=levels, same=0.8, seed=5)
    verdicts = run(RANDOM_ANSWERS, with_dice(honest, levels, 4), Settings())
    assert all(verdict.enough for verdict in verdicts)
    assert {v.annotator for v in verdicts if v.flagged} == set(range(36, 40))


def test_where_answers_say_nothing_about_each_other_nobody_is_taken_for_dice():
    answers = np.random.default_rng(6).integers(0, 5, (EVERYBODY * EACH, 4))
    assert not any(v.flagged for v in run(RANDOM_ANSWERS, study(answers, levels=5), Settings()))


def test_who_is_harsh_in_everything_is_no_dice():
    """Lowest answers together are rare among others; a harsh person gives them all the time."""
    answers = chain(EVERYBODY * EACH, criteria=8, levels=5, same=0.8, seed=12)
    harsh = np.arange(len(answers)) % EVERYBODY == 0
    answers[harsh] = np.maximum(answers[harsh] - 2, 0)
    odds = {v.annotator: v.value for v in run(RANDOM_ANSWERS, study(answers, levels=5), Settings())}
    assert odds[0] < 0


def test_one_question_has_no_combinations():
    answers = np.random.default_rng(6).integers(0, 5, (EVERYBODY * EACH, 1))
    assert not any(v.enough for v in run(RANDOM_ANSWERS, study(answers, levels=5), Settings()))
