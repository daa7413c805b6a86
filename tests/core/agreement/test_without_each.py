"""Leave-one-out alpha: the alpha of what everybody else judged, without building it anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import (
    DuplicateJudgmentError,
    NoVariationError,
    ReplicatesNeededError,
    alpha_without_each,
    krippendorff_alpha,
)
from estimation.core.agreement import DISTANCES, MOST_LEVELS


def by_definition(item, annotator, value, distance):
    """{annotator: alpha of the judgments that the others made}, NaN where there is none."""
    several = np.isin(item, [i for i in np.unique(item) if (item == i).sum() > 1])
    found = {}
    for who in np.unique(annotator[several]):
        keep = annotator != who
        columns = (item[keep], annotator[keep], value[keep])
        try:
            alpha = krippendorff_alpha(*columns, distance=distance, replicates=0).alpha
        except (ReplicatesNeededError, NoVariationError):
            alpha = np.nan
        found[int(who)] = alpha
    return found


def check(item, annotator, value):
    for distance in DISTANCES:
        expected = by_definition(item, annotator, value, distance)
        found = alpha_without_each(item, annotator, value, distance=distance)
        assert found.annotator.tolist() == list(expected)
        assert found.alpha == pytest.approx(list(expected.values()), abs=1e-12, nan_ok=True)
        several = np.isin(item, [i for i in np.unique(item) if (item == i).sum() > 1])
        assert found.shared.tolist() == [(annotator[several] == w).sum() for w in expected]


@st.composite
def judged(draw):
    """A few people on a few items, each item by some of them, in any order, with any labels."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    people, items = draw(st.integers(1, 8)), draw(st.integers(0, 12))
    there = rng.random((items, people)) < draw(st.sampled_from([0.2, 0.5, 0.9]))
    item, annotator = np.nonzero(there)
    levels = draw(st.sampled_from([1, 2, 3, 7]))
    value = rng.integers(0, levels, item.size) * draw(st.sampled_from([1.0, 0.1, 1e4]))
    order = rng.permutation(item.size)
    return item[order] * 7 + 3, annotator[order] * 11, value[order]


@pytest.mark.slow
@settings(max_examples=250, deadline=None)
@given(judged())
def test_it_is_what_the_others_come_to(columns):
    check(*columns)


@pytest.mark.parametrize("levels", [MOST_LEVELS, MOST_LEVELS + 1, 10_000])
def test_scores_with_many_levels(levels):
    rng = np.random.default_rng(levels)
    item, annotator = np.divmod(np.arange(60 * 9), 9)
    keep = rng.random(item.size) < 0.4
    value = rng.integers(0, levels, item.size) / levels
    value[:levels] = np.arange(min(levels, item.size)) / levels
    check(item[keep], annotator[keep], value[keep])


def test_a_campaign_of_a_thousand_people():
    rng = np.random.default_rng(1)
    people = rng.permutation(np.repeat(np.arange(1000), 8)).reshape(-1, 2)
    people = people[people[:, 0] != people[:, 1]]
    item = np.repeat(np.arange(len(people)), 2)
    value = np.clip(
        np.round(rng.normal(size=len(people)).repeat(2) + rng.normal(size=item.size)), -1, 1
    )
    found = alpha_without_each(item, people.ravel(), value)
    some = rng.choice(found.annotator.size, 20, replace=False)
    for j in some:
        keep = people.ravel() != found.annotator[j]
        expected = krippendorff_alpha(item[keep], people.ravel()[keep], value[keep], replicates=0)
        assert found.alpha[j] == pytest.approx(expected.alpha, abs=1e-12)


def test_nobody_who_shares_an_item():
    found = alpha_without_each([1, 2, 3], [1, 1, 2], [0, 1, 0])
    assert (found.annotator.size, found.alpha.size, found.shared.size) == (0, 0, 0)


def test_two_judgments_of_the_same_item_by_one_person_are_refused():
    with pytest.raises(DuplicateJudgmentError):
        alpha_without_each([1, 1], [2, 2], [0, 1])


@pytest.mark.parametrize("levels", [3, MOST_LEVELS + 1])
def test_items_with_the_same_scores_count_each_time(levels):
    rng = np.random.default_rng(levels)
    item, annotator = np.divmod(np.arange(40 * 3), 3)
    value = rng.integers(0, levels, item.size) * 1.0
    value[:levels] = np.arange(levels)
    check(np.r_[item, item + 40], np.r_[annotator, annotator + 1], np.r_[value, value])
