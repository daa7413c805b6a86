"""Squared error and parts of the variance after 300 judgments, uniform and active.

Run from the checkout: python -m bench.active.fixed [campaigns]
"""

import sys

import numpy as np
from numpy.random import SeedSequence, default_rng

from bench.active.drawing import CELLS, World, collected, plan_of
from bench.active.looks import Batch, Parts, parts
from bench.coverage.cells import Cell
from estimation.core import Floats

SEED, JUDGMENTS = 5, 300


def run(cell: Cell, campaigns: int) -> dict[bool, tuple[Parts, Floats]]:
    """Parts and errors (C,) of uniform (False) and active (True) sampling."""
    worlds = [
        World.drawn(plan_of(cell), default_rng(SeedSequence(SEED, spawn_key=(number,))))
        for number in range(campaigns)
    ]
    truth, found = np.array([world.truth for world in worlds]), {}
    for active in (False, True):
        drawn = [
            collected(world, default_rng([SEED, number]), active=active)
            for number, world in enumerate(worlds)
        ]
        parted = parts(Batch(drawn, truth, active=active), JUDGMENTS, cell)
        found[active] = parted, parted.estimate - truth
    return found


def line(cell: Cell, campaigns: int) -> str:
    """A row of the table: everything in thousandths, uniform / active."""
    found = run(cell, campaigns).values()
    figures = [[(error**2), part.item, part.rest, part.person] for part, error in found]
    uniform, active = ([1000 * value.mean() for value in row] for row in figures)
    cells = (f"{before:.3f} / {after:.3f}" for before, after in zip(uniform, active, strict=True))
    return f"| {cell.rho:g} | {' | '.join(cells)} | {sum(active[1:]) / sum(uniform[1:]):.2f} |"


if __name__ == "__main__":
    for number in (0, 4):
        print(line(CELLS[number], int(sys.argv[1]) if len(sys.argv) > 1 else 3000), flush=True)
