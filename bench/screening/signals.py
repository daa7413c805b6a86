"""Whom signals of the page list: people who paste what a model wrote, and honest people.

Run from the checkout: python -m bench.screening.signals [people a kind]
The second table of the last part of docs/screening.md. Edits, texts and times are those of the study of language
quality. What the page counts of each edit is assumed, as each kind says.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from annotate.screening.signals.counts import PageCounts
from annotate.screening.signals.finding import TaskTrace, all_alone, new_characters
from annotate.screening.signals.settings import SignalThresholds
from bench.screening import crowds, kinds
from bench.screening.campaigns import Design
from bench.screening.table import share

SEED = 2047
PEOPLE = 120  # of a campaign
FEWEST = 3  # tasks before the first look: fewer list nobody
ELSEWHERE = "write every edit elsewhere and paste it"  # who does so looks like a model
TOOL = "a spelling tool puts in up to 4 words"  # of short edits that is most
WORD = 7  # characters of a word that is corrected or looked up

Count = Callable[[int, Generator], PageCounts]


@dataclass(frozen=True)
class Kind:
    """How people enter an edit. rewrites: the edit is a new text by a model."""

    count: Count
    rewrites: bool = False


def _typed(new: int, rng: Generator) -> PageCounts:
    """Typed with slips that are typed again: 1 to 1.5 characters for each new one."""
    keys = round(new * rng.uniform(1, 1.5))
    return PageCounts(typed=keys, keys=keys)


def _pasted(new: int, rng: Generator) -> PageCounts:
    """Pasted, and up to 10 characters typed."""
    return PageCounts(pastes=1, pasted=new, typed=int(rng.integers(0, 11)))


def _mixed(chance: float, other: Count) -> Count:
    """Like `other` in this share of the edits, and typed in the rest."""
    return lambda new, rng: (other if rng.random() < chance else _typed)(new, rng)


def _corrected(most: int) -> Count:
    """Typed, but for up to so many words that a spelling tool puts in, at most all of the edit."""

    def count(new: int, rng: Generator) -> PageCounts:
        put = min(new, WORD * int(rng.integers(0, most + 1)))
        return PageCounts(typed=round((new - put) * rng.uniform(1, 1.5)), replaced=put)

    return count


def _looked_up(new: int, rng: Generator) -> PageCounts:
    """Typed, but for a name or two that is pasted."""
    put = min(new, WORD * int(rng.integers(0, 3)))
    typed = round((new - put) * rng.uniform(1, 1.5))
    return PageCounts(pastes=1, pasted=put, typed=typed)


def _placed(new: int, _rng: Generator) -> PageCounts:
    return PageCounts(placed=new)


HONEST = {
    "type": Kind(_typed),
    "paste a sentence of their own in 1 edit of 10": Kind(_mixed(0.1, _pasted)),
    "paste a sentence of their own in 1 edit of 5": Kind(_mixed(0.2, _pasted)),
    "paste a name or two": Kind(_looked_up),
    "a spelling tool puts in up to 2 words": Kind(_corrected(2)),
    TOOL: Kind(_corrected(4)),
    ELSEWHERE: Kind(_pasted),
}
CARELESS = {
    "paste a rewritten text": Kind(_pasted, rewrites=True),
    "paste one in 3 edits of 4": Kind(_mixed(0.75, _pasted), rewrites=True),
    "paste one in half of the edits": Kind(_mixed(0.5, _pasted), rewrites=True),
    "a script puts it in": Kind(_placed, rewrites=True),
    "type it off": Kind(_typed, rewrites=True),
}
KINDS = HONEST | CARELESS


def traces(kind: Kind, rng: Generator) -> list[list[TaskTrace]]:
    """The tasks of each person of one campaign, in the order of arrival."""
    design = Design(people=PEOPLE)
    columns = crowds.drawn(crowds.QUALITY, design, [crowds.USUAL] * PEOPLE, rng)
    if kind.rewrites:
        columns = kinds.rewriter(columns, np.ones(columns.who.size, dtype=bool), rng)
    assert columns.edit_distance is not None
    found: list[list[TaskTrace]] = [[] for _ in range(PEOPLE)]
    rows = zip(columns.who.tolist(), columns.seconds, columns.edit_distance, strict=True)
    for who, seconds, distance in rows:
        if np.isnan(distance):
            found[who].append(TaskTrace(float(seconds), None, PageCounts()))
            continue
        # Honest edits put in about as much as they take out; a text written anew is no shorter.
        grows = int(distance * (0 if kind.rewrites else rng.uniform(-0.5, 0.5)))
        new = new_characters(int(distance), 1000, 1000 + grows)
        found[who].append(TaskTrace(float(seconds), new, kind.count(new, rng)))
    return found


def first_listed(tasks: list[TaskTrace], settings: SignalThresholds) -> int:
    """After how many tasks somebody is listed, looked at after each; 0: never."""
    looks = range(FEWEST, len(tasks) + 1)
    hits = (n for n in looks if any(one.listed for one in all_alone(tasks[:n], settings)))
    return next(hits, 0)


def listed(name: str, people: int) -> tuple[int, int, int]:
    """(people, how many are listed within 10 tasks, and how many within 25)."""
    settings, firsts = SignalThresholds(on=True), []
    for campaign in range(-(-people // PEOPLE)):
        rng = np.random.default_rng([SEED, *name.encode(), campaign])
        firsts += [first_listed(tasks, settings) for tasks in traces(KINDS[name], rng)]
    return len(firsts), sum(0 < n <= 10 for n in firsts), sum(n > 0 for n in firsts)


def main() -> None:
    """Print the table; percentages with 95 % intervals."""
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 1200
    print("| kind | listed by 10 | listed by 25 | people |\n|---|---|---|---|")
    for name in KINDS:
        n, early, late = listed(name, people)
        print(f"| {name} | {share(early, n)} | {share(late, n)} | {n} |", flush=True)


if __name__ == "__main__":
    main()
