"""Honest people under every screen, in studies of 1 to 8 criteria with 2 to 7 levels.

Run from the checkout: python -m bench.screening.studies [campaigns a cell] [processes]
The table in docs/screening.md: how many honest people all screens together ever flag. A cell whose
bound is above the promise is drawn once more, with more people and other seeds; the table shows that.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import product
from math import ceil

import numpy as np
from numpy.random import Generator
from scipy.stats import beta

from annotate.screening import Columns, Settings
from annotate.screening.patterns.finding import Patterns
from annotate.screening.patterns.screen import RANDOM_ANSWERS
from annotate.screening.running import run
from bench.screening.campaigns import Design, arrivals, draw_places, take
from bench.screening.power import first_flags, listed
from estimation.core import Floats, Scale
from estimation.core.simulation import Marginal

SEED = 2019
PROMISE = 0.02
CRITERIA, LEVELS = range(1, 9), range(2, 8)
EVERY, LOOKS = 25, 25  # judgments between two looks; of large campaigns, so many looks
MOST = 40_000  # judgments of one campaign

AGAIN = 3  # times as many people where the first draw does not decide

Cell = tuple[int, int]  # criteria, levels
Job = tuple[int, int, str, int]  # criteria, levels, crowd, seed
CELLS: tuple[Cell, ...] = tuple(product(CRITERIA, LEVELS))


@dataclass(frozen=True)
class Crowd:
    """Honest people and what they judge.

    together: the correlation of the criteria, which items, people and the rest are given alike.
    item, person: their shares of the latent scores' variance; the rest is noise.
    best: the probability of the best level; the others share what is left. None: bell-shaped over
    all levels, a little above the middle.
    large: as many more people as it takes for random_answers to run, if `MOST` judgments do.
    """

    together: float = 0.6
    item: float = 0.35
    person: float = 0.15
    best: float | None = None
    people: int = 40
    cap: int = 25
    double: float = 0.25
    large: bool = False

    def sized(self, criteria: int, levels: int) -> "Crowd | None":
        """This crowd for so many criteria and levels; None where it would be another one's."""
        if not self.large:
            return self
        wanted = 1.5 * Settings().of(Patterns).per_combination * levels**criteria
        if criteria == 1 or not self.people * self.cap < wanted <= MOST:
            return None
        return replace(self, people=ceil(wanted / self.cap))


CROWDS = {
    "usual": Crowd(),
    "unrelated criteria": Crowd(together=0.0),
    "people differ": Crowd(item=0.25, person=0.4),
    "good outputs": Crowd(best=0.85),
    "few people": Crowd(people=8, cap=100),
    "all judged twice": Crowd(double=1.0),
    "large": Crowd(large=True),
    "large, unrelated": Crowd(together=0.0, large=True),
    "large, people differ": Crowd(item=0.25, person=0.4, large=True),
}


@dataclass
class Tally:
    """How many honest people there were, how many were ever flagged, and by which screens.

    campaigns: how many there were; ran: in how many random_answers compared somebody at last.
    """

    honest: int = 0
    accused: int = 0
    screens: Counter[str] = field(default_factory=Counter)
    campaigns: int = 0
    ran: int = 0

    def merge(self, other: "Tally") -> None:
        """Add another tally to this one."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    @property
    def bound(self) -> float:
        """The upper 95 % Clopper–Pearson bound of the share that is flagged, one-sided."""
        return float(beta.ppf(0.95, self.accused + 1, self.honest - self.accused))


def marginal(levels: int, best: float | None) -> Marginal:
    """Scores 0 to levels - 1 with bell-shaped probabilities."""
    values = np.arange(float(levels))
    middle = 0.6 * (levels - 1)
    weights = np.exp(-(((values - middle) / (0.3 * levels)) ** 2) / 2)
    if best is not None:
        weights[-1] = 0
        weights = np.r_[(1 - best) * weights[:-1] / weights[:-1].sum(), best]
    shares = weights / weights.sum()
    return Marginal(tuple(values), tuple(shares), Scale(0, levels - 1))


def correlated(n: int, criteria: int, together: float, rng: Generator) -> Floats:
    """(n, criteria) standard normal, every pair of columns correlated alike."""
    common = rng.standard_normal((n, 1))
    own = rng.standard_normal((n, criteria))
    return np.asarray(np.sqrt(together) * common + np.sqrt(1 - together) * own)


def study(criteria: int, levels: int, crowd: Crowd, rng: Generator) -> Columns:
    """One campaign of honest people, in the order in which their judgments came."""
    design = Design(people=crowd.people, cap=crowd.cap, double=crowd.double)
    who, output = draw_places(design, rng)
    outputs = int(output.max()) + 1
    item, person, rest = (
        correlated(n, criteria, crowd.together, rng) for n in (outputs, crowd.people, who.size)
    )
    noise = np.sqrt(1 - crowd.item - crowd.person)
    latent = np.sqrt(crowd.item) * item[output] + np.sqrt(crowd.person) * person[who] + noise * rest
    scores = marginal(levels, crowd.best).scores(latent)
    pace = 0.7 * rng.standard_normal(crowd.people)[who] + 0.77 * rng.standard_normal(who.size)
    required = (scores < levels - 1).any(axis=1)
    distance = np.ceil(np.exp(3.76 + 1.1 * rng.standard_normal(who.size)))
    columns = Columns(
        who,
        output,
        arrivals(who, rng),
        60 * np.exp(pace),
        rng.integers(30, 90, outputs).astype(np.float64)[output],
        {f"c{c}": scores[:, c] for c in range(criteria)},
        np.where(required, distance, np.nan),
        np.where(required, np.arange(who.size), -1),
        levels=tuple(np.arange(float(levels))),
    )
    return take(columns, np.argsort(columns.order))


def one(job: Job, every: int = EVERY) -> Tally:
    """One campaign, from its own seed, looked at all along."""
    criteria, levels, name, seed = job
    crowd = CROWDS[name].sized(criteria, levels)
    if crowd is None:
        return Tally()
    rng = np.random.default_rng([SEED, criteria, levels, list(CROWDS).index(name), seed])
    columns = study(criteria, levels, crowd, rng)
    if crowd.large:
        every = max(every, len(columns.annotator) // LOOKS)
    flags = first_flags(columns, Settings(), every)
    screens = Counter(screen for _n, fired in flags.values() for screen in fired)
    ran = any(v.enough for v in run(RANDOM_ANSWERS, columns, Settings()))
    return Tally(columns.people.size, len(flags), screens, 1, int(ran))


def tallies(
    campaigns: int, pool: Executor, cells: Iterable[Cell] = CELLS, first_seed: int = 0
) -> dict[tuple[str, int, int], Tally]:
    """The tally of every crowd and cell. Each has about as many people as `campaigns` of 40."""
    jobs = [
        (criteria, levels, name, first_seed + seed)
        for name, (criteria, levels) in product(CROWDS, cells)
        if (crowd := CROWDS[name].sized(criteria, levels)) is not None
        for seed in range(max(1, round(campaigns * Crowd().people / crowd.people)))
    ]
    # The large ones first, so that no processor waits for another at the end.
    jobs.sort(key=lambda job: -CROWDS[job[2]].sized(job[0], job[1]).people)  # type: ignore[union-attr]
    found: dict[tuple[str, int, int], Tally] = defaultdict(Tally)
    for (criteria, levels, name, _), tally in zip(jobs, pool.map(one, jobs), strict=True):
        found[name, criteria, levels].merge(tally)
    return found


def pooled(found: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in found:
        total.merge(tally)
    return total


def of_cell(found: dict[tuple[str, int, int], Tally], cell: Cell) -> Tally:
    """All crowds together."""
    return pooled(tally for key, tally in found.items() if key[1:] == cell)


def said(tally: Tally) -> str:
    """`0.4 (1.1)`: percent accused, and the upper bound."""
    return f"{100 * tally.accused / tally.honest:.1f} ({100 * tally.bound:.1f})"


def grid(found: dict[tuple[str, int, int], Tally]) -> Iterator[str]:
    """Criteria × levels, all crowds together."""
    yield f"| criteria | {' | '.join(f'{levels} levels' for levels in LEVELS)} |"
    yield "|---" * (1 + len(LEVELS)) + "|"
    for criteria in CRITERIA:
        cells = [of_cell(found, (criteria, levels)) for levels in LEVELS]
        yield f"| {criteria} | {' | '.join(said(cell) for cell in cells)} |"


def by_crowd(found: dict[tuple[str, int, int], Tally]) -> Iterator[str]:
    """Each crowd over all its cells, and its worst cell."""
    yield "| crowd | accused | of | its worst cell | screens | campaigns, random_answers ran in |"
    yield "|---" * 6 + "|"
    for name in CROWDS:
        mine = {key[1:]: tally for key, tally in found.items() if key[0] == name}
        total = pooled(mine.values())
        cell, worst = max(mine.items(), key=lambda one: one[1].accused / one[1].honest)
        yield (
            f"| {name} | {said(total)} | {total.honest} | {cell[0]} × {cell[1]}: {said(worst)} of "
            f"{worst.honest} | {listed(total.screens)} | {total.campaigns}, {total.ran} |"
        )


def main() -> None:
    """Print the tables: percent of honest people ever flagged, with upper 95 % bounds."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    print(f"seed {SEED}, {campaigns} campaigns of 40 people a cell and crowd, or as many people")
    with ProcessPoolExecutor(processes) as pool:
        found = tallies(campaigns, pool)
        if open_ := [cell for cell in CELLS if of_cell(found, cell).bound > PROMISE]:
            print(f"drawn again, with {AGAIN} times as many people and other seeds: {open_}")
            found |= tallies(AGAIN * campaigns, pool, open_, first_seed=1000)
    for table in (grid(found), by_crowd(found)):
        print()
        for line in table:
            print(line)
    kept = all(tally.bound <= PROMISE for tally in _promised(found))
    print(f"\nat most {PROMISE:.0%} by every bound: {'kept' if kept else 'NOT KEPT'}")


def _promised(found: dict[tuple[str, int, int], Tally]) -> Iterator[Tally]:
    """What the promise is checked on: each cell over all crowds, each crowd over all cells."""
    for cell in CELLS:
        yield of_cell(found, cell)
    for name in CROWDS:
        yield pooled(tally for key, tally in found.items() if key[0] == name)


if __name__ == "__main__":
    main()
