"""A few people among a sample: their work and what others said of it whole, and a bounded rest."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.screening import Columns, Settings, screen_all
from annotate.screening.base import taken
from annotate.screening.sampled import SampledCrowd
from tests.annotate.screening.columns import SMALL, changed, crowd, rescored
from tests.annotate.screening.test_screening_joining import with_paragraphs

SEEDS = st.integers(0, 2**32 - 1)


def split(whole: Columns, share: float) -> tuple[Columns, Columns]:
    """Return the judgments up to some time, and those after it; neither is empty."""
    order = np.argsort(whole.order)
    n = min(max(int(share * order.size), 1), order.size - 1)
    return taken(whole, order[:n]), taken(whole, order[n:])


def numbered(whole: Columns) -> Columns:
    return replace(whole, order=np.arange(len(whole.annotator), dtype=np.float64))


@pytest.mark.slow
@pytest.mark.parametrize("made", [crowd, with_paragraphs])
@given(seed=SEEDS, share=st.floats(0, 1), who=st.integers(0, 5))
@settings(max_examples=15)
def test_in_a_small_campaign_it_is_a_look_at_everybody(made, seed, share, who) -> None:
    before, since = split(numbered(made(seed)), share)
    looked_at = SampledCrowd(before)
    looked_at.add(since)
    people = np.array([who])
    # The same rows in the same order: what screens say is the same to the last digit.
    seen = looked_at.around(people)
    mine = set(since.output[since.annotator == who]) | set(before.output[before.annotator == who])
    known = np.r_[
        np.arange(len(before.annotator)),
        len(before.annotator)
        + np.flatnonzero((since.annotator == who) | np.isin(since.output, list(mine))),
    ]
    wanted = taken(numbered(made(seed)), np.argsort(numbered(made(seed)).order)[known])
    assert of(who, screen_all(seen, SMALL)) == of(who, screen_all(wanted, SMALL))


def of(who: int, said) -> list[str]:
    return [repr(one) for one in said if one.annotator == who]


@given(
    seed=SEEDS,
    share=st.floats(0, 1),
    most=st.integers(2, 300),
    who=st.sets(st.integers(0, 39), max_size=3),
)
@settings(max_examples=60)
def test_own_work_is_whole_no_row_comes_twice_and_the_rest_is_bounded(
    seed: int, share: float, most: int, who: set[int]
) -> None:
    whole = numbered(crowd(seed, people=40, each=10))
    before, since = split(whole, share)
    looked_at = SampledCrowd(before, most=most)
    looked_at.add(since)
    seen = looked_at.around(np.array(sorted(who), dtype=np.int64))
    assert np.unique(seen.order).size == len(seen.order)
    mine = np.isin(whole.annotator, sorted(who))
    assert set(whole.order[mine]) <= set(seen.order)
    others = np.isin(whole.output, whole.output[mine])
    if others.sum() <= most // 2:
        assert set(whole.order[others]) <= set(seen.order)
    assert len(seen.order) <= mine.sum() + 2 * most
    at = seen.order.astype(int)  # each row is the judgment that it was
    for name in ("annotator", "output", "seconds", "edit_distance"):
        assert np.array_equal(getattr(seen, name), getattr(whole, name)[at], equal_nan=True)


def test_the_sample_has_whole_people() -> None:
    whole = numbered(crowd(people=200, each=10))
    seen = SampledCrowd(whole, most=200).around(np.array([3]))
    count, full = (np.bincount(one.annotator, minlength=200) for one in (seen, whole))
    assert (count == full).sum() >= 8  # of about ten who were drawn, the last may be cut
    assert len(seen.order) < 500


@pytest.mark.parametrize("kind", ["same", "fast"])
def test_the_sample_shows_who_is_careless_and_who_is_not(kind: str) -> None:
    whole = numbered(crowd(5, people=300, each=20))
    careless = rescored(whole, 7, 1) if kind == "same" else changed(whole, 7, seconds=1.0)
    looked_at = SampledCrowd(careless, most=1000)
    for who, is_flagged in ((7, True), (8, False)):
        said = screen_all(looked_at.around(np.array([who])), Settings())
        assert any(one.flagged for one in said if one.annotator == who) == is_flagged
