"""Simulate the cells and print a row of the table for each.

Run from the checkout: python -m bench.active [campaigns a cell] [numbers of cells, from 1]
"""

import sys
from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.random import SeedSequence, default_rng

from bench.active.drawing import CELLS, World, collected, plan_of
from bench.active.looks import Batch, stopped
from bench.coverage.cells import Cell
from estimation.core import Floats

SEED = 2018
SIDE_BY_SIDE = 500

WAYS = {"uniform": (False, False), "active": (True, False), "lighter guard": (True, True)}


def run(cell: Cell, campaigns: int, number: int) -> tuple[dict[str, Floats], float]:
    """(C, 2) of each way, and the mean predicted gain of the fourth wave."""
    found: dict[str, list[Floats]] = {name: [] for name in WAYS}
    gains: list[float] = []
    for start in range(0, campaigns, SIDE_BY_SIDE):
        each = range(start, min(campaigns, start + SIDE_BY_SIDE))
        seeds = [SeedSequence(SEED, spawn_key=(number, one)) for one in each]
        worlds = [World.drawn(plan_of(cell), default_rng(seed)) for seed in seeds]
        truth = np.array([world.truth for world in worlds])
        drawn = {
            active: [
                collected(world, default_rng([SEED, number, one]), active=active)
                for world, one in zip(worlds, each, strict=True)
            ]
            for active in (False, True)
        }
        for name, (active, light) in WAYS.items():
            batch = Batch(drawn[active], truth, active=active, light=light)
            found[name].append(stopped(batch, cell))
        gains += [float(one.gain[min(3, one.gain.size - 1)]) for one in drawn[True]]
    return {name: np.concatenate(parts) for name, parts in found.items()}, float(np.mean(gains))


def row(number: int, campaigns: int) -> str:
    """One line of the table."""
    cell = CELLS[number - 1]
    found, gain = run(cell, campaigns, number - 1)
    person = "released" if cell.person is None else f"{cell.person:.2f}"
    words = [cell.scores, f"{cell.rho:g}", person, f"{cell.outputs:,}", f"{cell.width:g}"]
    words += [f"{gain:.2f}", *(_figures(found[name]) for name in WAYS)]
    words += [_ratio(found[name], found["uniform"]) for name in WAYS if name != "uniform"]
    return f"| {' | '.join([str(number), *words])} |"


def _figures(found: Floats) -> str:
    """Coverage, mean judgments, and the share that stopped if not all did."""
    ended = found[~np.isnan(found[:, 0])]
    share = ended[:, 1].mean()
    slack = 2 * sqrt(share * (1 - share) / len(ended))
    text = f"{share:.3f} ± {slack:.3f}, {ended[:, 0].mean():.0f}"
    part = len(ended) / len(found)
    return text if part >= 0.995 else f"{text} ({part:.0%})"


def _ratio(found: Floats, to: Floats) -> str:
    """Judgments over those of `to` in the campaigns that stopped both ways, ± two errors."""
    both = ~np.isnan(found[:, 0]) & ~np.isnan(to[:, 0])
    ours, theirs = found[both, 0], to[both, 0]
    ratio = ours.mean() / theirs.mean()
    error = (ours - ratio * theirs).std() / theirs.mean() / sqrt(both.sum())
    return f"{ratio:.3f} ± {2 * error:.3f}"


def main(campaigns: int = 2000, numbers: Sequence[int] = range(1, len(CELLS) + 1)) -> None:
    """Print the table."""
    for number in numbers:
        print(row(number, campaigns), flush=True)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(given[0] if given else 2000, given[1:] or range(1, len(CELLS) + 1))
