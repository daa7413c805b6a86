"""The counting judgments of a campaign, kept up to date by reading what is new."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from django.db.models import Case, QuerySet, Value, When
from numpy.typing import NDArray

from annotate.models import Campaign, Judgment, Score
from annotate.selectors import bulk, scoring
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Scores
from annotate.selectors.studies import instruments

Ints = NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.float64)

PART = 5000  # ids in one query
ROOM = 1.1  # of the arrays, for what comes


class Followed:
    """Judgments that count, to which new ones are added; none is ever removed.

    It equals `counting.scores` while judgments, scores and verified work are all that comes.
    """

    def __init__(self, campaign_id: int, read: Scores, *, with_excluded: bool = False) -> None:
        """Begin with what was read in full; n judgments count."""
        self._campaign_id, self._with_excluded = campaign_id, with_excluded
        asked = instruments.of(Campaign.objects.get(pk=campaign_id))
        self._names = [criterion.name for criterion in asked.criteria]
        self._version = asked.scoring
        self._ids = np.stack([read.judgment, read.output, read.annotator])
        self.n = read.judgment.size
        lacking = np.full(self.n, np.nan)
        self._value = np.stack([read.value.get(name, lacking) for name in self._names])
        self._others = read.others
        self._unscored = read.unscored
        self._lacking: Ints = read.judgment[np.isnan(self._value).any(axis=0)]

    @property
    def size(self) -> int:
        """Return how many judgments it holds in memory."""
        return int(self._ids.shape[1] + self._others.shape[1])

    def scores(self) -> Scores:
        """Return the judgments as `counting.scores` does; the arrays stay as they are."""
        judgment, output, annotator = self._ids[:, : self.n]
        value = self._value[:, : self.n]
        return Scores(
            output,
            annotator,
            {
                name: row
                for name, row in zip(self._names, value, strict=True)
                if not np.isnan(row[:1]).all() or not np.isnan(row).all()
            },
            waiting=self._lacking.size,
            judgment=judgment,
            others=self._others,
            unscored=self._unscored,
        )

    def follow(self, *, after: int) -> Ints:
        """Read what is new, judgments with ids above `after`; return the outputs concerned.

        What nobody has begun to score came just now, and is new the next time.
        """
        new = self._unknown(Judgment.objects.filter(campaign=self._campaign_id, pk__gt=after))
        unscored = scoring.unscored(self._campaign_id).order_by()
        self._unscored = _among(unscored, new[0], "id")
        new = new[:, ~np.isin(new[0], self._unscored)]
        rows = np.hstack([self._others, new])
        counts = np.isin(rows[1], self._counting(rows[1]))
        self._others = rows[:, ~counts]
        added = rows[:, counts]
        self._insert(added[[0, 2, 3]])
        return np.union1d(added[2], self._complete())

    def _unknown(self, found: QuerySet[Judgment]) -> Ints:
        rows = counting.judgments(found)
        known = _in(self._ids[0, : self.n], rows[0]) | np.isin(rows[0], self._others[0])
        return np.asarray(rows[:, ~known])

    def _counting(self, assignment: Ints) -> Ints:
        """The assignments of these whose judgments count."""
        held = counting.held_slots(self._campaign_id)
        found = [_among(held, assignment, "assignment")]
        if self._with_excluded:
            out = counting.exclusions(self._campaign_id)
            found.append(_among(out, assignment, "judgment__assignment"))
        return np.concatenate(found)

    def _insert(self, rows: Ints) -> None:
        """Add (3, M) rows of ids, outputs and annotators, in the order of ids."""
        if not rows.shape[1]:
            return
        order = np.argsort(rows[0], kind="stable")
        rows, n = rows[:, order], self.n
        values = np.full((len(self._names), rows.shape[1]), np.nan)
        self.n += rows.shape[1]
        if n and rows[0, 0] < self._ids[0, n - 1]:  # its transaction was slower than later ones
            at = np.searchsorted(self._ids[0, :n], rows[0])
            self._ids = np.insert(self._ids[:, :n], at, rows, axis=1)
            self._value = np.insert(self._value[:, :n], at, values, axis=1)
        else:
            self._ids = _with_room(self._ids, self.n)
            self._value = _with_room(self._value, self.n)
            self._ids[:, n : self.n] = rows
            self._value[:, n : self.n] = values
        self._lacking = np.union1d(self._lacking, rows[0])

    def _complete(self) -> Ints:
        """Read scores that were missing; return the outputs of judgments that got some."""
        if not self._lacking.size:
            return self._lacking
        cases = (When(criterion=name, then=Value(i)) for i, name in enumerate(self._names))
        found = Score.objects.filter(version=self._version)
        found = found.annotate(number=Case(*cases, default=Value(-1)))
        kinds = {"judgment": "i8", "number": "i4", "value": "f8"}
        judgment, number, score = _read(found, self._lacking, "judgment", kinds)
        column = np.searchsorted(self._ids[0, : self.n], judgment)
        known = number >= 0
        self._value[number[known], column[known]] = score[known]
        place = np.searchsorted(self._ids[0, : self.n], self._lacking)
        self._lacking = self._lacking[np.isnan(self._value[:, place]).any(axis=0)]
        return np.unique(self._ids[1, column])


def difference(before: Scores, full: Scores, after: Scores) -> str:
    """Say how remembered judgments differ from all facts; "" if they do not.

    before, after: what was remembered before and after the facts were read in full.
    """
    place = bulk.places(full.judgment, wanted=before.judgment)
    if (place < 0).any():
        return f"{(place < 0).sum()} judgments do not count any more"
    missing = bulk.places(after.judgment, wanted=full.judgment) < 0
    if missing.any():
        return f"{missing.sum()} judgments were overlooked"
    for name in ("output", "annotator"):
        if not np.array_equal(getattr(before, name), getattr(full, name)[place]):
            return f"judgments have another {name}"
    for name, remembered in before.value.items():
        now = full.value.get(name, np.full(full.judgment.size, np.nan))[place]
        if not (np.isnan(remembered) | (remembered == now)).all():
            return f"judgments have other scores on {name}"
    return ""


def _in(ids: Ints, wanted: Ints) -> NDArray[np.bool_]:
    """(M,) whether each of a few ids is one of many, ascending."""
    if not ids.size:
        return np.zeros(wanted.size, np.bool_)
    return np.asarray(ids[np.minimum(np.searchsorted(ids, wanted), ids.size - 1)] == wanted)


def _among(found: QuerySet[Any], ids: Ints, column: str) -> Ints:
    return _read(found, ids, column, {column: "i8"})[0]


def _read(
    found: QuerySet[Any], ids: Ints, column: str, kinds: dict[str, str]
) -> Sequence[NDArray[Any]]:
    """Return the columns of the rows whose `column` is one of these ids."""
    parts = [
        bulk.columns(found.filter(**{f"{column}__in": ids[i : i + PART].tolist()}), **kinds)
        for i in range(0, ids.size, PART)
    ]
    return [np.concatenate(one) for one in zip(*parts, strict=True)] if parts else _nothing(kinds)


def _nothing(kinds: dict[str, str]) -> Sequence[NDArray[Any]]:
    return [np.empty(0, np.float64 if kind == "f8" else np.int64) for kind in kinds.values()]


def _with_room(table: NDArray[Number], columns: int) -> NDArray[Number]:
    """The table, wide enough for so many columns."""
    if columns <= table.shape[1]:
        return table
    wide = np.empty((table.shape[0], int(columns * ROOM) + 1), table.dtype)
    wide[:, : table.shape[1]] = table
    return wide
