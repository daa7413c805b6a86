"""Bootstraps against refits written out, textbook variances, and each other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from estimation.core import Sample, Scale, bootstrap, bootstraps, errors, estimate, pigeonhole
from estimation.core.bootstraps import draw_counts
from tests.core.cases import crossed_case, random_sample

ESTIMATORS = ("regression", "algorithm_1", "mean")
PERS = ("item", "judgment")
every_form = pytest.mark.parametrize("per", PERS)
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)
seeds = st.integers(0, 10_000)
few = settings(max_examples=15, deadline=None)


def refit_by_hand(sample: Sample, counts, estimator: str, per: str) -> float:
    """One replicate: every judgment written down as often as it counts, and fitted by numpy."""
    k = np.bincount(sample.item)[sample.item]
    rows = np.repeat(np.arange(sample.n_judgments), counts.astype(int))
    if not rows.size:
        return np.nan
    weight = (1 / k if per == "item" else np.ones(k.size))[rows]
    y = sample.score[rows]
    if estimator == "mean":
        return np.average(y, weights=weight)
    x = sample.standardised_metric()[sample.item][rows]
    if np.unique(x).size == 1:
        return np.average(y, weights=weight)
    if estimator == "regression":
        return np.polyfit(x, y, 1, w=np.sqrt(weight))[1]
    slope = np.average((y - np.average(y, weights=weight)) * x, weights=weight)
    return np.average(y - slope * x, weights=weight)


@every_form
@every_estimator
def test_an_interval_is_that_of_refits_by_hand(estimator, per):
    sample = random_sample(2, judgments=40, items=15)
    result = bootstrap(sample, estimator=estimator, per=per, level=0.9, replicates=200, seed=5)
    counts = draw_counts(np.random.default_rng(5), 200, 40)
    fitted = [refit_by_hand(sample, row, estimator, per) for row in counts]
    assert (result.low, result.high) == pytest.approx(tuple(np.quantile(fitted, [0.05, 0.95])))
    assert result.std_error == pytest.approx(np.std(fitted, ddof=1))
    assert result.centre == pytest.approx(refit_by_hand(sample, np.ones(40), estimator, per))
    assert (result.replicates, result.width) == (200, result.high - result.low)


@every_estimator
def test_every_judgment_once_is_the_estimate(estimator):
    # The sums are those of `estimate`, which fits item means and not judgments.
    sample = random_sample(4)
    plain = estimate(sample, estimator=estimator)
    assert bootstrap(sample, estimator=estimator, replicates=2).centre == pytest.approx(
        plain.estimate
    )
    assert pigeonhole(sample, estimator=estimator, replicates=2).centre == pytest.approx(
        plain.estimate
    )


def test_the_bootstrap_error_of_a_mean_is_the_textbook_one():
    # sd / sqrt(T), divisor T; 4,000 replicates know it to 1.1 %.
    sample = random_sample(5, judgments=200, items=80)
    result = bootstrap(sample, estimator="mean", per="judgment", replicates=4000)
    assert result.std_error == pytest.approx(sample.score.std() / 200**0.5, rel=0.04)
    assert result.width == pytest.approx(2 * 1.2816 * result.std_error, rel=0.05)


def test_the_pigeonhole_is_items_and_annotators_by_hand():
    sample = crossed_case()
    result = pigeonhole(sample, estimator="mean", replicates=50, seed=2, level=0.5)
    children = np.random.SeedSequence(2).spawn(2)
    v = draw_counts(np.random.default_rng(children[0]), 50, 6)
    u = draw_counts(np.random.default_rng(children[1]), 50, 5)
    fitted = []
    for r in range(50):
        counts = [
            v[r, item] * u[r, "pqrst".index(chr(person))]
            for item, person in zip(sample.item, sample.annotator, strict=True)
        ]
        fitted.append(refit_by_hand(sample, np.array(counts), "mean", "item"))
    assert (result.low, result.high) == pytest.approx(tuple(np.nanquantile(fitted, [0.25, 0.75])))
    assert result.replicates == np.isfinite(fitted).sum()


def test_the_pigeonhole_error_is_that_of_its_linearisation():
    # E v_i v_k = [i = k] + 1 - 1/n, likewise for people, so Var(sum e_ij v_i u_j) is a sum.
    sample = random_sample(8, judgments=300, items=80, people=30)
    e = (sample.score - sample.score.mean()) / 300
    items = np.equal.outer(sample.item, sample.item) + 1 - 1 / np.unique(sample.item).size
    people = np.equal.outer(sample.annotator, sample.annotator) + 1 - 1 / 30
    variance = e @ (items * people) @ e
    result = pigeonhole(sample, estimator="mean", per="judgment", replicates=4000)
    assert result.std_error == pytest.approx(variance**0.5, rel=0.06)


@pytest.mark.parametrize("resample", [bootstrap, pigeonhole])
def test_a_seed_gives_the_same_numbers_whatever_the_chunks(resample, monkeypatch):
    def numbers(seed):
        found = resample(random_sample(1), replicates=70, seed=seed)
        return [found.low, found.high]

    whole = numbers(11)
    monkeypatch.setattr(bootstraps, "_CHUNK", 700)
    assert numbers(11) == pytest.approx(whole)
    assert numbers(12) != pytest.approx(whole)


@pytest.mark.parametrize("resample", [bootstrap, pigeonhole])
@given(seed=seeds, factor=st.sampled_from([0.01, 2.0, 100.0]), shift=st.floats(-1000, 1000))
@few
def test_the_scores_units_carry_over(resample, seed, factor, shift):
    sample = random_sample(seed)
    scale = Scale(factor + shift - 1e-9, factor * 5 + shift + 1e-9)
    moved = replace(sample, score=factor * sample.score + shift, scale=scale)
    one, other = (resample(s, replicates=80) for s in (sample, moved))
    expected = factor * one.low + shift, factor * one.high + shift
    assert (other.low, other.high) == pytest.approx(expected, abs=1e-6 * factor, rel=1e-9)


@given(
    resample=st.sampled_from([bootstrap, pigeonhole]),
    estimator=st.sampled_from(ESTIMATORS),
    seed=seeds,
    factor=st.sampled_from([-7.0, 0.5, 300.0]),
    shift=st.floats(-50, 50),
)
@settings(max_examples=30, deadline=None)
def test_the_metrics_units_do_not_matter(resample, estimator, seed, factor, shift):
    sample = random_sample(seed)
    other = replace(sample, metric=factor * sample.metric + shift)
    found = [resample(s, estimator=estimator, replicates=40) for s in (sample, other)]
    one, two = ([r.low, r.high] for r in found)
    assert two == pytest.approx(one, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("resample", [bootstrap, pigeonhole])
@pytest.mark.parametrize(
    "bad",
    [
        {"estimator": "median"},
        {"per": "person"},
        {"level": 0},
        {"level": 80},
        {"replicates": 1},
        {"seed": -1},
    ],
    ids=str,
)
def test_options_out_of_range_are_refused(resample, bad):
    with pytest.raises(errors.InvalidOptionError):
        resample(crossed_case(), **bad)


@pytest.mark.parametrize("resample", [bootstrap, pigeonhole])
def test_a_metric_is_never_silently_done_without(resample):
    sample = replace(crossed_case(), metric=None)
    with pytest.raises(errors.MetricMissingError):
        resample(sample, replicates=10)
    resample(sample, estimator="mean", replicates=10)


@pytest.mark.parametrize("change", [{"annotator": np.zeros(6, int)}, {"item": np.zeros(6, int)}])
def test_the_pigeonhole_needs_two_of_each(change):
    sample = random_sample(1, judgments=6, items=6)
    own = {"item": np.arange(6), "annotator": np.arange(6), **change}
    with pytest.raises(errors.IntervalUnavailableError):
        pigeonhole(replace(sample, **own))


def test_a_constant_metric_is_not_used():
    sample = replace(crossed_case(), metric=np.full(10, 0.1))
    for resample in (bootstrap, pigeonhole):
        flat, mean = (resample(sample, estimator=e, replicates=50) for e in ("regression", "mean"))
        assert (flat.low, flat.high) == pytest.approx((mean.low, mean.high))


def draw(seed: int, person_sd: float) -> tuple[Sample, float]:
    """160 judgments, one per item, 8 people of 20 judgments each; the truth is 0."""
    rng = np.random.default_rng(seed)
    person = np.arange(160) % 8
    score = rng.normal(size=160) + person_sd * rng.normal(size=8)[person]
    return Sample(score, np.arange(160), person, 160, Scale(-9, 9, bounded=False)), 0.0


@pytest.mark.simulation
def test_the_papers_bootstrap_covers_only_where_people_agree():
    runs = 300
    covered = dict.fromkeys([("plain", 0.0), ("plain", 0.5), ("pigeonhole", 0.5)], 0)
    for seed in range(runs):
        for person_sd in (0.0, 0.5):
            sample, truth = draw(seed, person_sd)
            for name, resample in (("plain", bootstrap), ("pigeonhole", pigeonhole)):
                if (name, person_sd) in covered:
                    found = resample(sample, estimator="mean", replicates=200, seed=seed)
                    covered[name, person_sd] += found.low <= truth <= found.high
    print(f"seeds 0..{runs - 1}: covered of {runs} at .8: {covered}")
    assert binom.cdf(covered["plain", 0.0], runs, 0.8) > 0.01
    assert binom.cdf(covered["plain", 0.5], runs, 0.6) < 0.01
    assert binom.cdf(covered["pigeonhole", 0.5], runs, 0.8) > 0.01


@pytest.mark.simulation
@pytest.mark.parametrize(("person", "rest"), [(0.0, 1.0), (1.0, 0.0)])
def test_the_pigeonhole_overstates_as_owen_says(person, rest):
    # 240 judgments, 120 items twice, 24 people of 10: c_items 2, c_people 10.
    expected = (person * (10 + 2) + 3 * rest) / 240
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        item = np.repeat(np.arange(120), 2)
        who = (rng.permutation(24)[:, None] + np.arange(10) * 5).T.ravel() % 24
        who = np.where(
            np.r_[False, (np.diff(item) == 0) & (np.diff(who) == 0)], (who + 1) % 24, who
        )
        score = person * rng.normal(size=24)[who] + rest * rng.normal(size=240)
        sample = Sample(score, item, who, 120, Scale(-9, 9, bounded=False))
        result = pigeonhole(sample, estimator="mean", per="judgment", replicates=400, seed=seed)
        found.append(result.std_error**2)
    print(f"seeds 0..59: {np.mean(found):.5f}, expected {expected:.5f}")
    assert np.mean(found) == pytest.approx(expected, rel=0.15)
