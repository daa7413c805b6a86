"""Ids of judgments are packed and told as runs without loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimation.facts import chosen, packed, runs, unpacked

IDS = st.sets(st.integers(1, 2**62), max_size=60).map(lambda found: np.array(sorted(found), "i8"))


@pytest.mark.slow
@given(IDS)
def test_what_is_packed_comes_back(ids: np.ndarray) -> None:
    assert np.array_equal(unpacked(packed(ids)), ids)


@pytest.mark.slow
@given(IDS, st.data())
def test_runs_choose_exactly_these(among: np.ndarray, data: st.DataObject) -> None:
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=among.size, max_size=among.size)))
    ids = among[kept.astype(bool)] if among.size else among
    told = runs(ids, among)
    assert np.array_equal(among[chosen(told, among)], ids)
    assert len(told) <= among.size // 2 + 1


def test_neighbours_are_one_run_though_their_numbers_are_not() -> None:
    among = np.array([3, 7, 8, 20, 31])
    assert runs(np.array([3, 7, 8, 31]), among) == [[3, 8], [31, 31]]
