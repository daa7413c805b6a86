"""Alpha that follows judgments one by one is alpha of all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimation.core import (
    DuplicateJudgmentError,
    EstimationError,
    InvalidOptionError,
    InvalidScoreError,
    RunningAlpha,
    krippendorff_alpha,
)

DISTANCES = st.sampled_from(["nominal", "ordinal", "interval"])
LEVELS = st.sampled_from([-1.0, 0.0, 1.0])
MEASURED = st.floats(-100, 100).map(lambda value: round(value, 3))
# Judgments in the order in which they come, and which of them are taken back afterwards.
MOVES = st.dictionaries(
    st.tuples(st.integers(0, 6), st.integers(0, 5)),
    st.tuples(LEVELS | MEASURED, st.booleans()),
    max_size=30,
)


def outcome(act):
    """What comes of it: an agreement, or the kind of error."""
    try:
        return act()
    except EstimationError as error:
        return type(error)


@given(moves=MOVES, distance=DISTANCES, offset=st.sampled_from([0.0, 1e4]))
def test_running_is_the_whole(moves, distance, offset):
    running = RunningAlpha(distance=distance)
    for (item, annotator), (value, _) in moves.items():
        running.add(item, annotator, value + offset)
    for (item, annotator), (_, leaves) in moves.items():
        if leaves:
            running.remove(item, annotator)
    left = [(*where, value + offset) for where, (value, leaves) in moves.items() if not leaves]
    columns = np.array(left).reshape(-1, 3).T
    options = {"replicates": 20, "seed": 3}
    whole = outcome(lambda: krippendorff_alpha(*columns, distance=distance, **options))
    found = outcome(lambda: running.agreement(**options))
    assert found == whole
    alpha = outcome(running.alpha)
    if isinstance(whole, type):
        assert alpha is whole
    else:
        assert alpha == pytest.approx(whole.alpha, abs=1e-9)


@pytest.mark.slow
@given(moves=MOVES, distance=DISTANCES)
def test_it_may_begin_with_judgments(moves, distance):
    rows = [(*where, value) for where, (value, _) in moves.items()]
    columns = np.array(rows).reshape(-1, 3).T
    running = RunningAlpha(distance=distance)
    for one in rows:
        running.add(*one)
    began = RunningAlpha.of(*columns, distance=distance)
    assert outcome(began.agreement) == outcome(running.agreement)


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidOptionError):
        RunningAlpha(distance="ratio")
    running = RunningAlpha()
    running.add(1, 2, 0.5)
    with pytest.raises(DuplicateJudgmentError):
        running.add(1, 2, 0.5)
    with pytest.raises(InvalidScoreError):
        running.add(1, 3, float("nan"))
    for item, annotator in ((1, 3), (2, 2)):
        with pytest.raises(KeyError):
            running.remove(item, annotator)
