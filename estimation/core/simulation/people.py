"""Who judges next, and how long it takes: people come, work unevenly, and leave."""

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from estimation.core.data.incidence import Floats, Ints
from estimation.core.simulation.plan import Plan, latent_shares

_MOST_ROUNDS = 200  # of swapping places


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """who: (T,) labels 0..A-1 in order of judging. effect: (A,) standard normal person effects."""

    who: Ints
    effect: Floats


def stream(plan: Plan, size: int, rng: Generator) -> Stream:
    """The annotators of up to `size` judgments.

    A merged stream of Poisson arrivals: each place is held by one person after another.
    People differ in activity and leave at the cap or when they lose interest. Without
    replacement, the stream ends when all people have left.
    """
    if plan.cap is None and plan.stay is None:
        return _endless(plan, size, rng)
    cap = size if plan.cap is None else min(plan.cap, size)
    holders = _first_guess(plan, size, cap)
    while True:
        vigour = rng.standard_normal((plan.places, holders))
        wait = rng.exponential(size=(plan.places, holders, cap))
        wait /= np.exp(plan.unevenness * vigour)[:, :, None]
        there = np.arange(cap) < quotas(plan, vigour.shape, cap, rng)[:, :, None]
        time = np.cumsum((wait * there).reshape(plan.places, -1), axis=1)
        happens = np.flatnonzero(there)
        order = happens[np.argsort(time.flat[happens])][:size]
        # Valid only while every place still has people.
        if not plan.replaced or (order.size == size and time.flat[order[-1]] <= time[:, -1].min()):
            return Stream(order // cap, person_effects(plan, vigour.ravel(), rng))
        holders *= 2


def _endless(plan: Plan, size: int, rng: Generator) -> Stream:
    """The merged stream of people who never leave: each judgment is a draw by activity."""
    vigour = rng.standard_normal(plan.places)
    activity = np.exp(plan.unevenness * vigour)
    who = rng.choice(plan.places, size, p=activity / activity.sum())
    return Stream(who.astype(np.int64), person_effects(plan, vigour, rng))


def quotas(plan: Plan, shape: tuple[int, ...], cap: int, rng: Generator) -> Ints:
    """How many judgments each person makes if the campaign lasts: the cap, or fewer."""
    if plan.stay is None:
        return np.full(shape, cap)
    interest = plan.stay * np.exp(rng.standard_normal(shape))
    return np.minimum(cap, np.ceil(interest)).astype(np.int64)


def person_effects(plan: Plan, vigour: Floats, rng: Generator) -> Floats:
    """(A,) standard normal leniency, correlated with the log activity as the plan says."""
    own = np.sqrt(1 - plan.leniency**2) * rng.standard_normal(vigour.size)
    return np.asarray(plan.leniency * vigour + own)


def part_repeats(item: Ints, who: Ints, rng: Generator) -> Ints:
    """`who` with places swapped until no one judges the same item twice in a row.

    Where few people are there, it may be impossible: then some repeats are left after many rounds.
    """
    who = who.copy()
    for _ in range(_MOST_ROUNDS):
        again = _repeats(item, who)
        if not again.size:
            break
        other = rng.integers(0, item.size, again.size)
        for here, there in zip(again, other, strict=True):
            who[[here, there]] = who[[there, here]]
    return who


def once_each(item: Ints, who: Ints) -> NDArray[np.bool_]:
    """(T,) whether a judgment is not the second one of its item by the same person."""
    keep = np.ones(item.size, dtype=bool)
    keep[_repeats(item, who)] = False
    return keep


def _repeats(item: Ints, who: Ints) -> NDArray[np.intp]:
    return np.flatnonzero((np.diff(item) == 0) & (np.diff(who) == 0)) + 1


def _first_guess(plan: Plan, size: int, cap: int) -> int:
    if not plan.replaced:
        return 1
    typical = cap if plan.stay is None else min(cap, int(np.ceil(plan.stay)))
    return 1 + 4 * size // (plan.places * typical)


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Judgments in order of leasing: (T,) each, but effect (A,); times in medians per judgment."""

    item: Ints
    who: Ints
    effect: Floats
    score: Floats
    leased: Floats
    finished: Floats


def work_through(plan: Plan, quality: Floats, item: Ints, rng: Generator) -> Work:
    """Lease `item` (T,) in order to the plan's people, each busy with one judgment at a time.

    log time = -log activity + spread * (correlation * score less what this person says on
    average, standardised, + independent normal). So `time_correlation` and `time_spread` hold
    within a person, and mild people are no faster. A second judge is another person.
    """
    cap = item.size if plan.cap is None else min(plan.cap, item.size)
    most = plan.places + item.size if plan.replaced else plan.places
    vigour = rng.standard_normal(most)
    quota = quotas(plan, (most,), cap, rng)
    effect = person_effects(plan, vigour, rng)
    item, who, leased, score, finished = _events(plan, quality, item, vigour, quota, effect, rng)
    return Work(item, who, effect, score, leased, finished)


def _events(
    plan: Plan,
    quality: Floats,
    item: Ints,
    vigour: Floats,
    quota: Ints,
    effect: Floats,
    rng: Generator,
) -> tuple[Ints, Ints, Floats, Floats, Floats]:
    judge = _Judge(plan, quality, vigour, effect, item.size, rng)
    waiting, free = deque(item.tolist()), [(0.0, person) for person in range(plan.places)]
    heapify(free)
    left, newcomer = quota.tolist(), plan.places
    rows: list[tuple[int, int, float, float, float]] = []
    first_judge: dict[int, int] = {}
    while waiting and free:
        now, person = heappop(free)
        place = next((k for k, row in enumerate(waiting) if first_judge.get(row) != person), None)
        if place is None:
            continue  # the remaining items need another person
        row = waiting[place]
        del waiting[place]
        first_judge[row] = person
        score, time = judge(len(rows), row, person)
        rows.append((row, person, now, score, now + time))
        left[person] -= 1
        if not left[person] and plan.replaced:
            person, newcomer = newcomer, newcomer + 1
        if left[person]:
            heappush(free, (now + time, person))
    item, who, *columns = (np.array(column) for column in zip(*rows, strict=True))
    return item, who, columns[0], columns[1], columns[2]


class _Judge:
    """Draws the score and the time of one judgment; plain floats, because it is called often."""

    def __init__(
        self,
        plan: Plan,
        quality: Floats,
        vigour: Floats,
        effect: Floats,
        size: int,
        rng: Generator,
    ) -> None:
        item, person = latent_shares(plan)
        self._item = (np.sqrt(item) * quality).tolist()
        self._person = (np.sqrt(person) * effect).tolist()
        self._noise = (np.sqrt(1 - item - person) * rng.standard_normal(size)).tolist()
        link = plan.time_correlation or 0.0
        own = plan.time_spread * np.sqrt(1 - link**2) * rng.standard_normal(size)
        pull = plan.time_spread * link / np.sqrt(plan.marginal.variance() * (1 - plan.person))
        usual = plan.marginal.conditional_mean(effect, person)
        self._cuts, self._values = plan.marginal.cuts().tolist(), plan.marginal.values
        self._own = np.exp(own).tolist()
        self._of_score = np.exp(pull * np.array(plan.marginal.values)).tolist()
        self._of_person = np.exp(-plan.unevenness * vigour - pull * usual).tolist()

    def __call__(self, number: int, item: int, person: int) -> tuple[float, float]:
        """(score, time) of the judgment `number`."""
        latent = self._item[item] + self._person[person] + self._noise[number]
        step = bisect_left(self._cuts, latent)
        time = self._own[number] * self._of_score[step] * self._of_person[person]
        return self._values[step], time
