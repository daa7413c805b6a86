"""Simulate the cells, print each as it is done, and keep the results.

Run from the checkout: python -m bench.coverage [campaigns a cell] [file]
"""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.coverage.cells import CENSUS, STOPPING, Cell
from bench.coverage.results import FILE, Row, as_data, tally, write
from bench.coverage.running import run
from bench.unit import unit

SEED = 2018


def rows(cells: Sequence[Cell], campaigns: int, first: int) -> Iterator[Row]:
    """Simulate cells; `first` is the number of the first one's random stream."""
    for number, cell in enumerate(cells, first):
        found = run(cell, campaigns, SEED, number)
        row = Row(cell, {name: tally(endings) for name, endings in found.items()})
        figures = (
            f"{name} {found.coverage:.3f} {found.judgments:.0f} {found.stop_share:.2f}"
            for name, found in row.tallies.items()
        )
        print(f"{number} {cell.scores} {cell.crowd}: {'; '.join(figures)}", flush=True)
        yield row


def main(campaigns: int = 4000, file: Path = FILE) -> None:
    """Simulate all cells and write the results."""
    began = time.process_time()
    stopping = list(rows(STOPPING, campaigns, 1))
    rate = campaigns * len(STOPPING) / (time.process_time() - began)
    census = list(rows(CENSUS, campaigns, 101))
    results = {
        "seed": SEED,
        "campaigns": campaigns,
        "rate": round(rate, 1),
        "per_unit": round(rate * unit(), 1),
        "stopping": as_data(stopping),
        "census": as_data(census),
    }
    write(results, file)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 4000, Path(given[1]) if len(given) > 1 else FILE)
