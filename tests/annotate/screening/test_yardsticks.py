"""Who is no yardstick for others, and no model of honest people: the nearly uniform, while few."""

import numpy as np
import pytest

from annotate.screening import Columns, Settings, calibration, crowd
from tests.annotate.screening.columns import columns

TASKS = 25


def crowd_of(uniform: int, others: int, *, share: float = 0.84) -> Columns:
    """`uniform` people first, who give the best answer in this share of their tasks."""
    usual = np.repeat([1.0, 0.0, -1.0], [14, 6, 5])
    answers = np.tile(usual, (uniform + others, 1))
    answers[:uniform] = np.where(np.arange(TASKS) < round(share * TASKS), 1.0, 0.0)
    answers = np.random.default_rng(7).permuted(answers, axis=1)
    return columns(np.repeat(np.arange(uniform + others), TASKS), answers.reshape(-1, 1))


def varied(found: Columns) -> list[bool]:
    counts = crowd.counts(found)
    return crowd.varied(counts, Settings().crowd).tolist()


def test_the_few_who_give_one_answer_in_eight_of_ten_are_no_yardstick():
    assert varied(crowd_of(4, 16)) == [False] * 4 + [True] * 16


def test_where_more_than_a_quarter_do_only_the_wholly_uniform_are_left_out():
    assert varied(crowd_of(6, 14)) == [True] * 20
    assert varied(crowd_of(6, 14, share=0.96)) == [False] * 6 + [True] * 14


@pytest.mark.parametrize("left_out", [True, False])
def test_they_are_no_model_of_honest_people_either(left_out: bool, monkeypatch) -> None:
    """By their evidence alone, which is moderate here, they would be."""
    if not left_out:
        monkeypatch.setattr(crowd, "are_most", lambda _varied: False)
    usable = calibration.usable(crowd_of(4, 16), Settings())
    assert usable[:4].tolist() == [not left_out] * 4
    assert usable[4:].any()
