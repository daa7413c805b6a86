"""Known answers of whole intervals; the reference gives their parts (`test_reference`)."""

from dataclasses import replace

import numpy as np
import pytest

from estimation.core import Estimate, Incidence, Sample, Scale, balanced_weights, estimate
from tests.core.cases import crossed_case
from tests.core.referenced import agree, engine_parts, expected_of, reference_parts

EXACT = 5e-8  # the answers are printed with seven digits


def referenced(sample: Sample, estimator: str = "balanced", **options: object) -> Estimate:
    """The estimate, which agrees with the reference in each part."""
    result = estimate(sample, estimator=estimator, **options)
    expected = expected_of(sample, estimator=estimator, **options)
    agree(engine_parts(result, 0.95), reference_parts(expected))
    return result


def assert_printed(result: Estimate, std_error: float, low: float, high: float) -> None:
    assert result.std_error == pytest.approx(std_error, abs=EXACT)
    interval = result.interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=EXACT)


def test_two_way_without_the_finite_population():
    result = referenced(crossed_case(), "regression", finite_population=False)
    assert not result.variance.pulled
    assert_printed(result, 0.2650753, -0.6240695, 1.0631061)
    interval = result.interval(0.95)
    assert interval.clipped(result.scale) == (interval.low, 1.0)


def test_two_way_with_the_finite_population():
    result = referenced(crossed_case(), "regression")
    assert result.centre == pytest.approx(0.3091832, abs=EXACT)
    assert_printed(result, 0.2815802, -0.5869306, 1.2052970)


def test_a_panel_has_the_item_part_alone():
    result = referenced(crossed_case(), "regression", estimand="panel")
    assert result.std_error == pytest.approx(0.2555692, abs=EXACT)
    assert (result.variance.annotator, result.df) == (0, 4)


def pulled_case() -> Sample:
    """Scores with which people seem to agree."""
    return replace(crossed_case(), score=np.array([0.0, 0, 1, 1, -1, 0, 0, 1, 0, -1]))


def test_the_pull_of_a_regression():
    result = referenced(pulled_case(), "regression")
    assert result.variance.pulled
    assert result.variance.annotator_raw == pytest.approx(-0.0224098, abs=EXACT)
    assert_printed(result, 0.2770591, -0.6589700, 1.1044816)


def test_the_pull_of_balanced_weights():
    result = referenced(pulled_case())
    assert result.variance.pulled
    assert result.variance.annotator == pytest.approx(0.0035608, abs=EXACT)
    assert_printed(result, 0.2634483, -0.6055167, 1.0223805)


def test_balanced_weights():
    weight = balanced_weights(crossed_case().incidence, balance=0.15)
    printed = [0.053168, 0.053168, 0.056491, 0.159505, 0.079753]
    printed += [0.079753, 0.169474, 0.159505, 0.094590, 0.094590]
    assert weight / weight.sum() == pytest.approx(printed, abs=5e-7)


def test_balanced_without_a_metric():
    result = referenced(replace(crossed_case(), metric=None))
    assert result.estimate == pytest.approx(0.2642968, abs=EXACT)
    assert result.effective_annotators == pytest.approx(4.1669802, abs=EXACT)
    assert_printed(result, 0.3593696, -0.8886608, 1.3319524)


def test_balanced_with_a_metric():
    result = referenced(crossed_case())
    assert result.slope == pytest.approx(0.5225279, abs=EXACT)
    assert result.variance.annotator == pytest.approx(0.0126655, abs=EXACT)
    assert_printed(result, 0.2697614, -0.5291512, 1.1377559)


def test_a_share_of_0_pulls_nothing():
    result = estimate(pulled_case(), person_share=0)
    assert not result.variance.pulled
    assert result.variance.annotator_raw < 0
    assert result.variance.annotator == 0
    narrow, wide = (estimate(pulled_case(), person_share=share) for share in (0, 1))
    assert wide.variance.annotator > narrow.variance.annotator


@pytest.mark.parametrize("estimator", ["balanced", "regression", "mean"])
def test_people_with_one_judgment_each_have_no_part_of_their_own(estimator):
    # What they differ by is in the item part already.
    rng = np.random.default_rng(4)
    who = Incidence(item=np.r_[0:30, 0:10], annotator=np.arange(40), n_population=90)
    sample = Sample.on(
        who, score=rng.integers(0, 2, 40) * 1.0, scale=Scale(0, 1), metric=rng.normal(size=90)
    )
    result = estimate(sample, estimator=estimator, person_share=1.0)
    assert result.effective_annotators > 30
    assert result.variance.annotator == 0
    assert not result.variance.pulled
