"""Groups of items: as units of sampling in every estimator, difference, history and rule."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import (
    Incidence,
    Sample,
    Scale,
    difference,
    errors,
    estimate,
    first_stop,
    precision,
    trajectory,
)
from tests.core.cases import random_sample
from tests.core.drawn import refuted

seeds = st.integers(0, 10_000)
few = settings(max_examples=10, deadline=None)
EVERY = ("balanced", "regression", "multi", "mean", "algorithm_1")
NUMBERS = ("estimate", "centre", "std_error", "df", "n_units", "n_units_population")


def some(seed: int, metrics: int = 1) -> Sample:
    sample = random_sample(seed, judgments=160, items=60)
    if metrics == 1:
        return sample
    more = np.random.default_rng(seed).normal(size=(sample.n_population, metrics - 1))
    return replace(sample, metric=np.column_stack([sample.metric, more]))


def numbers(found, level: float = 0.9) -> list[float]:
    interval = found.interval(level)
    parts = found.variance.item, found.variance.rest, found.variance.annotator
    return [*(getattr(found, name) for name in NUMBERS), interval.low, interval.high, *parts]


@given(metrics=st.sampled_from([1, 4]), estimator=st.sampled_from(EVERY), seed=seeds)
@settings(max_examples=40, deadline=None)
def test_items_that_are_groups_of_their_own_change_nothing(estimator, metrics, seed):
    if metrics > 1 and estimator in ("regression", "algorithm_1"):
        return
    sample = some(seed, metrics)
    own = np.random.default_rng(seed).permutation(sample.n_population) * 7
    one, two = (estimate(s, estimator=estimator) for s in (sample, replace(sample, group=own)))
    assert numbers(two) == pytest.approx(numbers(one), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("metrics", [1, 4])
@given(seed=seeds)
@few
def test_so_it_is_of_differences_and_histories(metrics, seed):
    sample = some(seed, metrics)
    rng = np.random.default_rng(seed)
    other = replace(sample, score=rng.permutation(sample.score))
    own = {"group": rng.permutation(sample.n_population)}
    one = difference(sample, other)
    two = difference(replace(sample, **own), replace(other, **own))
    assert numbers(two) == pytest.approx(numbers(one), rel=1e-12, abs=1e-12)
    if metrics == 1:
        plain, grouped = trajectory(sample), trajectory(replace(sample, **own))
        assert grouped.std_error == pytest.approx(plain.std_error, rel=1e-12, nan_ok=True)
        assert (grouped.n_units == plain.n_items).all()


def grouped(seed: int, size: int = 4) -> Sample:
    """Whole groups of a random sample, some larger than others."""
    sample = some(seed)
    rng = np.random.default_rng(seed)
    return replace(sample, group=rng.integers(0, sample.n_population // size, sample.n_population))


@given(seed=seeds)
@few
def test_the_item_part_is_the_sum_of_squared_sums_of_groups(seed):
    sample = grouped(seed)
    options = {"balance": 0.2, "finite_population": False, "estimand": "panel"}
    found = estimate(sample.without_metric(), **options)
    k = np.bincount(sample.item)[sample.item]
    m = {j: (1 / k)[sample.annotator == j].sum() for j in set(sample.annotator)}
    w = np.array([1 / (c * (1 + 0.2 * m[j])) for c, j in zip(k, sample.annotator, strict=True)])
    w /= w.sum()
    of = sample.group[sample.item]
    weight = np.array([w[of == g].sum() for g in set(of)])
    typ, lo, hi = (weight**2).sum(), sample.scale.low, sample.scale.high
    plus = (w @ sample.score + typ * 2 * (lo + hi)) / (1 + 4 * typ)
    sums = np.array([(w * (sample.score - plus))[of == g].sum() for g in set(of)])
    ends = 2 * (lo - plus) ** 2 + 2 * (hi - plus) ** 2
    assert found.variance.item == pytest.approx(
        ((sums**2).sum() + typ**2 * ends) / (1 + 4 * typ) ** 2
    )
    assert (found.n_units, found.df) == (len(set(of)), len(set(of)) - 2)
    assert found.n_units_population == len(set(sample.group))
    whole = estimate(sample.without_metric(), balance=0.2, estimand="panel")
    share = 1 / (typ * found.n_units_population)
    assert whole.variance.item == pytest.approx((1 - min(1, share)) * found.variance.item)


@pytest.mark.parametrize("estimator", ["balanced", "regression", "mean"])
@given(seed=seeds)
@few
def test_a_history_ends_in_the_estimate(estimator, seed):
    sample = grouped(seed)
    history, found = trajectory(sample, estimator=estimator), estimate(sample, estimator=estimator)
    assert history.std_error[-1] == pytest.approx(found.std_error)
    assert (history.n_units[-1], history.df[-1]) == pytest.approx((found.n_units, found.df))
    half = 2 * sample.n_judgments // 3
    before = replace(
        sample,
        **{name: getattr(sample, name)[:half] for name in ("score", "item", "annotator")},
    )
    assert history.std_error[half - 1] == pytest.approx(
        estimate(before, estimator=estimator).std_error
    )


@pytest.mark.parametrize("metrics", [1, 4])
@given(seed=seeds)
@few
def test_a_difference_against_a_constant_system_is_the_estimate_of_groups(metrics, seed):
    sample = replace(grouped(seed), metric=some(seed, metrics).metric)
    flat = replace(sample, score=np.full(sample.n_judgments, 2.0))
    found = difference(sample.without_metric(), flat.without_metric(), finite_population=False)
    alone = estimate(sample.without_metric(), finite_population=False, pseudo_rows=False)
    assert found.estimate == pytest.approx(alone.estimate - 2)
    assert found.n_units == alone.n_units
    plain = replace(sample, group=None).without_metric()
    assert difference(plain, replace(flat, group=None).without_metric()).n_units > found.n_units
    back = difference(flat, sample)
    assert back.estimate == pytest.approx(-difference(sample, flat).estimate)


def test_the_minima_of_the_rules_count_groups():
    sample = some(1)
    few_groups = replace(sample, group=np.arange(sample.n_population) % 20)
    said = precision(estimate(few_groups), target_width=9.0, level=0.95)
    assert (said.stop, said.reason) == (False, "20 of at least 30 groups of items are judged.")
    assert precision(estimate(sample), target_width=9.0, level=0.95).stop
    assert first_stop(trajectory(few_groups), target_width=9.0, level=0.95) is None
    assert first_stop(trajectory(sample), target_width=9.0, level=0.95) is not None


def test_what_cannot_be_grouped_is_refused():
    sample = grouped(1)
    with pytest.raises(errors.ShapeMismatchError, match="one group"):
        replace(sample, group=[0, 1])
    with pytest.raises(errors.ShapeMismatchError, match="grouped differently"):
        difference(sample, replace(sample, group=None))
    incidence = Incidence([0, 1], [1, 2], 3, group=[5, 5, 9])
    assert (incidence.n_units, incidence.n_judged_units) == (2, 1)


def coverage_at_the_stop(runs: int, *, told: bool, size: int = 5) -> tuple[int, int]:
    """(covered, stopped): the rule looks after each group, people differ and judge 20 items each.

    At the stop whole groups are judged, as in a campaign.
    """
    covered = stopped = 0
    for child in np.random.SeedSequence(11).spawn(runs):
        rng = np.random.default_rng(child)
        groups = 300
        group = np.repeat(np.arange(groups), size)
        latent = 0.5**0.5 * (rng.normal(size=groups)[group] + rng.normal(size=group.size))
        truth = np.clip(0.5 * latent, -1, 1)
        order = np.argsort(rng.permutation(groups)[group], kind="stable")  # whole groups in turn
        item = order[: 120 * size]
        person = rng.permutation(np.repeat(np.arange(item.size // 20), 20))
        score = truth[item] + 0.25 * rng.normal(size=person.size)[person]
        score = np.clip(score + 0.3 * rng.normal(size=item.size), -1, 1)
        sample = Sample(
            score, item, person, group.size, Scale(-1, 1), None, group if told else None
        )
        looks = np.arange(size, item.size + 1, size)
        history = trajectory(sample, looks=looks)
        stop = first_stop(history, target_width=0.25, level=0.95)
        if stop is not None:
            low, high = history.ends(0.95)
            stopped += 1
            covered += low[stop] <= truth.mean() <= high[stop]
    return covered, stopped


@pytest.mark.simulation
def test_intervals_cover_at_the_stop_where_items_come_in_groups():
    covered, stopped = coverage_at_the_stop(1000, told=True)
    assert stopped >= 900
    assert not refuted(covered, stopped, 0.945)


@pytest.mark.simulation
def test_at_the_stop_intervals_that_are_not_told_of_groups_fail():
    covered, stopped = coverage_at_the_stop(600, told=False)
    assert refuted(covered, stopped, 0.945)
