"""What pulling the person variance up buys and costs with balanced weights: decision 008.

Run from the checkout: python -m bench.coverage.pull [campaigns a cell]
"""

import sys
from dataclasses import replace

from bench.coverage.cells import STOPPING
from bench.coverage.intervals import BALANCED, RELEASED
from bench.coverage.results import tally
from bench.coverage.running import run

SEED = 5
CELLS = (1, 5, 7, 13, 21, 14, 23, 27)  # people differ in five of them and agree in three
WEIGHTS = (10.0, 5.0, 2.5, 0.0)
WAYS = (RELEASED, *(replace(BALANCED, name=f"{weight:g}", pull=weight) for weight in WEIGHTS))


def line(number: int, campaigns: int) -> str:
    """Coverage and judgments for each weight of the typical share."""
    found = run(STOPPING[number - 1], campaigns, SEED, number, ways=WAYS)
    told = {name: tally(endings) for name, endings in found.items()}
    usual = told.pop(RELEASED.name).judgments
    figures = (f"{one.coverage:.3f}, {one.judgments / usual:.2f}" for one in told.values())
    return f"| {number} | {' | '.join(figures)} |"


def main() -> None:
    """Print one row for each cell."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"seed {SEED}, {campaigns} campaigns a cell: coverage, judgments over those of 0.1.0\n")
    print(f"| cell | {' | '.join(f'{weight:g}' for weight in WEIGHTS)} |")
    print("|---" * (1 + len(WEIGHTS)) + "|")
    for number in CELLS:
        print(line(number, campaigns), flush=True)


if __name__ == "__main__":
    main()
