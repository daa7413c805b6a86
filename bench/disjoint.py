"""Whether two halves of the released judgments differ as their intervals say.

Run from the checkout: DJANGO_SETTINGS_MODULE=config.settings python -m bench.disjoint \\
FILE.jsonl.gz [splits]

People and items are divided at random into halves; one half of the people on one half of the items
is one study, the others on the others another. Both estimate the same mean and share neither people
nor items. t is their difference over its standard error, with Welch's degrees of freedom, and z the
normal quantile of its probability: its mean square is 1 where intervals are honest. Of z² without
the t quantiles, which are part of the interval, the table has the mean, too.
"""

import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtr

from estimation.core import Sample, estimate
from estimation.known_criteria import KNOWN_CRITERIA
from extras.replication import reproducing
from extras.replication.reproducing import CRITERIA, Data

SEED = 2018
SPLITS = 60


def halves(sample: Sample, rng: np.random.Generator) -> list[Sample]:
    """Two studies that share neither people nor items, each of its judged items."""
    items, people = np.unique(sample.item), np.unique(sample.annotator)
    first = rng.permutation(items)[: items.size // 2], rng.permutation(people)[: people.size // 2]
    of_item, of_person = np.isin(sample.item, first[0]), np.isin(sample.annotator, first[1])
    return [
        replace(
            sample,
            score=sample.score[kept],
            item=sample.item[kept],
            annotator=sample.annotator[kept],
        )
        for kept in (of_item & of_person, ~of_item & ~of_person)
    ]


def squares(data: Data, criterion: str, splits: int) -> dict[str, list[float]]:
    """z² of every split and system, for the default and for the paper's interval."""
    known = KNOWN_CRITERIA[criterion]
    ways: dict[str, dict[str, Any]] = {
        "balanced": {"balance": known.balance, "person_share": known.person_share},
        "independent": {"estimator": "mean", "interval": "iid"},
    }
    found: dict[str, list[float]] = defaultdict(list)
    for number, system in enumerate(data.systems):
        sample = data.sample(criterion, system=system)
        for child in np.random.SeedSequence([SEED, number]).spawn(splits):
            both = halves(sample, np.random.default_rng(child))
            for name, options in ways.items():
                one, other = (estimate(s, finite_population=False, **options) for s in both)
                if one.std_error and other.std_error:
                    parts = [(s.std_error or 0.0) ** 2 for s in (one, other)]
                    t = (one.estimate - other.estimate) / sum(parts) ** 0.5
                    df = sum(parts) ** 2 / sum(
                        part**2 / (s.df or 1.0) for part, s in zip(parts, (one, other), strict=True)
                    )
                    found[name].append(float(ndtri(stdtr(df, -abs(t)))) ** 2)
                    found[f"{name}, t²"].append(t**2)
    return found


def main(file: Path, splits: int = SPLITS) -> None:
    """Print the mean square of z by criterion."""
    data = reproducing.load(file, names=())
    print("| criterion | systems × splits | balanced: z² | t² | independent: z² | t² |")
    print("|---|---|---|---|---|---|")
    for criterion in CRITERIA[data.release.instrument]:
        found = squares(data, criterion, splits)
        means = " | ".join(f"{np.mean(values):.2f}" for values in found.values())
        n = len(found["balanced"])
        print(f"| {criterion} | {n} | {means} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
