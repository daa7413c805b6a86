"""When pairs judged side by side are decided: what must hold, and against whole campaigns."""

from dataclasses import replace

import numpy as np
import pytest

from estimation.core import (
    BALANCE,
    PERSON_SHARE,
    Crossed,
    InvalidOptionError,
    PairState,
    Scale,
    crossed,
    estimate,
    ranking,
)
from estimation.core.planning import (
    Expectation,
    Participation,
    Study,
    forecast_pairs,
    forecast_ranking,
)
from tests.core.ranked_campaigns import BESIDE_EDGES, LEVEL, Design, draw, first, streams

SCALE = Scale(-1.0, 1.0)
STUDY = Study(Expectation(Crossed(0.12, 0.06, 0.18), SCALE, mean=0.0), 600, systems=3)
KINDS = (0.0, 0.1, 0.2)


@pytest.mark.slow
def test_pairs_that_differ_by_half_the_margin_take_longest():
    alike, half, apart = forecast_pairs(STUDY, margin=0.2, preferences=KINDS)
    assert half.judgments.expected > max(alike.judgments.expected, apart.judgments.expected)
    for one in (alike, half, apart):
        assert one.usual_items <= one.enough_items
        assert one.judgments.low <= one.judgments.expected <= one.judgments.high
    (far,) = forecast_pairs(STUDY, margin=0.2, preferences=(0.8,))
    assert far.decided == 1.0
    assert 30 <= far.usual_items < 60, "30 items come before the first decision"


def test_pairs_that_are_alike_are_decided_about_where_the_formula_says():
    """The formula has an estimate of exactly 0; a drawn one is off, and takes a little longer."""
    order = forecast_ranking(STUDY, margin=0.2, side_by_side=True)
    (alike,) = forecast_pairs(STUDY, margin=0.2, preferences=(0.0,))
    assert order.settled_items <= alike.usual_items <= 2 * order.settled_items


def test_where_the_items_run_out_that_is_said():
    scarce = replace(STUDY, n_items=60)
    _alike, half, _apart = forecast_pairs(scarce, margin=0.05, preferences=(0.0, 0.025, 0.05))
    assert half.decided < 0.1
    assert (half.usual_items, half.enough_items) == (None, None)
    assert half.judgments.expected == pytest.approx(3 * 60 * 1.25, rel=0.05)
    (tiny,) = forecast_pairs(replace(STUDY, n_items=5), margin=0.2, preferences=(0.0,))
    assert (tiny.decided, tiny.judgments.expected) == (0.0, pytest.approx(3 * 5 * 1.25, rel=0.2))


@pytest.mark.slow
def test_more_pairs_metrics_and_probability_do_what_they_should():
    def usual(study: Study, **options):
        (found,) = forecast_pairs(study, margin=0.2, preferences=(0.1,), **options)
        return found

    plain = usual(STUDY)
    assert usual(replace(STUDY, systems=45)).usual_items > plain.usual_items, "alpha is shared"
    assert usual(replace(STUDY, rho=0.7)).usual_items < plain.usual_items
    assert usual(STUDY, probability=0.5).enough_items == plain.usual_items
    assert usual(STUDY, probability=0.6).enough_items >= plain.usual_items
    assert usual(STUDY, seed=1) == usual(STUDY, seed=1) != plain


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": 0.0}, "positive"),
        ({"probability": 1.0}, "between 0 and 1"),
        ({"replicates": 0}, "at least one"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InvalidOptionError, match=message):
        forecast_pairs(STUDY, **{"margin": 0.2, "preferences": (0.0,)} | options)


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize("mean", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("rho", [None, 0.5])
def test_whole_campaigns_are_decided_as_forecast(mean: float, rho: float | None):
    """Campaigns with people, tastes, and an estimate with its own error."""
    design = Design(
        means=(mean,), n_items=400, item=0.4, person=0.0, favour=0.1, rho=rho, edges=BESIDE_EDGES
    )
    (sample,), (truth,) = draw(replace(design, n_items=4000), np.random.default_rng(20))
    measured = crossed(sample)
    part = Crossed(*(max(0.001, one) for one in (measured.item, measured.person, measured.rest)))
    correlation = 0.0 if rho is None else _correlation(sample, part)
    study = Study(
        Expectation(part, SCALE, mean=float(truth), levels=5),
        design.n_items,
        rho=correlation,
        balance=BALANCE,
        person_share=PERSON_SHARE,
        participation=Participation(design.people, design.unevenness),
    )
    planned = forecast_ranking(study, margin=design.margin, side_by_side=True).planned_items
    (found,) = forecast_pairs(study, margin=design.margin, preferences=(float(truth),))
    runs = [decided_at(design, planned, rng) for rng in streams(21, 60)]
    ends = np.array([design.n_items + 1 if items is None else items for items, _taken in runs])
    decided = float(np.mean(ends <= design.n_items))
    assert decided == pytest.approx(found.decided, abs=0.18)
    if found.usual_items is not None and found.decided > 0.65:
        assert np.median(ends) == pytest.approx(found.usual_items, rel=0.25, abs=20)
    taken = np.mean([judgments for _items, judgments in runs])
    assert taken == pytest.approx(found.judgments.expected, rel=0.2)


def decided_at(
    design: Design, planned_items: float, rng: np.random.Generator
) -> tuple[int | None, int]:
    """The items after which the pair of a campaign is decided, if it is, and its judgments."""
    (sample,), _truth = draw(design, rng)
    for n in design.looks:
        part = first(sample, n)
        state = PairState.of(estimate(part, balance=BALANCE, person_share=PERSON_SHARE))
        rule = {"margin": design.margin, "level": LEVEL, "planned_items": planned_items}
        if ranking({("A", "B"): state}, **rule).stop:
            return n, part.n_judgments
    return None, sample.n_judgments


def _correlation(sample, part) -> float:
    """Of the metric with what people say of an item on average."""
    with_metric = np.cov(sample.score, sample.metric[sample.item])[0, 1]
    sd = np.std(sample.metric)
    return float(np.clip(with_metric / (sd * np.sqrt(part.item)), -0.95, 0.95))
