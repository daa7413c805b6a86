"""Translation edit rate with shifts, and with a bound on the work that it takes.

Snover et al. (2006), with Tercom's limits and choices as sacrebleu 2.6 has them: the same number
of edits, found without computing again what has not changed. `SHIFT_WORK` is an additional limit:
without it a long text could take minutes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from estimation.metrics.beam import Alignment, Beam, Ints, Variant

SHIFT_SIZE = 10  # words in one shift
SHIFT_DISTANCE = 50  # words between where a word stands and where its equal stands
CANDIDATES = 1000  # shifts tried in one text; then no further shift is made
# Words of both texts times rounds of shifts. The released edits take 1,700 at most.
SHIFT_WORK = 500_000


@dataclass(frozen=True, slots=True)
class _Shift:
    """Words from `start` on, `length` of them, moved to before the word `to`."""

    start: int
    length: int
    to: int

    def made(self, words: Ints) -> Variant:
        """The words after the shift: which of them change, and into what."""
        start, end, to = self.start, self.start + self.length, self.to
        if to < start:
            parts = (words[start:end], words[to:start])
            return Variant(to, end, np.concatenate(parts))
        # Before a word of its own, they move on by as many words as lie before that one.
        stop = min(to if to > end else end + to - start, words.size)
        return Variant(start, stop, np.concatenate((words[end:stop], words[start:end])))


def edit_rate(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """Edits per word of the reference; without any, 1 if the hypothesis has words, else 0."""
    if not reference:
        return float(bool(hypothesis))
    return translation_edits(hypothesis, reference) / len(reference)


def translation_edits(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """Insertions, deletions, substitutions and shifts that turn one list of words into another.

    Each round makes the shift that saves most edits. Rounds end when no shift saves any, when
    `CANDIDATES` were tried in all, or when their work reaches `SHIFT_WORK`. A beam about the
    diagonal then counts the remaining differences (`beam.BEAM`).
    """
    if not hypothesis or not reference:
        return len(hypothesis) + len(reference)
    words, target = _numbered(hypothesis, reference)
    shifts = tried = work = 0
    while True:
        beam = Beam(words, target)
        found = _candidates(beam, most=CANDIDATES - tried)
        tried, work = tried + len(found), work + words.size + target.size
        stops = tried >= CANDIDATES or work >= SHIFT_WORK
        best = None if stops else _best(beam, found)
        if best is None:
            return shifts + beam.distance
        words, shifts = words.copy(), shifts + 1
        words[best.start : best.stop] = best.words


def _numbered(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[Ints, Ints]:
    """The words as numbers from 0: equal words have the same."""
    number: dict[str, int] = {}
    first, second = (
        np.array([number.setdefault(word, len(number)) for word in side], dtype=np.int32)
        for side in (hypothesis, reference)
    )
    return first, second


def _best(beam: Beam, found: Sequence[_Shift]) -> Variant | None:
    """The shift that saves most; of several the longest, then the first, to the first place."""
    shifts = sorted(set(found), key=lambda one: (-one.length, one.start, one.to))
    variants = [one.made(beam.words) for one in shifts]
    distances = beam.distances(variants)
    if not distances or min(distances) >= beam.distance:
        return None
    return variants[distances.index(min(distances))]


def _candidates(beam: Beam, *, most: int) -> list[_Shift]:
    """Every shift that may save an edit, or `most` of them and a few."""
    found: list[_Shift] = []
    alignment = beam.alignment()
    wrong = [0, *accumulate(alignment.word_wrong)]
    target_wrong = [0, *accumulate(alignment.target_wrong)]
    for start, beside, length in _equal(beam, wrong, target_wrong):
        if wrong[start + length] == wrong[start]:
            continue
        if target_wrong[beside + length] == target_wrong[beside]:
            continue
        if start <= alignment.word[beside] < start + length:
            continue
        found += [_Shift(start, length, to) for to in _places(alignment, beside, length)]
        if len(found) >= most:
            break
    return found


def _places(alignment: Alignment, beside: int, length: int) -> Iterator[int]:
    """Before which words it may come: after each that stands beside its equal, or just before."""
    before = -1
    for at in range(beside - 1, beside + length):
        to = 0 if at == -1 else alignment.word[at] + 1
        if to != before:
            yield to
        before = to


def _equal(beam: Beam, wrong: list[int], target_wrong: list[int]) -> Iterator[tuple[int, int, int]]:
    """(start in words, start in target, length) of equal words in a row, near each other.

    Without those that no shift can help: `wrong` and `target_wrong` count from the beginning.
    """
    words, target = beam.words.tolist(), beam.target.tolist()
    places: defaultdict[int, list[int]] = defaultdict(list)
    for beside in _near_wrong(target_wrong):
        places[target[beside]].append(beside)
    for start in _near_wrong(wrong):
        equal = places.get(words[start], [])
        for beside in equal[bisect_left(equal, start - SHIFT_DISTANCE) :]:
            if beside > start + SHIFT_DISTANCE:
                break
            longest = min(SHIFT_SIZE, len(words) - start, len(target) - beside)
            for length in range(1, longest + 1):
                if words[start + length - 1] != target[beside + length - 1]:
                    break
                yield start, beside, length


def _near_wrong(wrong: list[int]) -> Iterator[int]:
    """Where a word is wrong, or one of the next that a shift could take along."""
    last = len(wrong) - 1
    return (at for at in range(last) if wrong[min(at + SHIFT_SIZE, last)] > wrong[at])
