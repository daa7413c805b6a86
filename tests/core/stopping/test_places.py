"""Places with ties, and what would settle the pairs that are open."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimation.core import PairState, circles, errors, items_to_decide, places, ranking

RULE = {"margin": 0.1, "planned_items": 150}
ALPHA = 0.05 / 6


def test_ties_share_their_places():
    outcomes = dict.fromkeys(combinations("abcd", 2), "first")
    assert places(outcomes) == {"a": (1, 1), "b": (2, 2), "c": (3, 3), "d": (4, 4)}
    outcomes["b", "c"] = "close"
    assert places(outcomes) == {"a": (1, 1), "b": (2, 3), "c": (2, 3), "d": (4, 4)}
    outcomes["a", "b"] = "open"
    assert places(outcomes) == {"a": (1, 2), "b": (1, 3), "c": (2, 3), "d": (4, 4)}


def test_a_low_score_may_be_the_better_one():
    outcomes = {("a", "b"): "first", ("a", "c"): "open", ("b", "c"): "second"}
    assert places(outcomes) == {"a": (1, 2), "b": (3, 3), "c": (1, 2)}
    assert places(outcomes, higher_is_better=False) == {"a": (2, 3), "b": (1, 1), "c": (2, 3)}


def test_a_circle_shares_its_places():
    outcomes = {("a", "b"): "first", ("a", "c"): "second", ("b", "c"): "first"}
    assert places(outcomes) == dict.fromkeys("abc", (1, 3))
    assert circles(outcomes) == (("a", "b", "c"),)
    below = {(name, "d"): "first" for name in "abc"}
    assert places(outcomes | below) == {**dict.fromkeys("abc", (1, 3)), "d": (4, 4)}
    assert circles({("a", "b"): "first", ("b", "c"): "first", ("a", "c"): "open"}) == ()
    assert (places({}), circles({})) == ({}, ())


@given(order=st.permutations("abcde"), known=st.lists(st.booleans(), min_size=10, max_size=10))
def test_places_hold_the_true_order_whatever_is_known_of_it(order, known):
    rank = {system: order.index(system) + 1 for system in order}
    outcomes = {
        (a, b): ("first" if rank[a] < rank[b] else "second") if is_known else "open"
        for (a, b), is_known in zip(combinations("abcde", 2), known, strict=True)
    }
    found = places(outcomes)
    assert all(best <= rank[system] <= worst for system, (best, worst) in found.items())
    if all(known):
        assert found == {system: (place, place) for system, place in rank.items()}


def test_every_order_that_fits_the_pairs_lies_within_the_places():
    outcomes = {("a", "b"): "first", ("c", "d"): "second", ("a", "d"): "close"}
    found = places(outcomes)
    for order in permutations("abcd"):
        if order.index("a") < order.index("b") and order.index("d") < order.index("c"):
            assert all(best - 1 <= order.index(s) < worst for s, (best, worst) in found.items())


pairs = st.builds(
    PairState,
    st.floats(-0.6, 0.6),
    st.floats(0.01, 0.3),
    st.integers(30, 400),
    st.sampled_from([6.0, 14.0, 40.0, np.inf]),
)


@given(state=pairs)
def test_that_many_items_decide_it_and_one_fewer_does_not(state):
    n = items_to_decide(state, **RULE, alpha=ALPHA, most=3000)
    outcome = outcome_at(state, state.n_items if n is None else n)
    if n is None:
        assert outcome_at(state, 3000) == "open"
    elif n == state.n_items:
        assert outcome != "open"
    else:
        assert outcome != "open"
        assert outcome_at(state, n - 1) == "open"


def outcome_at(state: PairState, n: int) -> str:
    """What the rule says of one of six pairs once it rests on n items by the same people."""
    error = state.std_error * (state.n_items / n) ** 0.5
    later = PairState(state.estimate, error, n, state.effective_annotators)
    others = {(str(k), "x"): PairState(9.0, 0.01, 100) for k in range(5)}
    return ranking({("a", "b"): later, **others}, **RULE, level=0.95).pairs["a", "b"].outcome


def test_what_people_differ_by_does_not_shrink():
    state = PairState(0.1, 0.08, 60, 20)
    asked = {**RULE, "alpha": ALPHA, "most": 5000}
    plain = items_to_decide(state, **asked)
    some = items_to_decide(state, **asked, person_variance=0.0002)
    assert plain < some < 5000
    assert items_to_decide(state, **asked, person_variance=0.003) is None


@pytest.mark.parametrize("state", [PairState(0.1, None, 60), PairState(0.1, 0.08, 60, 4.9)])
def test_nothing_is_foreseen_of_what_has_no_interval(state):
    assert items_to_decide(state, **RULE, alpha=ALPHA, most=5000) is None


def test_a_negative_variance_is_refused():
    with pytest.raises(errors.InvalidOptionError):
        items_to_decide(PairState(0, 0.1, 60), **RULE, alpha=0.05, most=9, person_variance=-1)
