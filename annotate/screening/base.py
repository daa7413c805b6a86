"""The input and output of screens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from estimation.core import Floats, Ints, distinct

LEVELS = (-1.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Highlights:
    """The words that justify a paragraph's verdict, one row per highlighted paragraph.

    judgment: (H,) rows of `Columns`.
    paragraph: (H,) its number in the output's task.
    tokens: the numbers of the highlighted words.
    length: (H,) words of the paragraph.
    """

    judgment: Ints
    paragraph: Ints
    tokens: Sequence[frozenset[int]]
    length: Ints


@dataclass(frozen=True, eq=False)
class Columns:
    """One campaign's judgments; (T,) each, in any order. NaN means "not asked" or "not known".

    annotator, output, item: labels; `item` says which outputs belong to one input.
    order: of arrival, in any unit.
    seconds: active time.
    words: the number of words that the answer required reading; for implausible answers, without
        the paragraphs.
    scores: the levels chosen for each criterion that is asked on `levels`, lowest first.
    edit_distance: characters changed, NaN where no edit was required.
    edit_text: a label (0 or more) for each different text submitted as an edit, -1 for none.
    plausible: 1 or 0.
    verdicts: (T, P) on each paragraph, NaN beyond the output's last one and for implausible
        answers.
    """

    annotator: Ints
    output: Ints
    order: Floats
    seconds: Floats
    words: Floats
    scores: Mapping[str, Floats] = field(default_factory=dict)
    edit_distance: Floats | None = None
    edit_text: Ints | None = None
    item: Ints | None = None
    plausible: Floats | None = None
    verdicts: Floats | None = None
    highlights: Highlights | None = None
    levels: tuple[float, ...] = LEVELS

    def __post_init__(self) -> None:
        rows = len(self.annotator)
        lone = (self.edit_distance, self.edit_text, self.item, self.plausible, self.verdicts)
        given = [self.output, self.order, self.seconds, self.words, *self.scores.values()]
        if any(len(column) != rows for column in [*given, *(c for c in lone if c is not None)]):
            raise ValueError("Every column of a campaign has one row per judgment.")
        if (self.plausible is None) != (self.verdicts is None):
            raise ValueError("Plausibility and verdicts come together.")

    @cached_property
    def people(self) -> Ints:
        """Return (A,) the annotators, ascending."""
        return distinct(self.annotator)

    @cached_property
    def who(self) -> Ints:
        """Return (T,) the annotator of each row, as a position in `people`."""
        return np.searchsorted(self.people, self.annotator)

    @cached_property
    def judgments(self) -> Ints:
        """Return (A,) how many judgments each annotator made."""
        return np.bincount(self.who, minlength=self.people.size)

    @cached_property
    def answers(self) -> Floats:
        """Return (T, C) the answers: one column per criterion, or plausibility and paragraphs."""
        columns = [np.asarray(column, dtype=np.float64) for column in self.scores.values()]
        if self.plausible is not None and self.verdicts is not None:
            columns += [self.plausible, *self.verdicts.T]
        return np.column_stack(columns) if columns else np.empty((len(self.annotator), 0))

    @cached_property
    def kinds(self) -> Ints:
        """Return (C,) which columns of `answers` share the meaning of their levels."""
        paragraphs = 0 if self.verdicts is None else self.verdicts.shape[1]
        lone = len(self.scores) + (self.plausible is not None)
        return np.concatenate([np.arange(lone), np.full(paragraphs, lone)]).astype(np.int64)

    def others(self, people: int, judgments: int) -> NDArray[np.bool_]:
        """Return (A,) whether enough *other* annotators have enough judgments."""
        rest = self.judgments.sum() - self.judgments
        return np.asarray((self.people.size - 1 >= people) & (rest >= judgments))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one screen for one annotator.

    value: what the screen measures.
    low, high: its interval; None if it has none or is unknown.
    threshold: where the screen fires.
    n: the number of judgments or comparisons behind it.
    enough: whether n and the campaign suffice; otherwise the annotator is not flagged.
    numbers: the screen's other numbers, for display.
    """

    screen: str
    annotator: int
    flagged: bool
    value: float | None
    low: float | None
    high: float | None
    threshold: float
    n: int
    enough: bool
    numbers: Mapping[str, float | None] = field(default_factory=dict)


def verdicts(
    screen: str,
    columns: Columns,
    *,
    flagged: ArrayLike,
    value: Floats,
    threshold: float,
    n: Ints,
    enough: ArrayLike,
    low: Floats | None = None,
    high: Floats | None = None,
    numbers: Mapping[str, Floats] | None = None,
) -> list[Verdict]:
    """Return one `Verdict` per annotator from (A,) columns; without `enough`, none is flagged."""
    known = np.asarray(enough, dtype=bool)
    fires = np.asarray(flagged, dtype=bool) & known
    people = columns.people.size
    values, lows, highs = (_plain(column, people) for column in (value, low, high))
    more = {name: _plain(column, people) for name, column in (numbers or {}).items()}
    return [
        Verdict(
            screen,
            person,
            fired,
            values[j],
            lows[j],
            highs[j],
            float(threshold),
            count,
            is_enough,
            {name: column[j] for name, column in more.items()},
        )
        for j, (person, fired, count, is_enough) in enumerate(
            zip(columns.people.tolist(), fires.tolist(), n.tolist(), known.tolist(), strict=True)
        )
    ]


def _plain(column: Floats | None, people: int) -> list[float | None]:
    """Return (A,) plain numbers, None for what is not finite or not given."""
    if column is None:
        return [None] * people
    found: list[float | None] = np.asarray(column, dtype=np.float64).tolist()
    for j in np.flatnonzero(~np.isfinite(column)).tolist():
        found[j] = None
    return found


def share_bounds(count: Floats | Ints, n: Floats | Ints, level: float) -> tuple[Floats, Floats]:
    """Return (low, high) one-sided Clopper–Pearson bounds at `level`; 0 and 1 for n = 0."""
    fewer, rest = np.maximum(n - count, 0), 1 - level
    low = np.where(count > 0, betaincinv(np.maximum(count, 1), fewer + 1, rest), 0.0)
    high = np.where(fewer > 0, betaincinv(count + 1, np.maximum(fewer, 1), level), 1.0)
    return low, high
