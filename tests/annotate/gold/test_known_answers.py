"""The screen of gold: how many honest people it lists, and how many careless ones it finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from annotate.screening import gold
from annotate.screening.gold import KnownAnswers, find


def listed_from(n: int, own: KnownAnswers) -> int:
    """Return from how many misses among n a person is listed; n + 1: never."""
    for wrong in range(n + 1):
        right = np.arange(n) >= wrong
        (verdict,) = find([7] * n, range(n), right, [0.35] * n, own)
        if verdict.listed:
            return wrong
    return n + 1


@given(n=st.integers(3, 40), slips=st.floats(0.001, 0.5), level=st.sampled_from([0.9, 0.98, 0.99]))
def test_of_honest_people_it_lists_no_more_than_it_says(n, slips, level):
    own = KnownAnswers(slips=slips, level=level)
    first = listed_from(n, own)
    assert binom.sf(first - 1, n, slips) <= 1 - level + 1e-9
    # One miss less would be too many: the cut-off is the lowest that keeps the promise.
    assert first == 1 or binom.sf(first - 2, n, slips) > 1 - level - 1e-9


@given(chances=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=12), data=st.data())
def test_a_guess_is_weighed_item_by_item(chances, data):
    wrong = data.draw(st.integers(0, len(chances)))
    n = len(chances)
    (verdict,) = find([1] * n, range(n), np.arange(n) >= wrong, chances)
    draws = np.random.default_rng(1).random((4000, n)) >= np.array(chances)
    assert verdict.by_guess == pytest.approx((draws.sum(axis=1) >= wrong).mean(), abs=0.05)


def test_an_item_that_most_others_missed_is_held_against_nobody():
    """A wrong answer in the file, or a defect that people do not see, must not list them."""
    people, items = 20, 5
    who = np.repeat(np.arange(people), items)
    what = np.tile(np.arange(items), people)
    right = what >= 3  # everybody misses the same three
    found = find(who, what, right, np.full(who.size, 0.4))
    assert not any(one.listed for one in found)
    assert {(one.answered, one.used, one.wrong) for one in found} == {(5, 2, 0)}


def test_one_careless_person_among_honest_ones_is_listed():
    people, items = 20, 5
    who = np.repeat(np.arange(people), items)
    what = np.tile(np.arange(items), people)
    found = find(who, what, who != 4, np.full(who.size, 0.4))
    assert [one.annotator for one in found if one.listed] == [4]


def test_a_few_answers_list_nobody():
    found = find([1, 1], [0, 1], [False, False], [0.4, 0.4])
    assert not found[0].listed
    assert gold.find([], [], [], []) == []


@given(n=st.integers(0, 40), slips=st.floats(0.001, 0.5), level=st.floats(0.9, 0.9999))
def test_what_is_told_of_misses_is_what_lists_people(n, slips, level):
    own = KnownAnswers(slips=slips, level=level)
    told = gold.fewest(n, own)
    assert told == (listed_from(n, own) if n else 1)
    assert told <= n or told == n + 1
