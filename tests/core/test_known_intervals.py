"""Known answers of whole intervals, part by part, beside the same formulas written as loops."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import Estimate, Incidence, Sample, Scale, balanced_weights, estimate
from tests.core import loops
from tests.core.cases import crossed_case, random_sample

seeds = st.integers(0, 10_000)
few = settings(max_examples=25, deadline=None)
EXACT = 5e-8  # the answers are printed with seven digits


def parts_of(result: Estimate) -> loops.Parts:
    """What the library reports, by the names of the loops."""
    part = result.variance
    return {
        "estimate": result.estimate,
        "slope": result.slope,
        "centre": result.centre,
        "A_eff": result.effective_annotators,
        "V_annot": part.annotator_sum,
        "V_cell": part.cell_sum,
        "kappa": part.s3_factor,
        "raw": part.annotator_raw,
        "V_person": part.annotator,
        "rest": part.rest,
        "V_item_fpc": part.item + part.rest,
        "variance": result.std_error**2,
        "df": result.df,
    }


def assert_same(result: Estimate, expected: loops.Parts) -> None:
    found = parts_of(result)
    for name in found.keys() & expected.keys():
        assert found[name] == pytest.approx(expected[name], rel=1e-9, abs=1e-12), name


def assert_printed(parts: loops.Parts, /, **printed: float) -> None:
    for name, value in printed.items():
        assert parts[name] == pytest.approx(value, abs=EXACT), name


def ends(result: Estimate) -> tuple[float, float]:
    interval = result.interval(0.95)
    return interval.low, interval.high


def test_two_way_without_the_finite_population():
    result = estimate(crossed_case(), estimator="regression", finite_population=False)
    expected = loops.regression(crossed_case(), finite=False)
    assert_printed(
        expected,
        estimate=0.3689598,
        V_item=0.0562931,
        V_annot=0.0174761,
        V_cell=0.0111194,
        A_eff=4,
        df=3,
        kappa=0.9286694,
        raw=0.0139718,
        nu=3.1298748,
        spread=0.56,
        found=0.1077824,
        pulled=0.0598136,
        V_person=0.0139718,
        centre=0.2195183,
    )
    assert_same(result, expected)
    assert not result.variance.pulled
    assert result.std_error == pytest.approx(0.2650753, abs=EXACT)
    assert ends(result) == pytest.approx((-0.6240695, 1.0631061), abs=EXACT)
    assert result.interval(0.95).clipped(result.scale) == (ends(result)[0], 1.0)


def test_two_way_with_the_finite_population():
    result = estimate(crossed_case(), estimator="regression")
    expected = loops.regression(crossed_case())
    assert_printed(
        expected,
        f=0.6,
        h=0.7222222,
        MSW=0.4166667,
        MSW_prior=0.5925926,
        V_item_fpc=0.0653156,
        centre=0.3091832,
    )
    assert_same(result, expected)
    assert result.std_error == pytest.approx(0.2815802, abs=EXACT)
    assert ends(result) == pytest.approx((-0.5869306, 1.2052970), abs=EXACT)


def test_a_panel_has_the_item_part_alone():
    result = estimate(crossed_case(), estimator="regression", estimand="panel")
    assert result.std_error == pytest.approx(0.2555692, abs=EXACT)
    assert (result.variance.annotator, result.df) == (0, 4)


def pulled_case() -> Sample:
    """Scores with which people seem to agree."""
    return replace(crossed_case(), score=np.array([0.0, 0, 1, 1, -1, 0, 0, 1, 0, -1]))


def test_the_pull_of_a_regression():
    result = estimate(pulled_case(), estimator="regression")
    expected = loops.regression(pulled_case())
    assert_printed(
        expected,
        estimate=0.2658228,
        raw=-0.0224098,
        spread=0.49,
        pulled=0.0298556,
        V_person=0.0038702,
        centre=0.2227558,
    )
    assert_same(result, expected)
    assert result.variance.pulled
    assert result.std_error == pytest.approx(0.2770591, abs=EXACT)
    assert ends(result) == pytest.approx((-0.6589700, 1.1044816), abs=EXACT)


def test_the_pull_of_balanced_weights():
    result, expected = estimate(pulled_case()), loops.balanced(pulled_case())
    assert_printed(expected, estimate=0.2485402, V_person=0.0035608, centre=0.2084319)
    assert_same(result, expected)
    assert result.variance.pulled
    assert result.std_error == pytest.approx(0.2634483, abs=EXACT)
    assert ends(result) == pytest.approx((-0.6055167, 1.0223805), abs=EXACT)


def test_balanced_weights():
    weight = balanced_weights(crossed_case().incidence, balance=0.15)
    printed = [0.053168, 0.053168, 0.056491, 0.159505, 0.079753]
    printed += [0.079753, 0.169474, 0.159505, 0.094590, 0.094590]
    assert weight / weight.sum() == pytest.approx(printed, abs=5e-7)
    assert loops.weights(crossed_case(), 0.15) == pytest.approx(printed, abs=5e-7)


# Of the weights alone: scores and metric do not matter.
OF_WEIGHTS = {
    "typ": 0.1673500,
    "f": 0.5975500,
    "A_eff": 4.1669802,
    "df": 3.1669802,
    "kappa": 0.9380228,
    "rest": 0.0421618,
}


def test_balanced_without_a_metric():
    sample = replace(crossed_case(), metric=None)
    result, expected = estimate(sample), loops.balanced(sample)
    assert_printed(
        expected,
        **OF_WEIGHTS,
        estimate=0.2642968,
        V_item=0.0672480,
        V_person=0.0599207,
        centre=0.2216458,
    )
    assert_same(result, expected)
    assert result.std_error == pytest.approx(0.3593696, abs=EXACT)
    assert ends(result) == pytest.approx((-0.8886608, 1.3319524), abs=EXACT)


def test_balanced_with_a_metric():
    result, expected = estimate(crossed_case()), loops.balanced(crossed_case())
    assert_printed(
        expected,
        **OF_WEIGHTS,
        slope=0.5225279,
        estimate=0.3628589,
        V_item=0.0445866,
        V_person=0.0126655,
        centre=0.3043024,
    )
    assert_same(result, expected)
    assert result.std_error == pytest.approx(0.2697614, abs=EXACT)
    assert ends(result) == pytest.approx((-0.5291512, 1.1377559), abs=EXACT)


@given(seed=seeds, person_share=st.sampled_from([0.0, 0.03, 0.08, 1.0]), finite=st.booleans())
@few
def test_the_regression_by_loops(seed, person_share, finite):
    sample = random_sample(seed)
    options = {"estimator": "regression", "finite_population": finite}
    result = estimate(sample, **options, person_share=person_share)
    assert_same(result, loops.regression(sample, person_share=person_share, finite=finite))


@given(
    seed=seeds,
    balance=st.sampled_from([0.0, 0.03, 0.15, 5.0]),
    person_share=st.sampled_from([0.0, 0.08, 1.0]),
    finite=st.booleans(),
    metric=st.booleans(),
    pseudo_rows=st.booleans(),
)
@few
def test_balanced_by_loops(seed, balance, person_share, finite, metric, pseudo_rows):
    sample = random_sample(seed)
    sample = sample if metric else replace(sample, metric=None)
    result = estimate(
        sample,
        balance=balance,
        person_share=person_share,
        finite_population=finite,
        pseudo_rows=pseudo_rows,
    )
    expected = loops.balanced(
        sample,
        balance=balance,
        person_share=person_share,
        finite=finite,
        pseudo_rows=pseudo_rows,
    )
    assert_same(result, expected)


def test_a_share_of_0_pulls_nothing():
    result = estimate(pulled_case(), person_share=0)
    assert not result.variance.pulled
    assert result.variance.annotator_raw < 0
    assert result.variance.annotator == 0
    narrow, wide = (estimate(pulled_case(), person_share=share) for share in (0, 1))
    assert wide.variance.annotator > narrow.variance.annotator


@pytest.mark.parametrize("estimator", ["balanced", "regression", "mean", "gls"])
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
