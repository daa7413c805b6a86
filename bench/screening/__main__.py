"""The tables of docs/screening.md: every kind of people in every kind of study.

Run from the checkout: python -m bench.screening [people a kind] [processes] [study]
PLUMBLINE_DATA names the folder of the released judgments. `nominal` as a fourth word leaves out the
calibration.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from math import ceil

from bench.screening import crowds, kinds, table


def main() -> None:
    """Print the tables; percentages with 95 % intervals."""
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    studies = [name for name in crowds.STUDIES if name.startswith(" ".join(sys.argv[3:4]))]
    calibrated = sys.argv[4:] != ["nominal"]
    size = table.TOGETHER
    with ProcessPoolExecutor(processes) as pool:
        for study in studies:
            print(f"\n**{study}**\n\n{table.header()}", flush=True)
            for kind in [*crowds.kinds_of(study), *kinds.kinds_of(study)]:
                own = round((table.HONEST if kind in crowds.HONEST else table.CARELESS) * size)
                jobs = [(study, kind, size, seed, calibrated) for seed in range(ceil(people / own))]
                total = table.Tally()
                for tally in pool.map(table.one, jobs):
                    total.merge(tally)
                print(table.row(kind, total), flush=True)


if __name__ == "__main__":
    main()
