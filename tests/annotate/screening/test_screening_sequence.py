"""Answer pattern: answers that follow from the last ones, and not from the texts."""

from dataclasses import replace

import numpy as np
import pytest

from annotate.screening.base import Columns, CrowdThresholds
from annotate.screening.patterns import SequenceThresholds as Sequence
from annotate.screening.patterns import find_pattern as find
from estimation.core import Floats

PEOPLE, EACH = 20, 25


def study(criteria: int = 3, levels: tuple[int, ...] = (-1, 0, 1)) -> Columns:
    """Everybody answers as the texts are; all answers of a judgment lie close together."""
    rng = np.random.default_rng(11)
    n = PEOPLE * EACH
    quality = rng.normal(0.6 * len(levels), 1.0, n)
    said = [quality + rng.normal(0, 0.7, n) for _ in range(criteria)]
    table = [np.array(levels)[np.clip(one.round().astype(int), 0, len(levels) - 1)] for one in said]
    return Columns(
        annotator=np.repeat(np.arange(PEOPLE), EACH),
        output=np.arange(n),
        order=np.arange(n, dtype=float),
        seconds=np.full(n, 60.0),
        words=np.full(n, 40.0),
        scores={f"q{k}": column.astype(float) for k, column in enumerate(table)},
    )


def by_first(columns: Columns, answers: Floats) -> Columns:
    """Let the first person give these answers, the same to all questions."""
    scores = {
        name: np.concatenate([answers, column[EACH:]]) for name, column in columns.scores.items()
    }
    return replace(columns, scores=scores)


def evidence(columns: Columns) -> Floats:
    found = find(columns, Sequence(), CrowdThresholds())
    assert found.enough.all()
    return found.evidence


@pytest.mark.parametrize(
    ("criteria", "levels"),
    [(3, (-1, 0, 1)), (1, (1, 2, 3, 4, 5)), (4, (1, 2, 3, 4, 5)), (8, (1, 2, 3, 4, 5, 6, 7))],
)
def test_best_and_worst_by_turns_is_found_in_every_study(criteria, levels):
    """Also where nobody else gives the worst answer to everything."""
    columns = study(criteria, levels)
    turns = np.where(np.arange(EACH) % 2, float(levels[-1]), float(levels[0]))
    found = evidence(by_first(columns, turns))
    assert found[0] > 4
    assert (found[1:] < 3).all()


def test_after_ten_answers_it_is_too_early():
    columns = study()
    few = replace(
        columns,
        **{
            name: getattr(columns, name)[np.arange(PEOPLE * EACH) % EACH < 10]
            for name in ("annotator", "output", "order", "seconds", "words")
        },
        scores={
            name: column[np.arange(PEOPLE * EACH) % EACH < 10]
            for name, column in columns.scores.items()
        },
    )
    turns = np.where(np.arange(10) % 2, 1.0, -1.0)
    scores = {name: np.concatenate([turns, column[10:]]) for name, column in few.scores.items()}
    assert (evidence(replace(few, scores=scores)) < 3).all()


def test_the_same_answers_in_any_order_are_no_pattern():
    """Thirteen best and twelve worst, shuffled: what matters is the order alone."""
    columns = study()
    rng = np.random.default_rng(5)
    turns = np.where(np.arange(EACH) % 2, 1.0, -1.0)
    shuffled = [evidence(by_first(columns, rng.permutation(turns)))[0] for _ in range(40)]
    assert max(shuffled) < 3


def test_one_answer_from_some_task_on_is_found():
    columns = study()
    own = next(iter(columns.scores.values()))[:EACH]
    later = np.where(np.arange(EACH) < 10, np.where(own == 1, 0, own), 1.0)
    assert evidence(by_first(columns, later))[0] > 3
