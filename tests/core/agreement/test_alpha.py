"""Krippendorff's alpha: known answers, brute force, another package, invariances, bad input."""

from itertools import permutations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimation.core import (
    NoVariationError,
    agreement,
    errors,
    krippendorff_alpha,
    observed_agreement,
)

# Krippendorff (2011), four observers and twelve units; 0 stands for missing.
CANONICAL = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)
DISTANCES = ("nominal", "ordinal", "interval")


def rows(table):
    annotator, item = np.nonzero(table)
    return item, annotator, table[annotator, item].astype(float)


def random_rows(seed, *, items=30, people=8, levels=4, share=0.4):
    rng = np.random.default_rng(seed)
    item, annotator = np.nonzero(rng.random((items, people)) < share)
    truth = rng.integers(0, levels, items)[item]
    noise = rng.integers(0, levels, item.size)
    value = np.where(rng.random(item.size) < 0.5, truth, noise)
    return item, annotator, value.astype(float)


def brute_force(item, value, distance):
    """Alpha from its definition, pair by pair."""
    units = [value[item == i] for i in np.unique(item) if (item == i).sum() > 1]
    pooled = np.concatenate(units)
    levels = np.unique(pooled)

    def squared(a, b):
        if distance == "nominal":
            return float(a != b)
        if distance == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = sum((pooled == g).sum() for g in levels if low <= g <= high)
        return (between - ((pooled == a).sum() + (pooled == b).sum()) / 2) ** 2 if a != b else 0.0

    observed = sum(
        sum(squared(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units
    )
    expected = sum(squared(a, b) for a, b in permutations(pooled, 2))
    return 1 - (pooled.size - 1) * observed / expected


@pytest.mark.parametrize(("distance", "expected"), [("nominal", 0.743), ("interval", 0.849)])
def test_canonical_table(distance, expected):
    # Known answer 8 of the design.
    found = krippendorff_alpha(*rows(CANONICAL), distance=distance, replicates=50)
    assert round(found.alpha, 3) == expected
    assert (found.n_items, found.n_judgments, found.n_annotators) == (11, 40, 4)
    assert found.low < found.alpha < found.high


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("seed", range(3))
def test_is_its_definition(seed, distance):
    item, annotator, value = random_rows(seed)
    found = krippendorff_alpha(item, annotator, value, distance=distance, replicates=0)
    assert found.alpha == pytest.approx(brute_force(item, value, distance), abs=1e-12)
    assert found.low is None


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_the_package(seed, distance):
    item, annotator, value = random_rows(seed, items=60, people=12, levels=2 + seed)
    matrix = np.full((12, 60), np.nan)
    matrix[annotator, item] = value
    theirs = krippendorff.alpha(matrix, level_of_measurement=distance)
    found = krippendorff_alpha(item, annotator, value, distance=distance, replicates=0)
    assert found.alpha == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("distance", DISTANCES)
def test_drawing_kinds_and_drawing_items_give_the_same_interval(monkeypatch, distance):
    columns = random_rows(2, items=400, levels=2)
    by_kind = krippendorff_alpha(*columns, distance=distance, replicates=4000)
    monkeypatch.setattr(agreement, "_FEW", 10**9)
    by_item = krippendorff_alpha(*columns, distance=distance, replicates=4000)
    width = by_kind.high - by_kind.low
    assert by_item.alpha == by_kind.alpha
    assert by_item != by_kind
    assert by_item.low == pytest.approx(by_kind.low, abs=0.05 * width)
    assert by_item.high == pytest.approx(by_kind.high, abs=0.05 * width)


@pytest.mark.parametrize("distance", DISTANCES)
def test_invariances(distance):
    item, annotator, value = random_rows(3)
    order = np.random.default_rng(0).permutation(item.size)
    options = {"distance": distance, "replicates": 0}
    alpha = krippendorff_alpha(item, annotator, value, **options).alpha
    for changed in (
        (item[order], annotator[order], value[order]),
        (1000 - 7 * item, 50 + annotator, value),
        (item, annotator, 1e6 - 3 * value),
        (np.r_[item, 99], np.r_[annotator, 0], np.r_[value, 3.0]),  # judged once: says nothing
    ):
        assert krippendorff_alpha(*changed, **options).alpha == pytest.approx(alpha, abs=1e-9)
    if distance != "interval":
        assert krippendorff_alpha(item, annotator, np.exp(value), **options).alpha == alpha


def test_chance_covers_zero_and_seeds_repeat():
    rng = np.random.default_rng(5)
    item, annotator = np.repeat(np.arange(400), 2), np.tile([0, 1], 400)
    value = rng.integers(0, 3, 800)
    found = krippendorff_alpha(item, annotator, value, replicates=300, seed=4)
    assert found == krippendorff_alpha(item, annotator, value, replicates=300, seed=4)
    assert found != krippendorff_alpha(item, annotator, value, replicates=300, seed=5)
    assert found.low < 0 < found.high
    assert found.high - found.low < 0.25


def test_interval_covers():
    # Two random raters of the same three levels: nominal alpha is known from the probabilities.
    rng, covered, runs = np.random.default_rng(11), 0, 200
    item, annotator = np.repeat(np.arange(150), 2), np.tile([0, 1], 150)
    for run in range(runs):
        truth = np.repeat(rng.integers(0, 3, 150), 2)
        value = np.where(rng.random(300) < 0.7, truth, rng.integers(0, 3, 300))
        found = krippendorff_alpha(
            item, annotator, value, distance="nominal", replicates=200, seed=run
        )
        covered += found.low <= 0.49 <= found.high  # 1 - (1 - .7²) (2/3) / (2/3)
    assert covered / runs > 0.9


@pytest.mark.parametrize(
    ("error", "item", "annotator", "value", "options"),
    [
        (errors.ReplicatesNeededError, [1, 2], [1, 1], [0, 1], {}),
        (errors.ReplicatesNeededError, [], [], [], {}),
        (NoVariationError, [1, 1, 2], [1, 2, 1], [0, 0, 1], {}),
        (errors.DuplicateJudgmentError, [1, 1], [1, 1], [0, 1], {}),
        (errors.ShapeMismatchError, [1, 1, 2], [1, 2], [0, 1], {}),
        (errors.ShapeMismatchError, [[1, 1]], [[1, 2]], [[0, 1]], {}),
        (errors.ShapeMismatchError, [1, 1], [1, 2], ["good", "bad"], {}),
        (errors.InvalidScoreError, [1, 1], [1, 2], [0, np.nan], {}),
        (errors.InvalidOptionError, [1, 1], [1, 2], [0, 1], {"distance": "ratio"}),
        (errors.InvalidOptionError, [1, 1], [1, 2], [0, 1], {"level": 1.0}),
        (errors.InvalidOptionError, [1, 1], [1, 2], [0, 1], {"replicates": -1}),
    ],
)
def test_bad_input_is_named(error, item, annotator, value, options):
    with pytest.raises(error):
        krippendorff_alpha(item, annotator, value, **options)


def test_rare_variation_is_reported():
    item, annotator = np.repeat(np.arange(40), 2), np.tile([0, 1], 40)
    value = np.zeros(80)
    value[3] = 1
    found = krippendorff_alpha(item, annotator, value, replicates=400)
    assert 0.25 < found.undefined < 0.5  # (1 - 1/40)^40
    assert found.low is not None


@given(table=st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=4), min_size=1, max_size=8))
def test_observed_agreement_is_what_nominal_alpha_compares(table: list[list[int]]) -> None:
    item = [i for i, row in enumerate(table) for _ in row]
    annotator = [j for row in table for j in range(len(row))]
    value = [one for row in table for one in row]
    observed, by_chance = observed_agreement(item, annotator, value)
    within = [
        (a == b) / (len(row) - 1)
        for row in table
        for i, a in enumerate(row)
        for j, b in enumerate(row)
        if i != j
    ]
    over_all = [a == b for i, a in enumerate(value) for j, b in enumerate(value) if i != j]
    assert observed == pytest.approx(sum(within) / len(value))
    assert by_chance == pytest.approx(np.mean(over_all))
    if by_chance < 1:
        alpha = krippendorff_alpha(item, annotator, value, distance="nominal", replicates=0).alpha
        assert alpha == pytest.approx(1 - (1 - observed) / (1 - by_chance))
