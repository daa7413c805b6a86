"""Who judges next: streams of annotators that come, work unevenly, and leave."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from estimation.core.data.sample import Floats, Ints
from estimation.core.simulation.plan import Plan


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """who: (T,) labels 0..A-1 in order of judging. effect: (A,) standard normal person effects."""

    who: Ints
    effect: Floats


def stream(plan: Plan, size: int, rng: Generator) -> Stream:
    """The annotators of up to `size` judgments.

    A merged stream of Poisson arrivals: each place is held by one person after another, each
    with an activity of their own, who leave at the cap or when they lose interest. Where nobody
    is replaced, the stream ends when everybody has left.
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
        # Right only as long as no place has run out of people.
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
    """`who` with places swapped until nobody judges the same item twice in a row."""
    who = who.copy()
    while (again := _repeats(item, who)).size:
        other = rng.integers(0, item.size, again.size)
        for here, there in zip(again, other, strict=True):
            who[[here, there]] = who[[there, here]]
    return who


def _repeats(item: Ints, who: Ints) -> NDArray[np.intp]:
    return np.flatnonzero((np.diff(item) == 0) & (np.diff(who) == 0)) + 1


def _first_guess(plan: Plan, size: int, cap: int) -> int:
    if not plan.replaced:
        return 1
    typical = cap if plan.stay is None else min(cap, int(np.ceil(plan.stay)))
    return 1 + 4 * size // (plan.places * typical)
