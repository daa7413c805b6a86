"""Differences as a matrix: ordered, adjusted for all pairs together, and folded out as a list."""

from dataclasses import replace

import pytest

from annotate.instruments.language_quality.criteria import OVERALL
from estimation.core import Interval
from estimation.core.intervals.interval import interval_of
from estimation.selectors.comparisons import (
    Axis,
    ContrastTable,
    NewestComparison,
    ShownContrast,
)

LESS = replace(OVERALL, higher_is_better=False)


def pair(first: str, second: str, difference: float, error: float = 0.1, *, criterion=OVERALL):
    found: Interval = interval_of(difference, error, 40.0, level=0.95, estimate=difference)
    row = NewestComparison(
        1, 1, 2, criterion.name, difference, found.low, found.high, 100, 200,
        std_error=error, df=40.0,
    )  # fmt: off
    return ShownContrast(first, second, row, criterion, Axis(1.0))


def table(*pairs: ShownContrast) -> ContrastTable:
    return ContrastTable(pairs[0].criterion, Axis(1.0), pairs)


def test_the_p_value_reaches_the_level_where_the_interval_reaches_zero():
    at_the_edge = pair("a", "b", 0.1 * 2.0210753903)  # t quantile .975 of 40 df
    assert at_the_edge.row.low == pytest.approx(0, abs=1e-9)
    assert at_the_edge.row.p_value == pytest.approx(0.05, abs=1e-9)


def test_a_pair_told_apart_alone_may_not_be_among_many():
    # p = .0368, .0003, .9: alone two intervals exclude 0, after Holm one pair is told apart.
    found = table(pair("a", "b", 0.216), pair("c", "a", 0.4), pair("b", "c", 0.01))
    assert [one.ahead for one in found.shown] == ["a", "c", ""]
    assert found.told_apart == {("c", "a")}


def test_the_best_system_comes_first_and_each_number_is_how_far_the_row_is_ahead():
    found = table(pair("a", "b", -0.5), pair("a", "c", 0.1), pair("b", "c", 0.6)).grid
    assert [(row.place, row.system) for row in found] == [(1, "b"), (2, "a"), (3, "c")]
    assert found[0].cells[0] is None
    assert [cell.ahead for cell in found[0].cells[1:] if cell] == pytest.approx([0.5, 0.6])
    assert found[0].cells[1] is not None
    assert found[0].cells[1].told
    assert found[1].cells[2] is not None
    assert not found[1].cells[2].told


def test_where_less_is_better_the_lowest_comes_first():
    found = table(
        *(
            pair(a, b, d, criterion=LESS)
            for a, b, d in (("a", "b", 0.2), ("a", "c", 0.3), ("b", "c", 0.1))
        )
    ).grid
    assert [row.system for row in found] == ["c", "b", "a"]
    assert all(cell.ahead > 0 for row in found for cell in row.cells if cell)


def test_one_pair_is_no_matrix_and_pairs_without_interval_are_not_told_apart():
    assert table(pair("a", "b", 0.5)).grid == ()
    unknown = ShownContrast(
        "a", "b", NewestComparison(1, 1, 2, "overall", 0.5, None, None, 100, 200), OVERALL, Axis(1)
    )
    assert table(unknown).told_apart == frozenset()
