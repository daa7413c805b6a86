"""Edit distances between two lists of words, within a beam about the diagonal.

Cell (i, j) of the table is the least number of insertions, deletions and substitutions that turn
the first i words into the first j of the target. Only cells near the (pseudo-)diagonal are looked
at, as in Tercom and sacrebleu. A list that differs from another only in its middle shares the cells
before it and the way to the end after it: only the middle is computed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which of the cheapest edits was chosen.

    word: (m,) the word that each word of the target stands beside, or the last one before it (-1).
    word_wrong: (n,) and target_wrong: (m,), 1 where a word has no equal beside it.
    """

    word: list[int]
    word_wrong: list[int]
    target_wrong: list[int]


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

    def alignment(self) -> Alignment:
        """The edits of the whole lists: no edit or substitution first, then deletion."""
        i, j = self.words.size, self.target.size
        found = Alignment([0] * j, [0] * i, [0] * j)
        while i > 0 or j > 0:
            here = self._cell(i, j)
            same = i > 0 and j > 0 and self.words[i - 1] == self.target[j - 1]
            if i > 0 and j > 0 and self._cell(i - 1, j - 1) + (not same) == here:
                i, j = i - 1, j - 1
                found.word[j] = i
                found.word_wrong[i] = found.target_wrong[j] = int(not same)
            elif i > 0 and self._cell(i - 1, j) + 1 == here:
                i -= 1
                found.word_wrong[i] = 1
            else:
                j -= 1
                found.word[j] = i - 1
                found.target_wrong[j] = 1
        return found

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
