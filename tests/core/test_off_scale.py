"""An estimate or a centre off the scale is told, and no rule stops because of it."""

from dataclasses import replace

import numpy as np
import pytest

from estimation.core import (
    PairState,
    Sample,
    Scale,
    anytime,
    difference,
    estimate,
    first_stop,
    precision,
    ranking,
    trajectory,
)

SCALE = Scale(-1, 1)
WIDE = {"target_width": 50.0, "level": 0.95}


def sample(*, outlier: float, scale: Scale = SCALE, seed: int = 1) -> Sample:
    """120 of 300 outputs, judged by 20 people; one output that nobody judged has an outlier."""
    rng = np.random.default_rng(seed)
    item = np.arange(120)
    metric = rng.normal(20, 2, 300)
    score = np.clip(np.round((metric[:120] - 20) / 3 + rng.normal(0, 0.5, 120)), -1, 1)
    metric[250] = outlier
    return Sample(score, item, item % 20, 300, scale, metric)


def codes(found) -> set[str]:
    return {notice.code for notice in found.notices}


@pytest.mark.parametrize("scale", [SCALE, Scale(-1, 1, bounded=False)], ids=["bounded", "open"])
def test_no_rule_of_widths_stops_off_the_scale(scale):
    wrong, right = (estimate(sample(outlier=outlier, scale=scale)) for outlier in (20_000.0, 22.0))
    assert abs(wrong.estimate) > 1
    assert wrong.off_scale
    assert "off_scale" in codes(wrong)
    assert not right.off_scale
    assert "off_scale" not in codes(right)
    assert precision(right, **WIDE).stop
    verdict = precision(wrong, **WIDE)
    assert not verdict.stop
    assert verdict.reason == "The estimate lies off the scale: it is wrong."
    assert not anytime(wrong, **WIDE, planned_items=100).stop


def test_histories_do_not_stop_there_either():
    wrong, right = (trajectory(sample(outlier=outlier)) for outlier in (20_000.0, 22.0))
    at = first_stop(right, **WIDE)
    assert at is not None
    assert first_stop(replace(right, centre=right.centre + 2), **WIDE) is None
    stopped = first_stop(wrong, **WIDE)
    assert stopped is None or abs(wrong.estimate[stopped]) <= 1


def test_an_end_off_the_scale_is_normal():
    item = np.arange(60)
    score = np.ones(60)
    score[:2] = 0
    found = estimate(Sample(score, item, item % 20, 600, Scale(0, 1)))
    assert found.interval(0.95).high > 1
    assert not found.off_scale
    assert precision(found, target_width=0.5, level=0.95).stop


def test_equal_scores_at_an_end_are_not_off_the_scale():
    item = np.arange(60)
    found = estimate(Sample(np.full(60, 0.1), item, item % 20, 600, Scale(0.1, 0.7)))
    assert not found.off_scale


def test_a_difference_beyond_the_scale_decides_nothing():
    first, second = sample(outlier=20_000.0), sample(outlier=22.0, seed=2)
    wrong = difference(first, second)
    assert abs(wrong.estimate) > 2
    assert wrong.off_scale
    verdict = ranking({("a", "b"): PairState.of(wrong)}, margin=0.1, level=0.95, planned_items=100)
    assert verdict.pairs["a", "b"].outcome == "open"
    right = difference(second, second)
    assert not right.off_scale
