"""What cannot be right is refused in words; what is merely poor is said in the result."""

from dataclasses import replace

import numpy as np
import pytest

from estimation.core import (
    Sample,
    Scale,
    annotators_needed,
    crossed,
    errors,
    estimate,
    human_metric_correlation,
    one_way,
    precision,
    width_floor,
)
from tests.core.cases import crossed_case, random_sample, single_case

GOOD = {
    "score": [0.0, 1.0, 1.0],
    "item": [0, 0, 1],
    "annotator": [7, 8, 7],
    "n_population": 3,
    "scale": Scale(0, 1),
    "metric": [0.1, 0.2, 0.3],
}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"score": [1.0], "item": [0], "annotator": [1]}, errors.TooFewJudgmentsError),
        ({"score": [], "item": [], "annotator": []}, errors.TooFewJudgmentsError),
        ({"score": [0.0, np.nan, 1.0]}, errors.InvalidScoreError),
        ({"score": [0.0, np.inf, 1.0]}, errors.InvalidScoreError),
        ({"score": [0.0, 1.5, 1.0]}, errors.ScoreOffScaleError),
        ({"score": [0.0, -0.5, 1.0]}, errors.ScoreOffScaleError),
        ({"score": [0.0, 1.0]}, errors.ShapeMismatchError),
        ({"score": [[0.0, 1.0, 1.0]]}, errors.ShapeMismatchError),
        ({"score": ["good", "bad", "good"]}, errors.ShapeMismatchError),
        ({"item": [0.5, 0, 1]}, errors.ShapeMismatchError),
        ({"item": [0, 0, 3]}, errors.ItemOutsidePopulationError),
        ({"item": [0, 0, -1]}, errors.ItemOutsidePopulationError),
        ({"metric": [0.1, np.nan, 0.3]}, errors.MetricIncompleteError),
        ({"metric": [0.1, 0.2]}, errors.ShapeMismatchError),
        ({"annotator": [7, 7, 8]}, errors.DuplicateJudgmentError),
    ],
)
def test_impossible_samples_are_refused(change, error):
    Sample(**GOOD)
    with pytest.raises(error) as caught:
        Sample(**{**GOOD, **change})
    assert isinstance(caught.value, errors.EstimationError)


def test_unbounded_scales_do_not_restrict_scores():
    sample = Sample(**{**GOOD, "score": [0.0, 7.5, 1.0], "scale": Scale(0, 2, bounded=False)})
    assert sample.score.max() == 7.5


def test_a_sample_cannot_change_under_an_estimate():
    score = np.array([0.0, 1.0, 1.0])
    sample = Sample(**{**GOOD, "score": score})
    score[0] = 1.0
    assert sample.score[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        sample.score[0] = 1.0


@pytest.mark.parametrize("ends", [(1, 1), (2, 1), (0, np.inf), (np.nan, 1)])
def test_impossible_scales_are_refused(ends):
    with pytest.raises(errors.InvalidOptionError):
        Scale(*ends)


@pytest.mark.parametrize(
    "option", [{"estimator": "median"}, {"interval": "wald"}, {"estimand": "everybody"}]
)
def test_unknown_options_are_refused(option):
    with pytest.raises(errors.InvalidOptionError, match="is not one of"):
        estimate(crossed_case(), **option)


def test_a_metric_is_never_silently_done_without():
    without = replace(crossed_case(), metric=None)
    for estimator in ("regression", "algorithm_1", "multi", "ppi"):
        with pytest.raises(errors.MetricMissingError):
            estimate(without, estimator=estimator)
    assert "no_metric" in codes(estimate(without))
    assert estimate(without, estimator="mean").slope == 0


@pytest.mark.parametrize(
    "option",
    [
        {"balance": -0.1},
        {"balance": np.inf},
        {"balance": np.nan},
        {"person_share": -0.1},
        {"person_share": 1.1},
        {"person_share": np.nan},
        {"interval": "iid"},
    ],
    ids=str,
)
def test_options_out_of_range_are_refused(option):
    with pytest.raises(errors.InvalidOptionError):
        estimate(crossed_case(), **option)


def codes(result):
    return [notice.code for notice in result.notices]


@pytest.mark.parametrize("estimator", ["regression", "algorithm_1"])
@pytest.mark.parametrize("metric", [np.full(8, 0.1), np.r_[np.full(6, 2.0), 5.0, 9.0]])
def test_a_constant_metric_falls_back_to_the_mean_and_says_so(estimator, metric):
    # Constant over the population, or only over the judged items: V = s² / n, n - 1 df.
    sample = replace(single_case(), metric=metric)
    options = {"estimand": "panel", "finite_population": False, "pseudo_rows": False}
    result = estimate(sample, estimator=estimator, **options)
    y = sample.score
    assert codes(result) == ["constant_metric"]
    assert (result.slope, result.df) == (0, 5)
    assert result.estimate == pytest.approx(y.mean())
    assert result.std_error == pytest.approx(y.std(ddof=1) / 6**0.5)
    assert estimate(sample, estimator=estimator).centre == pytest.approx(y.sum() / 10)


@pytest.mark.parametrize("metric", [np.full(8, 0.1), np.r_[np.full(6, 2.0), 5.0, 9.0]])
def test_balanced_weights_do_without_a_constant_metric_and_say_so(metric):
    result = estimate(replace(single_case(), metric=metric))
    plain = estimate(replace(single_case(), metric=None))
    assert "constant_metric" in codes(result)
    assert result.slope == 0
    assert (result.estimate, result.centre) == pytest.approx((plain.estimate, plain.centre))
    assert result.std_error == pytest.approx(plain.std_error)


def test_a_useless_metric_is_said_not_to_help():
    rng = np.random.default_rng(5)
    helps = single_case()
    useless = replace(helps, metric=rng.permutation(helps.metric))
    r = estimate(useless).correlation
    assert (6 - 2) * r**2 <= 1 < (6 - 2) * estimate(helps).correlation ** 2
    assert "not_helping_yet" in codes(estimate(useless))
    assert "not_helping_yet" not in codes(estimate(helps))


def test_one_annotator_has_no_interval_for_people_in_general():
    sample = replace(single_case(), annotator=np.zeros(6, dtype=int))
    result = estimate(sample)
    assert (result.std_error, result.df, result.has_interval) == (None, None, False)
    assert "no_interval" in codes(result)
    with pytest.raises(errors.IntervalUnavailableError):
        result.interval(0.95)
    assert not precision(result, target_width=100, level=0.95).stop
    assert estimate(sample, estimand="panel").interval(0.95).width > 0


def test_two_items_have_no_interval_for_a_regression():
    # Two points and two parameters; the pseudo-rows must not hide it.
    sample = Sample(**{**GOOD, "item": [0, 0, 2]})
    assert not estimate(sample, estimator="regression").has_interval
    assert not estimate(sample).has_interval
    assert estimate(sample, estimator="mean").has_interval


@pytest.mark.parametrize("estimator", ["balanced", "regression", "multi", "mean"])
def test_constant_scores_still_leave_an_interval(estimator):
    sample = random_sample(1)
    constant = replace(sample, score=np.full(sample.n_judgments, 5.0))
    result = estimate(constant, estimator=estimator)
    assert result.estimate == 5
    assert result.correlation is None
    assert result.interval(0.95).width > 0.1


def test_activity_that_goes_with_leniency_is_said():
    # Two thirds of the work is one mild person's; the eight others are all strict.
    n = 120
    person = np.where(np.arange(n) % 3 < 2, 0, 1 + np.arange(n) % 8)
    score = np.where(person == 0, 5.0, 1.0)
    score[::10] = 3.0
    sample = Sample(score, np.arange(n), person, 500, Scale(1, 5))
    result = estimate(sample, estimator="mean", estimand="panel")
    assert "activity_matters" in codes(result)
    assert result.leniency_correlation > 0.9
    assert result.equal_annotator_mean < result.estimate - 1
    fair = estimate(replace(sample, score=np.full(n, 3.0)), estimator="mean")
    assert "activity_matters" not in codes(fair)


def test_activity_matters_from_half_the_half_width_on():
    said = []
    for seed in range(40):
        result = estimate(random_sample(seed), estimator="mean", estimand="panel")
        moved = abs(result.equal_annotator_mean - result.estimate)
        quarter = result.interval(0.95).width / 4
        assert ("activity_matters" in codes(result)) is (moved > quarter)
        said.append(moved > quarter)
    assert 0 < sum(said) < 40


def test_rounding_does_not_make_a_constant_metric_vary():
    # The mean of three times .1 is not .1, so the computed sd is not 0.
    metric = np.full(3, 0.1)
    assert metric.std() > 0
    assert (Sample(**{**GOOD, "metric": metric}).standardised_metric() == 0).all()


def test_components_need_replicates():
    for compute in (one_way, crossed, human_metric_correlation):
        with pytest.raises(errors.ReplicatesNeededError):
            compute(single_case())


@pytest.mark.parametrize("level", [0, 1, 95, -0.5])
def test_levels_are_shares(level):
    with pytest.raises(errors.InvalidOptionError):
        estimate(crossed_case()).interval(level)


def wide_sample(items: int, people: int, scale: Scale) -> Sample:
    index = np.arange(items)
    return Sample(index % 2 * 1.0, index, index % people, 1000, scale)


@pytest.mark.parametrize(
    ("items", "people", "scale", "estimand", "stop"),
    [
        (29, 10, Scale(0, 1), "population", False),
        (30, 10, Scale(0, 1), "population", True),
        (49, 10, Scale(0, 2, bounded=False), "population", False),
        (50, 10, Scale(0, 2, bounded=False), "population", True),
        (40, 4, Scale(0, 1), "population", False),
        (40, 5, Scale(0, 1), "population", True),
        (40, 4, Scale(0, 1), "panel", True),
    ],
)
@pytest.mark.parametrize("estimator", ["balanced", "mean"])
def test_precision_needs_enough_items_and_people(estimator, items, people, scale, estimand, stop):
    result = estimate(wide_sample(items, people, scale), estimator=estimator, estimand=estimand)
    verdict = precision(result, target_width=10, level=0.95)
    assert verdict.stop is stop
    assert verdict.width == result.interval(0.95).width


@pytest.mark.parametrize("estimator", ["balanced", "mean"])
def test_precision_stops_at_the_target_width_exactly(estimator):
    result = estimate(wide_sample(60, 12, Scale(0, 1)), estimator=estimator)
    width = result.interval(0.95).width
    assert precision(result, target_width=width, level=0.95).stop
    assert not precision(result, target_width=width * 0.999, level=0.95).stop
    assert not precision(result, target_width=width, level=0.99).stop


def test_the_floor_and_the_annotators_that_get_below_it():
    # 2 t_24(.975) .3 / 5 = .2477; t from a printed table: 2.0639.
    assert width_floor(person_variance=0.09, effective_annotators=25, level=0.95) == pytest.approx(
        2 * 2.0639 * 0.3 / 5, abs=1e-4
    )
    need = annotators_needed(target_width=0.2477, level=0.95, person_variance=0.09)
    assert need == 25
    assert annotators_needed(
        target_width=0.2477, level=0.95, person_variance=0.09, evenness=0.5
    ) == pytest.approx(50)
    assert annotators_needed(target_width=9, level=0.95, person_variance=0.09) == 5
    more = annotators_needed(
        target_width=0.2477, level=0.95, person_variance=0.09, other_variance=0.001
    )
    assert more > need
    assert (
        annotators_needed(target_width=0.1, level=0.95, person_variance=0.09, other_variance=0.01)
        is None
    )
