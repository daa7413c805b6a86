"""Holm's adjustment and simultaneous intervals: known answers, properties, and coverage."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from estimation.core import errors, half_width, holm, level_of_each

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=6)


def test_known_answers():
    # By hand: 4 x .005, 3 x .01, 2 x .03, 1 x .04 (not below its predecessor).
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]).tolist() == [1.0, 1.0]
    assert holm([]).size == 0


@given(VALUES)
def test_it_is_the_closed_test_of_bonferroni(values):
    """A hypothesis is rejected where Bonferroni rejects every intersection that it is part of."""
    found = holm(values)
    for one in range(len(values)):
        closed = 0.0
        for size in range(1, len(values) + 1):
            for chosen in combinations(range(len(values)), size):
                if one in chosen:
                    closed = max(closed, size * min(values[k] for k in chosen))
        assert found[one] == pytest.approx(min(1.0, closed))


@pytest.mark.parametrize("values", [[-0.1], [1.1], [float("nan")], [[0.1, 0.2]]])
def test_what_is_no_p_value_is_refused(values):
    with pytest.raises(errors.InvalidOptionError):
        holm(values)


# ---- intervals that hold together ----------------------------------------------------------------


def test_the_level_of_each_leaves_the_error_divided():
    assert level_of_each(0.95, 1) == 0.95
    assert level_of_each(0.95, 10) == pytest.approx(0.995)
    assert level_of_each(0.9, 190) == pytest.approx(1 - 0.1 / 190)


@pytest.mark.parametrize(("level", "n"), [(0.95, 0), (1.0, 2), (0.0, 2), (95, 2)])
def test_what_is_no_level_or_no_interval_is_refused(level, n):
    with pytest.raises(errors.InvalidOptionError):
        level_of_each(level, n)


def test_all_pairs_of_systems_are_covered_together():
    """Five systems on 30 items, all pairs: dependent intervals, 3,000 times.

    A lower bound of what was seen must not lie below 95 % at a one-sided level of .001; single
    intervals of 95 % fail that by far.
    """
    systems, items, times = 5, 30, 3_000
    rng = np.random.default_rng(20)
    scores = rng.normal(size=(times, systems, items)) + rng.normal(size=(times, 1, items))
    pairs = list(combinations(range(systems), 2))
    difference = np.stack([scores[:, a] - scores[:, b] for a, b in pairs], axis=1)
    error = difference.std(axis=2, ddof=1) / np.sqrt(items)
    df = np.asarray(items - 1.0)

    def together(level: float) -> float:
        half = half_width(error, df, level=level)
        return float((np.abs(difference.mean(axis=2)) <= half).all(axis=1).mean())

    least = float(binom.ppf(0.001, times, 0.95)) / times
    assert together(level_of_each(0.95, len(pairs))) >= least
    assert together(0.95) < least - 0.1
