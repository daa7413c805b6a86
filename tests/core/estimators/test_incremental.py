"""Judgments taken up one by one: the same estimates as from all of them at once."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import Method, Running, Sample, Scale, estimate
from estimation.core.data import errors
from tests.core.cases import crossed_case, random_sample

options = {
    "estimand": st.sampled_from(["population", "panel"]),
    "finite_population": st.booleans(),
    "pseudo_rows": st.booleans(),
    "person_share": st.sampled_from([0.0, 0.08, 1.0]),
}
balanced = st.builds(
    Method, st.just("balanced"), balance=st.sampled_from([0.0, 0.03, 0.15, 9.0]), **options
)
equal = st.builds(
    Method,
    st.sampled_from(["regression", "algorithm_1", "mean"]),
    st.sampled_from(["two_way", "iid"]),
    **options,
)
methods = balanced | equal


@st.composite
def samples(draw) -> Sample:
    """Random incidence: few people or one, a census or a sample, any metric, any scores."""
    items, people = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    size = draw(st.integers(2, max(2, items * people)))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    pair = np.arange(max(2, items * people))
    # The first people judge nearly everything, or all judge alike.
    uneven = draw(st.sampled_from([0.0, 3.0])) * (pair % people)
    pair = pair[np.argsort(uneven + rng.gumbel(size=pair.size))][:size]
    population = items + draw(st.integers(1, 30))
    scores = draw(st.sampled_from(["ternary", "constant", "continuous"]))
    score = {
        "ternary": rng.integers(-1, 2, pair.size).astype(float),
        "constant": np.full(pair.size, 0.7),
        "continuous": rng.normal(size=pair.size).clip(-3, 3),
    }[scores]
    metric = draw(st.sampled_from([rng.normal(size=population), np.full(population, 0.1)]))
    return Sample(score, pair // people, pair % people + 70, population, Scale(-3, 3), metric)


def assert_same(found, wanted) -> None:
    found, wanted = flat(found), flat(wanted)
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        if isinstance(value, float):
            assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name
        else:
            assert found[name] == value, name


def flat(result) -> dict[str, object]:
    """The result's fields; squared errors for errors, as the root of a rounded 0 is large."""
    fields = asdict(result)
    parts = {f"variance {name}": part for name, part in fields.pop("variance").items()}
    slopes = {f"slope {index}": slope for index, slope in enumerate(fields.pop("slopes"))}
    error = fields.pop("std_error")
    return {**fields, **parts, **slopes, "squared error": None if error is None else error**2}


@pytest.mark.slow
@given(sample=samples(), method=methods)
@settings(max_examples=400, deadline=None)
def test_one_by_one_equals_all_at_once(sample, method):
    assert_same(Running.of(sample, method=method).estimate(), estimate(sample, **asdict(method)))


@pytest.mark.slow
@given(sample=samples(), method=methods, seed=st.integers(0, 1000))
@settings(max_examples=200, deadline=None)
def test_what_was_removed_leaves_no_trace(sample, method, seed):
    rows = list(zip(sample.item, sample.annotator, sample.score, strict=True))
    gone = np.random.default_rng(seed).permutation(len(rows))[: max(0, len(rows) // 2 - 1)]
    running = Running.of(sample, method=method)
    for index in gone:
        running.remove(int(rows[index][0]), int(rows[index][1]))
    left = np.setdiff1d(np.arange(len(rows)), gone)
    kept = replace(
        sample, score=sample.score[left], item=sample.item[left], annotator=sample.annotator[left]
    )
    assert_same(running.estimate(), estimate(kept, **asdict(method)))
    for index in gone:
        running.add(*(value.item() for value in rows[index]))
    assert_same(running.estimate(), estimate(sample, **asdict(method)))


@pytest.mark.parametrize("has_metric", [True, False])
@pytest.mark.parametrize("estimator", ["balanced", "mean"])
def test_every_prefix_of_a_stream_has_its_estimate(estimator, has_metric):
    sample = random_sample(4)
    sample = sample if has_metric else replace(sample, metric=None)
    method = Method(estimator)
    running = Running(n_population=50, scale=sample.scale, metric=sample.metric, method=method)
    for t in range(sample.n_judgments):
        running.add(int(sample.item[t]), int(sample.annotator[t]), float(sample.score[t]))
        if t < 1:
            with pytest.raises(errors.TooFewJudgmentsError):
                running.estimate()
            continue
        first = {name: getattr(sample, name)[: t + 1] for name in ("score", "item", "annotator")}
        assert_same(running.estimate(), estimate(replace(sample, **first), estimator=estimator))


@pytest.mark.parametrize("estimator", ["balanced", "regression"])
def test_many_items_and_people_are_kept_apart(estimator):
    # More than one block of items, and more annotators than the table begins with.
    sample = random_sample(5, judgments=1500, items=700, people=150)
    running = Running.of(sample, method=Method(estimator))
    assert_same(running.estimate(), estimate(sample, estimator=estimator))


def test_people_without_a_cap():
    # One person judges 500 of 600 outputs, then leaves again.
    rng = np.random.default_rng(8)
    person = np.where(rng.random(600) < 5 / 6, 0, 1 + rng.integers(0, 40, 600))
    sample = Sample(rng.normal(size=600), np.arange(600), person, 900, Scale(-4, 4, bounded=False))
    running = Running.of(sample)
    assert_same(running.estimate(), estimate(sample))
    for item in np.flatnonzero(person == 0):
        running.remove(int(item), 0)
    rest = person > 0
    kept = {name: getattr(sample, name)[rest] for name in ("score", "item", "annotator")}
    assert_same(running.estimate(), estimate(replace(sample, **kept)))


@pytest.mark.parametrize(
    ("judgment", "error"),
    [
        ((0, ord("p"), 1.0), errors.DuplicateJudgmentError),
        ((10, 1, 1.0), errors.ItemOutsidePopulationError),
        ((-1, 1, 1.0), errors.ItemOutsidePopulationError),
        ((3, 1, 1.5), errors.ScoreOffScaleError),
        ((3, 1, float("nan")), errors.InvalidScoreError),
    ],
)
def test_an_impossible_judgment_changes_nothing(judgment, error):
    running = Running.of(crossed_case())
    with pytest.raises(error):
        running.add(*judgment)
    assert_same(running.estimate(), estimate(crossed_case()))


def test_only_a_known_judgment_can_be_removed():
    running = Running.of(crossed_case())
    for item, annotator in ((0, 1), (9, ord("p")), (1, ord("q"))):
        with pytest.raises(KeyError):
            running.remove(item, annotator)
    assert_same(running.estimate(), estimate(crossed_case()))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"metric": None, "method": Method("regression")}, errors.MetricMissingError),
        ({"metric": np.zeros(4)}, errors.ShapeMismatchError),
        ({"metric": np.r_[np.zeros(4), np.nan]}, errors.MetricIncompleteError),
        ({"metric": np.zeros(5), "method": Method("multi")}, errors.InvalidOptionError),
        ({"method": Method("gls")}, errors.InvalidOptionError),
        ({"method": Method("median")}, errors.InvalidOptionError),
        ({"method": Method(interval="iid")}, errors.InvalidOptionError),
        ({"method": Method(balance=-1.0)}, errors.InvalidOptionError),
        ({"method": Method(person_share=2.0)}, errors.InvalidOptionError),
    ],
)
def test_what_cannot_be_estimated_is_refused_at_the_start(options, error):
    with pytest.raises(error):
        Running(n_population=5, scale=Scale(0, 1), **options)
