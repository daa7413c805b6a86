"""The tasks that simulated people do: a campaign's own, and those that are still to come."""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from annotate.screening.base import Columns
from annotate.screening.crowd import Mask
from annotate.screening.grouping import in_company
from annotate.screening.joining import early, taken
from estimation.core import Ints, numbered

MOST_ROWS = 15_000  # of one simulated campaign
MOST_JUDGMENTS = 200  # of one simulated person
HORIZON = 25  # judgments up to which everybody's work is continued
MOST_COPIES = 6
LIKE = 8  # people whose numbers of tasks are taken to be alike
_STEADY = 8.0  # shared judgments that speak for as many in the second half as in the first


def sampled(columns: Columns, rng: Generator) -> Columns:
    """Return the work of some people of a large campaign, with as many shared outputs each."""
    if len(columns.who) <= MOST_ROWS:
        return columns
    each = np.minimum(columns.judgments, MOST_JUDGMENTS)
    people = rng.permutation(each.size)
    inside = np.zeros(each.size, dtype=bool)
    inside[people[np.cumsum(each[people]) <= MOST_ROWS]] = True
    rows = np.flatnonzero(inside[columns.who] & early(columns, MOST_JUDGMENTS))
    pairs = rng.permutation(np.flatnonzero(_shared(columns.output)[rows]))
    half = pairs.size // 2
    part = replace(taken(columns, rows), output=np.arange(rows.size))
    return _same_outputs(part, pairs[:half], pairs[half : 2 * half])


def growth(columns: Columns) -> float:
    """Return the power of all judgments that the shared ones grow with, 1 to 2.

    Where outputs are judged again at once, twice as many judgments share twice as many outputs. Who
    judges an output again may also come much later: half of a campaign then has a quarter of them.
    """
    first = np.argsort(columns.order, kind="stable")[: len(columns.who) // 2]
    half, whole = (_shared(output).sum() for output in (columns.output[first], columns.output))
    return float(np.clip(np.log2((whole + _STEADY) / (half + _STEADY / 2)), 1, 2))


def continued(columns: Columns, power: float, rng: Generator) -> Columns:
    """Return the work with what is to come: everybody's tasks again, up to the horizon.

    power: of all judgments, that the shared ones grow with. Who judges an output again may come
    later, so a campaign that has just begun has fewer comparisons than its tasks will have.
    """
    plan, later = _repeated(columns, rng)
    wanted = _shared(columns.output).sum() * (len(plan.who) / len(columns.who)) ** power
    shared = _shared(plan.output)
    alone = rng.permutation(np.flatnonzero(~shared))
    alone = alone[np.argsort(~later[alone], kind="stable")]  # those that come later first
    most = min((later & ~shared).sum(), alone.size // 2)
    pairs = int(np.clip((wanted - shared.sum()) / 2, 0, most))
    return _same_outputs(plan, alone[:pairs], alone[::-1][:pairs])


def _repeated(columns: Columns, rng: Generator) -> tuple[Columns, Mask]:
    """Return the work with everybody's tasks again, with other outputs, and (T,) which come later.

    Each time everybody goes on with the tasks of somebody who did about as many: who is compared
    with the same few people all along cannot be told from them.
    """
    now = len(columns.who)
    usual = max(min(np.median(columns.judgments), columns.judgments.mean()), 1.0)
    times = np.clip(HORIZON / usual, 1, min(MOST_COPIES, max(MOST_ROWS / now, 1)))
    copy, turn = np.divmod(np.arange(round(times * now)), now)
    rows = np.argsort(columns.order, kind="stable")[turn]
    who = np.stack([columns.who, *(_exchanged(columns, rng) for _ in range(copy[-1]))])
    plan = replace(
        taken(replace(columns, highlights=None), rows),
        annotator=columns.people[who[copy, rows]],
        output=columns.text[rows] + copy * (int(columns.text.max(initial=0)) + 1),
        order=np.arange(rows.size, dtype=np.float64),
    )
    return plan, copy > 0


def _exchanged(columns: Columns, rng: Generator) -> Ints:
    """Return (T,) who does the tasks, if people exchange theirs with others who did as many."""
    ranked = np.argsort(columns.judgments, kind="stable")
    near = np.argsort(np.argsort(ranked) + rng.uniform(0, LIKE, ranked.size))
    who = np.empty_like(near)
    who[ranked] = near
    return who[columns.who]


def _shared(output: Ints) -> Mask:
    """Return (T,) which judgments are of outputs that were judged more than once."""
    return in_company(numbered(output))


def _same_outputs(columns: Columns, one: Ints, other: Ints) -> Columns:
    """Return the work where some judgments are of the same outputs as some others, in pairs.

    Not where somebody would judge an output twice.
    """
    apart = columns.who[one] != columns.who[other]
    output = columns.output.copy()
    output[other[apart]] = output[one[apart]]
    return replace(columns, output=output)
