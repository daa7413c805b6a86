"""The correlation of a metric with people's scores, and its interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from estimation.core import InvalidOptionError, ShapeMismatchError, correlation

SEEDS = st.integers(0, 10_000)


def drawn(seed: int, n: int, rho: float) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    x = random.normal(size=n)
    return x, rho * x + np.sqrt(1 - rho**2) * random.normal(size=n)


def test_of_normal_pairs_it_is_fishers() -> None:
    """scipy's `pearsonr` gives Fisher's interval, which a normal distribution makes right."""
    x, y = drawn(1, 40_000, 0.6)
    known = stats.pearsonr(x, y)
    found = correlation(x, y, level=0.9)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.r == pytest.approx(known.statistic, abs=1e-12)
    low, high = known.confidence_interval(0.9)
    assert found.low == pytest.approx(low, abs=2e-4)
    assert found.high == pytest.approx(high, abs=2e-4)


@pytest.mark.slow
def test_of_answers_on_levels_it_is_the_bootstraps() -> None:
    """Answers on three levels, with less noise where the metric is high: not normal at all."""
    random = np.random.default_rng(4)
    x = random.exponential(size=400)
    y = np.clip(np.round(x - 1 + random.normal(size=400) / (1 + x)), -1, 1)
    found = correlation(x, y)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    known = stats.bootstrap(
        (x, y),
        lambda a, b: stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=1000,
        method="percentile",
        rng=np.random.default_rng(5),
    ).confidence_interval
    assert found.low == pytest.approx(known.low, abs=0.015)
    assert found.high == pytest.approx(known.high, abs=0.015)
    fisher = stats.pearsonr(x, y).confidence_interval()
    wider = (fisher.high - fisher.low) / (known.high - known.low)
    assert wider > 1.15, "Fisher's own would differ"


def test_it_holds_the_true_correlation_as_often_as_it_says() -> None:
    found = [correlation(*drawn(seed, 200, 0.5)) for seed in range(400)]
    held = [one.low < 0.5 < one.high for one in found if one and one.low and one.high]
    assert len(held) == 400
    assert 0.92 < np.mean(held) < 0.98


@given(SEEDS, st.integers(4, 30), st.floats(0.1, 50), st.floats(-5, 5))
def test_units_change_nothing_and_a_sign_mirrors_it(
    seed: int, n: int, times: float, plus: float
) -> None:
    x, y = drawn(seed, n, 0.3)
    one, other = correlation(x, y), correlation(plus + times * x, y)
    mirrored = correlation(-x, y)
    assert one is not None
    assert other is not None
    assert mirrored is not None
    assert one.low is not None
    assert one.high is not None
    assert mirrored.high is not None
    assert other.r == pytest.approx(one.r, abs=1e-9)
    assert other.low == pytest.approx(one.low, abs=1e-6)
    assert mirrored.r == pytest.approx(-one.r, abs=1e-12)
    assert mirrored.high == pytest.approx(-one.low, abs=1e-9)
    assert -1 <= one.low <= one.r <= one.high <= 1


@pytest.mark.filterwarnings("error")
@given(SEEDS, st.integers(-1010, 1010))
def test_no_size_of_the_values_changes_a_digit(seed: int, power: int) -> None:
    x, y = drawn(seed, 12, 0.3)
    assert correlation(np.ldexp(x, power), y) == correlation(x, y)


def test_where_there_is_none() -> None:
    assert correlation([1, 1, 1, 1], [1, 2, 3, 4]) is None
    assert correlation([1], [2]) is None
    line = correlation([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert line is not None
    assert (line.r, line.low, line.high) == (pytest.approx(1), None, None)
    few = correlation([1, 2, 4], [2, 1, 5])
    assert few is not None
    assert few.low is None
    with pytest.raises(ShapeMismatchError):
        correlation([1, 2], [1, 2, 3])
    with pytest.raises(InvalidOptionError):
        correlation([1, 2], [1, 2], level=1)
