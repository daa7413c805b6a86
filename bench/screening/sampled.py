"""How a look at one person among a sample of the others compares with a look at everybody.

Run from the checkout: python -m bench.screening.sampled [people] [study] [looks] [sample]
"""

import sys
from collections import Counter

import numpy as np

from annotate.screening import Settings, screen_all
from annotate.screening.calibration import calibrated
from annotate.screening.joining import taken
from annotate.screening.sampled import SAMPLE, SampledCrowd
from bench.screening import crowds, table
from bench.unit import cpu, unit

OF_CALIBRATION = 5000  # judgments


def main() -> None:
    """Print how many people each look flags, and what a look takes."""
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    study = sys.argv[2] if len(sys.argv) > 2 else crowds.QUALITY
    looks = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    most = int(sys.argv[4]) if len(sys.argv) > 4 else SAMPLE
    print(f"{study}; {people:,} people; units of {unit() * 1000:.0f} ms")
    print("| kind | looked at | by both | by all only | by sample only | units, all | units, one |")
    print("|---" * 7 + "|")
    for kind in ["usual", *table.kinds.kinds_of(study)]:
        print(_row(study, kind, people, looks, most), flush=True)


def _row(study: str, kind: str, people: int, looks: int, most: int) -> str:
    rng = np.random.default_rng([table.SEED, people, *kind.encode()])
    columns, mine = table.campaign(study, kind, people, rng)
    settings = Settings()
    cutoffs = calibrated(taken(columns, np.arange(OF_CALIBRATION)), settings)
    everybody: set[int] = set()
    whole = cpu(lambda: everybody.update(_flagged(columns, settings, cutoffs)))
    crowd = SampledCrowd(columns, most=most)
    chosen = rng.choice(np.flatnonzero(mine), min(looks, int(mine.sum())), replace=False)
    found: Counter[tuple[bool, bool]] = Counter()

    def look(who: int) -> None:
        said = _flagged(crowd.around(np.array([who])), settings, cutoffs)
        found[who in everybody, who in said] += 1

    taken_ = cpu(lambda: [look(who) for who in chosen.tolist()]) / len(chosen)
    fixed = unit()
    return (
        f"| {kind} | {len(chosen)} | {found[True, True]} | {found[True, False]} "
        f"| {found[False, True]} | {whole / fixed:.1f} | {taken_ / fixed:.2f} |"
    )


def _flagged(columns, settings, cutoffs) -> set[int]:  # type: ignore[no-untyped-def]
    return {one.annotator for one in screen_all(columns, settings, cutoffs, flagged_only=True)}


if __name__ == "__main__":
    main()
