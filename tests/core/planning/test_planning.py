"""Plans: known answers, the simulator as judge, identities, refusals."""

from dataclasses import replace

import numpy as np
import pytest

from estimation.core import Crossed, Scale, errors, half_width, width_floor
from estimation.core.planning import (
    TYPICAL,
    Expectation,
    Participation,
    Prices,
    Study,
    TargetBelowFloorError,
    affordable,
    expected_variance,
    forecast,
    histories,
    reachable_target,
    samples,
)
from estimation.core.simulation import BINARY, TERNARY, Plan, simulate
from estimation.core.study import distribution

PRICES = Prices(0.40, 0.08, minutes=1.5)
OVERALL = Study(TYPICAL["overall"], 1500, rho=0.5)


def test_typical_scores_are_the_released_ones():
    ternary = distribution(TYPICAL["overall"])
    assert ternary.probabilities == pytest.approx(TERNARY.probabilities, abs=3e-3)
    for expected in TYPICAL.values():
        scores = distribution(expected)
        assert scores.variance() == pytest.approx(
            sum((expected.components.item, expected.components.person, expected.components.rest))
        )
        assert scores.mean() == pytest.approx(expected.mean, abs=0.02)


def test_distributions_have_the_asked_for_moments():
    for levels, scale, mean, sd in ((101, Scale(0, 100), 62, 20), (5, Scale(1, 5), 3.4, 1.1)):
        part = Crossed(0.4 * sd**2, 0.1 * sd**2, 0.5 * sd**2)
        scores = distribution(Expectation(part, scale, mean, levels))
        assert scores.mean() == pytest.approx(mean)
        assert scores.variance() == pytest.approx(sd**2)
    yes_or_no = distribution(Expectation(Crossed(0.03, 0.01, 0.05), Scale(0, 1), 0.8, levels=2))
    assert yes_or_no.probabilities == pytest.approx(BINARY.probabilities, abs=1e-4)


@pytest.mark.simulation
@pytest.mark.parametrize(("criterion", "width"), [("overall", 0.2), ("redundancy", 0.15)])
def test_judgments_are_those_of_the_simulator(criterion, width):
    expected = TYPICAL[criterion]
    part, total = expected.components, distribution(expected).variance()
    plan = Plan(distribution(expected), part.item / total, part.person / total)
    judge = simulate(plan, target_width=width, level=0.95, replicates=60, seed=99)
    study = replace(OVERALL, expected=expected)
    found = forecast(study, target_width=width, prices=PRICES, replicates=50)
    print(found.judgments, judge)
    assert judge.stop_share > 0.95
    assert found.judgments.expected == pytest.approx(judge.mean_judgments, rel=0.15)
    assert found.stop_probability == pytest.approx(judge.stop_share, abs=0.05)


@pytest.mark.slow
def test_judgments_are_those_of_the_design():
    # statistics.md section 4: ternary, cap 25, 290 judgments to .2; cap 10, 197.
    found = forecast(OVERALL, target_width=0.2, prices=PRICES, replicates=60)
    assert found.judgments.expected == pytest.approx(290, rel=0.15)


@pytest.mark.parametrize("criterion", ["overall", "edit"])
def test_formula_agrees_with_the_interval(criterion):
    study = replace(OVERALL, expected=TYPICAL[criterion])
    moments = np.array([60, 150, 400, 800, 1200])
    drawn = []
    for h, _people in histories(study, 25, 1):
        at = np.searchsorted(h.n_judgments, moments)
        drawn.append((h.n_items[at], h.effective_annotators[at], h.widths(0.95)[at]))
    items, effective, width = np.mean(drawn, axis=0)
    parts = expected_variance(
        study.expected, rho=0.5, n_items=items, n_population=1500, effective_annotators=effective
    )
    df = np.minimum(items - 2, effective - 1)
    formula = 2 * half_width(np.sqrt(sum(parts)), df, level=0.95)
    assert formula == pytest.approx(width, rel=0.05 if criterion == "overall" else 0.12)


@pytest.mark.parametrize("raters", [3, 10])
@pytest.mark.slow
def test_the_formula_agrees_with_the_simulation_for_more_raters(raters):
    study = replace(OVERALL, expected=TYPICAL["overall"], double_share=0.5, raters=raters)
    drawn = []
    for h, _people in histories(study, 25, 1):
        at = np.searchsorted(h.n_judgments, np.array([300, 800, 1600]))
        drawn.append((h.n_items[at], h.effective_annotators[at], h.widths(0.95)[at]))
    items, effective, width = np.mean(drawn, axis=0)
    parts = expected_variance(
        study.expected,
        rho=0.5,
        n_items=items,
        n_population=study.n_items,
        effective_annotators=effective,
        double_share=0.5,
        raters=raters,
    )
    df = np.minimum(items - 2, effective - 1)
    assert 2 * half_width(np.sqrt(sum(parts)), df, level=0.95) == pytest.approx(width, rel=0.1)
    assert study.per_item == 1 + 0.5 * (raters - 1)
    assert study.mean_part == pytest.approx(0.5 + 0.5 / raters)
    assert replace(study, cap=10**6).people_for(10) == raters


def test_a_census_leaves_only_what_a_judgment_leaves():
    item, rest, _annotator = expected_variance(
        TYPICAL["overall"], rho=0.5, n_items=500, n_population=500, effective_annotators=50
    )
    assert item == 0
    assert rest == pytest.approx((0.059 + 0.232) * 0.875 / 500)
    item, rest, _annotator = expected_variance(
        TYPICAL["overall"],
        rho=0.5,
        n_items=500,
        n_population=500,
        effective_annotators=50,
        double_share=0,
    )
    assert item > 0
    assert rest == 0


@pytest.mark.slow
def test_money_and_time_follow_judgments():
    found = forecast(OVERALL, target_width=0.25, prices=PRICES, replicates=15)
    assert found.cost.expected == pytest.approx(0.48 * found.judgments.expected)
    assert found.hours.high == pytest.approx(found.judgments.high / 40)
    assert found.judgments.low <= found.judgments.expected <= found.judgments.high
    assert sum(found.parts.values()) == pytest.approx(1)
    assert found.annotators.expected >= found.judgments.expected / 25
    free = forecast(OVERALL, target_width=0.25, prices=Prices(0.0), replicates=15)
    assert free.cost.expected == 0
    assert free.hours is None


@pytest.mark.slow
def test_scales_do_not_matter():
    stretched = Expectation(
        Crossed(*(25 * v for v in (0.139, 0.059, 0.232))), Scale(-3, 7), 2 + 5 * 0.26
    )
    one = forecast(OVERALL, target_width=0.2, prices=PRICES, replicates=30)
    two = forecast(
        replace(OVERALL, expected=stretched), target_width=1.0, prices=PRICES, replicates=30
    )
    assert two.judgments.expected == pytest.approx(one.judgments.expected, rel=0.02)
    assert two.floor == pytest.approx(5 * one.floor)


@pytest.mark.slow
def test_more_helps():
    def judgments(**changes):
        study = replace(OVERALL, **changes)
        return forecast(study, target_width=0.15, prices=PRICES, replicates=15).judgments.expected

    plain = judgments()
    many = Participation(places=130)
    assert judgments(rho=0.8) < plain
    assert judgments(cap=10) < plain
    assert judgments(level=0.8) < plain
    assert judgments(estimand="panel") < plain
    assert judgments(n_items=400, participation=many) < plain


def test_too_few_items_rarely_stop():
    study = replace(OVERALL, n_items=100, participation=Participation(places=130))
    found = forecast(study, target_width=0.2, prices=PRICES, replicates=50)
    assert 0 < found.stop_probability < 0.6
    assert found.judgments.high == pytest.approx(125, abs=10)
    assert 30 < found.items.expected < found.items.high <= 100


@pytest.mark.slow
def test_a_target_below_the_floor_is_refused():
    few = replace(OVERALL, participation=Participation(pool=12), cap=None)
    with pytest.raises(TargetBelowFloorError, match=r"cannot be reached.*people per system") as e:
        forecast(few, target_width=0.2, prices=PRICES, replicates=10)
    refused = e.value
    assert refused.annotators == 12
    assert refused.floor > 0.2
    enough = width_floor(
        person_variance=0.059, effective_annotators=refused.annotators_needed, level=0.95
    )
    assert enough < 0.2
    # Somewhat more than that many do reach it.
    many = Participation(pool=round(1.2 * refused.annotators_needed))
    found = forecast(
        replace(few, participation=many), target_width=0.2, prices=PRICES, replicates=10
    )
    assert found.stop_probability > 0.5


def test_no_number_of_people_replaces_items():
    few = replace(OVERALL, n_items=40, participation=Participation(pool=6), cap=None)
    with pytest.raises(TargetBelowFloorError, match="more items") as e:
        forecast(few, target_width=0.05, prices=PRICES, replicates=20)
    assert e.value.annotators_needed is None


def test_no_more_people_are_asked_for_than_there_are_judgments():
    with pytest.raises(TargetBelowFloorError, match="more items are needed") as e:
        forecast(replace(OVERALL, n_items=100), target_width=0.2, prices=PRICES, replicates=20)
    assert e.value.annotators_needed is None


@pytest.mark.parametrize(
    ("changes", "places", "fewest"),
    [
        ({"n_items": 60}, 6, 3),  # 75 judgments, each person gives 12.5 of at most 25
        ({"n_items": 60, "systems": 10}, 60, 30),
        ({"n_items": 60, "cap": 5}, 30, 15),
        ({"n_items": 60, "cap": 1}, 75, 75),
        ({"n_items": 60, "double_share": 1.0}, 10, 5),
        ({"n_items": 5}, 3, 2),  # never fewer than three; a second judge is somebody else
        ({"n_items": 5, "double_share": 0}, 3, 1),
        ({"n_items": 1500, "systems": 3}, 130, 225),  # never more than 130 at a time
        ({"n_items": 1500, "cap": None}, 21, None),  # 93 each, as in the released judgments
        ({"n_items": 1500, "cap": 100_000}, 21, 2),
        ({"n_items": 60, "participation": Participation(pool=8)}, 8, 3),
        ({"n_items": 60, "participation": Participation(places=40)}, 40, 3),
    ],
)
def test_the_people_at_a_time_follow_from_the_study(changes, places, fewest):
    study = replace(OVERALL, **changes)
    assert (study.places, study.fewest_people) == (places, fewest)


def test_fewer_people_make_a_small_study_wider():
    study = replace(OVERALL, n_items=60, rho=0.0)
    widths = [
        reachable_target(replace(study, participation=who), replicates=40)
        for who in (Participation(), Participation(pool=20), Participation(places=130))
    ]
    assert widths[0] > widths[1] > widths[2]
    assert (
        forecast(study, target_width=widths[0], prices=PRICES, replicates=40).annotators.high < 10
    )


@pytest.mark.parametrize("n_items", [2, 3, 4, 10])
def test_a_study_that_one_person_might_judge_alone_is_drawn_all_the_same(n_items):
    """Where no order gives each item two judges, the second judgments are left out."""
    study = replace(OVERALL, n_items=n_items, double_share=1.0)
    for sample, _truth in samples(study, 10, seed=1):
        pairs = set(zip(sample.item.tolist(), sample.annotator.tolist(), strict=True))
        assert len(pairs) == sample.n_judgments, "nobody judges an item twice"
        assert len(set(sample.item.tolist())) == n_items, "each item has a judge"


def test_a_panel_has_no_floor():
    panel = replace(OVERALL, participation=Participation(pool=12), cap=None, estimand="panel")
    found = forecast(panel, target_width=0.2, prices=PRICES, replicates=5)
    assert found.floor == 0
    assert found.parts["annotator"] == 0


@pytest.mark.slow
def test_a_budget_buys_a_width():
    spent = affordable(OVERALL, budget=140.0, prices=PRICES, replicates=50)
    assert spent.judgments == 291
    assert spent.cost == pytest.approx(139.68)
    assert spent.width.expected == pytest.approx(0.2, rel=0.1)
    assert not spent.complete
    all_of_it = affordable(OVERALL, budget=1e6, prices=PRICES, replicates=20)
    assert all_of_it.complete
    assert all_of_it.cost < 1000
    assert all_of_it.width.expected < spent.width.expected
    assert affordable(OVERALL, budget=0.5, prices=PRICES, replicates=20).width is None
    assert affordable(OVERALL, budget=40.0, prices=Prices(0.4), replicates=20).judgments == 100


@pytest.mark.parametrize(
    "call",
    [
        lambda: forecast(OVERALL, target_width=0, prices=PRICES),
        lambda: forecast(OVERALL, target_width=0.2, prices=PRICES, replicates=0),
        lambda: affordable(OVERALL, budget=-1, prices=PRICES),
        lambda: affordable(OVERALL, budget=1, prices=Prices(0)),
        lambda: Prices(-1),
        lambda: replace(OVERALL, level=1.5),
        lambda: replace(OVERALL, systems=0),
        lambda: replace(OVERALL, n_items=1),
        lambda: replace(OVERALL, cap=0),
        lambda: replace(OVERALL, estimand="everybody"),
        lambda: replace(OVERALL, expected=Expectation(Crossed(0, 1, 1), Scale(0, 1), 0.5)),
        lambda: replace(OVERALL, expected=Expectation(Crossed(1, -1, 1), Scale(0, 1), 0.5)),
        lambda: distribution(Expectation(Crossed(0.2, 0.1, 0.2), Scale(0, 1), 0.5)),
        lambda: distribution(Expectation(Crossed(0.01, 0.0, 0.0), Scale(0, 4), 1.5, levels=3)),
        lambda: distribution(Expectation(Crossed(0.2, 0, 0.2), Scale(0, 1), 0.5, levels=1)),
        lambda: expected_variance(
            TYPICAL["edit"], rho=3, n_items=9, n_population=9, effective_annotators=3
        ),
    ],
)
def test_bad_input_is_named(call):
    with pytest.raises(errors.InvalidOptionError):
        call()
