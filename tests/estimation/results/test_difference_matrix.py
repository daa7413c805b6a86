"""Differences as a matrix: ordered, adjusted for all pairs together, and folded out as a list."""

from dataclasses import replace
from math import gamma, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.instruments.language_quality.instrument import OVERALL
from estimation.core import Interval
from estimation.core.intervals import interval_of
from estimation.models import Comparison
from estimation.pages.criteria import (
    Adjustment,
    Axis,
    ContrastTable,
    ShownContrast,
    table_of,
    widened,
)

LESS = replace(OVERALL, higher_is_better=False)


AXIS = Axis(-1.0, 1.0, 300.0, 10.0)


def compared(difference, low, high, error=None):
    return Comparison(
        first_id=1,
        second_id=2,
        difference=difference,
        low=low,
        high=high,
        n_items=100,
        n_population=200,
        std_error=error,
        df=40.0,
        level=0.95,
    )


def pair(first: str, second: str, difference: float, error: float = 0.1, *, criterion=OVERALL):
    found: Interval = interval_of(difference, error, 40.0, level=0.95, estimate=difference)
    row = compared(difference, found.low, found.high, error)
    return ShownContrast(first, second, row, criterion, AXIS)


def table(*pairs: ShownContrast) -> ContrastTable:
    return ContrastTable(pairs[0].criterion, AXIS, pairs)


def test_the_p_value_reaches_the_level_where_the_interval_reaches_zero():
    at_the_edge = pair("a", "b", 0.1 * 2.0210753903)  # t quantile .975 of 40 df
    assert at_the_edge.row.low == pytest.approx(0, abs=1e-9)
    assert at_the_edge.p_value == pytest.approx(0.05, abs=1e-9)


def test_a_pair_told_apart_alone_may_not_be_among_many():
    # p = .0368, .0003, .9: alone two intervals exclude 0, after Holm one pair is told apart.
    found = table(pair("a", "b", 0.216), pair("c", "a", 0.4), pair("b", "c", 0.01))
    assert [one.excludes_zero for one in found.shown] == [True, True, False]
    assert found.told_apart == {("c", "a")}
    assert [found.reading(one) for one in found.shown] == [
        "not distinguishable yet: p = 0.074 for all pairs together (Holm)",
        "c ahead: 0 lies outside the interval",
        "not distinguishable yet: 0 lies inside the interval",
    ]


@pytest.mark.parametrize("adjustment", ["holm", "simultaneous", "none"])
@given(differences=st.tuples(*[st.floats(-0.6, 0.6)] * 3))
def test_as_many_pairs_read_as_ahead_as_the_table_counts(adjustment, differences):
    pairs = zip(("a", "c", "b"), ("b", "a", "c"), differences, strict=True)
    found = made(adjustment, *(pair(*one) for one in pairs))
    ahead = [reading for _one, _ahead, reading in found.readings if " ahead: " in reading]
    assert len(ahead) == found.n_told


def test_the_best_system_comes_first_and_each_number_is_how_far_the_row_is_ahead():
    found = table(pair("a", "b", -0.5), pair("a", "c", 0.1), pair("b", "c", 0.6)).grid
    assert [system for system, _cells in found] == ["b", "a", "c"]
    assert found[0][1][0] is None
    assert [cell.ahead for cell in found[0][1][1:] if cell] == pytest.approx([0.5, 0.6])
    assert found[0][1][1] is not None
    assert found[0][1][1].told
    assert found[1][1][2] is not None
    assert not found[1][1][2].told


def test_where_less_is_better_the_lowest_comes_first():
    found = table(
        *(
            pair(a, b, d, criterion=LESS)
            for a, b, d in (("a", "b", 0.2), ("a", "c", 0.3), ("b", "c", 0.1))
        )
    ).grid
    assert [system for system, _cells in found] == ["c", "b", "a"]
    assert all(cell.ahead > 0 for _system, cells in found for cell in cells if cell)


def test_one_pair_is_no_matrix_and_pairs_without_interval_are_not_told_apart():
    assert table(pair("a", "b", 0.5)).grid == ()
    unknown = ShownContrast("a", "b", compared(0.5, None, None), OVERALL, AXIS)
    assert table(unknown).told_apart == frozenset()


# ---- places, and the reader's choice of an adjustment --------------------------------------------


def rows_of(*pairs: ShownContrast) -> list[Comparison]:
    names = {"a": 1, "b": 2, "c": 3}
    for one in pairs:
        one.row.first_id, one.row.second_id = names[one.first], names[one.second]
    return [one.row for one in pairs]


def made(adjustment: Adjustment, *pairs: ShownContrast) -> ContrastTable:
    return table_of(OVERALL, rows_of(*pairs), {1: "a", 2: "b", 3: "c"}, adjustment)


# p = .037, .0003 and .9: Holm tells one pair apart, single intervals tell two.
THREE = (pair("a", "b", 0.216), pair("c", "a", 0.4), pair("b", "c", 0.01))


def test_systems_that_cannot_be_told_apart_share_places():
    assert made("holm", *THREE).places == {"a": "2–3", "b": "1–3", "c": "1–2"}
    assert made("none", *THREE).places == {"a": "2", "b": "2–3", "c": "1–2"}
    clear = (pair("a", "b", 0.9), pair("a", "c", 1.4), pair("b", "c", 0.9))
    assert made("simultaneous", *clear).places == {"a": "1", "b": "2", "c": "3"}


def test_where_less_is_better_places_turn_around():
    less = [pair(a, b, 0.9, criterion=LESS) for a, b in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert ContrastTable(LESS, AXIS, tuple(less)).places == {"a": "3", "b": "2", "c": "1"}


def test_simultaneous_intervals_are_those_of_bonferroni():
    """The tail of the t density beyond half-width / error, by its formula, is .05 / 3 / 2."""
    one = made("simultaneous", *THREE).shown[0].row
    assert one.low is not None
    assert one.high is not None
    assert (one.low + one.high) / 2 == pytest.approx(0.216)
    x = np.linspace((one.high - one.low) / 2 / 0.1, 400, 2_000_001)
    whole = gamma(20.5) / (gamma(20) * sqrt(40 * pi))
    assert np.trapezoid(whole * (1 + x**2 / 40) ** -20.5, x) == pytest.approx(0.05 / 6, rel=1e-6)
    assert made("simultaneous", *THREE).told_apart == {("c", "a")}


def test_an_end_that_was_moved_to_the_estimate_stays_outside_of_the_wider_interval():
    row = compared(0.6, 0.0, 0.6, 0.1)  # the middle of the t interval was .2
    wider = widened(row, 10)
    assert wider.low is not None
    assert wider.high is not None
    assert wider.low < 0.0
    assert wider.high > 0.6
    same = widened(row, 1)
    assert (same.low, same.high) == (0.0, 0.6)
    unknown = widened(compared(0.6, 0.0, 0.6), 10)
    assert (unknown.low, unknown.high) == (0.0, 0.6)


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3), st.floats(0.01, 0.5))
def test_no_adjustment_tells_more_pairs_apart_than_none(differences, error):
    pairs = [
        pair(a, b, d, error)
        for (a, b), d in zip((("a", "b"), ("c", "a"), ("b", "c")), differences, strict=True)
    ]
    alone, after, together = (
        made(one, *pairs).told_apart for one in ("none", "holm", "simultaneous")
    )
    assert together <= after <= alone
