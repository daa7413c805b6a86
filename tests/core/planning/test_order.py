"""How many items a ranking takes: by hand, and what must not matter."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import Crossed, InvalidOptionError, Scale, sequence_half_widths
from estimation.core.planning import TYPICAL, Expectation, Study, forecast_ranking

STUDY = Study(TYPICAL["overall"], n_items=5000, systems=4, double_share=0.25)


def test_planned_items_by_hand():
    # (1.95996 / 0.2)² · 2 · (.139 + .291 · .875)
    found = forecast_ranking(STUDY, margin=0.2)
    assert (found.pairs, found.planned_items) == (6, 76)
    with_metric = forecast_ranking(replace(STUDY, rho=0.5), margin=0.2)
    assert with_metric.planned_items == 69


@given(
    margin=st.floats(0.1, 0.6),
    systems=st.integers(2, 8),
    level=st.floats(0.8, 0.99),
    part=st.tuples(*[st.floats(0.01, 0.3)] * 3),
)
@settings(max_examples=50)
def test_that_many_items_settle_a_pair_and_one_fewer_does_not(margin, systems, level, part):
    expected = Expectation(Crossed(*part), Scale(-1, 1), mean=0)
    study = Study(expected, 20_000, systems=systems, level=level, double_share=0)
    found = forecast_ranking(study, margin=margin)
    pairs = systems * (systems - 1) / 2
    for items, reach in ((found.settled_items, margin), (found.slowest_items, margin / 2)):
        if items is None:
            continue
        n = np.array([items - 1, items])
        half = sequence_half_widths(
            np.sqrt(2 * sum(part) / n),
            n,
            alpha=(1 - level) / pairs,
            planned_items=found.planned_items,
        )
        assert half[1] <= reach
        assert items == 30 or half[0] > reach


def test_where_the_items_do_not_suffice_that_is_said():
    found = forecast_ranking(replace(STUDY, n_items=100), margin=0.2)
    assert (found.planned_items, found.settled_items, found.slowest_items) == (76, None, None)
    assert forecast_ranking(replace(STUDY, n_items=40), margin=0.2).planned_items == 40


@pytest.mark.parametrize("margin", [0, -1, float("nan"), float("inf")])
def test_a_margin_is_positive(margin):
    with pytest.raises(InvalidOptionError):
        forecast_ranking(STUDY, margin=margin)


@pytest.mark.parametrize("change", [{"rho": 2}, {"rho": float("nan")}, {"double_share": 1.5}])
def test_numbers_out_of_range_are_refused(change):
    with pytest.raises(InvalidOptionError, match="lies between"):
        forecast_ranking(replace(STUDY, **change), margin=0.2)


def test_one_system_is_no_ranking():
    with pytest.raises(InvalidOptionError, match="two systems"):
        forecast_ranking(replace(STUDY, systems=1), margin=0.2)
