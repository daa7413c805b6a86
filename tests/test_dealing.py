"""The order of the tests for several workers: each the same work, none left out."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.dealing import DATABASE, PAGES, QUICK, deal

FILES = st.lists(st.tuples(st.sampled_from([PAGES, DATABASE, QUICK]), st.integers(1, 30)))


def dealt(files: list[tuple[int, int]], workers: int) -> list[tuple[int, int, int]]:
    """Deal the tests (file, kind, number) of files of so many tests of a kind."""
    tests = [(name, one, n) for name, (one, size) in enumerate(files) for n in range(size)]
    return deal(tests, workers, file_of=lambda test: test[0], kind_of=lambda test: test[1])


@given(FILES, st.integers(1, 9))
def test_none_is_left_out_and_the_order_is_always_the_same(files, workers) -> None:
    order = dealt(files, workers)
    assert Counter(order) == Counter(
        (name, one, n) for name, (one, size) in enumerate(files) for n in range(size)
    )
    assert order == dealt(files, workers)


@given(FILES, st.integers(1, 9))
def test_a_file_stays_together(files, workers) -> None:
    order = dealt(files, workers)
    begun = [test for test in order if test[2] == 0]
    assert len(begun) == len(files)
    assert all(after[2] in (0, before[2] + 1) for before, after in pairwise(order))


def test_each_part_gets_a_like_share_of_each_kind_and_ends_with_the_quick() -> None:
    files = [(PAGES, 10)] * 8 + [(DATABASE, 5)] * 40 + [(QUICK, 3)] * 60
    order = [one for _name, one, _n in dealt(files, 4)]
    quarter = len(order) // 4
    parts = [order[start : start + quarter] for start in range(0, len(order), quarter)]
    assert [part[0] for part in parts] == [PAGES, DATABASE, PAGES, DATABASE]
    for part in parts:
        assert Counter(part) == {PAGES: 20, DATABASE: 50, QUICK: 45}
        assert part[-45:] == [QUICK] * 45
