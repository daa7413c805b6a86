"""Labels once each: as `np.unique`, by sorting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as drawn

from estimation.core import distinct

LABELS = drawn.arrays(np.int64, st.integers(0, 20), elements=st.integers(-(2**63), 2**63 - 1))
FEW = drawn.arrays(np.int64, st.integers(0, 20), elements=st.integers(0, 3))
TEXTS = drawn.arrays("U3", st.integers(0, 20))


@given(LABELS | FEW | TEXTS)
def test_it_is_what_unique_returns(labels):
    found = distinct(labels)
    np.testing.assert_array_equal(found, np.unique(labels))
    assert found.dtype == labels.dtype
