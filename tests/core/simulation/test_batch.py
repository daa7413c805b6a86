"""Campaigns side by side: the bench's own formulas against the engine and the known answers."""

from dataclasses import replace

import numpy as np
import pytest

from bench.coverage.batch import Sums, pack
from bench.coverage.cells import STOPPING, Cell
from bench.coverage.intervals import (
    BALANCED,
    ENDLESS,
    REGRESSION,
    RELEASED,
    Found,
    Protocol,
    Way,
    look,
)
from bench.coverage.running import drawn, run
from estimation.core import Estimate, Sample, estimate
from estimation.core.simulation import only
from tests.core.cases import crossed_case

OWN = replace(crossed_case(), score=np.array([0.0, 0, 1, 1, -1, 0, 0, 1, 0, -1]))


UNSHRUNK = replace(REGRESSION, finite="none")


def after(samples: list[Sample], judgments: int, way: Way) -> Found:
    sums = Sums(pack(samples))
    for _ in range(min(judgments, sums.batch.score.shape[0])):
        sums.add()
    return look(sums, way, Protocol(samples[0].scale, balance=0.15, person_share=0.08))


# Known answers 2b, 2c and 9c; the first two rows are what 0.1.0 gave for 2b.
KNOWN = [
    (crossed_case(), RELEASED, 0.3689598, 0.0121820, 0.2545424, -0.5905494, 1.0295859),
    (crossed_case(), ENDLESS, 0.3689598, 0.0121820, 0.2616775, -0.6132564, 1.0522929),
    (crossed_case(), UNSHRUNK, 0.3689598, 0.0139718, 0.2650753, -0.6240695, 1.0631061),
    (crossed_case(), REGRESSION, 0.3689598, 0.0139718, 0.2815802, -0.5869306, 1.2052970),
    (OWN, REGRESSION, 0.2658228, 0.0038702, 0.2770591, -0.6589700, 1.1044816),
    (OWN, BALANCED, 0.2485402, 0.0035608, 0.2634483, -0.6055167, 1.0223805),
    (crossed_case(), BALANCED, 0.3628589, 0.0126655, 0.2697614, -0.5291512, 1.1377559),
    (
        replace(crossed_case(), metric=None),
        BALANCED,
        *(0.2642968, 0.0599207, 0.3593696, -0.8886608, 1.3319524),
    ),
]


@pytest.mark.parametrize(("sample", "way", "mean", "person", "error", "low", "high"), KNOWN)
def test_known_answers(sample, way, mean, person, error, low, high):
    found = after([sample], 10, way)
    ends = [end[0] for end in found.ends(way, 0.95)]
    assert [found.estimate[0], found.person[0], found.std_error[0], *ends] == pytest.approx(
        [mean, person, error, low, high], abs=6e-8
    )


@pytest.mark.parametrize("way", [BALANCED, REGRESSION], ids=lambda way: way.name)
@pytest.mark.parametrize("number", [0, 6, 7, 10, 17, 25, 27])
def test_campaigns_as_the_engine_has_them(number, way):
    samples, _ = drawn(STOPPING[number], range(3), seed=11, stream=1)
    for judgments in (52, 131, 250):
        agree(way, samples, judgments)


def agree(way: Way, samples: list[Sample], judgments: int) -> None:
    found = after(samples, judgments, way)
    low, high = found.ends(way, 0.9)
    for column, sample in enumerate(samples):
        first = only(sample, np.arange(min(judgments, sample.n_judgments)))
        expected = engine(first, way)
        ends = expected.interval(0.9)
        numbers = [values[column] for values in (found.estimate, low, high, found.df)]
        known = [expected.estimate, ends.low, ends.high, expected.df]
        assert numbers == pytest.approx(known, rel=1e-8, abs=1e-8)


def engine(sample: Sample, way: Way) -> Estimate:
    return estimate(
        sample,
        estimator=way.weighing,
        finite_population=way.finite == "guarded",
        balance=0.15,
        person_share=0.08,
    )


def test_campaigns_stop_where_the_engine_first_finds_them_narrow_enough():
    cell = replace(STOPPING[0], width=0.3)
    samples, truth = drawn(cell, range(4), seed=5, stream=0)
    endings = run(cell, 4, seed=5, ways=(BALANCED,))["balanced"]
    for sample, stop, low in zip(samples, endings.judgments, endings.low, strict=True):
        assert stop == next(
            judgments
            for judgments in range(30, sample.n_judgments, 5)
            if narrow(told(sample, judgments), cell.width)
        )
        assert low == pytest.approx(told(sample, stop).interval(0.95).low, abs=1e-8)
    assert (endings.truth == truth).all()


def told(sample: Sample, judgments: int) -> Estimate:
    first = only(sample, np.arange(judgments))
    return estimate(first, estimator="balanced", balance=0.16, person_share=0.08)


def narrow(found, width: float) -> bool:
    return (
        found.n_items >= 30
        and found.effective_annotators >= 5
        and found.interval(0.95).width <= width
    )


@pytest.mark.parametrize(("scores", "judgments"), [("ternary", 60), ("HTER", 100)])
def test_no_campaign_stops_before_it_has_enough_items(scores, judgments):
    # 30 items, or 50 on an unbounded scale, all judged twice.
    cell = Cell(scores, 40, 0, width=5.0, doubles=1.0)
    assert run(cell, 3, seed=5)["balanced"].judgments.tolist() == [judgments] * 3


@pytest.mark.parametrize(("people", "stops"), [(4, False), (8, True)])
def test_no_campaign_stops_with_fewer_than_five_effective_people(people, stops):
    cell = Cell("ternary", people, 0, width=5.0, cap=None, outputs=60)
    assert run(cell, 3, seed=5)["balanced"].stopped.tolist() == [stops] * 3
