"""What the metric saves: a number where it helps, a reason where it does not."""

from decimal import Decimal
from typing import Any

import pytest

from estimation.models import Estimate
from estimation.pages import criteria

PRICE = Decimal("0.48")


def row(
    width: float | None = 0.2,
    mean_width: float | None = 0.25,
    n_items: int = 50,
    n_judgments: int = 60,
    detail: dict[str, Any] | None = None,
) -> Estimate:
    mean = {} if mean_width is None else {"mean_low": 0.0, "mean_high": mean_width}
    return Estimate(
        width=width, n_items=n_items, n_judgments=n_judgments, detail=detail or {}, **mean
    )


def saying(code: str) -> dict[str, Any]:
    return {"notices": [{"code": code, "text": f"It is {code}."}]}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (row(width=None), "is not known without intervals"),
        (row(mean_width=None), "is not known without intervals"),
        (row(n_items=29), "is known after 30 judged items"),
        (row(mean_width=0.2), "has not helped"),
        (row(mean_width=0.1), "has not helped"),
        (row(mean_width=0.2003), "has not helped"),
        (row(detail=saying("not_helping_yet")), "It is not_helping_yet."),
        (row(detail=saying("constant_metric")), "It is constant_metric."),
    ],
)
def test_nothing_is_claimed_where_it_does_not_help(row, why):
    found = criteria.of_estimate(row, price=PRICE)
    assert why in found.why
    assert (found.judgments, found.money, found.share) == (None, None, None)
    assert criteria.of_campaign([[(row, 0.2)]], judged=60, price=PRICE).judgments is None


def test_a_system_waits_for_the_interval_that_is_farthest_from_its_target():
    far = row(width=0.4, mean_width=0.4)  # the metric is of no use where it would matter
    assert not criteria.of_campaign([[(row(), 0.2), (far, 0.2)]], judged=60, price=PRICE).helps
    near = row(width=0.1, mean_width=0.15)
    found = criteria.of_campaign([[(row(), 0.2), (near, 0.2)]], judged=60, price=PRICE)
    assert found.judgments == 34


def test_gains_and_losses_of_systems_are_set_against_each_other():
    loss = row(width=0.25, mean_width=0.2)
    both = criteria.of_campaign([[(row(), 0.2)], [(loss, 0.2)]], judged=200, price=PRICE)
    assert both.judgments == round(60 * (1.25**2 - 1) - 60 * (1 - 0.8**2))
    chance = row(detail=saying("not_helping_yet"))
    half = criteria.of_campaign([[(row(), 0.2)], [(chance, 0.2)]], judged=200, price=PRICE)
    assert half.judgments == 34


def test_judgments_that_serve_two_systems_count_once():
    twice = [[(row(), 0.2)], [(row(), 0.2)]]
    assert criteria.of_campaign(twice, judged=60, price=PRICE).judgments == 34
    assert criteria.of_campaign(twice, judged=120, price=PRICE).judgments == 68


def test_systems_without_intervals_are_left_out():
    found = criteria.of_campaign(
        [[(row(), 0.2)], [], [(row(width=None), 0.2)]], judged=60, price=PRICE
    )
    assert found.judgments == 34
    assert criteria.of_campaign([], judged=0, price=PRICE).why


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
