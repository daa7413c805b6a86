"""The library at first contact: ids as text, unknown keywords, and what a result prints."""

import numpy as np
import pytest

from estimation.core import (
    DuplicateJudgmentError,
    ItemOutsidePopulationError,
    Sample,
    Scale,
    ShapeMismatchError,
    difference,
    estimate,
)
from estimation.core.simulation import TERNARY, Plan, draw

PLAN = Plan(TERNARY, item=0.32, person=0.14, n_population=120)


def drawn(seed: int) -> Sample:
    return draw(PLAN, np.random.default_rng(seed)).sample


def with_ids(sample: Sample) -> Sample:
    """The same sample with texts as ids."""
    return Sample(
        score=sample.score,
        item=[f"doc-{one}" for one in sample.item],
        annotator=[f"worker {one}" for one in sample.annotator],
        n_population=sample.n_population,
        scale=sample.scale,
        metric=sample.metric,
        outputs=[f"doc-{one}" for one in range(sample.n_population)],
    )


def test_ids_may_be_texts() -> None:
    first, second = drawn(1), drawn(2)
    named = with_ids(first), with_ids(second)
    assert estimate(named[0]).estimate == pytest.approx(estimate(first).estimate, rel=1e-12)
    found, expected = difference(*named), difference(first, second)
    assert found.estimate == pytest.approx(expected.estimate, rel=1e-12)
    assert found.std_error == pytest.approx(expected.std_error, rel=1e-9), "the same people"
    assert found.n_annotators == expected.n_annotators


def test_ids_that_do_not_fit_are_refused() -> None:
    given = {"score": [1, 0], "annotator": ["a", "b"], "n_population": 2, "scale": Scale(-1, 1)}
    with pytest.raises(ShapeMismatchError, match="outputs="):
        Sample(item=["x", "y"], **given)
    with pytest.raises(ItemOutsidePopulationError, match="'z' is not one"):
        Sample(item=["x", "z"], outputs=["x", "y"], **given)
    for outputs in (["x", "x"], ["x"], ["x", "y", "z"]):
        with pytest.raises(ShapeMismatchError, match="once"):
            Sample(item=["x", "x"], outputs=outputs, **given)
    with pytest.raises(DuplicateJudgmentError):
        Sample(item=["x", "x"], outputs=["x", "y"], **{**given, "annotator": ["a", "a"]})


def test_an_unknown_keyword_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="estimater"):
        estimate(drawn(1), estimater="mean")


@pytest.mark.parametrize("result", [estimate(drawn(1)), difference(drawn(1), drawn(2))])
def test_a_result_prints_four_lines(result) -> None:
    lines = str(result).splitlines()
    interval = result.interval(0.95)
    assert len(lines) == 4
    assert f"{result.estimate:.3f}, {interval.low:.3f} to {interval.high:.3f} (95%" in lines[0]
    assert f"of {result.n_items} of 120 outputs by {result.n_annotators} people" in lines[1]
    assert lines[2] == "balanced, two_way, population, 1 metric"


def test_a_result_without_an_interval_says_so() -> None:
    alone = Sample([1, 0], [0, 1], ["a", "a"], 9, Scale(-1, 1))
    lines = str(estimate(alone)).splitlines()
    assert "no interval" in lines[0]
    assert len(lines) == 4
