"""Simulated people in front of the page: how they write, how long they take, where they sit."""

from collections.abc import Callable, Sequence

import numpy as np

from annotate.screening.signals import RHYTHM, PageCounts, TaskTrace

Random = np.random.Generator
Writer = Callable[[Random, int], PageCounts]
_EDGES = np.log(RHYTHM)


def typist(random: Random, new: int) -> PageCounts:
    """Types what is new, and something that is deleted again."""
    typed = int(new * random.uniform(1.0, 1.5)) + 1
    return PageCounts(typed=typed, keys=typed + new // 4)


def mover(random: Random, new: int) -> PageCounts:
    """Moves sentences by cut and paste, and types the rest."""
    moved = int(new * random.uniform(0.3, 0.8))
    return PageCounts(typed=new - moved + 1, moved=moved, pastes=1, keys=new - moved + 4)


def quoter(random: Random, new: int) -> PageCounts:
    """Types, and in one edit of ten looks something up and pastes all of it."""
    if random.random() < 0.1:
        return PageCounts(pasted=new, pastes=1, keys=2, away=1, away_seconds=20)
    return typist(random, new)


def dictating(_random: Random, new: int) -> PageCounts:
    """Speaks to the device, which puts in whole sentences; no key is pressed."""
    return PageCounts(typed=new + 3)


def corrected(random: Random, new: int) -> PageCounts:
    """Types on a telephone that corrects two words of five."""
    return PageCounts(typed=new, replaced=int(new * 0.4), keys=int(new * random.uniform(0.3, 1)))


def pasting(_random: Random, new: int) -> PageCounts:
    """Has another program rewrite the text, and pastes it."""
    return PageCounts(pasted=new * 2, pastes=1, keys=2, away=2, away_seconds=15)


def pasting_often(random: Random, new: int) -> PageCounts:
    """The same in four edits of five."""
    return pasting(random, new) if random.random() < 0.8 else typist(random, new)


def scripted(_random: Random, new: int) -> PageCounts:
    """A program in the browser sets the text; the page sees no key and no paste."""
    return PageCounts(placed=new)


def silent(_random: Random, _new: int) -> PageCounts:
    """The same, without telling the page anything."""
    return PageCounts()


HONEST: tuple[Writer, ...] = (typist, mover, quoter, dictating, corrected)
REWRITERS: tuple[Writer, ...] = (pasting, pasting_often, scripted, silent)


def tasks(
    random: Random,
    write: Writer,
    n: int = 25,
    *,
    edits: float = 0.5,
    place: tuple[str, str] = ("", ""),
    speed: "Speed | None" = None,
) -> list[TaskTrace]:
    """Return the tasks of one person, who edits this share of the texts."""
    own = speed or Speed(random)
    found = []
    for _ in range(n):
        new = max(1, int(random.lognormal(3.4, 0.8))) if random.random() < edits else None
        counts = write(random, new) if new else PageCounts()
        rhythm = own.rhythm(random, counts.keys)
        erased = int(random.binomial(counts.keys, own.erases))
        told = {
            **vars(counts),
            "rhythm": rhythm,
            "erased": erased,
            "network": place[0],
            "device": place[1],
        }
        found.append(TaskTrace(own.seconds(random), new, PageCounts(**told)))
    return found


class Speed:
    """How one person types and works; people differ, and one person stays alike."""

    def __init__(self, random: Random) -> None:
        self.key, self.key_spread = random.normal(5.2, 0.3), abs(random.normal(0.55, 0.12)) + 0.1
        self.erases = random.uniform(0.05, 0.3)  # of all keys
        self.pace, self.pace_spread = random.normal(3.8, 0.5), random.uniform(0.3, 0.7)

    def rhythm(self, random: Random, keys: int) -> tuple[int, ...]:
        times = random.normal(self.key, self.key_spread, keys)
        found = np.bincount(np.searchsorted(_EDGES, times), minlength=len(RHYTHM) + 1)
        return tuple(int(n) for n in found)

    def seconds(self, random: Random) -> float:
        return float(random.lognormal(self.pace, self.pace_spread))


def share(found: Sequence[bool]) -> float:
    return sum(found) / len(found)
