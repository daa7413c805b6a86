"""What screens compute themselves equals what scipy.stats, which they do not load, computes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, percentileofscore, rankdata

from annotate.screening.agreement.apart import _mid_ranks
from annotate.screening.order_statistics import _quantile

LEVELS = st.floats(0.6, 0.99999)  # as annotate.screening.settings allows


@given(LEVELS, st.lists(st.integers(0, 100_000), min_size=1))
def test_quantiles_of_tosses(level, n):
    assert _quantile(level, np.array(n)).tolist() == binom.ppf(level, n, 0.5).tolist()


VALUES = st.integers(-3, 3).map(lambda n: n / 2) | st.floats(-9, 9)


@given(st.lists(VALUES, max_size=60))
def test_mid_ranks(values):
    everybody = np.ones(len(values), dtype=bool)
    assert _mid_ranks(np.array(values), everybody).tolist() == rankdata(values).tolist()


@given(st.lists(st.tuples(VALUES, st.booleans()), min_size=1, max_size=60))
def test_mid_ranks_among_some(rows):
    values, among = np.array([value for value, _one in rows]), np.array([one for _v, one in rows])
    some = values[among]
    expected = [
        0.5 + (percentileofscore(some, value, "mean") / 100 * some.size if some.size else 0)
        for value in values
    ]
    assert _mid_ranks(values, among) == pytest.approx(expected)
