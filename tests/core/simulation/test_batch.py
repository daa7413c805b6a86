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
from estimation.core import Sample, estimate
from estimation.core.simulation.rule import only
from tests.core.cases import crossed_case, random_sample

OWN = replace(crossed_case(), score=np.array([0.0, 0, 1, 1, -1, 0, 0, 1, 0, -1]))


def after(samples: list[Sample], judgments: int, way: Way) -> tuple[Found, Protocol]:
    sums = Sums(pack(samples))
    for _ in range(judgments):
        sums.add()
    protocol = Protocol(samples[0].scale, balance=0.15, person_share=0.08)
    return look(sums, way, protocol), protocol


# statistics.md of the design, section 9: 2b, 2c and 9c.
KNOWN = [
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
    found, _ = after([sample], 10, way)
    ends = [end[0] for end in found.ends(way, 0.95)]
    assert [found.estimate[0], found.person[0], found.std_error[0], *ends] == pytest.approx(
        [mean, person, error, low, high], abs=6e-8
    )


def test_known_answer_without_a_correction_for_the_population():
    found, _ = after([crossed_case()], 10, replace(REGRESSION, finite="none"))
    assert found.item[0] == pytest.approx(0.0562931, abs=6e-8)
    assert [found.centre[0], found.std_error[0]] == pytest.approx([0.2195183, 0.2650753], abs=6e-8)


def test_an_interval_contains_its_estimate():
    everything = Cell("binary .9", 60, 1, 0, outputs=60)
    for endings in run(everything, 40, seed=3, ways=(REGRESSION, BALANCED)).values():
        assert ((endings.low <= endings.estimate) & (endings.estimate <= endings.high)).all()


@pytest.mark.parametrize("judgments", [12, 31, 60])
@pytest.mark.parametrize(("way", "finite"), [(RELEASED, True), (ENDLESS, False)])
def test_items_judged_many_times_as_the_engine_has_them(way, finite, judgments):
    samples = [random_sample(seed) for seed in range(5)]
    found, _ = after(samples, judgments, way)
    agree(found, way, samples, judgments, finite_population=finite)


@pytest.mark.parametrize("number", [0, 6, 7, 10, 17, 25, 27])
def test_campaigns_as_the_engine_has_them(number):
    cell = STOPPING[number]
    samples, _ = drawn(cell, range(3), seed=11, stream=1)
    for judgments in (52, 131, 250):
        found, _ = after(samples, judgments, RELEASED)
        agree(found, RELEASED, samples, judgments)


def agree(found: Found, way: Way, samples: list[Sample], judgments: int, **options) -> None:
    low, high = found.ends(way, 0.9)
    for column, sample in enumerate(samples):
        expected = estimate(only(sample, np.arange(judgments)), **options)
        ends = expected.interval(0.9)
        numbers = [values[column] for values in (found.estimate, low, high, found.df)]
        known = [expected.estimate, ends.low, ends.high, expected.df]
        assert numbers == pytest.approx(known, rel=1e-8, abs=1e-8)


def test_a_campaign_is_the_same_whatever_stands_beside_it():
    cell = replace(STOPPING[0], width=0.4)
    together, alone = (run(cell, many, seed=5, ways=(BALANCED,))["balanced"] for many in (9, 4))
    assert (together.judgments[:4] == alone.judgments).all()
    assert together.low[:4] == pytest.approx(alone.low, rel=1e-12)


def test_campaigns_stop_where_the_engine_first_finds_them_narrow_enough():
    cell = replace(STOPPING[0], width=0.3)
    samples, truth = drawn(cell, range(4), seed=5, stream=0)
    endings = run(cell, 4, seed=5, ways=(RELEASED,))[RELEASED.name]
    for sample, stop, low in zip(samples, endings.judgments, endings.low, strict=True):
        assert stop == next(
            judgments
            for judgments in range(30, sample.n_judgments, 5)
            if narrow(estimate(only(sample, np.arange(judgments))), cell.width)
        )
        found = estimate(only(sample, np.arange(stop)))
        assert low == pytest.approx(found.interval(0.95).low, abs=1e-8)
    assert (endings.truth == truth).all()


def narrow(found, width: float) -> bool:
    return (
        found.n_items >= 30
        and found.effective_annotators >= 5
        and found.interval(0.95).width <= width
    )


def test_a_campaign_that_never_gets_narrow_does_not_stop():
    cell = replace(STOPPING[0], width=0.01, outputs=60)
    endings = run(cell, 3, seed=5)["balanced"]
    assert not endings.stopped.any()
    assert np.isnan(endings.low).all()
