"""Bradley and Terry's strengths against the model, and against another way to fit it."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from estimation.core import ShapeMismatchError, TooFewJudgmentsError, bradley_terry


def expected(strengths: np.ndarray, times: float = 40) -> np.ndarray:
    """Return the wins that these strengths make expected."""
    won = times * expit(strengths[:, None] - strengths)
    np.fill_diagonal(won, 0)
    return won


def by_newton(won: np.ndarray) -> np.ndarray:
    """Fit the same by minimising the likelihood of a logistic regression."""
    pairs = [(a, b) for a in range(len(won)) for b in range(len(won)) if a != b]

    def loss(rest: np.ndarray) -> float:
        s = np.append(rest, 0)
        return -sum(won[a, b] * np.log(expit(s[a] - s[b])) for a, b in pairs)

    found = np.append(minimize(loss, np.zeros(len(won) - 1), tol=1e-12).x, 0)
    return found - found.mean()


@pytest.mark.parametrize("p", [0.5, 0.6, 0.9, 0.999])
def test_two_systems_have_the_log_odds_of_their_wins(p):
    found = bradley_terry([[0, 1000 * p], [1000 * (1 - p), 0]], prior=0)
    assert found[0] - found[1] == pytest.approx(np.log(p / (1 - p)), abs=1e-8)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=6))
def test_expected_wins_give_their_strengths_back(strengths):
    true = np.array(strengths) - np.mean(strengths)
    assert bradley_terry(expected(true), prior=0) == pytest.approx(true, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_another_way_to_fit_it_agrees(seed):
    won = np.random.default_rng(seed).integers(1, 30, (4, 4)).astype(float)
    np.fill_diagonal(won, 0)
    assert bradley_terry(won, prior=0) == pytest.approx(by_newton(won), abs=1e-4)
    assert bradley_terry(won) == pytest.approx(by_newton(won + 0.5 * (1 - np.eye(4))), abs=1e-4)


def test_a_circle_has_equal_strengths():
    won = np.array([[0, 9, 1], [1, 0, 9], [9, 1, 0]])
    assert bradley_terry(won) == pytest.approx(np.zeros(3), abs=1e-9)


def test_who_always_wins_has_a_finite_strength():
    found = bradley_terry([[0, 20], [0, 0]])
    assert found[0] - found[1] == pytest.approx(np.log(20.5 / 0.5))


@given(st.integers(2, 6), st.integers(0, 10**6))
def test_systems_keep_their_strengths_in_any_order(k, seed):
    rng = np.random.default_rng(seed)
    won = rng.integers(0, 20, (k, k))
    won += 1
    order = rng.permutation(k)
    found = bradley_terry(won)
    assert bradley_terry(won[np.ix_(order, order)]) == pytest.approx(found[order], abs=1e-8)


@pytest.mark.parametrize("wins", [[1, 2], [[0, 1]], [[0, -1], [1, 0]], [[0, np.nan], [1, 0]]])
def test_other_tables_are_refused(wins):
    with pytest.raises(ShapeMismatchError):
        bradley_terry(wins)


def test_systems_without_a_common_comparison_are_refused():
    won = np.zeros((4, 4))
    for a, b in combinations((0, 1), 2):
        won[a, b] = won[b, a] = won[a + 2, b + 2] = won[b + 2, a + 2] = 5
    with pytest.raises(TooFewJudgmentsError, match="not connected"):
        bradley_terry(won)
