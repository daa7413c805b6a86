"""The tables of docs/screening.md: every kind of people in every kind of study.

Run from the checkout: python -m bench.screening [people a kind] [processes] [study] [kind]
PLUMBLINE_DATA names the folder of the released judgments. `nominal` as a kind shows all of them
without the calibration.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from itertools import repeat
from resource import RUSAGE_CHILDREN, getrusage

from annotate.screening.cutoffs import Cutoffs
from bench.screening import crowds, kinds, table

Row = tuple[str, str]  # study, kind


def main() -> None:
    """Print the tables; percentages with 95 % intervals."""
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    studies = [name for name in crowds.STUDIES if name.startswith(" ".join(sys.argv[3:4]))]
    kind = "".join(sys.argv[4:5])
    calibrated = kind != "nominal"
    began, study = time.monotonic(), ""
    with ProcessPoolExecutor(processes) as pool:
        for row, total in tallies(
            pool, rows(studies, kind if calibrated else ""), people, calibrated
        ):
            if row[0] != study:
                print(f"\n**{row[0]}**\n\n{table.header()}", flush=True)
            study = row[0]
            print(table.row(row[1], total), flush=True)
    used = getrusage(RUSAGE_CHILDREN)
    clock, processor = time.monotonic() - began, used.ru_utime + used.ru_stime
    print(f"\n{clock / 60:.0f} minutes, {processor / 60:.0f} minutes of processors")


def rows(studies: Sequence[str], kind: str = "") -> list[Row]:
    """All rows of the tables of these studies, or those of one kind."""
    return [
        (study, one)
        for study in studies
        for one in [*crowds.kinds_of(study), *kinds.kinds_of(study)]
        if kind in ("", one)
    ]


def tallies(
    pool: Executor, wanted: Sequence[Row], people: int, calibrated: bool
) -> Iterator[tuple[Row, table.Tally]]:
    """Each row with its tally. The next row is calibrated while this one is measured."""
    ahead = [_calibrations(pool, row, people) if calibrated else [] for row in wanted[:1]]
    for row, coming in zip(wanted, [*wanted[1:], None], strict=True):
        known = [{at: one.result() for at, one in each.items()} for each in ahead.pop()]
        ahead.append(_calibrations(pool, coming, people) if calibrated and coming else [])
        seeds = range(table.campaigns(row[1], people))
        jobs = [(*row, table.TOGETHER, seed, calibrated) for seed in seeds]
        total = table.Tally()
        for tally in pool.map(table.one, jobs, repeat(known)):
            total.merge(tally)
        yield row, total


def _calibrations(pool: Executor, row: Row, people: int) -> list[dict[int, Future[Cutoffs]]]:
    """The cut-offs of a row, by look: computed once for all processes."""
    return [
        {
            look: pool.submit(table.calibrated_at, *row, table.TOGETHER, look, number)
            for look in table.CALIBRATED_AT
        }
        for number in range(table.calibrations(row[1], people))
    ]


if __name__ == "__main__":
    main()
