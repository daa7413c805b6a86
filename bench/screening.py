"""What the screens find and whom they accuse: the tables in docs/screening.md.

Run from the checkout: python -m bench.screening [campaigns a row] [processes]
PLUMBLINE_DATA names the folder of the released judgments; without it only drawn people are shown.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import beta

from annotate.screening import Columns, Settings, screen_all
from bench.screening_campaigns import (
    HONEST,
    KINDS,
    Campaign,
    Design,
    Released,
    campaign,
    load_released,
    looks,
    simulated,
)

SEED = 2018
LOOK_EVERY = 20  # judgments of the campaign: about one look for each judgment of those at work
STEPS = (5, 10, 15, 20, 25)
FILE = "price-of-debiasing-lqual.jsonl.gz"


@dataclass
class Tally:
    """Over campaigns: first flags of spammers and of the honest."""

    spammers: int = 0
    caught: list[int] = field(default_factory=list)  # own judgments when first flagged
    honest: int = 0
    accused: list[int] = field(default_factory=list)
    by_screen: Counter[str] = field(default_factory=Counter)
    accused_people: Counter[int] = field(default_factory=Counter)
    accused_by: Counter[str] = field(default_factory=Counter)

    def add(self, found: Campaign, settings: Settings, every: int = LOOK_EVERY) -> None:
        first = first_flags(found.columns, settings, every)
        self.spammers += int(found.spammer.sum())
        self.honest += int((~found.spammer).sum())
        for j, person in enumerate(found.columns.people.tolist()):
            if person not in first:
                continue
            n, screens = first[person]
            (self.caught if found.spammer[j] else self.accused).append(n)
            if not found.spammer[j]:
                self.accused_people[person] += 1
            (self.by_screen if found.spammer[j] else self.accused_by).update(screens)

    def merge(self, other: "Tally") -> None:
        self.spammers += other.spammers
        self.honest += other.honest
        self.caught += other.caught
        self.accused += other.accused
        self.by_screen += other.by_screen
        self.accused_by += other.accused_by
        self.accused_people += other.accused_people


def first_flags(columns: Columns, settings: Settings, every: int) -> dict[int, tuple[int, set[str]]]:
    """Who was flagged: own judgments at the first look that did, and the screens that did then."""
    found: dict[int, tuple[int, set[str]]] = {}
    for seen in looks(columns, every):
        count = dict(zip(seen.people.tolist(), seen.judgments.tolist(), strict=True))
        new: dict[int, set[str]] = {}
        for verdict in screen_all(seen, settings):
            if verdict.flagged and verdict.annotator not in found:
                new.setdefault(verdict.annotator, set()).add(verdict.screen)
        found |= {person: (count[person], screens) for person, screens in new.items()}
    return found


@cache
def released() -> Released | None:
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("PLUMBLINE_DATA") or default) / FILE
    return load_released(path) if path.exists() else None


def one(job: tuple[str, Design, Settings, int]) -> Tally:
    """One campaign, from its own seed."""
    people, design, settings, seed = job
    rng = np.random.default_rng([SEED, seed])
    data = released() if people == "released" else None
    judged = simulated(design, rng) if data is None else data.campaign(design, rng)
    tally = Tally()
    tally.add(campaign(judged, design.kind, rng), settings)
    return tally


def run(
    people: str, design: Design, replicates: int, pool: ProcessPoolExecutor | None = None,
    settings: Settings | None = None,
) -> Tally:  # fmt: skip
    """The tally of so many campaigns of one design."""
    jobs = [(people, design, settings or Settings(), seed) for seed in range(replicates)]
    total = Tally()
    results: Iterable[Tally] = pool.map(one, jobs) if pool else map(one, jobs)
    for tally in results:
        total.merge(tally)
    return total


def share(count: int, n: int) -> str:
    """`87 % (82–91)`: a share with its 95 % Clopper–Pearson interval."""
    if not n:
        return "–"
    low = beta.ppf(0.025, count, n - count + 1) if count else 0.0
    high = beta.ppf(0.975, count + 1, n - count) if count < n else 1.0
    digits = 1 if count < 0.1 * n else 0
    return f"{100 * count / n:.{digits}f} % ({100 * low:.{digits}f}–{100 * high:.{digits}f})"


def row(name: str, tally: Tally, steps: Iterable[int]) -> str:
    caught, accused = np.array(tally.caught), np.array(tally.accused)
    cells = [share(int((caught <= step).sum()), tally.spammers) for step in steps]
    by = ", ".join(f"{screen} {n}" for screen, n in tally.by_screen.most_common(2))
    honest = share(accused.size, tally.honest)
    return f"| {name} | " + " | ".join(cells) + f" | {tally.spammers} | {honest} | {by} |"


def tables(replicates: int, pool: ProcessPoolExecutor | None) -> Iterator[str]:
    """The lines of every table."""
    for people in ("released", "drawn"):
        if people == "released" and released() is None:
            continue
        for spam in (0.1, 0.3):
            yield f"\n### {people} people, {spam:.0%} spammers, cap 25, 25 % judged twice\n"
            yield "| kind | " + " | ".join(f"k = {k}" for k in STEPS) + " | spammers | honest accused | found by |"
            yield "|---" * (len(STEPS) + 4) + "|"
            for kind in KINDS:
                tally = run(people, Design(kind, spam), replicates, pool)
                yield row(kind, tally, STEPS)
        tally = run(people, Design(HONEST), 4 * replicates, pool)
        accused = np.array(tally.accused)
        by_k = ", ".join(f"k = {k}: {share(int((accused <= k).sum()), tally.honest)}" for k in STEPS)
        yield f"\nNobody a spammer: {share(accused.size, tally.honest)} of {tally.honest} accused ({by_k}); "
        yield f"screens {dict(tally.accused_by)}; people {dict(tally.accused_people.most_common(8))}."


def main() -> None:
    """Print the tables."""
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    print(f"seed {SEED}, {replicates} campaigns a row, a look every {LOOK_EVERY} judgments")
    with ProcessPoolExecutor(processes) as pool:
        for line in tables(replicates, pool):
            print(line, flush=True)


if __name__ == "__main__":
    main()
