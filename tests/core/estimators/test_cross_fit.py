"""The cross-fitted ridge: against loops from its definition, and what useless metrics cost."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import cross_fitted
from estimation.core.ridge import PENALTIES, least_squares

seeds = st.integers(0, 10_000)
NONE = np.inf


@dataclass(frozen=True)
class Case:
    """`useful` of the metrics explain r2 of the variance of the scores, equally.

    kind: normal or heavy (lognormal) metrics, rare ones (0 but for one output in 50), or ternary
    scores. alike: correlation of the metrics. uneven: sd of the logarithm of the rows' weights.
    """

    items: int = 100
    metrics: int = 20
    useful: int = 0
    r2: float = 0.0
    kind: str = "normal"
    alike: float = 0.0
    uneven: float = 0.0

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Metrics (n, p) and scores (n,) of mean 0 over all outputs, and weights (n,)."""
        own = rng.normal(size=(self.items, self.metrics))
        x = (1 - self.alike) ** 0.5 * own + self.alike**0.5 * rng.normal(size=(self.items, 1))
        if self.kind == "heavy":
            x = (np.exp(x) - np.e**0.5) / (np.e * (np.e - 1)) ** 0.5
        if self.kind == "rare":
            x = ((own > 2.0537) - 0.02) / 0.14
        told = x[:, : self.useful].sum(axis=1) / max(self.useful, 1) ** 0.5
        y = self.r2**0.5 * told + (1 - self.r2) ** 0.5 * rng.normal(size=self.items)
        if self.kind == "ternary":
            y = np.sign(y) * (np.abs(y) > 1)
        weight = np.exp(self.uneven * rng.normal(size=self.items))
        return x, y, weight / weight.sum()

    def cost(self, draws: int) -> tuple[float, float]:
        """How much the metrics raise the mean squared error, as a share, and its own error."""
        rng, found = np.random.default_rng(2018), []
        for _number in range(draws):
            x, y, weight = self.draw(rng)
            predicted = cross_fitted(x, y, weight=weight, standard_errors=0.5).predicted
            found.append((float(weight @ y) ** 2, float(weight @ (y - predicted)) ** 2))
        return raised(np.array(found))


def raised(squares: np.ndarray) -> tuple[float, float]:
    """The relative rise from the first column's mean to the second's, and its standard error."""
    without, with_metrics = squares.T
    ratio = with_metrics.mean() / without.mean()
    spread = (with_metrics - ratio * without).std(ddof=1) / len(squares) ** 0.5
    return float(ratio - 1), float(spread / without.mean())


USELESS = (
    Case(),
    Case(kind="heavy"),
    Case(kind="rare"),
    Case(kind="ternary"),
    Case(alike=0.5),
    Case(uneven=0.5),
)


def slopes(x, y, w, penalty) -> tuple[float, np.ndarray]:
    """Intercept and slopes that minimise the penalised squared error, by normal equations."""
    if y.size < 3 or penalty == NONE:
        return (np.average(y, weights=w) if y.size else 0.0), np.zeros(x.shape[1])
    x_mean, y_mean = w @ x / w.sum(), w @ y / w.sum()
    about = x - x_mean
    b = np.linalg.solve(
        about.T @ (about * w[:, None]) + penalty * np.eye(x.shape[1]), about.T @ (w * (y - y_mean))
    )
    return y_mean - x_mean @ b, b


def by_loops(x, y, w, group) -> tuple[np.ndarray, float]:
    """Slopes (n, p) and the penalty from the definition alone: each group left out in turn."""
    w, found, left = w / w.sum(), {}, {}
    for penalty in PENALTIES:
        b, r = np.zeros(x.shape), np.zeros(y.size)
        for one in set(group):
            out = group == one
            a, b[out] = slopes(x[~out], y[~out], w[~out], penalty)
            r[out] = y[out] - a - x[out] @ b[out][0]
        found[penalty], left[penalty] = b, r
    best = min(reversed(PENALTIES), key=lambda penalty: w @ left[penalty] ** 2)
    gain = left[NONE] ** 2 - left[best] ** 2
    about = [w[group == g] @ (gain - w @ gain)[group == g] for g in set(group)]
    if w @ gain <= 0.5 * np.sum(np.square(about)) ** 0.5:
        best = NONE
    return found[best], best


def rows(seed: int, n: int, p: int, *, useful: float = 0.6):
    """Metrics, scores, groups of a few rows, and weights."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 0.3
    y = useful * x[:, 0] + rng.normal(size=n)
    return x, y, rng.integers(0, max(1, n // 3), n), rng.random(n) + 0.1


@pytest.mark.parametrize("grouped", [False, True])
@given(seed=seeds, n=st.integers(12, 60), p=st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_slopes_and_penalties_are_those_of_the_definition(grouped, seed, n, p):
    x, y, group, w = rows(seed, n, p)
    found = cross_fitted(x, y, weight=w, group=group if grouped else None)
    expected, penalty = by_loops(x, y, w, group if grouped else np.arange(n))
    assert found.penalty == penalty
    assert found.coefficients == pytest.approx(expected, abs=1e-8)
    assert found.predicted == pytest.approx((x * expected).sum(axis=1), abs=1e-8)
    assert found.slopes == pytest.approx(expected.mean(axis=0), abs=1e-8)


def test_both_outcomes_of_the_choice_occur():
    chosen = [cross_fitted(*rows(s, 60, 4, useful=0.15)[:2]).penalty for s in range(40)]
    assert 5 < np.isinf(chosen).sum() < 35


@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_no_score_has_a_part_in_the_slopes_that_correct_it(seed):
    # The choice of the penalty aside, of which there is one for all rows.
    x, y, group, w = rows(seed, 60, 4, useful=3.0)
    held = group == group[0]
    one, two = (
        cross_fitted(x, scores, weight=w, group=group, standard_errors=-np.inf)
        for scores in (y, np.where(held, y + 0.01, y))
    )
    if one.penalty == two.penalty:
        assert two.coefficients[held] == pytest.approx(one.coefficients[held], abs=1e-9)
        assert (two.coefficients[~held] != one.coefficients[~held]).any()


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 20])
def test_few_rows_are_no_obstacle(n):
    x, y, group, _ = rows(n, n, 3)
    for some in (None, group, np.zeros(n, dtype=int)):
        assert np.isfinite(cross_fitted(x, y, group=some).predicted).all()
    assert (cross_fitted(x, y, group=np.zeros(n, dtype=int)).predicted == 0).all()


def test_a_metric_with_one_enormous_value_is_no_obstacle():
    # As large as a standardised metric of 10,000 outputs can be.
    x, y, _, _ = rows(3, 200, 4)
    x[:, 1] = -1e-9
    x[7, 1] = 100
    found = cross_fitted(x, y)
    assert np.isfinite(found.predicted).all()
    assert np.delete(y - found.predicted, 7).var() < y.var()


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize("case", USELESS, ids=lambda case: f"{case.kind} {case.alike}")
def test_useless_metrics_cost_at_most_two_percent(case: Case):
    change, error = case.cost(4000)
    assert change <= 0.02
    assert error < 0.005


@pytest.mark.simulation
def test_least_squares_pays_for_useless_metrics():
    # The same measure must see what it is there to see.
    rng, squares = np.random.default_rng(1), []
    for _ in range(1000):
        x, y, w = Case().draw(rng)
        squares.append((float(w @ y) ** 2, float(w @ (y - x @ least_squares(x, y, w)[0])) ** 2))
    change, error = raised(np.array(squares))
    assert change - 3 * error > 0.1


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize("useful", [1, 20])
def test_useful_metrics_save_what_they_can(useful: int):
    case = Case(400, useful=useful, r2=0.4)
    change, error = case.cost(1000)
    assert change + 2 * error < -0.25
