"""How long leave-one-out alpha takes: by subtraction, and by starting anew for each annotator.

Run from the checkout: python -m bench.agreement [judgments ...]
All outputs are judged twice, everybody gives 25 judgments. Processor time, in units of a fixed
piece of pure-Python work (bench/unit.py), which is printed beside it.
"""

import sys

import numpy as np

from bench.unit import cpu, unit
from estimation.core import Floats, Ints, alpha_without_each, krippendorff_alpha

SIZES = (1_000, 10_000, 100_000)
SAMPLE = 25  # annotators for whom "anew" is measured; it takes as long for each of them
CRITERIA = {"ordinal": 3, "nominal": 2, "interval": 0}  # levels; 0: a number such as HTER


def judged(judgments: int, levels: int) -> tuple[Ints, Ints, Floats]:
    """Items, annotators and values: each item judged by two people who agree to some degree."""
    rng, people = np.random.default_rng(judgments), max(judgments // 25, 2)
    item = np.repeat(np.arange(judgments // 2), 2)
    annotator = np.column_stack(
        [
            first := rng.integers(0, people, judgments // 2),
            (first + rng.integers(1, people, first.size)) % people,
        ]
    ).ravel()
    latent = rng.normal(size=judgments // 2).repeat(2) + rng.normal(size=item.size)
    cuts = np.linspace(-1, 1, levels + 1)[1:-1] if levels else []
    return item, annotator, np.digitize(latent, cuts) * 1.0 if levels else np.abs(latent)


def anew(item: Ints, annotator: Ints, value: Floats, distance: str, people: Ints) -> None:
    """Alpha of the others for these people, as it is defined."""
    for who in people:
        keep = annotator != who
        krippendorff_alpha(
            item[keep],
            annotator[keep],
            value[keep],
            distance=distance,
            replicates=0,  # type: ignore[arg-type]
        )


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    one = unit()
    print(f"one unit: {one * 1000:.0f} ms of processor time\n")
    print("| judgments | people | distance | by subtraction | anew | ratio |")
    print("|---" * 6 + "|")
    for size in sizes:
        for distance, levels in CRITERIA.items():
            item, annotator, value = judged(size, levels)
            everybody = np.unique(annotator)
            quick = cpu(lambda: alpha_without_each(item, annotator, value, distance=distance))  # type: ignore[arg-type]  # noqa: B023
            some = everybody[:SAMPLE]
            slow = cpu(anew, item, annotator, value, distance, some) * everybody.size / some.size
            print(
                f"| {size:,} | {everybody.size:,} | {distance} | {quick / one:.2f} units "
                f"| {slow / one:.1f} units | {slow / quick:,.0f} × |",
                flush=True,
            )


if __name__ == "__main__":
    main()
