"""Means, spreads and residuals of single texts."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from estimation.core import predictor, text_scores


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 1)), max_size=40))
def test_each_text_is_summarised_as_the_standard_library_does(rows: list[tuple[int, int]]) -> None:
    found = text_scores([at for at, _y in rows], [y for _at, y in rows], n_texts=6)
    for text in range(6):
        mine = [y for at, y in rows if at == text]
        assert found.n[text] == len(mine)
        if mine:
            assert found.mean[text] == pytest.approx(statistics.mean(mine))
        else:
            assert np.isnan(found.mean[text])
        if len(mine) > 1:
            assert found.spread[text] == pytest.approx(statistics.stdev(mine))
        else:
            assert np.isnan(found.spread[text])


def test_opposed_answers_have_the_largest_spread() -> None:
    assert text_scores([0, 0], [1, -1], n_texts=1).spread[0] == pytest.approx(2**0.5)


def test_one_metric_predicts_as_scipys_line() -> None:
    random = np.random.default_rng(3)
    g = random.normal(size=50)
    y = 0.4 * g + random.normal(size=50)
    y[7], g[9] = np.nan, np.nan
    known = np.isfinite(y) & np.isfinite(g)
    line, found = stats.linregress(g[known], y[known]), predictor(g[:, None], y)
    assert found is not None
    assert found.slopes[0] == pytest.approx(line.slope)
    assert found.intercept == pytest.approx(line.intercept)
    residual = (y - found.of(g[:, None]))[known]
    assert residual.mean() == pytest.approx(0, abs=1e-12)
    assert np.corrcoef(residual, g[known])[0, 1] == pytest.approx(0, abs=1e-9)


def test_there_is_no_line_through_too_few_or_through_equal_values() -> None:
    assert predictor([[1.0], [2.0]], [0.0, 1.0]) is None
    assert predictor([[1.0]] * 5, [0.0, 1.0, 0.0, 1.0, 0.0]) is None
    twice = predictor([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [5.0, 10.0]], [1.0, 2.0, 3.0, 5.0])
    assert twice is not None
    assert twice.of(np.array([[4.0, 8.0]]))[0] == pytest.approx(4.0)
