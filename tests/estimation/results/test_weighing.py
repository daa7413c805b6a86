"""What the weights of an estimate mean, in a sentence, with the mean under other weights."""

import pytest

from estimation.pages import criteria


@pytest.mark.parametrize(
    ("balance", "times"), [(0.15, "1.8"), (0.07, "2.5"), (0.03, "3.3"), (10, "1.0")]
)
def test_balanced_weights_say_how_a_share_grows(balance, times):
    said = criteria.weighing({"balance": balance, "person_share": 0.08})
    assert said == (
        "One person’s weight grows more slowly than their work: "
        f"25 judgments count {times} times as much as 5."
    )


def test_other_weights_say_that_work_counts():
    assert criteria.weighing({"balance": None, "person_share": 0.08}) == (
        "People are weighted by work."
    )
    assert "keeps its estimator" in criteria.weighing({"balance": None, "person_share": 0.0})
    assert "Items weigh equally" in criteria.weighing({"balance": 0.0})
    assert criteria.weighing({}) == ""


def test_the_other_mean_is_that_of_the_other_weights():
    both = {"equal_annotator_mean": 0.314, "work_weighted_mean": 0.291}
    assert criteria.mean_by_other_weights({**both, "balance": 0.15}) == "weighted by work: 0.29"
    assert (
        criteria.mean_by_other_weights({**both, "balance": None}) == "people counted equally: 0.31"
    )
    assert criteria.mean_by_other_weights({}) == ""
