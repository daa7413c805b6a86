"""Columns that are read in parts are the columns of the whole."""

from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.screening import Columns, Highlights
from annotate.screening.base import joined
from tests.annotate.screening.columns import crowd, reordered

SIZE = 60
LONE = ("annotator", "output", "order", "seconds", "words", "item", "plausible")


def with_paragraphs(seed: int) -> Columns:
    """Judgments of up to four paragraphs, some of them with highlights."""
    rng = np.random.default_rng(seed)
    n_paragraphs = rng.integers(0, 5, SIZE)
    verdicts = rng.integers(-1, 2, (SIZE, 4)).astype(float)
    verdicts[np.arange(4) >= n_paragraphs[:, None]] = np.nan
    marked, paragraph = np.nonzero(np.isfinite(verdicts) & (rng.random((SIZE, 4)) < 0.5))
    return Columns(
        annotator=rng.integers(0, 6, SIZE),
        output=rng.integers(0, 20, SIZE),
        item=rng.integers(0, 9, SIZE),
        order=np.arange(SIZE, dtype=float),
        seconds=rng.random(SIZE),
        words=rng.random(SIZE),
        plausible=(n_paragraphs > 0).astype(float),
        verdicts=verdicts,
        highlights=Highlights(
            marked,
            paragraph,
            [frozenset(rng.integers(0, 30, 3).tolist()) for _ in marked],
            rng.integers(1, 30, marked.size),
        ),
    )


def part(whole: Columns, start: int, stop: int) -> Columns:
    """Some rows of columns, with no wider a table of verdicts than they need."""
    if whole.verdicts is None or whole.highlights is None:
        return reordered(whole, np.arange(start, stop))
    verdicts = whole.verdicts[start:stop]
    width = int(np.isfinite(verdicts).sum(axis=1).max(initial=0))
    own = whole.highlights
    mine = np.flatnonzero((own.judgment >= start) & (own.judgment < stop))
    return replace(
        whole,
        **{name: getattr(whole, name)[start:stop] for name in LONE},
        verdicts=verdicts[:, :width],
        highlights=Highlights(
            own.judgment[mine] - start,
            own.paragraph[mine],
            [own.tokens[k] for k in mine],
            own.length[mine],
        ),
    )


@given(
    whole=st.sampled_from([crowd(1), crowd(2), with_paragraphs(1), with_paragraphs(2)]),
    shares=st.lists(st.floats(0, 1), max_size=6),
)
def test_parts_make_the_whole(whole: Columns, shares: list[float]) -> None:
    size = len(whole.annotator)
    edges = [0, *sorted(int(share * size) for share in shares), size]
    found = joined([part(whole, *edge) for edge in pairwise(edges)])
    for one in fields(Columns):
        mine, theirs = getattr(found, one.name), getattr(whole, one.name)
        if isinstance(theirs, Highlights):
            assert list(mine.tokens) == list(theirs.tokens)
            for name in ("judgment", "paragraph", "length"):
                np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
        else:
            np.testing.assert_equal(mine, theirs)


def test_no_part_is_refused() -> None:
    with pytest.raises(ValueError, match="no columns"):
        joined([])
