"""The input and output of screens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc, betaincinv

from annotate.screening.grouping import by_group
from estimation.core import Floats, Ints, distinct, numbered

LEVELS = (-1.0, 0.0, 1.0)
# What follows a verdict: nothing; a place in the reviewers' list; a pause until a ruling as well.
NOTHING, LISTED, PAUSED = TIERS = ("", "list", "pause")


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
    turned: of pairs of texts, 1 where the second one was shown first, else 0. `scores` are for the
        pair's own order.
    unseen: how much likelier the answers are of somebody who does not look at the output, as others
        tell (natural logarithms); None where they were not compared.
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
    turned: Floats | None = None
    unseen: Floats | None = None

    def __post_init__(self) -> None:
        rows = len(self.annotator)
        lone = (
            *(self.edit_distance, self.edit_text, self.item, self.plausible, self.verdicts),
            *(self.turned, self.unseen),
        )
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
        return numbered(self.annotator)

    @cached_property
    def turns(self) -> Ints:
        """Return (T,) the rows in the order of people, each one's in the order of arrival."""
        return by_group(self.who, self.people.size, after=self.order)

    @cached_property
    def text(self) -> Ints:
        """Return (T,) the output of each row, as a position among those that occur."""
        return numbered(self.output)

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
    def presented(self) -> Floats:
        """Return (T, C) the answers by what was seen: of a pair, for the text shown first."""
        if self.turned is None:
            return self.answers
        return self.answers * (1 - 2 * self.turned)[:, None]

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
    threshold: the screen's own limit for the value; nobody is paused who is not past it.
    n: the number of judgments or comparisons behind it.
    enough: whether n and the campaign suffice; otherwise the annotator is not flagged.
    numbers: the screen's other numbers, for display.
    tier: what follows, one of `TIERS`.
    evidence: how far the work is from honest people's, as -log10 of a nominal probability.
    listed_at, paused_at: the evidence from which people are listed and paused in this campaign.
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
    tier: str = ""
    evidence: float = 0.0
    listed_at: float | None = None
    paused_at: float | None = None

    def __post_init__(self) -> None:
        # Verdicts that were kept before there were tiers paused.
        if self.flagged and not self.tier:
            object.__setattr__(self, "tier", PAUSED)


@dataclass(frozen=True, eq=False)
class ScreenFinding:
    """What one screen measured about each of A annotators, before anyone is flagged.

    evidence: (A,) 0 or more, and 0 where `enough` is False; see `Verdict`.
    past: (A,) whether the value is past the screen's own threshold.
    """

    screen: str
    people: Ints
    evidence: Floats
    past: NDArray[np.bool_]
    value: Floats
    low: Floats
    high: Floats
    threshold: float
    n: Ints
    enough: NDArray[np.bool_]
    numbers: Mapping[str, Floats]


def finding(
    screen: str,
    columns: Columns,
    *,
    evidence: Floats,
    past: ArrayLike,
    value: Floats,
    threshold: float,
    n: Ints,
    enough: ArrayLike,
    low: Floats | None = None,
    high: Floats | None = None,
    numbers: Mapping[str, Floats] | None = None,
) -> ScreenFinding:
    """Return a `ScreenFinding` from (A,) columns; without `enough`, there is no evidence."""
    known = np.asarray(enough, dtype=bool)
    unknown = np.full(known.size, np.nan)
    return ScreenFinding(
        screen,
        columns.people,
        np.where(known, np.maximum(np.nan_to_num(evidence), 0.0), 0.0),
        np.asarray(past, dtype=bool) & known,
        value,
        unknown if low is None else low,
        unknown if high is None else high,
        float(threshold),
        n,
        known,
        numbers or {},
    )


def verdicts(
    found: ScreenFinding,
    *,
    listed_at: float,
    paused_at: float,
    pauses: bool = True,
    flagged_only: bool = False,
) -> list[Verdict]:
    """Return one `Verdict` per annotator. pauses: whether this screen may pause anyone."""
    paused = found.past & (found.evidence >= paused_at) & pauses
    listed = paused | (found.enough & (found.evidence >= listed_at))
    at: Any = np.flatnonzero(listed) if flagged_only else slice(None)
    values, lows, highs = (_plain(column[at]) for column in (found.value, found.low, found.high))
    more = {name: _plain(column[at]) for name, column in found.numbers.items()}
    rows = zip(
        found.people[at].tolist(),
        (listed.astype(int) + paused)[at].tolist(),
        found.n[at].tolist(),
        found.enough[at].tolist(),
        found.evidence[at].tolist(),
        strict=True,
    )
    return [
        Verdict(
            found.screen,
            person,
            tier > 0,
            values[j],
            lows[j],
            highs[j],
            found.threshold,
            count,
            is_enough,
            {name: column[j] for name, column in more.items()},
            TIERS[tier],
            evidence,
            listed_at,
            paused_at if pauses else None,
        )
        for j, (person, tier, count, is_enough, evidence) in enumerate(rows)
    ]


def _plain(column: Floats) -> list[float | None]:
    """Return (A,) plain numbers, None for what is not finite."""
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


def tail(count: Floats | Ints, n: Floats | Ints, share: float) -> Floats:
    """Return -log10 of the probability of `count` or more of n at this share; 0 for n = 0."""
    below = np.asarray(count, dtype=np.float64) - 1
    with np.errstate(divide="ignore"):
        found = -np.log10(bdtrc(np.maximum(below, 0), np.maximum(n, 1), share))
    return np.asarray(np.where((below >= 0) & (np.asarray(n) > 0), found, 0.0))
