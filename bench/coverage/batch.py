"""Campaigns side by side, and the sums that every interval needs after each judgment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from estimation.core import Floats, Ints, Sample


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """C campaigns in order of judging, padded to T judgments.

    score, x: (T, C), the score and the standardised metric of the item. item, who: (T, C), labels
    in order of first appearance. previous: (T, C), the row of the item's judgment before, or -1.
    size: (C,) how many judgments there are. n_population: N. deepest: the most judgments of an
    item.
    """

    score: Floats
    x: Floats
    item: Ints
    who: Ints
    previous: Ints
    size: Ints
    n_population: int
    deepest: int

    def only(self, columns: NDArray[np.intp]) -> "Batch":
        """Return the campaigns in `columns`."""
        names = ("score", "x", "item", "who", "previous")
        kept = {name: getattr(self, name)[:, columns] for name in names}
        return replace(self, **kept, size=self.size[columns])


def pack(samples: Sequence[Sample]) -> Batch:
    """Lay campaigns of equally many outputs side by side; their rows are in order of judging."""
    size = np.array([sample.n_judgments for sample in samples])
    shape = int(size.max()), len(samples)
    score, x = np.zeros(shape), np.zeros(shape)
    item, who = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    previous = np.full(shape, -1)
    deepest = 1
    for column, sample in enumerate(samples):
        rows = slice(0, sample.n_judgments)
        score[rows, column] = sample.score
        if sample.metric is not None:
            x[rows, column] = sample.standardised_metric()[sample.item]
        item[rows, column] = _by_appearance(sample.item)
        who[rows, column] = _by_appearance(sample.annotator)
        previous[rows, column] = _previous(sample.item)
        deepest = max(deepest, int(np.bincount(sample.item).max()))
    return Batch(score, x, item, who, previous, size, samples[0].n_population, deepest)


def _by_appearance(labels: Ints) -> Ints:
    """(T,) labels 0, 1, ... in order of first appearance."""
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[number])


def _previous(item: Ints) -> Ints:
    """(T,) the row of the same item's last judgment before, or -1."""
    order = np.argsort(item, kind="stable")
    before = np.r_[-1, order[:-1]]
    again = np.r_[False, np.diff(item[order]) == 0]
    found = np.empty_like(order)
    found[order] = np.where(again, before, -1)
    return found


class Sums:
    """The sums over the first judgments of each campaign, one judgment more at a time.

    light: (5, A, C), sums over a person's judgments of (1, y, x, x², xy) / k, k the judgments of
    the item so far. heavy: (6, A, C), of (1, y, x, x², xy, y²) / k². mean_squares: (C,), the sum
    of squared item means. within: (C,), squares within items. count: (C,), judgments. total,
    squares: (C,), sums of y and y².
    """

    def __init__(self, batch: Batch) -> None:
        people, columns = int(batch.who.max()) + 1, batch.size.size
        items = int(batch.item.max()) + 1
        self.batch = batch
        self.rows = 0
        self.people = 0
        self._light = np.zeros((5, people, columns))
        self._heavy = np.zeros((6, people, columns))
        self._item_count = np.zeros((items, columns), dtype=np.int64)
        self._item_total = np.zeros((items, columns))
        self.mean_squares, self.within = np.zeros(columns), np.zeros(columns)
        self.count, self.total, self.squares = (np.zeros(columns) for _ in range(3))
        pairs = int((batch.previous >= 0).sum(axis=0).max()) * (batch.deepest - 1)
        # Of each pair of judgments of one item: two people and the item; products of their scores.
        self._pairs = np.zeros((3, pairs, columns), dtype=np.int64)
        self._products = np.zeros((6, pairs, columns))
        self._n_pairs = np.zeros(columns, dtype=np.int64)

    @property
    def light(self) -> Floats:
        """(5, A, C) as above, for the people who have judged so far in any campaign."""
        return self._light[:, : self.people]

    @property
    def heavy(self) -> Floats:
        """(6, A, C) as above, for the people who have judged so far in any campaign."""
        return self._heavy[:, : self.people]

    def only(self, columns: NDArray[np.intp]) -> None:
        """Keep the campaigns in `columns`."""
        self.batch = self.batch.only(columns)
        for name in ("_light", "_heavy", "_pairs", "_products"):
            setattr(self, name, getattr(self, name)[:, :, columns])
        for name in ("_item_count", "_item_total"):
            setattr(self, name, getattr(self, name)[:, columns])
        for name in ("mean_squares", "within", "count", "total", "squares", "_n_pairs"):
            setattr(self, name, getattr(self, name)[columns])

    def add(self) -> None:
        """Take in the next judgment of every campaign that has one."""
        row, batch = self.rows, self.batch
        here = np.flatnonzero(row < batch.size)
        item, y = batch.item[row, here], batch.score[row, here]
        before = self._item_count[item, here]
        self._add_to_items(here, item, y, before)
        self._add_to_person(np.full(here.size, row), here, 1 / (before + 1), 1 / (before + 1) ** 2)
        self._share_item(row, here, before)
        self._item_count[item, here] += 1
        self._item_total[item, here] += y
        self.people = max(self.people, int(batch.who[row, here].max(initial=-1)) + 1)
        self.rows += 1

    def _add_to_items(self, here: NDArray[np.intp], item: Ints, y: Floats, before: Ints) -> None:
        total = self._item_total[item, here]
        old = total / np.maximum(before, 1)
        self.mean_squares[here] += ((total + y) / (before + 1)) ** 2 - old**2
        self.within[here] += np.where(before > 0, (y - old) ** 2 * before / (before + 1), 0.0)
        self.count[here] += 1
        self.total[here] += y
        self.squares[here] += y**2

    def _add_to_person(
        self, row: NDArray[np.intp], here: NDArray[np.intp], light: Floats, heavy: Floats
    ) -> None:
        """Add the judgments in `row` of the campaigns `here`, weighted."""
        who, y, x = (
            values[row, here] for values in (self.batch.who, self.batch.score, self.batch.x)
        )
        moments = np.stack([np.ones_like(y), y, x, x**2, x * y, y**2])
        self._light[:, who, here] += light * moments[:5]
        self._heavy[:, who, here] += heavy * moments

    def _share_item(self, row: int, here: NDArray[np.intp], before: Ints) -> None:
        """The item's earlier judgments weigh less now, and each makes a pair with the new one."""
        earlier = self.batch.previous[row, here]
        while (again := earlier >= 0).any():
            here, before, earlier = here[again], before[again], earlier[again]
            light = 1 / (before + 1) - 1 / before
            self._add_to_person(earlier, here, light, 1 / (before + 1) ** 2 - 1 / before**2)
            self._add_pair(row, earlier, here)
            self._n_pairs[here] += 1
            earlier = self.batch.previous[earlier, here]

    def _add_pair(self, row: int, earlier: Ints, here: NDArray[np.intp]) -> None:
        batch, place = self.batch, self._n_pairs[here]
        who, item = batch.who, batch.item[row, here]
        self._pairs[:, place, here] = np.stack([who[earlier, here], who[row, here], item])
        y, other, x = batch.score[earlier, here], batch.score[row, here], batch.x[row, here]
        both = y + other
        products = np.stack([np.ones_like(y), both, x, x**2, x * both, y * other])
        self._products[:, place, here] = products

    def over_pairs(self, weight: Floats) -> Floats:
        """(6, C) sums over pairs of one item of (1, y + y', x, x², x(y + y'), yy') vv' / k².

        weight: (A, C), what v is for each person. Twice these sums and those over single
        judgments make up the squares of item sums.
        """
        most = int(self._n_pairs.max(initial=0))
        first, second, item = self._pairs[:, :most]
        k = np.maximum(np.take_along_axis(self._item_count, item, axis=0), 1)
        both = np.take_along_axis(weight, first, axis=0)
        both *= np.take_along_axis(weight, second, axis=0)
        # Where there is no pair yet, the products are 0.
        return np.asarray(np.einsum("pc,qpc->qc", both / k**2, self._products[:, :most]))
