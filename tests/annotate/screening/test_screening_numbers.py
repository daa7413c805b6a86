"""What screens compute themselves equals what scipy.stats, which they do not load, computes."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom, percentileofscore, rankdata

from annotate.screening.coding import _middle, coded
from annotate.screening.order_statistics import _quantile

LEVELS = st.floats(0.6, 0.99999)  # as annotate.screening.settings allows


@example(15 / 16, [7])  # exactly the probability of so many heads
@given(LEVELS, st.lists(st.integers(0, 100_000), min_size=1))
def test_quantiles_of_tosses(level, n):
    assert _quantile(level, np.array(n)).tolist() == binom.ppf(level, n, 0.5).tolist()


VALUES = st.integers(-3, 3).map(lambda n: n / 2) | st.floats(-9, 9)


@given(st.lists(VALUES, min_size=1, max_size=60))
def test_the_middles_of_levels(values):
    everybody = np.ones(len(values), dtype=bool)
    found = coded(np.array(values)[:, None], everybody, _middle)[:, 0]
    assert found == pytest.approx((rankdata(values) - 0.5) / len(values))


@given(st.lists(st.tuples(VALUES, st.booleans()), min_size=1, max_size=60))
def test_the_middles_of_levels_among_some(rows):
    """Never quite 0 or 1, where normal scores would have no end."""
    values, among = np.array([value for value, _one in rows]), np.array([one for _v, one in rows])
    some = values[among]
    whole = max(some.size, 1)
    share = [percentileofscore(some, v, "mean") / 100 if some.size else 0.5 for v in values]
    expected = np.clip(share, 0.5 / whole, 1 - 0.5 / whole)
    assert coded(values[:, None], among, _middle)[:, 0] == pytest.approx(expected)
