"""How many careless people reach evidence that few honest people beside them reach, at any look.

Run from the checkout: python -m bench.screening.evidence [campaigns] [processes] [study] [kind]

A cut-off of a screen comes from a simulation, and is uncertain. Here it is the evidence that a
share of the honest people of the very same campaigns reaches: what a screen could find if its
cut-off were right. So two versions of a screen are compared without the luck of calibrations.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import product, repeat

import numpy as np

from annotate.screening import Settings
from annotate.screening.calibration.calibrating import most_evidence
from bench.screening import crowds, kinds, table
from estimation.core import Floats

SEED = 2111
SHARES = (0.001, 0.002, 0.003, 0.005, 0.008)  # of honest people
LEAST = 2  # percent of the kind, below which a row says nothing

Most = dict[str, tuple[Floats, Floats]]  # by screen: of honest people, and of the kind


def most(study: str, kind: str, seed: int) -> Most:
    """The most evidence at any look on each person of one campaign."""
    name = [SEED, *study.encode(), *kind.encode(), seed]
    columns, mine = table.campaign(study, kind, table.TOGETHER, np.random.default_rng(name))
    found = most_evidence(columns, Settings(), table.LOOKS)
    return {screen: (evidence[~mine], evidence[mine]) for screen, evidence in found.items()}


def row(screen: str, honest: Floats, careless: Floats) -> tuple[list[float], str]:
    """Percent found at each share, and the row of the table."""
    cuts = [float(np.quantile(honest, 1 - share)) for share in SHARES]
    found = [100 * float((careless > cut).mean()) for cut in cuts]
    cells = [f"{part:.0f} ({cut:.1f})" for part, cut in zip(found, cuts, strict=True)]
    return found, f"| {screen} | {' | '.join(cells)} |"


def main() -> None:
    """Print a table for each study and kind: percent found, and the evidence that it takes."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    studies = sys.argv[3:4] or list(crowds.STUDIES)
    with ProcessPoolExecutor(processes) as pool:
        for study, kind in product(studies, sys.argv[4:5] or kinds.ALWAYS):
            every = list(pool.map(most, repeat(study), repeat(kind), range(campaigns)))
            shares = " | ".join(f"{100 * share:.1f} %" for share in SHARES)
            print(f"\n**{study}: {kind}**\n\n| screen | {shares} |\n|{'---|' * (1 + len(SHARES))}")
            for screen in every[0]:
                honest, careless = (np.concatenate([e[screen][k] for e in every]) for k in (0, 1))
                found, line = row(screen, honest, careless)
                if max(found) >= LEAST:
                    print(line, flush=True)


if __name__ == "__main__":
    main()
