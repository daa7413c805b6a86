"""Holm's adjustment: published answers, the closed test that it is, and its properties."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimation.core import holm
from estimation.core.data import errors

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


@pytest.mark.slow
@given(VALUES, st.randoms())
def test_order_changes_nothing_and_no_value_falls(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    found = holm(values)
    assert holm([values[k] for k in order]) == pytest.approx(found[order])
    assert (found >= np.array(values) - 1e-12).all()


@pytest.mark.parametrize("values", [[-0.1], [1.1], [float("nan")], [[0.1, 0.2]]])
def test_what_is_no_p_value_is_refused(values):
    with pytest.raises(errors.InvalidOptionError):
        holm(values)
