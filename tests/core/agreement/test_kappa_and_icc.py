"""Fleiss' kappa and ICC(1,1): published tables, other packages, invariances."""

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas import DataFrame
from statsmodels.formula.api import ols
from statsmodels.stats import inter_rater
from statsmodels.stats.anova import anova_lm

from estimation.core import (
    NoVariationError,
    Sample,
    Scale,
    errors,
    fleiss_kappa,
    intraclass_correlation,
    one_way,
)

few = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 10_000)

# 10 subjects, 14 raters, 5 categories: the usual worked example of Fleiss' kappa.
FOURTEEN = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)
# Shrout and Fleiss (1979), table 2: six targets, four judges.
TARGETS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)


def of_counts(table):
    """Judgments from the number of raters for each item and category."""
    item, value = (np.repeat(axis.ravel(), table.ravel()) for axis in np.indices(table.shape))
    return item, np.arange(item.size), value.astype(float)


def of_matrix(scores):
    item, annotator = np.indices(scores.shape)
    return item.ravel(), annotator.ravel(), scores.ravel().astype(float)


def drawn(seed, *, items=40, people=6, levels=4, share=0.6):
    """Judgments that agree to some degree, not every item by everybody."""
    rng = np.random.default_rng(seed)
    item, annotator = np.nonzero(rng.random((items, people)) < share)
    truth = rng.integers(0, levels, items)[item]
    value = np.where(rng.random(item.size) < 0.5, truth, rng.integers(0, levels, item.size))
    return item, annotator, value.astype(float)


MEASURES: dict[str, tuple[Callable, Callable]] = {
    "fleiss": (drawn, fleiss_kappa),
    "icc": (drawn, intraclass_correlation),
}
every = pytest.mark.parametrize("measure", MEASURES)


def test_published_tables():
    assert round(fleiss_kappa(*of_counts(FOURTEEN)), 3) == 0.210
    assert round(intraclass_correlation(*of_matrix(TARGETS)), 2) == 0.17


@given(seed=seeds, levels=st.integers(2, 6), raters=st.integers(2, 7))
@few
def test_fleiss_agrees_with_the_package(seed, levels, raters):
    table = np.random.default_rng(seed).multinomial(raters, np.ones(levels) / levels, 12)
    assert fleiss_kappa(*of_counts(table)) == pytest.approx(inter_rater.fleiss_kappa(table))


@given(seed=seeds)
@few
def test_icc_agrees_with_an_analysis_of_variance(seed):
    item, annotator, value = drawn(seed)
    table = anova_lm(ols("value ~ C(item)", DataFrame({"value": value, "item": item})).fit())
    found = intraclass_correlation(item, annotator, value)
    times = np.unique(item, return_counts=True)[1]
    k0 = (item.size - (times**2).sum() / item.size) / (times.size - 1)
    between, within = table["mean_sq"].to_list()
    assert found == pytest.approx((between - within) / (between + (k0 - 1) * within))
    scale = Scale(0, 3)
    parts = one_way(Sample(value, item, annotator, n_population=40, scale=scale))
    assert found == pytest.approx(parts.item / (parts.item + parts.noise))


@given(seed=seeds)
@few
def test_fleiss_is_its_definition_where_items_have_different_numbers(seed):
    item, annotator, value = drawn(seed)
    units = [value[item == i] for i in np.unique(item) if (item == i).sum() > 1]
    unequal = [np.mean([a != b for a, b in combinations(unit, 2)]) for unit in units]
    shares = np.mean([[np.mean(unit == v) for v in range(4)] for unit in units], axis=0)
    chance = sum(a * b for a, b in permutations(shares, 2))
    found = fleiss_kappa(item, annotator, value)
    assert found == pytest.approx(1 - np.mean(unequal) / chance)


@every
@given(seed=seeds)
@few
def test_labels_order_and_units_do_not_matter(measure, seed):
    draw, measured = MEASURES[measure]
    item, annotator, value = draw(seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(item.size)
    expected = measured(item, annotator, value)
    for changed in (
        (item[order], annotator[order], value[order]),
        (rng.permutation(40)[item], rng.permutation(6)[annotator], value),
        (item, annotator, 1000 - 3 * value),
    ):
        assert measured(*changed) == pytest.approx(expected, abs=1e-9)


@every
def test_bad_input_is_refused(measure):
    _, measured = MEASURES[measure]
    with pytest.raises(errors.DuplicateJudgmentError):
        measured([0, 0, 0], [1, 1, 2], [1, 1, 1])
    with pytest.raises(errors.ShapeMismatchError):
        measured([0, 0], [1, 2], [1, 1, 1])
    with pytest.raises(errors.InvalidScoreError):
        measured([0, 0], [1, 2], [1, np.nan])
    with pytest.raises(errors.ReplicatesNeededError):
        measured([0, 1], [1, 2], [1, 2])
    with pytest.raises(errors.ReplicatesNeededError):
        measured([], [], [])
    with pytest.raises(NoVariationError):
        measured([0, 0, 1, 1], [1, 2, 1, 2], [0.1, 0.1, 0.1, 0.1])
