"""What the screens find and whom they accuse: the tables in docs/screening.md.

Run from the checkout: python -m bench.screening.power [campaigns a row] [processes]
PLUMBLINE_DATA names the folder of the released judgments.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import beta

from annotate.screening import Columns, Settings, screen_all
from annotate.screening.cutoffs import UNCALIBRATED
from bench.screening import answers as screening_answers
from bench.screening import campaigns as screening_campaigns
from bench.screening.campaigns import HONEST, Campaign, Design, campaign, looks, simulated

SEED = 2018
STEPS = (5, 10, 15, 20, 25)
FULL = 20  # judgments from which on somebody has nearly worked up to the cap
FILE = "price-of-debiasing-lqual.jsonl.gz"


@dataclass
class Tally:
    """First flags over campaigns. caught, accused: own judgments when first flagged.

    full, full_accused: of the honest, those with at least `FULL` judgments.
    """

    spammers: int = 0
    honest: int = 0
    full: int = 0
    full_accused: int = 0
    caught: list[int] = field(default_factory=list)
    accused: list[int] = field(default_factory=list)
    found_by: Counter[str] = field(default_factory=Counter)
    accused_by: Counter[str] = field(default_factory=Counter)
    accused_people: Counter[int] = field(default_factory=Counter)

    def add(self, found: Campaign, settings: Settings, every: int) -> None:
        """Look at one campaign as it goes on, and count."""
        columns = found.columns
        first = first_flags(columns, settings, every)
        rows = zip(columns.people.tolist(), found.spammer, columns.judgments, strict=True)
        for person, is_spammer, judgments in rows:
            n, screens = first.get(person, (0, set()))
            if is_spammer:
                self.spammers += 1
                self.caught += [n] if n else []
                self.found_by.update(screens)
            else:
                self._honest(person, int(judgments), n, screens)

    def _honest(self, person: int, judgments: int, n: int, screens: set[str]) -> None:
        self.honest += 1
        self.full += judgments >= FULL
        if n:
            self.full_accused += judgments >= FULL
            self.accused.append(n)
            self.accused_by.update(screens)
            self.accused_people[person] += 1

    def merge(self, other: "Tally") -> None:
        """Add another tally to this one."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def by(self, k: int) -> int:
        """How many spammers were caught by their k-th judgment."""
        return sum(n <= k for n in self.caught)


def first_flags(
    columns: Columns, settings: Settings, every: int
) -> dict[int, tuple[int, set[str]]]:
    """Who was flagged: own judgments at the first look that did, and the screens that did then."""
    found: dict[int, tuple[int, set[str]]] = {}
    for seen in looks(columns, every):
        count = dict(zip(seen.people.tolist(), seen.judgments.tolist(), strict=True))
        new: dict[int, set[str]] = {}
        # As before the first calibration.
        for verdict in screen_all(seen, settings, UNCALIBRATED):
            if verdict.flagged and verdict.annotator not in found:
                new.setdefault(verdict.annotator, set()).add(verdict.screen)
        found |= {person: (count[person], screens) for person, screens in new.items()}
    return found


def folder() -> Path:
    """Where the released judgments lie."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    return Path(os.environ.get("PLUMBLINE_DATA") or default)


@cache
def released() -> screening_campaigns.Released:
    """The released judgments of language quality."""
    return screening_campaigns.load_released(folder() / FILE)


@cache
def answers() -> list[screening_answers.Output]:
    """The released sample of answer correctness."""
    return screening_answers.load(folder() / screening_answers.FILE)


def make(people: str, design: Design, rng: np.random.Generator) -> Campaign:
    """One campaign of `released` people, `drawn` ones, or of `answers`."""
    if people == "answers":
        return screening_answers.campaign(answers(), design, rng)
    judged = simulated(design, rng) if people == "drawn" else released().campaign(design, rng)
    return campaign(judged, design.kind, rng)


def one(job: tuple[str, Design, Settings, int]) -> Tally:
    """One campaign, from its own seed."""
    people, design, settings, seed = job
    tally = Tally()
    found = make(people, design, np.random.default_rng([SEED, seed]))
    tally.add(found, settings, design.every)
    return tally


def run(
    people: str,
    design: Design,
    replicates: int,
    pool: ProcessPoolExecutor | None = None,
    settings: Settings | None = None,
) -> Tally:
    """The tally of so many campaigns of one design."""
    jobs = [(people, design, settings or Settings(), seed) for seed in range(replicates)]
    total = Tally()
    results: Iterable[Tally] = pool.map(one, jobs) if pool else map(one, jobs)
    for tally in results:
        total.merge(tally)
    return total


def share(count: int, n: int) -> str:
    """`87 (82–91)`: a percentage with its 95 % Clopper–Pearson interval."""
    if not n:
        return "–"
    low = beta.ppf(0.025, count, n - count + 1) if count else 0.0
    high = beta.ppf(0.975, count + 1, n - count) if count < n else 1.0
    digits = 1 if count < 0.1 * n else 0
    return f"{100 * count / n:.{digits}f} ({100 * low:.{digits}f}–{100 * high:.{digits}f})"


def row(name: str, tally: Tally, steps: Iterable[int] = STEPS) -> str:
    """One line: caught after k judgments, honest people accused, the screens that found them."""
    cells = [share(tally.by(k), tally.spammers) for k in steps]
    screens = listed(tally.found_by, 2)
    accused = share(len(tally.accused), tally.honest)
    return f"| {name} | {' | '.join(cells)} | {tally.spammers} | {accused} | {screens} |"


def listed(screens: Counter[str], most: int | None = None) -> str:
    """The screens that fired, the most frequent first; by name where they are even."""
    ordered = sorted(screens.items(), key=lambda each: (-each[1], each[0]))[:most]
    return ", ".join(f"{screen} {n}" for screen, n in ordered) or "–"


def header(steps: Iterable[int] = STEPS) -> str:
    """The two lines above such rows."""
    names = ["kind", *(f"k = {k}" for k in steps), "spammers", "honest accused", "found by"]
    return f"| {' | '.join(names)} |\n{'|---' * len(names)}|"


def power(replicates: int, pool: ProcessPoolExecutor) -> Iterator[str]:
    """Every kind of spammer among every kind of people."""
    for people in ("released", "answers", "drawn"):
        kinds = screening_answers.KINDS if people == "answers" else screening_campaigns.KINDS
        for spam in (0.1, 0.3):
            yield f"\n**{people}, {spam:.0%} spammers**\n\n{header()}"
            for kind in kinds:
                yield row(kind, run(people, Design(kind, spam), replicates, pool))


def accusations(replicates: int, pool: ProcessPoolExecutor) -> Iterator[str]:
    """Campaigns without a spammer."""
    yield "\n**nobody a spammer**\n"
    yield "| people | accused | of | with 20 or more judgments | of | screens | most accused |"
    yield "|---" * 7 + "|"
    design = Design(HONEST)
    cases = [
        ("released", design, 3 * replicates),
        ("drawn", design, 3 * replicates),
        ("answers", design, 3 * replicates),
        ("drawn", replace(design, good=True), 3 * replicates),
        ("released", replace(design, every=1), max(1, replicates // 4)),
        ("drawn", replace(design, every=1), max(1, replicates // 4)),
    ]
    for people, case, times in cases:
        tally = run(people, case, times, pool)
        most = tally.accused_people.most_common(5)
        name = people + ", good outputs" * case.good + ", a look each" * (case.every == 1)
        yield (
            f"| {name} | {share(len(tally.accused), tally.honest)} | {tally.honest} "
            f"| {share(tally.full_accused, tally.full)} | {tally.full} "
            f"| {listed(tally.accused_by)} | person {', '.join(f'{who} ×{n}' for who, n in most)} |"
        )


FARTHER = [
    ("drawn", "random (usual answers)", 0.1, ((25, 0.25), (25, 1), (50, 1), (100, 1), (200, 1))),
    ("answers", "random (usual answers)", 0.1, ((25, 1), (50, 1), (100, 1))),
    ("answers", "random (dice)", 0.1, ((35, 0.25), (50, 0.25))),
    ("answers", "random (dice)", 0.3, ((35, 0.25), (50, 0.25))),
    ("answers", "five words anywhere", 0.1, ((25, 0.5), (25, 1), (50, 1))),
    ("drawn", "tiny edits, 4 of 5", 0.1, ((40, 0.25), (60, 0.25))),
]


def reach(replicates: int, pool: ProcessPoolExecutor) -> Iterator[str]:
    """What it would take to find those whom the default does not."""
    yield "\n**what would find the rest**\n"
    yield "| people | kind | spammers | cap | judged twice | comparisons | caught | of | honest accused |"
    yield "|---" * 9 + "|"
    for people, kind, spam, cases in FARTHER:
        for cap, double in cases:
            design = Design(kind, spam, cap=cap, double=double, every=2 * cap)
            tally = run(people, design, replicates, pool)
            yield (
                f"| {people} | {kind} | {spam:.0%} | {cap} | {double:.0%} | {design.shared} "
                f"| {share(len(tally.caught), tally.spammers)} | {tally.spammers} "
                f"| {share(len(tally.accused), tally.honest)} |"
            )


def main() -> None:
    """Print the tables; percentages with 95 % intervals."""
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    print(f"seed {SEED}, {replicates} campaigns a row, cap 25, 25 % judged twice")
    with ProcessPoolExecutor(processes) as pool:
        for table in (power, accusations, reach):
            for line in table(replicates, pool):
                print(line, flush=True)


if __name__ == "__main__":
    main()
