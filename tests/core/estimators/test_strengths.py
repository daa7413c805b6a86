"""Bradley and Terry's strengths against the model, and against another way to fit it."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import binom, norm

from estimation.core import (
    Sample,
    Scale,
    ShapeMismatchError,
    TooFewJudgmentsError,
    bradley_terry,
    estimate,
    strength_half_widths,
)


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


# --- intervals


@pytest.mark.parametrize("p", [0.5, 0.8])
def test_two_systems_have_half_the_width_of_the_log_odds(p):
    won = [[0, 100 * p], [100 * (1 - p), 0]]
    half = strength_half_widths(won, np.full((2, 2), 0.06), prior=0)
    assert half == pytest.approx(0.06 / (p * (1 - p)) / 2)


@pytest.mark.parametrize("seed", range(4))
def test_each_share_moves_strengths_as_refitting_does(seed):
    rng = np.random.default_rng(seed)
    times = np.triu(rng.integers(20, 90, (4, 4)).astype(float), 1)
    times[0, 1] = 0  # two systems that were never compared
    share, widths = rng.uniform(0.2, 0.8, (4, 4)), rng.uniform(0.01, 0.2, (4, 4))

    def fitted(share):
        return bradley_terry(times * share + (times * (1 - share)).T)

    bound = np.zeros(4)
    for a, b in combinations(range(4), 2):
        step = np.zeros((4, 4))
        step[a, b] = 1e-5
        bound += np.abs(fitted(share + step) - fitted(share - step)) / 2e-5 * widths[a, b]
    found = strength_half_widths(
        times * share + (times * (1 - share)).T, np.triu(widths) + np.triu(widths).T
    )
    assert found == pytest.approx(bound, rel=1e-4)


def test_half_widths_of_another_size_or_sign_are_refused():
    won = [[0, 5], [5, 0]]
    for widths in (np.zeros((3, 3)), [[0, -1], [-1, 0]], [[0, np.nan], [np.nan, 0]]):
        with pytest.raises(ShapeMismatchError):
            strength_half_widths(won, widths)


QUALITY = np.array([0.6, 0.2, 0.0, -0.4])
ITEMS, PEOPLE = 100, 40


def campaign(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return wins, half-widths and true strengths: pairs share texts and people with tastes."""
    text = QUALITY[:, None] + 0.6 * rng.normal(size=(4, ITEMS))
    taste = 0.4 * rng.normal(size=(4, PEOPLE))
    wins, widths, true = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((4, 4))
    item = np.arange(ITEMS)
    for a, b in combinations(range(4), 2):
        who = rng.integers(PEOPLE, size=ITEMS)
        apart = text[a] - text[b]
        heard = apart + taste[a, who] - taste[b, who] + rng.normal(size=ITEMS)
        # All people's share of wins for exactly these texts.
        share = norm.cdf(apart / (2 * 0.4**2 + 1) ** 0.5).mean()
        found = estimate(Sample((heard > 0) * 1.0, item, who, ITEMS, Scale(0, 1)))
        wins[a, b], wins[b, a] = ITEMS * found.estimate, ITEMS * (1 - found.estimate)
        true[a, b], true[b, a] = ITEMS * share, ITEMS * (1 - share)
        widths[a, b] = widths[b, a] = found.interval(0.95).width / 2
    return wins, widths, bradley_terry(true)


@pytest.mark.slow
@pytest.mark.simulation
def test_intervals_hold_the_strengths_of_the_true_shares():
    rng, runs = np.random.default_rng(82), 300
    held = np.zeros(4)
    for _run in range(runs):
        wins, widths, true = campaign(rng)
        held += np.abs(bradley_terry(wins) - true) <= strength_half_widths(wins, widths)
    print(held / runs)
    assert (binom.cdf(held, runs, 0.95) > 0.01).all()
