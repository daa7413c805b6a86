"""What one person's counts say, with known answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq, Levenshtein

from annotate.screening.signals import (
    PageCounts,
    SignalThresholds,
    TaskTrace,
    all_alone,
    away,
    new_characters,
    pace,
    told,
    typing,
)
from tests.annotate.screening.signals.crowds import HONEST, REWRITERS, share, tasks

USUAL = SignalThresholds()
PASTED = PageCounts(pasted=46, typed=4, pastes=1, keys=4)
TYPED = PageCounts(typed=50, keys=60)


def edits(*counts: PageCounts, new: int = 50) -> list[TaskTrace]:
    return [TaskTrace(30.0, new, one) for one in counts]


@given(st.text("ab c", max_size=30), st.text("ab c", max_size=30))
def test_new_characters_are_a_lower_bound(before, after):
    distance = Levenshtein.distance(before, after)
    least = new_characters(distance, len(before), len(after))
    assert 0 <= least <= len(after) - LCSseq.similarity(before, after) + 1
    assert least >= len(after) - len(before)


def test_four_pasted_edits_of_four_list_somebody_and_three_of_three_do_not():
    assert not typing(edits(*[PASTED] * 3), USUAL).listed
    found = typing(edits(*[PASTED] * 4), USUAL)
    assert found.listed
    assert (found.value, found.n, round(found.bound, 3)) == (1.0, 4, 0.316)
    said = told(found)
    assert said.startswith("Pasted 92\u00a0% of the 200 characters in 4 edits; typed 8\u00a0%.")
    assert "100\u00a0% of these edits were typed less than half. 16 key presses." in said
    seven = typing(edits(*[PASTED] * 7, *[TYPED] * 18), USUAL)
    assert not seven.listed
    assert typing(edits(*[PASTED] * 14, *[TYPED] * 11), USUAL).listed


def test_what_appears_without_keys_or_pastes_is_not_typed():
    found = typing(edits(*[PageCounts()] * 7), USUAL)
    assert found.listed
    assert told(found).startswith(
        "Pasted 0\u00a0% of the 350 characters in 7 edits; typed 0\u00a0%"
    )


@pytest.mark.parametrize(
    ("counts", "new"),
    [
        (TYPED, 50),
        (PageCounts(typed=25, pasted=25), 50),  # half of it
        (PageCounts(moved=50, pastes=2), 50),  # what the text had, put elsewhere
        (PageCounts(pasted=50, resumed=1), 50),  # the page was loaded again
        (PASTED, 9),  # too short
    ],
)
def test_these_edits_do_not_count_as_untyped(counts, new):
    found = typing(edits(*[counts] * 25, new=new), USUAL)
    assert not found.listed
    assert not found.value


def test_edits_without_counts_say_nothing():
    for given_ in ([TaskTrace(30.0, 50, None)] * 25, [TaskTrace(30.0, None, PASTED)] * 25, []):
        found = typing(given_, USUAL)
        assert (found.listed, found.value, found.n) == (False, None, 0)
        assert told(found)


def test_a_pace_is_even_when_even_its_upper_bound_is_low():
    even = [TaskTrace(20.0 + n % 3, None, PageCounts()) for n in range(25)]
    found = pace(even, USUAL)
    times = np.log([one.seconds for one in even])
    assert found.listed
    assert found.value == pytest.approx(np.std(times, ddof=1))
    assert found.bound == pytest.approx(found.value * np.sqrt(24 / 10.8564), rel=1e-4)
    assert not pace(even[:7], USUAL).listed
    assert pace(even[:7], USUAL).value is None
    usual = [TaskTrace(20.0 * 1.3 ** (n % 5), None, PageCounts()) for n in range(25)]
    assert not pace(usual, USUAL).listed


def test_leaving_the_page_lists_nobody_unless_somebody_asks_for_it():
    left = [TaskTrace(20.0, None, PageCounts(away=2, away_seconds=9))] * 25
    assert not away(left, USUAL).listed
    assert (
        told(away(left, USUAL))
        == "Left the page in 100\u00a0% of 25 tasks, 50 times, 4\u00a0min in total."
    )
    assert away(left, SignalThresholds(away=0.8)).listed


def ever(write, people: int, seed: int) -> float:
    """Return the share of people who are listed at one of five looks, the last after 25 tasks."""
    random = np.random.default_rng(seed)
    found = [tasks(random, write) for _ in range(people)]
    return share(
        [
            any(one.listed for k in range(5, 26, 5) for one in all_alone(mine[:k], USUAL))
            for mine in found
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("write", HONEST)
def test_honest_people_of_each_kind_are_rarely_listed(write):
    """At most 5 of 1,000: with an upper bound (.95) of 1.1 %."""
    assert ever(write, 1000, seed=5) <= 0.005


@pytest.mark.parametrize("write", HONEST)
def test_not_one_of_a_hundred_honest_people_is_listed(write):
    assert ever(write, 100, seed=7) == 0


@pytest.mark.parametrize("write", REWRITERS)
def test_half_of_all_rewriters_are_listed_by_the_25th_judgment(write):
    assert ever(write, 100, seed=6) >= 0.5
