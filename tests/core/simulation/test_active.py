"""Active sampling in the bench: chances as announced, and weights that undo them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng

from bench.active.drawing import (
    CELLS,
    WAVE,
    Drawn,
    World,
    _at_most_certain,
    _picked,
    collected,
    plan_of,
)
from bench.active.looks import Batch, Weights, look
from estimation.core import Sample, estimate

CELL = CELLS[5]  # HTER to which people contribute .30


def world(seed: int = 3) -> World:
    return World.drawn(plan_of(CELL), default_rng(seed))


def batch(drawn: Drawn, *, active: bool) -> Batch:
    return Batch([drawn], np.zeros(1), active=active)


@pytest.mark.parametrize("judgments", [60, 200, 500])
def test_uniform_sampling_has_the_interval_of_the_engine(judgments):
    """But for the noise of single judgments, where squares within items weigh as the items do."""
    drawn_world = world()
    drawn = collected(drawn_world, default_rng(4), active=False)
    found = look(batch(drawn, active=False), judgments, CELL)
    who = np.unique(drawn.who[:judgments], return_inverse=True)[1]
    protocol = CELL.criterion.protocol
    sample = Sample(
        drawn.score[:judgments],
        drawn.item[:judgments],
        who,
        CELL.outputs,
        protocol.scale,
        drawn_world.x,
    )
    expected = estimate(sample, balance=protocol.balance, person_share=protocol.person_share)
    ends = expected.interval(0.95)
    assert [found[0][0], found[1][0]] == pytest.approx([ends.low, ends.high], abs=1e-4)


def test_equal_chances_give_items_equal_weights():
    drawn = collected(world(), default_rng(4), active=False)
    found = Weights(batch(drawn, active=True), 233, CELL.outputs, 0.0)
    seen = found.of_item[found.of_item > 0]
    assert seen == pytest.approx(np.full(seen.size, 1 / seen.size), rel=1e-9)


def test_a_wave_takes_each_item_with_its_chance():
    odds = _at_most_certain(default_rng(1).exponential(size=120))
    rng, often = default_rng(2), np.zeros(120)
    for _ in range(4000):
        picked = _picked(odds, rng)
        assert len(set(picked.tolist())) == WAVE
        often[picked] += 1
    assert odds.mean() == pytest.approx(1)
    assert often / 4000 == pytest.approx(odds * WAVE / 120, abs=0.035)


@pytest.mark.slow
def test_weights_undo_the_chances():
    """The weighted mean of scores that say how spread they are is their mean over all outputs."""
    errors, plain = [], []
    for seed in range(150):
        drawn_world = replace(world(seed), who=world(seed).who[:260])
        drawn = collected(drawn_world, default_rng(seed), active=True)
        each = Weights(batch(drawn, active=True), 260, CELL.outputs, 0.03).each[0]
        errors.append(each @ np.exp(drawn.x) - np.exp(drawn_world.x).mean())
        plain.append(np.exp(drawn.x).mean() - np.exp(drawn_world.x).mean())
    slack = 3 * np.std(errors) / np.sqrt(len(errors))
    assert abs(np.mean(errors)) < slack < np.mean(plain)


def test_no_person_judges_an_output_twice():
    drawn = collected(world(), default_rng(4), active=True)
    pairs = set(zip(drawn.item.tolist(), drawn.who.tolist(), strict=True))
    assert len(pairs) == drawn.item.size
