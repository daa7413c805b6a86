"""Signs of careless work: brute force, exact probabilities, invariances, honest annotators."""

from itertools import groupby, product

import numpy as np
import pytest
from scipy import stats

from estimation.core import NoVariationError, deviations, drift, person_correlation, straight_lining
from estimation.core.agreement import straightlining
from estimation.core.data import errors
from estimation.core.simulation import TERNARY, Plan
from estimation.core.simulation.campaign import draw_campaign

OVERALL = Plan(TERNARY, item=0.139 / 0.43, person=0.059 / 0.43, n_population=1000)


def crossed_rows(seed, *, items=40, people=6, share=0.5):
    rng = np.random.default_rng(seed)
    item, annotator = np.nonzero(rng.random((items, people)) < share)
    order = rng.permutation(item.size)
    return item[order], annotator[order] + 10, rng.integers(1, 6, item.size).astype(float)


def test_deviation_by_hand():
    # Item 0: 0, 0, 3 by a, b, c; item 1: 1 and 3 by a, c; item 2 by b alone says nothing.
    item, who, value = [0, 0, 0, 1, 1, 2], [1, 2, 3, 1, 3, 2], [0, 0, 3, 1, 3, 9]
    noise = (6 + 2) / (6 - 3)  # the mean square within items
    found = deviations(item, who, value)
    a = (1.5**2 / 1.5 + 4 / 2) / 2 / noise
    c = (9 / 1.5 + 4 / 2) / 2 / noise
    assert found.ratio == pytest.approx([a, 1.5**2 / 1.5 / noise, c])
    assert found.shared.tolist() == [2, 1, 2]
    assert found.low[1] == 0  # one item is no evidence


@pytest.mark.parametrize("seed", range(3))
def test_deviation_is_its_definition(seed):
    item, who, value = crossed_rows(seed)
    found = deviations(item, who, value, noise=1.7, level=0.9)
    ratios = {int(person): [] for person in found.annotator}
    for i, person, y in zip(item, who, value, strict=True):
        others = value[(item == i) & (who != person)]
        if others.size:
            ratios[int(person)].append((y - others.mean()) ** 2 / (1.7 * (1 + 1 / others.size)))
    pooled = np.var(np.concatenate(list(ratios.values())))
    for row, mine in enumerate(ratios.values()):
        n, mean = len(mine), np.mean(mine)
        error = np.sqrt(((n - 1) * np.var(mine, ddof=1) + 4 * pooled) / (n + 3) / n)
        law = stats.t(n + 3, loc=mean, scale=error)
        assert found.ratio[row] == pytest.approx(mean)
        assert found.p_value[row] == pytest.approx(law.cdf(1))
        assert found.low[row] == pytest.approx(max(0, law.ppf(0.05)))
        assert found.high[row] == pytest.approx(law.ppf(0.95))


def test_deviation_invariances():
    item, who, value = crossed_rows(4)
    order = np.random.default_rng(1).permutation(item.size)
    plain = deviations(item, who, value)
    for changed in (
        (item[order], who[order], value[order]),
        (-item, who, value),
        (item, who, 5 - 3 * value),
    ):
        assert deviations(*changed).ratio == pytest.approx(plain.ratio)


def campaigns(count):
    for seed in range(count):
        sample, _ = draw_campaign(OVERALL, np.random.default_rng(seed))
        yield sample.item, sample.annotator, sample.score.copy()


def flagged(p_value):
    return int((p_value < 0.01).sum()), int((~np.isnan(p_value)).sum())


@pytest.mark.simulation
def test_honest_annotators_are_rarely_flagged():
    rows = []
    for item, who, value in campaigns(15):
        rho = person_correlation(who, value)
        rows.append(
            flagged(deviations(item, who, value).p_value)
            + flagged(straight_lining(who, value, person_correlation=rho).p_value)
            + flagged(drift(item, who, value).p_value)
        )
    deviant, asked, uniform, answered, drifting, timed = np.sum(rows, axis=0)
    print(f"flagged at .01: {deviant}/{asked}, {uniform}/{answered}, {drifting}/{timed}")
    assert deviant / asked < 0.01
    assert uniform / answered < 0.01
    assert drifting / timed < 0.02


@pytest.mark.simulation
def test_careless_annotators_are_found():
    caught = np.zeros(2)
    for _, who, value in campaigns(6):
        people, count = np.unique(who, return_counts=True)
        full = people[count == 25]
        value[who == full[0]] = 0.0
        value[who == full[1]] = -1.0
        found = straight_lining(who, value, person_correlation=person_correlation(who, value))
        caught += found.p_value[np.isin(found.annotator, full[:2])] < 0.01
    assert caught[1] == 6
    assert caught[0] >= 3  # half of all answers are 0 anyway


def test_an_opposite_annotator_deviates():
    rng = np.random.default_rng(3)
    item, who = np.repeat(np.arange(200), 2), rng.permuted(np.tile(np.arange(8), (200, 1)), axis=1)
    who = who[:, :2].ravel()
    value = (item % 3) + 0.3 * rng.normal(size=400)
    value[who == 5] = 2 - value[who == 5]
    found = deviations(item, who, value)
    assert np.nanargmin(found.p_value) == 5
    assert found.low[5] > 2


def test_run_probability_is_exact():
    # All 2^9 sequences, weighed.
    p = 0.37
    for length in range(1, 10):
        wanted = sum(
            p ** sum(s) * (1 - p) ** (9 - sum(s))
            for s in product((0, 1), repeat=9)
            if any(v and len(list(g)) >= length for v, g in groupby(s))
        )
        assert straightlining._run_probability(np.array([p]), 9, length)[0] == pytest.approx(wanted)


@pytest.mark.parametrize("rho", [0.1, 0.6])
def test_runs_of_people_who_differ_are_those_of_a_beta_distribution(rho):
    """By integrating over the rates of people: 9 answers, of which the first 5 are alike."""
    value, size = np.r_[np.ones(5), np.zeros(4)], 1 / rho - 1
    found = straight_lining(
        np.zeros(9), value, base_rates={0.0: 0.6, 1.0: 0.4}, person_correlation=rho
    )

    def chance(rate, length):
        rates = stats.beta(rate * size, (1 - rate) * size)
        of = straightlining._run_probability
        return rates.expect(lambda p: float(of(np.array([p]), 9, length)[0]))

    wanted = min(2 * chance(0.4, 5), 2 * chance(0.6, 4))
    assert found.run_p[0] == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("rho", [0.0, 0.1, 0.6])
def test_share_is_beta_binomial(rho):
    who, value = np.zeros(30), np.r_[np.ones(24), np.zeros(6)]
    found = straight_lining(who, value, base_rates={0.0: 0.6, 1.0: 0.4}, person_correlation=rho)
    if rho:
        size = 1 / rho - 1
        wanted = stats.betabinom.sf(23, 30, 0.4 * size, 0.6 * size)
    else:
        wanted = stats.binom.sf(23, 30, 0.4)
    assert found.share_p[0] == pytest.approx(2 * wanted)
    assert (found.modal_share[0], found.longest_run[0], found.judgments[0]) == (0.8, 24, 30)


def test_base_rates_come_from_the_others():
    who, value = np.r_[np.zeros(10), np.ones(30)], np.r_[np.ones(10), np.zeros(15), np.ones(15)]
    found = straight_lining(who, value)
    assert found.share_p[0] == pytest.approx(2 * 0.5**10)
    rate = 10.5 / 11
    assert found.share_p[1] == pytest.approx(2 * stats.binom.sf(14, 30, 1 - rate), rel=1e-6)


def test_person_correlation():
    rng = np.random.default_rng(2)
    rate = rng.beta(3, 2, 400)  # rho = 1 / (3 + 2 + 1)
    value = rng.random((400, 25)) < rate[:, None]
    who = np.repeat(np.arange(400), 25)
    assert person_correlation(who, value.ravel()) == pytest.approx(1 / 6, abs=0.03)
    assert person_correlation(who, rng.integers(0, 3, who.size)) < 0.01
    assert person_correlation([1, 2], [0, 1]) == 0
    assert person_correlation([1, 1, 2, 2], [1, 1, 1, 1]) == 0


def test_drift_is_least_squares():
    item, who, value = crossed_rows(5)
    when, expected = np.random.default_rng(0).random((2, item.size)) * 1e9
    expected = expected / 1e9
    found = drift(item, who, value, when=when, expected=expected)
    for row, person in enumerate(found.annotator):
        mine = who == person
        t = when[mine] - when[mine].min()
        line = stats.linregress(t / t.max(), (value - expected)[mine])
        half = stats.t.ppf(0.975, mine.sum() - 2) * line.stderr
        assert found.slope[row] == pytest.approx(line.slope)
        assert found.p_value[row] == pytest.approx(line.pvalue)
        assert (found.low[row], found.high[row]) == pytest.approx(
            (line.slope - half, line.slope + half)
        )


def test_drift_is_seen_whatever_the_items():
    rng = np.random.default_rng(8)
    item = np.repeat(np.arange(120), 2)
    who = np.tile([0, 1], 120)
    value = np.repeat(rng.normal(size=120) * 5, 2)
    value[who == 1] += np.linspace(0, 1, 120) + 0.1 * rng.normal(size=120)
    found = drift(item, who, value)
    assert found.slope[1] == pytest.approx(1, abs=0.15)
    assert found.p_value[1] < 1e-6


def test_too_little_is_unknown_and_not_an_error():
    found = drift([1, 2, 3, 4, 5], [1, 1, 2, 2, 2], [0, 1, 0, 1, 0], when=[1, 2, 3, 3, 3])
    assert np.isnan(found.slope).all()
    assert np.isnan(found.p_value).all()
    assert straight_lining([], []).p_value.size == 0


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (errors.ReplicatesNeededError, lambda: deviations([1, 2], [1, 2], [0, 1])),
        (NoVariationError, lambda: deviations([1, 1], [1, 2], [3, 3])),
        (errors.ShapeMismatchError, lambda: deviations([1, 1], [1], [3, 3])),
        (errors.DuplicateJudgmentError, lambda: deviations([1, 1], [1, 1], [3, 2])),
        (errors.InvalidScoreError, lambda: straight_lining([1, 1], [3, np.inf])),
        (errors.ShapeMismatchError, lambda: straight_lining([1], [3, 2])),
        (
            errors.InvalidOptionError,
            lambda: straight_lining([1, 1], [3, 2], base_rates={3.0: 0.5}),
        ),
        (
            errors.InvalidOptionError,
            lambda: straight_lining([1, 1], [3, 2], base_rates={3.0: 0.5, 2.0: 1.5}),
        ),
        (errors.InvalidOptionError, lambda: straight_lining([1], [3], person_correlation=1)),
        (errors.ShapeMismatchError, lambda: drift([1, 2], [1, 1], [0, 1], when=[0])),
        (errors.ShapeMismatchError, lambda: drift([1, 2], [1, 1], [0, 1], expected=[0, np.nan])),
    ],
)
def test_bad_input_is_named(error, call):
    with pytest.raises(error):
        call()
