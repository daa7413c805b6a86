"""Judgments that take time: several people at work at once, slow ones finishing late."""

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.random import Generator

from estimation.core.data.sample import Floats, Ints
from estimation.core.simulation.people import person_effects, quotas
from estimation.core.simulation.plan import Plan, latent_shares


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
            continue  # what is left waits for somebody else
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
    columns = list(zip(*rows, strict=True))
    return (
        np.array(columns[0]),
        np.array(columns[1]),
        np.array(columns[2]),
        np.array(columns[3]),
        np.array(columns[4]),
    )


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
