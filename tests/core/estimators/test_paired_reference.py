"""Paired differences beside the reference: the finite population, and the work on both systems."""

from dataclasses import replace

import pytest

from estimation.core import Sample, difference
from tests.core.cases import random_sample
from tests.core.referenced import agree, engine_parts, expected_difference, reference_parts


def two(seed: int, *, metric: bool = True) -> list[Sample]:
    """Two systems judged by the same nine people, not all on the same items."""
    systems = [
        random_sample(seed, judgments=120, items=45),
        random_sample(seed + 1, judgments=110, items=45),
    ]
    return systems if metric else [replace(s, metric=None) for s in systems]


@pytest.mark.parametrize("balance", [None, 0.0, 0.15])
@pytest.mark.parametrize("seed", range(3))
def test_the_finite_population_shrinks_items_and_the_shift_of_the_centre(seed, balance):
    systems = two(seed)
    how = {"estimator": "regression" if balance is None else "balanced"}
    options = how if balance is None else how | {"balance": balance}
    expected = expected_difference(*systems, **options, finite_population=False)
    result = difference(*systems, **options)
    left = 1 - min(1.0, 1 / (90 * expected["typ"]))
    assert 0 < left < 1
    shift = expected["centre"] - expected["estimate"]
    assert result.variance.item == pytest.approx(left * expected["V_item"])
    assert result.centre == pytest.approx(expected["estimate"] + left * shift)
    assert result.variance.annotator == pytest.approx(expected["V_person"])


def test_balanced_weights_count_the_work_on_both_systems():
    # A person who judges much of the second system weighs less in the first one, too.
    first, second = two(5, metric=False)
    busy = second.annotator == 0
    fewer = replace(
        second,
        score=second.score[~busy],
        item=second.item[~busy],
        annotator=second.annotator[~busy],
    )
    for pair in ((first, second), (first, fewer)):
        result = difference(*pair, balance=0.5, finite_population=False)
        options = {"balance": 0.5, "finite_population": False}
        expected = expected_difference(*pair, estimator="balanced", **options)
        agree(engine_parts(result, 0.95), reference_parts(expected))
    plain = [difference(first, s, balance=0.5).estimate for s in (second, fewer)]
    assert plain[0] != plain[1]
