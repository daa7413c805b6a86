"""How often a ranking is wrong, people being a sample: the figures in docs/statistics.md.

Run from the checkout: python -m bench.ranking [campaigns a row] [processes]

Systems are compared as campaigns compare them: by balanced paired differences with the constants of
`overall`. tests/estimation/test_simulated_ranking.py holds these decisions to those of a campaign.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, norm

from bench.paired_histories import Judged, paired_states
from estimation.core import PairState, PairVerdict, Scale, ranking

SEED, LEVEL = 2034, 0.95
FIRST = 30  # items before the first look
BALANCE, PERSON_SHARE = 0.16, 0.08  # of the criterion "overall"
SCALE = Scale(-1.0, 1.0)
EDGE = 0.6  # of the latent scores: beyond it, an answer is -1 or 1
NOISE = 1.0
HEAD = (
    "| campaign | campaigns | wrong at the stop | ever wrong | at most | decided | items | judgments |",
    "|---|---|---|---|---|---|---|---|",
)

Pair = tuple[int, int]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Design:
    """A campaign and its crowd. Latent scores: a judgment's own noise has a variance of 1.

    means: (K,) of the systems. item, person, favour: variances between outputs, between people, and
    of what a person thinks of each system. people: at work at a time; each is replaced at the cap.
    unevenness: sd of the log of their activity. rho: correlation of each system's metric with the
    latent quality; None without a metric. every: items between two looks.
    """

    means: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    margin: float = 0.2
    planned_items: int = 100
    n_items: int = 800
    item: float = 0.6
    person: float = 0.25
    favour: float = 0.0
    people: int = 40
    cap: int | None = 25
    unevenness: float = 0.5
    twice: float = 0.25
    rho: float | None = None
    every: int = 20


@dataclass(frozen=True)
class Ranked:
    """One campaign: `items` of the longest sample, None where pairs stayed open; what was wrong.

    wrong: at the stop, or with the last item; ever_wrong: at any look.
    """

    items: int | None
    judgments: int
    undecided: int
    wrong: bool
    ever_wrong: bool


Draw = Callable[[np.random.Generator], Ranked]


@dataclass(frozen=True)
class Judgments:
    """Who judged what of each system: (T,) items, people and scores; (N,) metrics, if any,
    standardised."""

    item: list[Ints]
    person: list[Ints]
    score: list[Floats]
    metric: list[Floats | None]


def campaign(design: Design, rng: np.random.Generator) -> Ranked:
    """Draw a campaign and rank its systems as a campaign of the product does."""
    latent = quality(design, rng)
    truth = true_means(latent, design)
    given = collect(design, latent, rng)
    pairs = list(combinations(range(len(design.means)), 2))
    stops: dict[int, int] = {}
    looks = range(FIRST, design.n_items + 1, design.every)
    known = {pair: histories(design, given, pair, looks) for pair in pairs}
    ever = False
    said: dict[Pair, str] = dict.fromkeys(pairs, "open")
    for n in looks:
        states = {pair: known[pair][_prefix(pair, stops, n)] for pair in pairs}
        said = {pair: one.outcome for pair, one in look(design, states).items()}
        wrong = any(is_wrong(said[pair], _gap(truth, pair), design.margin) for pair in pairs)
        ever |= wrong
        for k in range(len(design.means)):
            if all(said[pair] != "open" for pair in pairs if k in pair):
                stops.setdefault(k, n)
            else:
                stops.pop(k, None)  # it collects again
        if len(stops) == len(design.means):
            return Ranked(n, _judgments(given, stops), 0, wrong, ever)
    left = sum(outcome == "open" for outcome in said.values())
    return Ranked(None, _judgments(given, stops), left, wrong, ever)


def quality(design: Design, rng: np.random.Generator) -> Floats:
    """(K, N) latent qualities: the same values in another order for each system, so that systems
    of equal means differ by exactly 0."""
    values = design.item**0.5 * rng.normal(size=design.n_items)
    rows = [rng.permutation(values) + mean for mean in design.means]
    return np.array(rows)


def true_means(latent: Floats, design: Design) -> Floats:
    """(K,) what all people would say on average of all outputs."""
    sd = (design.person + design.favour + NOISE) ** 0.5
    expected = norm.sf((EDGE - latent) / sd) - norm.cdf((-EDGE - latent) / sd)
    return np.asarray(expected.mean(axis=1))


def collect(design: Design, latent: Floats, rng: np.random.Generator) -> Judgments:
    """Judge all items in order, each output once or twice, by different people."""
    crowd = Crowd(design, rng)
    times = 1 + (rng.random(design.n_items) < design.twice)
    found: list[list[tuple[int, int]]] = [[] for _ in latent]
    for item in range(design.n_items):
        for k in rng.permutation(len(latent)):
            found[k] += [(item, person) for person in crowd.take(int(times[item]))]
    mild = design.person**0.5 * rng.normal(size=crowd.came)
    taste = design.favour**0.5 * rng.normal(size=(len(latent), crowd.came))
    items, people, scores = [], [], []
    for k, rows in enumerate(found):
        item, person = np.array(rows).T
        heard = latent[k, item] + mild[person] + taste[k, person]
        heard += NOISE**0.5 * rng.normal(size=item.size)
        items.append(item)
        people.append(person)
        scores.append(np.sign(heard) * (np.abs(heard) > EDGE))
    return Judgments(items, people, scores, [metric_of(row, design.rho, rng) for row in latent])


def histories(
    design: Design, given: Judgments, pair: Pair, looks: Iterable[int]
) -> dict[int, PairState]:
    """What is known of a pair after each number of items in common."""
    sizes = list(looks)
    one, other = (
        Judged(given.item[k], given.person[k], given.score[k], given.metric[k]) for k in pair
    )
    states = paired_states(
        one,
        other,
        np.array(sizes),
        scale=SCALE,
        n_population=design.n_items,
        balance=BALANCE,
        person_share=PERSON_SHARE,
    )
    return dict(zip(sizes, states, strict=True))


def look(design: Design, states: Mapping[Pair, PairState]) -> dict[Pair, PairVerdict]:
    """What the rule says of each pair."""
    named = {(str(one), str(other)): state for (one, other), state in states.items()}
    verdict = ranking(named, margin=design.margin, level=LEVEL, planned_items=design.planned_items)
    return dict(zip(states, verdict.pairs.values(), strict=True))


def is_wrong(outcome: str, truth: float, margin: float) -> bool:
    """Whether a decision names the wrong system, or calls close what is not."""
    slack = 1e-9  # equal means are equal but for rounding
    wrong = {"first": truth <= slack, "second": truth >= -slack, "close": abs(truth) > margin}
    return bool(wrong.get(outcome, False))


class Working(Protocol):
    """What a crowd takes from a design."""

    @property
    def people(self) -> int: ...
    @property
    def cap(self) -> int | None: ...
    @property
    def unevenness(self) -> float: ...


class Crowd:
    """People at work; who has given as many judgments as allowed is replaced."""

    def __init__(self, design: Working, rng: np.random.Generator) -> None:
        self.design, self.rng, self.came = design, rng, design.people
        self.who = np.arange(design.people)
        self.done = np.zeros(design.people, dtype=np.int64)
        self.waits: list[Floats] = []
        self.activity = np.exp(design.unevenness * rng.normal(size=design.people))

    def take(self, n: int) -> list[int]:
        # Who is first, when each waits for as long as an exponential of this rate.
        if not self.waits:
            self.waits = list(self.rng.exponential(size=(1000, self.who.size)))
        seats = np.argsort(self.waits.pop() / self.activity)[:n]
        chosen = self.who[seats].tolist()
        self.done[seats] += 1
        for seat in seats:
            if self.design.cap is not None and self.done[seat] >= self.design.cap:
                self.who[seat], self.done[seat] = self.came, 0
                self.activity[seat] = np.exp(self.design.unevenness * self.rng.normal())
                self.came += 1
        return list(chosen)


def _prefix(pair: Pair, stops: dict[int, int], n: int) -> int:
    return min(n, *(stops.get(k, n) for k in pair))


def _gap(truth: Floats, pair: Pair) -> float:
    return float(truth[pair[0]] - truth[pair[1]])


def metric_of(latent: Floats, rho: float | None, rng: np.random.Generator) -> Floats | None:
    """A standardised metric with this correlation with what an output is; None without one."""
    if rho is None:
        return None
    own = (1 - rho**2) ** 0.5 * rng.normal(size=latent.size)
    metric = rho * (latent - latent.mean()) / latent.std() + own
    return np.asarray((metric - metric.mean()) / metric.std())


def _judgments(given: Judgments, stops: dict[int, int]) -> int:
    return sum(
        int(np.searchsorted(item, stops.get(k, item[-1] + 1))) for k, item in enumerate(given.item)
    )


SPREAD = Design(means=(0.7, 0.1, 0.1, -0.5))
FEW = Design(n_items=400, people=8, cap=None, unevenness=0.2, favour=0.1)
ROWS: dict[str, Design] = {
    "4 equal systems, 8 people with favourites": FEW,
    "4 equal systems, 6 people with favourites": replace(FEW, people=6),
    "2 equal systems, 6 people with strong favourites": replace(
        FEW, means=(0.0, 0.0), people=6, favour=0.3
    ),
    "2 equal systems, 8 people with strong favourites": replace(
        FEW, means=(0.0, 0.0), people=8, favour=0.3
    ),
    "2 equal systems, 16 people with strong favourites": replace(
        FEW, means=(0.0, 0.0), people=16, favour=0.3
    ),
    "2 equal systems, 16 people with very strong favourites": replace(
        FEW, means=(0.0, 0.0), people=16, favour=1.0
    ),
    "2 equal systems, 8 people with strong favourites, a metric": replace(
        FEW, means=(0.0, 0.0), favour=0.3, rho=0.5
    ),
    "2 systems, a little further apart than the margin": Design(means=(0.39, 0.0)),
    "4 systems: 1, 2–3, 2–3, 4": SPREAD,
    "the same, people have favourites": replace(SPREAD, favour=0.1),
    "4 equal systems": Design(),
    "4 equal systems, people have favourites": Design(favour=0.1),
}


def run(design: Design, n: int, *, seed: int = SEED, processes: int = 1) -> list[Ranked]:
    """Draw n campaigns, each from its own seed."""
    return drawn(partial(campaign, design), n, seed=seed, processes=processes)


def drawn(draw: Draw, n: int, *, seed: int, processes: int) -> list[Ranked]:
    """Draw n campaigns with `draw`, each from its own seed."""
    rngs = list(map(np.random.default_rng, np.random.SeedSequence(seed).spawn(n)))
    if processes == 1:
        return list(map(draw, rngs))
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(draw, rngs, chunksize=10))


def at_most(wrong: int, campaigns: int) -> float:
    """The upper end of the one-sided binomial bound at 95 % (Clopper and Pearson 1934)."""
    return float(beta.ppf(0.95, wrong + 1, campaigns - wrong)) if wrong < campaigns else 1.0


def lines(n: int, processes: int) -> Iterator[str]:
    yield from HEAD
    for name, design in ROWS.items():
        campaigns = n if len(design.means) > 2 else 4 * n  # two systems are quick
        yield line(name, run(design, campaigns, processes=processes))


def line(name: str, found: list[Ranked]) -> str:
    campaigns, stopped = len(found), [one.items for one in found if one.items is not None]
    items = f"{np.mean(stopped):.0f}" if stopped else "–"
    ever = sum(one.ever_wrong for one in found)
    return (
        f"| {name} | {campaigns:,} | {np.mean([one.wrong for one in found]):.3f} "
        f"| {ever / campaigns:.3f} | {at_most(ever, campaigns):.3f} "
        f"| {len(stopped) / campaigns:.2f} | {items} "
        f"| {np.mean([one.judgments for one in found]):,.0f} |"
    )


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    print(f"seed {SEED}, {n} campaigns a row, level {LEVEL}, a look every 20 items")
    for line in lines(n, processes):
        print(line, flush=True)


if __name__ == "__main__":
    main()
