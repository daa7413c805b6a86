"""The reference gives the known answers, to the digits that are printed."""

import numpy as np
import pytest

from tests.core import reference_parts
from tests.core.reference import difference, estimate

SCALE = (-1, 1)
PAIRS = ["ap", "aq", "ar", "bp", "cp", "cq", "dr", "eq", "fs", "ft"]
TWO_WAY = [0, 1, 1, 0, -1, 0, 1, 1, -1, 0]
PULLED = [0, 0, 1, 1, -1, 0, 0, 1, 0, -1]
METRIC = [0.2, -0.4, -1.1, 0.9, 0.6, -0.7, 0.1, 0.3, -0.2, 0.5]
SIX_PAIRS = ([-1.2, -0.5, 0.1, 0.4, 1, 1.5], [-1, 0, 0, 1, 1, 1])


def judgments(scores):
    return [("abcdef".index(p[0]), p[1], y) for p, y in zip(PAIRS, scores, strict=True)]


def case(scores=TWO_WAY, metrics=METRIC, estimator="regression", **options):
    return estimate(judgments(scores), 10, SCALE, metrics, estimator=estimator, **options)


def holds(found, **printed):
    """Every printed digit: within half a unit of the seventh decimal."""
    for name, value in printed.items():
        assert found[name] == pytest.approx(value, abs=5.1e-8), name


def test_two_way_without_finite_population():
    found = case(finite_population=False)
    holds(found, estimate=0.3689598, V_item=0.0562931, V_annot=0.0174761, V_cell=0.0111194)
    holds(found, A_eff=4, df=3, s3_factor=0.9286694, raw=0.0139718, nu=3.1298748, s2_y=0.56)
    holds(found["pull"], own=0.1077824, value=0.0598136)
    holds(found, V_person=0.0139718, centre=0.2195183, std_error=0.2650753)
    holds(found, low=-0.6240695, high=1.0631061)
    assert found["pull"]["active"] is False


def test_two_way_with_finite_population():
    found = case()
    holds(found, f=0.6, h=0.7222222, MSW=0.4166667, V_item_fpc=0.0653156, centre=0.3091832)
    holds(found, std_error=0.2815802, low=-0.5869306, high=1.2052970, **{"MSW'": 0.5925926})
    holds(case(estimand="panel"), std_error=0.2555692, centre=0.3091832, df=4)
    holds(
        {"v": reference_parts.crossed_moments(judgments(TWO_WAY))},
        v=[0.3121212, 0.4621212, -0.0454545],
    )


def test_pull_with_regression():
    found = case(PULLED)
    holds(found, estimate=0.2658228, raw=-0.0224098, s2_y=0.49, V_person=0.0038702)
    holds(found, centre=0.2227558, std_error=0.2770591, low=-0.6589700, high=1.1044816)
    holds(found["pull"], value=0.0298556)
    assert found["pull"]["active"] is True


def test_pull_with_balanced_weights():
    found = case(PULLED, estimator="balanced")
    holds(found, estimate=0.2485402, V_person=0.0035608, centre=0.2084319, std_error=0.2634483)
    holds(found, low=-0.6055167, high=1.0223805)


def test_balanced_without_a_metric():
    found = case(estimator="balanced", metrics=None)
    weights = [0.053168, 0.053168, 0.056491, 0.159505, 0.079753]
    weights += [0.079753, 0.169474, 0.159505, 0.094590, 0.094590]
    assert found["weights"] == pytest.approx(weights, abs=5.1e-7)
    holds(found, typ=0.1673500, f=0.5975500, A_eff=4.1669802, df=3.1669802, s3_factor=0.9380228)
    holds(found, estimate=0.2642968, V_item=0.0672480, residual=0.0421618, V_person=0.0599207)
    holds(found, centre=0.2216458, std_error=0.3593696, low=-0.8886608, high=1.3319524)


def test_balanced_with_the_metric():
    found = case(estimator="balanced")
    holds(found, slope=0.5225279, estimate=0.3628589, V_item=0.0445866, V_person=0.0126655)
    holds(found, centre=0.3043024, std_error=0.2697614, low=-0.5291512, high=1.1377559)


def six_pairs(estimator, **options):
    """Six outputs judged once, each by another person, among 14 whose metric is standardised."""
    x, y = SIX_PAIRS
    rows = [(i, str(i), score) for i, score in enumerate(y)]
    rest = np.sqrt(1.89)
    column = [*x, *(-v for v in x), rest, -rest]
    assert (np.mean(column), np.var(column)) == pytest.approx((0, 1), abs=1e-12)
    return estimate(rows, 14, SCALE, column, estimator=estimator, **options)


def test_six_pairs():
    found = six_pairs("regression", pseudo_rows=False)
    printed = {"slope": 0.759406, "estimate": 0.168795, "std_error": 0.155572}
    assert {name: found[name] for name in printed} == pytest.approx(printed, abs=5.1e-7)
    assert (found["high"] - found["low"]) / 2 == pytest.approx(0.431936, abs=5.1e-7)
    printed = {"alpha": 0.611111, "estimate": 0.200926}
    found = six_pairs("algorithm_1")
    assert {name: found[name] for name in printed} == pytest.approx(printed, abs=5.1e-7)
    found = six_pairs("regression")
    holds(found, centre=0.0989678, std_error=0.2442728, V_person=0, f=0, df=4)
    # Without the end that is moved to the estimate, if it has to be.
    assert found["high"] - found["centre"] == pytest.approx(0.6782101, abs=5.1e-8)


def test_ppi():
    found = reference_parts.ppi_plus_plus(
        SIX_PAIRS[1], SIX_PAIRS[0], list(np.linspace(-2, 2, 21)), 0.95
    )
    printed = {"low": -0.164494, "high": 0.681773, "estimate": 0.258640}
    assert {name: found[name] for name in printed} == pytest.approx(printed, abs=5.1e-7)


def test_ppi_takes_the_outputs_not_judged_as_its_pool():
    rows = [(i, "a", score) for i, score in enumerate(SIX_PAIRS[1])]
    column = [*SIX_PAIRS[0], *np.linspace(-2, 2, 21)]
    found = estimate(rows, 27, SCALE, column, estimator="ppi")
    assert found["estimate"] == pytest.approx(0.258640, abs=5.1e-7)


@pytest.mark.parametrize(("alpha", "x"), [(0.05, 8.21197), (0.1, 6.63835), (0.2, 5.01276)])
def test_mixture(alpha, x):
    assert reference_parts.mixture_x(alpha) == pytest.approx(x, abs=5.1e-6)


@pytest.mark.parametrize(
    ("alpha", "t", "t_opt", "half"),
    [
        (0.05, 100, 100, 0.30351),
        (0.05, 50, 100, 0.43539),
        (0.05, 400, 100, 0.15655),
        (0.05, 100, 240, 0.31086),
        (0.2, 100, 100, 0.24521),
    ],
)
def test_sequence(alpha, t, t_opt, half):
    assert reference_parts.sequence_half(1 / t, t, alpha, t_opt) == pytest.approx(half, abs=5.1e-6)


def test_crossed_moments():
    rows = [(0, 0, 3), (0, 1, 5), (1, 0, 1), (1, 2, 2), (2, 1, 4), (2, 2, 5)]
    components = reference_parts.crossed_moments(rows)
    assert components == pytest.approx([7 / 3, 1, 0], abs=1e-12)


@pytest.mark.parametrize("estimator", ["mean", "regression", "balanced"])
def test_a_difference_changes_its_sign_with_the_order(estimator):
    other = [(i, p, -y) for i, p, y in judgments(PULLED) if (i, p) != (0, "r")]
    columns = (METRIC, METRIC[::-1])
    ahead = difference(judgments(TWO_WAY), other, 10, SCALE, columns, estimator=estimator)
    behind = difference(other, judgments(TWO_WAY), 10, SCALE, columns[::-1], estimator=estimator)
    for name in ("estimate", "centre"):
        assert ahead[name] == pytest.approx(-behind[name], abs=1e-12)
    assert (ahead["low"], ahead["high"]) == pytest.approx((-behind["high"], -behind["low"]))
    for name in ("V_item", "V_person", "MSW'", "raw", "A_eff", "std_error"):
        assert ahead[name] == pytest.approx(behind[name])


def test_a_difference_from_zeros_of_the_same_people_has_the_residuals_of_one_system():
    zeros = [(i, p, 0) for i, p, _ in judgments(TWO_WAY)]
    found = difference(judgments(TWO_WAY), zeros, 10, SCALE, (METRIC, None), estimator="balanced")
    alone = case(estimator="balanced")
    for name in ("estimate", "raw", "A_eff", "s3_factor", "f", "h", "V_cell", "V_annot", "MSW"):
        assert found[name] == pytest.approx(alone[name]), name


@pytest.mark.parametrize("estimator", ["mean", "regression", "balanced"])
def test_equal_systems_differ_by_exactly_nothing(estimator):
    rows = judgments(TWO_WAY)
    found = difference(rows, rows[::-1], 10, SCALE, (METRIC, METRIC), estimator=estimator)
    assert (found["estimate"], found["low"], found["high"]) == (0, 0, 0)


def test_penalties_reach_from_least_squares_to_no_slope():
    """With one metric: τ = ∞ is the mean; the slope of an item is that of all others."""
    nothing = case(estimator="multi", penalty=np.inf)
    mean = case(estimator="mean")
    for name in ("estimate", "centre", "std_error", "low", "high"):
        assert nothing[name] == pytest.approx(mean[name])
    found = case(estimator="multi", penalty=0.0)
    x = reference_parts.standardise(METRIC, 10, range(6))
    means = reference_parts.item_means(judgments(TWO_WAY), [1.0] * 10)
    train = {i: means[i] for i in range(1, 6)}
    _, slope, _ = reference_parts.least_squares(train, x, dict.fromkeys(train, 1.0))
    assert found["slopes"][0] == pytest.approx(slope)


@pytest.mark.parametrize(
    ("rho", "gamma", "efficiency"),
    [(0.5, 1, 1.1429), (0.8, 1, 1.4706), (0.9, 0, 5.2632), (0.3, 2, 1.0309), (0.4, 0.5, 1.1194)],
)
def test_data_efficiency(rho, gamma, efficiency):
    assert reference_parts.data_efficiency(rho, gamma) == pytest.approx(efficiency, abs=5.1e-5)
