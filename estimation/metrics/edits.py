"""Distances between texts: characters changed, and the translation edit rate with its limits."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from estimation.metrics.text import cut, normalise, treebank_tokens

# --- Edit distances between two lists of words, within a beam about the diagonal.
#
# Cell (i, j) of the table is the least number of insertions, deletions and substitutions that turn
# the first i words into the first j of the target. Only cells near the (pseudo-)diagonal are looked
# at, as in Tercom and sacrebleu. A list that differs from another only in its middle shares the
# cells before it and the way to the end after it: only the middle is computed again.


BEAM = 25  # words on either side of the diagonal

_FAR = 10**8  # more edits than any two texts need
_AT_ONCE = 128  # variants whose distances are computed together

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Variant:
    """The words, but for those from `start` to before `stop`, which are `words` (as many)."""

    start: int
    stop: int
    words: Ints


class Beam:
    """The table of two lists of at least one word each, given as numbers (n,) and (m,)."""

    def __init__(self, words: Ints, target: Ints) -> None:
        self.words, self.target = words, target
        n, m = words.size, target.size
        ratio = m / n
        beam = int(np.ceil(ratio / 2 + BEAM)) if ratio / 2 > BEAM else BEAM
        diagonal = np.floor(np.arange(n + 1) * ratio).astype(np.int64)
        self._low = np.maximum(0, diagonal - beam)
        self._high = np.minimum(m + 1, diagonal + beam)
        self._high[n] = m + 1
        # Of the first row, whose cells are known, what the second one asks for.
        self._low[0] = max(0, int(self._low[1]) - 1)
        self._high[0] = max(int(self._high[0]), int(self._high[1]))
        self._width = int((self._high - self._low).max())
        self._jump = int(np.diff(self._low).max())
        self._steps = np.arange(self._width, dtype=np.int32)
        beyond = np.full(self._width + 1, -1, dtype=np.int32)
        self._beside = np.concatenate([beyond[:1], target, beyond])  # of cell j, word j - 1
        self._from_start = self._forward()

    @property
    def distance(self) -> int:
        """Edits between the whole lists."""
        return int(self._from_start[-1, self.target.size - self._low[-1]])

    def _forward(self) -> Ints:
        """(n + 1, width) the cells; row i begins with cell (i, low[i])."""
        n, width, low = self.words.size, self._width, self._low.tolist()
        high, cells = self._high.tolist(), np.full((n + 1, width), _FAR, dtype=np.int32)
        cells[0, : high[0] - low[0]] = np.arange(low[0], high[0])
        above = np.full(width + self._jump + 2, _FAR, dtype=np.int32)
        for i in range(1, n + 1):
            above[1 : width + 1] = cells[i - 1]
            at, begin, row = low[i] - low[i - 1], low[i], cells[i]
            differs = self._beside[begin : begin + width] != self.words[i - 1]
            np.add(above[at : at + width], differs, out=row)
            np.minimum(row, above[at + 1 : at + 1 + width] + 1, out=row)
            row -= self._steps
            np.minimum.accumulate(row, out=row)
            row += self._steps
            row[high[i] - begin :] = _FAR
        return cells

    @cached_property
    def _to_end(self) -> Ints:
        """(n + 1, width) the edits from each cell to the end, within the beam; row 0 is unused."""
        n, width, jump = self.words.size, self._width, self._jump
        low, high = self._low.tolist(), self._high.tolist()
        cells = np.full((n + 1, width), _FAR, dtype=np.int32)
        cells[n, : high[n] - low[n]] = np.arange(high[n] - low[n])[::-1]
        below = np.full(width + jump + 2, _FAR, dtype=np.int32)
        for i in range(n - 1, 0, -1):
            below[jump : jump + width] = cells[i + 1]
            at, begin, row = jump - (low[i + 1] - low[i]), low[i], cells[i]
            differs = self._beside[begin + 1 : begin + 1 + width] != self.words[i]
            np.add(below[at + 1 : at + 1 + width], differs, out=row)
            np.minimum(row, below[at : at + width] + 1, out=row)
            row[high[i] - begin :] = _FAR
            row += self._steps
            row[:] = np.minimum.accumulate(row[::-1])[::-1]
            row -= self._steps
        return cells

    def alignment(self) -> tuple[list[int], list[int], list[int]]:
        """Which of the cheapest edits was chosen: no edit or substitution first, then deletion.

        (m,) the word that each word of the target stands beside, or the last one before it (-1);
        (n,) and (m,), 1 where a word has no equal beside it.
        """
        i, j = self.words.size, self.target.size
        beside, word_wrong, target_wrong = [0] * j, [0] * i, [0] * j
        while i > 0 or j > 0:
            here = self._cell(i, j)
            same = i > 0 and j > 0 and self.words[i - 1] == self.target[j - 1]
            if i > 0 and j > 0 and self._cell(i - 1, j - 1) + (not same) == here:
                i, j = i - 1, j - 1
                beside[j] = i
                word_wrong[i] = target_wrong[j] = int(not same)
            elif i > 0 and self._cell(i - 1, j) + 1 == here:
                i -= 1
                word_wrong[i] = 1
            else:
                j -= 1
                beside[j] = i - 1
                target_wrong[j] = 1
        return beside, word_wrong, target_wrong

    def _cell(self, i: int, j: int) -> int:
        if i == 0:
            return j
        at = j - int(self._low[i])
        return int(self._from_start[i, at]) if 0 <= at < self._width else _FAR

    def distances(self, variants: Sequence[Variant]) -> list[int]:
        """Edits of the whole list for each variant of it."""
        order = sorted(range(len(variants)), key=lambda v: variants[v].start - variants[v].stop)
        found = [0] * len(variants)
        for first in range(0, len(order), _AT_ONCE):
            some = order[first : first + _AT_ONCE]
            distances = self._of_some([variants[v] for v in some])
            for v, distance in zip(some, distances.tolist(), strict=True):
                found[v] = distance
        return found

    def _of_some(self, variants: Sequence[Variant]) -> Ints:
        """(V,) as `distances`, of variants with the longest middle first."""
        start = np.array([one.start for one in variants], dtype=np.int64)
        length = np.array([one.stop for one in variants]) - start
        middle = np.full((len(variants), int(length[0])), -2, dtype=np.int32)
        for filled, one in zip(middle, variants, strict=True):
            filled[: one.words.size] = one.words
        width = self._width
        above = np.full((len(variants), width + self._jump + 2), _FAR, dtype=np.int32)
        above[:, 1 : width + 1] = self._from_start[start]
        for t in range(int(length[0])):
            going = int(np.searchsorted(-length, -t, side="left"))  # the first of length <= t
            row = np.asarray(start[:going] + t + 1, dtype=np.int64)
            cells = self._next(above[:going], row, middle[:going, t])
            above[:going, 1 : width + 1] = cells
        there = above[:, 1 : width + 1] + self._to_end[start + length]
        return np.asarray(there.min(axis=1), dtype=np.int32)

    def _next(self, above: Ints, row: NDArray[np.int64], word: Ints) -> Ints:
        """(V, width) the cells of these rows, from those above them and the word that comes."""
        low = self._low[row]
        column = low[:, None] + self._steps
        at = column - self._low[row - 1][:, None]
        differs = self._beside[column] != word[:, None]
        cells = np.minimum(
            np.take_along_axis(above, at, axis=1) + differs,
            np.take_along_axis(above, at + 1, axis=1) + 1,
        )
        cells = np.minimum.accumulate(cells - self._steps, axis=1) + self._steps
        return np.where(column < self._high[row][:, None], cells, _FAR).astype(np.int32)


# --- Translation edit rate with shifts, and with a bound on the work that it takes.
#
# Snover et al. (2006), with Tercom's limits and choices as sacrebleu 2.6 has them: the same number
# of edits, found without computing again what has not changed. `SHIFT_WORK` is an additional limit:
# without it a long text could take minutes.


SHIFT_SIZE = 10  # words in one shift
SHIFT_DISTANCE = 50  # words between where a word stands and where its equal stands
CANDIDATES = 1000  # shifts tried in one text; then no further shift is made
# Words of both texts times rounds of shifts. The released edits take 1,700 at most.
SHIFT_WORK = 500_000


# (less length, start, to): so many words from `start` on, moved to before the word `to`. Sorted,
# the longest is first.
Shift = tuple[int, int, int]


def _shifted(words: Ints, shift: Shift) -> Variant:
    """The words after a shift: which of them change, and into what."""
    less_length, start, to = shift
    end = start - less_length
    if to < start:
        return Variant(to, end, np.concatenate((words[start:end], words[to:start])))
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
    diagonal then counts the remaining differences (`BEAM`).
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


def _best(beam: Beam, found: Sequence[Shift]) -> Variant | None:
    """The shift that saves most; of several the longest, then the first, to the first place."""
    variants = [_shifted(beam.words, one) for one in sorted(set(found))]
    distances = beam.distances(variants)
    if not distances or min(distances) >= beam.distance:
        return None
    return variants[distances.index(min(distances))]


def _candidates(beam: Beam, *, most: int) -> list[Shift]:
    """Every shift that may save an edit, or `most` of them and a few."""
    found: list[Shift] = []
    aligned, *wrongs = beam.alignment()
    wrong, target_wrong = ([0, *accumulate(one)] for one in wrongs)
    for start, beside, length in _equal(beam, wrong, target_wrong):
        if wrong[start + length] == wrong[start]:
            continue
        if target_wrong[beside + length] == target_wrong[beside]:
            continue
        if start <= aligned[beside] < start + length:
            continue
        found += [(-length, start, to) for to in _places(aligned, beside, length)]
        if len(found) >= most:
            break
    return found


def _places(aligned: list[int], beside: int, length: int) -> Iterator[int]:
    """Before which words it may come: after each that stands beside its equal, or just before."""
    before = -1
    for at in range(beside - 1, beside + length):
        to = 0 if at == -1 else aligned[at] + 1
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


# --- Distances between an output and an annotator's edit of it (the criterion `edit`).


# Changes whenever a value of `hter` changes: no sample mixes two. 1: sacrebleu's TER, unbounded;
# 2: tokens end at blanks alone.
HTER_VERSION = "3"
LONG = 5_000  # characters: up to here `hter` takes well under a second


class EmptyEditError(ValueError):
    """HTER divides by the length of the edit, so an edit without tokens has no HTER."""


def levenshtein(a: str, b: str) -> int:
    """Return the number of characters inserted, deleted or replaced between two texts.

    a, b: the texts; both are normalised first.
    Returns: in code points.

    >>> from estimation.metrics import levenshtein
    >>> levenshtein("kitten", "sitting")
    3
    """
    from rapidfuzz.distance import Levenshtein

    return int(Levenshtein.distance(normalise(a), normalise(b)))


def takes_long(output: str, edit: str) -> bool:
    """Whether `hter` of these two texts may take seconds.

    output, edit: as in `hter`.
    Returns: True from 5,001 characters on.

    >>> from estimation.metrics import takes_long
    >>> takes_long("short", "x" * 10_000)
    True
    """
    return max(len(output), len(edit)) > LONG


def hter(output: str, edit: str, *, version: str = HTER_VERSION) -> float:
    """Return the TER of an output against the annotator's edit of it: the criterion `edit`.

    (insertions + deletions + substitutions + shifts) / tokens of the edit [1]_, case kept, with
    nltk's Treebank tokens, both texts normalised; in scripts without blanks each character is a
    token. Tercom's beam overstates a long deletion (about
    90 words and more). A few milliseconds for 100 words, seconds for 50,000 characters.

    output: what the system wrote.
    edit: the annotator's correction; not empty.
    version: "2" for the tokens of campaigns from before 0.2.0, which end at blanks alone.
    Returns: 0 for equal texts and 1 for an empty output; unbounded above, because the deletion of
        most of a text leaves few tokens to divide by.
    Raises EmptyEditError: the edit is empty or white space, even when the output is empty too.

    .. [1] M. Snover, B. Dorr, R. Schwartz, L. Micciulla and J. Makhoul (2006). A study of
       translation edit rate with targeted human annotation. AMTA 2006, 223-231.
    """
    output, edit = normalise(output), normalise(edit)
    if not edit:
        raise EmptyEditError("The edit is empty: there is nothing to measure the output against.")
    if output == edit:
        return 0.0
    return edit_rate(*(_tokens(text, by_blanks=version == "2") for text in (output, edit)))


def _tokens(text: str, *, by_blanks: bool) -> list[str]:
    """Treebank tokens, cut once more at any white space that is left in them."""
    tokens = " ".join(treebank_tokens(text)).split()
    return tokens if by_blanks else [one for token in tokens for one in cut(token)]
