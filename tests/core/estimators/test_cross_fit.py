"""The cross-fitted ridge: against loops from its definition, and what useless metrics cost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.useless_metrics import NULL, Case, cost, errors
from estimation.core import cross_fitted, folds
from estimation.core.estimators.lines import least_squares
from estimation.core.estimators.multi import FOLDS, PENALTIES

seeds = st.integers(0, 10_000)
NONE = np.inf


def slopes(x, y, w, penalty) -> tuple[float, np.ndarray]:
    """Intercept and slopes that minimise the penalised squared error, by normal equations."""
    if y.size < 3 or penalty == NONE:
        return (np.average(y, weights=w) if y.size else 0.0), np.zeros(x.shape[1])
    w = w / w.sum()
    x_mean, y_mean = w @ x, w @ y
    about = x - x_mean
    b = np.linalg.solve(
        about.T @ (about * w[:, None]) + penalty * np.eye(x.shape[1]), about.T @ (w * (y - y_mean))
    )
    return y_mean - x_mean @ b, b


def gains(x, y, w, fold, held, penalty) -> tuple[np.ndarray, np.ndarray]:
    """What the penalty takes off each squared error in the folds but `held`; and the weights."""
    gained, weights = [], []
    for inner in range(FOLDS):
        if inner == held:
            continue
        train, test = (fold != held) & (fold != inner), fold == inner
        a, b = slopes(x[train], y[train], w[train], penalty)
        mean, _ = slopes(x[train], y[train], w[train], NONE)
        gained.append((y[test] - mean) ** 2 - (y[test] - a - x[test] @ b) ** 2)
        weights.append(w[test])
    return np.concatenate(gained), np.concatenate(weights)


def by_loops(x, y, w, fold) -> tuple[np.ndarray, list[float]]:
    """Slopes (5, p) and penalties from the definition alone."""
    found, penalties = [], []
    for held in range(FOLDS):
        mean = {}
        for penalty in PENALTIES:
            gain, weight = gains(x, y, w, fold, held, penalty)
            mean[penalty] = weight @ gain
        best = max(PENALTIES, key=lambda penalty: mean[penalty])
        gain, weight = gains(x, y, w, fold, held, best)
        about = gain - np.average(gain, weights=weight)
        if mean[best] <= 0.5 * np.sqrt(weight**2 @ about**2):
            best = NONE
        train = fold != held
        found.append(slopes(x[train], y[train], w[train], best)[1])
        penalties.append(best)
    return np.array(found), penalties


def rows(seed: int, n: int, p: int, *, useful: float = 0.6):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 0.3
    y = useful * x[:, 0] + rng.normal(size=n)
    return x, y, rng.permutation(n) % FOLDS, rng.random(n) + 0.1


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@given(seed=seeds, n=st.integers(12, 60), p=st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_slopes_and_penalties_are_those_of_the_definition(weighted, seed, n, p):
    x, y, fold, w = rows(seed, n, p)
    w = w if weighted else np.ones(n)
    found = cross_fitted(x, y, fold=fold, weight=w if weighted else None)
    expected, penalties = by_loops(x, y, w, fold)
    assert list(found.penalties) == penalties
    assert found.by_fold == pytest.approx(expected, abs=1e-9)
    assert found.predicted == pytest.approx((x * expected[fold]).sum(axis=1), abs=1e-9)
    assert found.coefficients == pytest.approx(expected[fold], abs=1e-9)
    assert found.slopes == pytest.approx(expected[fold].mean(axis=0), abs=1e-9)


def test_both_outcomes_of_the_choice_occur():
    chosen = np.array(
        [
            cross_fitted(*rows(s, 60, 4, useful=0.3)[:2], fold=np.arange(60) % 5).penalties
            for s in range(20)
        ]
    )
    assert 10 < np.isinf(chosen).sum() < 90


@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_no_score_has_a_part_in_the_slopes_that_correct_it(seed):
    x, y, fold, w = rows(seed, 60, 4)
    held = fold == seed % FOLDS
    other = np.where(held, 1000 - 7 * y, y)
    one, two = (cross_fitted(x, scores, fold=fold, weight=w) for scores in (y, other))
    assert two.by_fold[seed % FOLDS] == pytest.approx(one.by_fold[seed % FOLDS], abs=1e-9)


@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_a_row_of_twice_the_weight_is_two_rows(seed):
    x, y, fold, _ = rows(seed, 60, 3, useful=2.0)
    twice = np.arange(60) < 20
    again = [np.concatenate([values, values[twice]]) for values in (x, y, fold)]
    one = cross_fitted(x, y, fold=fold, weight=1.0 + twice)
    two = cross_fitted(again[0], again[1], fold=again[2])
    same = np.array(one.penalties) == two.penalties  # the standard error counts the rows
    assert same.any()
    assert one.by_fold[same] == pytest.approx(two.by_fold[same], abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 20])
def test_few_rows_in_few_folds_are_no_obstacle(n):
    x, y, fold, _ = rows(n, n, 3)
    for some in (fold, np.zeros(n, dtype=int)):
        assert np.isfinite(cross_fitted(x, y, fold=some).predicted).all()
    assert (cross_fitted(x, y, fold=np.zeros(n, dtype=int)).predicted == 0).all()


def test_equal_scores_use_no_metric():
    x, y, fold, w = rows(1, 60, 4)
    assert set(cross_fitted(x, 0 * y + 0.1, fold=fold, weight=w).penalties) == {NONE}


def test_a_metric_with_one_enormous_value_is_no_obstacle():
    x, y, fold, _ = rows(3, 200, 4)
    x[:, 1] = -1e-9
    x[7, 1] = 1e9
    found = cross_fitted(x, y, fold=fold)
    assert np.isfinite(found.predicted).all()
    assert np.delete(y - found.predicted, 7).var() < y.var()


def test_folds_are_those_that_the_documentation_names():
    expected = np.random.default_rng(7).permutation(103) % 5
    assert (folds(103, seed=7) == expected).all()
    assert np.ptp(np.bincount(folds(103, seed=0))) <= 1


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize("case", NULL[:6], ids=lambda case: f"{case.kind} {case.alike}")
def test_useless_metrics_cost_at_most_two_percent(case: Case):
    change, error = cost(errors(case, 4000))
    assert change <= 0.02
    assert error < 0.005


@pytest.mark.simulation
def test_least_squares_pays_for_useless_metrics():
    # The same measure must see what it is there to see.
    rng, squares = np.random.default_rng(1), []
    for _ in range(1000):
        x, y, w = NULL[0].draw(rng)
        squares.append((float(w @ y) ** 2, float(w @ (y - x @ least_squares(x, y, w).slopes)) ** 2))
    change, error = cost(np.array(squares))
    assert change - 3 * error > 0.1


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize("useful", [1, 20])
def test_useful_metrics_save_what_they_can(useful: int):
    case = Case(400, useful=useful, r2=0.4)
    change, error = cost(errors(case, 1000))
    assert change + 2 * error < -0.25
