"""Ordering by counting gives what comparing gives."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.screening import SCREENS, Settings
from annotate.screening.edits.finding import _repeated
from annotate.screening.grouping import by_group, levels, once, pairs
from annotate.screening.order_statistics import in_groups
from annotate.screening.running import findings, measured
from tests.annotate.screening.columns import columns, crowd

PEOPLE = st.lists(st.integers(0, 6), max_size=40)
VALUES = st.sampled_from([-1.5, 0.0, 0.25, 3.0, np.inf, -np.inf])


def drawn(data: st.DataObject, n: int, values: st.SearchStrategy[float] = VALUES) -> np.ndarray:
    return np.array(data.draw(st.lists(values, min_size=n, max_size=n)), dtype=float)


@given(st.data(), PEOPLE, st.sampled_from([1, 25_000, 70_000]))
def test_rows_by_group_are_those_of_a_lexsort(data, people, wide):
    who = np.array(people, dtype=np.int64) * wide
    after = drawn(data, who.size)
    groups = np.int64(6 * wide + 1)
    assert by_group(who, groups, after=after).tolist() == np.lexsort((after, who)).tolist()
    assert by_group(who, groups).tolist() == np.argsort(who, kind="stable").tolist()


@given(st.data(), PEOPLE)
def test_values_in_groups_are_those_of_a_lexsort(data, people):
    who = np.array(people, dtype=np.int64)
    value = drawn(data, who.size)
    found = in_groups(who, value, np.bincount(who, minlength=7))
    assert found.tolist() == value[np.lexsort((value, who))].tolist()


@pytest.mark.parametrize("few", [0, 4096])
@given(st.data())
def test_levels_are_those_of_unique(few, data):
    value = drawn(data, data.draw(st.integers(0, 30)), st.sampled_from([0.0, 1.0, 2.5, np.nan]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("annotate.screening.grouping._FEW", few)
        found = levels(value)
    wanted = np.unique(value, return_inverse=True, return_counts=True)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dense", [0, 8])
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=30))
def test_pairs_are_those_of_unique(dense, both):
    one, other = np.array(both, dtype=np.int64).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("annotate.screening.grouping._DENSE", dense)
        found = pairs(one, other, 4)
    for got, wanted in zip(found, np.unique(one * 4 + other, return_counts=True), strict=True):
        assert got.tolist() == wanted.tolist()


def test_what_was_computed_for_columns_is_not_computed_again_and_ends_with_them():
    calls = []

    @once
    def doubled(given, times):
        calls.append(times)
        return times * 2

    one, other = (columns([1, 2, 3]) for _ in range(2))
    assert [doubled(one, 3), doubled(one, 3), doubled(one, 4), doubled(other, 3)] == [6, 6, 8, 6]
    assert calls == [3, 4, 3]


def test_each_screen_finds_alone_what_it_finds_after_all_others():
    made = crowd(4)
    together = findings(made, Settings())
    for found in together[:-1]:  # the last adds up the others
        alone = measured(SCREENS[found.screen], replace(made), Settings())
        assert alone.evidence.tolist() == found.evidence.tolist()
        np.testing.assert_array_equal(alone.value, found.value)


def test_an_edit_is_repeated_where_a_loop_over_all_pairs_says_so():
    rng = np.random.default_rng(7)
    for _ in range(50):
        n = int(rng.integers(1, 25))
        text, item = rng.integers(-1, 4, n), rng.integers(0, 4, n)
        made = columns(rng.integers(0, 3, n), edit_text=text, item=item)
        wanted = [
            bool(text[j] >= 0)
            and any(
                made.annotator[k] == made.annotator[j] and text[k] == text[j] and item[k] != item[j]
                for k in range(n)
            )
            for j in range(n)
        ]
        assert _repeated(made).tolist() == wanted
