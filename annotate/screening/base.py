"""The input and output of screens, and what a screen is: thresholds, a finding, and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.special import bdtrc, betaincinv

from annotate.common.numbers import count, percent, short
from annotate.common.schemas import Declared, Refused
from annotate.screening.arrays import once
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
    hurried: whether the task took much less than its person usually takes; None where nobody asked.
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
    hurried: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        rows = len(self.annotator)
        lone = (
            *(self.edit_distance, self.edit_text, self.item, self.plausible, self.verdicts),
            *(self.turned, self.unseen, self.hurried),
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
        return np.lexsort((self.order, self.who))

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


@dataclass(eq=False)
class ScreenFinding:
    """What one screen measured about each of A annotators, before anyone is flagged.

    evidence: (A,) as in `Verdict`; it becomes 0 where `enough` is False, and where it is unknown.
    past: (A,) whether the value is past the screen's own threshold, and `enough`.
    low, high: (A,) by default unknown.
    """

    screen: str
    people: Ints
    evidence: Floats
    past: NDArray[np.bool_]
    value: Floats
    threshold: float
    n: Ints
    enough: NDArray[np.bool_]
    low: Floats = field(default_factory=lambda: np.array(np.nan))
    high: Floats = field(default_factory=lambda: np.array(np.nan))
    numbers: Mapping[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.evidence = np.where(self.enough, np.maximum(np.nan_to_num(self.evidence), 0.0), 0.0)
        self.past = self.past & self.enough
        self.low = np.broadcast_to(self.low, self.enough.shape)
        self.high = np.broadcast_to(self.high, self.enough.shape)


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


def tail(count: Floats | Ints, n: Floats | Ints, share: Floats | float) -> Floats:
    """Return -log10 of the probability of `count` or more of n at this share; 0 for n = 0."""
    below = np.asarray(count, dtype=np.float64) - 1
    with np.errstate(divide="ignore"):
        found = -np.log10(bdtrc(np.maximum(below, 0), np.maximum(n, 1), share))
    return np.asarray(np.where((below >= 0) & (np.asarray(n) > 0), found, 0.0))


ALONE = (
    *("annotator", "output", "order", "seconds", "words"),
    *("edit_distance", "edit_text", "item", "plausible", "turned", "unseen", "hurried"),
)


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the rows of all parts in their order; the parts come from one instrument.

    Labels (annotators, outputs, items, edited texts) mean the same in all parts. Raises ValueError
    where there is no part.
    """
    if not parts:
        raise ValueError("There are no columns to join.")
    first = parts[0]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ALONE
        if getattr(first, name) is not None
    }
    return Columns(
        **columns,
        scores={
            name: np.concatenate([part.scores[name] for part in parts]) for name in first.scores
        },
        verdicts=_verdicts(parts),
        highlights=_highlights(parts),
        levels=first.levels,
    )


def added(columns: Columns, **more: Any) -> Columns:
    """Return the columns with something more, and what was computed from them.

    Parts of the columns are taken again, because they have something more as well.
    """
    found = replace(columns, **more)
    for name, kept in vars(columns).items():
        vars(found).setdefault(name, kept)
    memory = vars(columns).get("_once", {})
    whole = {key: kept for key, kept in memory.items() if not isinstance(kept, Columns)}
    vars(found)["_once"] = whole
    return found


def _verdicts(parts: Sequence[Columns]) -> Floats | None:
    """Return (T, P) verdicts, NaN beyond the paragraphs of a part."""
    tables = [part.verdicts for part in parts if part.verdicts is not None]
    if not tables:
        return None
    widest = max(table.shape[1] for table in tables)
    gaps = [((0, 0), (0, widest - table.shape[1])) for table in tables]
    padded = [
        np.pad(table, gap, constant_values=np.nan) for table, gap in zip(tables, gaps, strict=True)
    ]
    return np.concatenate(padded)


def _highlights(parts: Sequence[Columns]) -> Highlights | None:
    """Return the highlights of all parts, each by its judgment's row in the whole."""
    sizes = [len(part.annotator) for part in parts]
    starts = np.cumsum([0, *sizes[:-1]])
    found = [
        (start, part.highlights)
        for start, part in zip(starts, parts, strict=True)
        if part.highlights is not None
    ]
    if not found:
        return None
    return Highlights(
        np.concatenate([own.judgment + start for start, own in found]),
        np.concatenate([own.paragraph for _start, own in found]),
        [tokens for _start, own in found for tokens in own.tokens],
        np.concatenate([own.length for _start, own in found]),
    )


@once
def last(columns: Columns, most: int) -> Columns:
    """Return the last judgments of each annotator, at most so many."""
    end = np.repeat(np.cumsum(columns.judgments), columns.judgments)
    return taken(columns, np.sort(columns.turns[end - np.arange(end.size) <= most]))


def early(columns: Columns, most: int) -> NDArray[np.bool_]:
    """Return (T,) which judgments are the first of their annotators, at most so many of each."""
    start = np.repeat(np.cumsum(columns.judgments) - columns.judgments, columns.judgments)
    found = np.empty(start.size, dtype=bool)
    found[columns.turns] = np.arange(start.size) - start < most
    return found


def taken(columns: Columns, rows: Ints) -> Columns:
    """Return the columns of some judgments, with their highlights."""
    cut = {name: column[rows] for name in ALONE if (column := getattr(columns, name)) is not None}
    if columns.verdicts is not None:
        cut["verdicts"] = columns.verdicts[rows]
    scores = {name: column[rows] for name, column in columns.scores.items()}
    found = columns.highlights
    if found is not None:
        place = np.full(len(columns.annotator), -1)
        place[rows] = np.arange(len(rows))
        kept = np.flatnonzero(place[found.judgment] >= 0)
        found = Highlights(
            place[found.judgment[kept]],
            found.paragraph[kept],
            [found.tokens[h] for h in kept.tolist()],
            found.length[kept],
        )
    return replace(columns, **cut, scores=scores, highlights=found)


class SettingsError(Refused):
    """Thresholds that are unknown, not numbers, or outside their ranges."""


def between(default: float, low: float, high: float) -> Any:
    """Declare a threshold from `low` to `high`."""
    return Field(default=default, ge=low, le=high)


class Thresholds(Declared):
    """One group of thresholds; each field is declared with `between`."""


class CrowdThresholds(Thresholds):
    """What the others must have done before anyone is compared with them.

    uniform: a person who gives one answer at least this often, over `uniform_minimum` judgments, is
        not part of the yardstick.
    """

    people: int = between(5, 2, 1000)
    judgments: int = between(50, 1, 100_000)
    uniform: float = between(0.8, 0.5, 1)
    uniform_minimum: int = between(5, 2, 1000)


@dataclass(frozen=True)
class Cutoffs:
    """Cut-offs by screen: (listed, paused). Screens without an entry have the nominal ones."""

    of: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    nominal: tuple[float, float] = (3.0, 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {"of": {name: list(two) for name, two in self.of.items()}, "rest": self.nominal}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Cutoffs:
        """Read the output of `to_dict`."""
        return cls({name: (a, b) for name, (a, b) in given["of"].items()}, tuple(given["rest"]))

    def listed(self, screen: str) -> float:
        """Return the evidence from which a screen lists people."""
        return self.of.get(screen, self.nominal)[0]

    def paused(self, screen: str) -> float:
        """Return the evidence from which a screen pauses people who are past its threshold."""
        return self.of.get(screen, self.nominal)[1]


# Evidence alone lists, and the screens' own thresholds pause.
NOMINAL = Cutoffs()
# Until a campaign is calibrated; about the highest cut-offs that campaigns have. Real people's
# answers are uniform in more ways than their level explains.
UNCALIBRATED = Cutoffs({"no_variation": (4.0, 4.0)}, (3.2, 4.0))


if TYPE_CHECKING:
    from annotate.instruments.base import Words

NoticeText = tuple[str, list[str]]  # what was noticed, and its numbers in sentences


@dataclass(frozen=True)
class Task:
    """One judgment, as its annotator remembers it; `highlights`: (highlighted words, words of the
    paragraph) of each highlighted paragraph.
    """

    number: int
    excerpt: str
    seconds: float
    response: Mapping[str, Any]
    highlights: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class ScreenAxis:
    """From low to high; `said` formats a number on it. `flags_above`: the zone's position."""

    low: float
    high: float
    said: Callable[[float], str]
    flags_above: bool


@dataclass(frozen=True)
class ForReviewers:
    """How one screen is presented to reviewers.

    looks_at: the sign, in a list of all screens.
    big: its figure.
    unit: of the figure.
    detail: the comparison.
    limit: the threshold.
    onto: the value's place on the axis.
    axis: from all values that are shown on it.
    """

    title: str
    looks_at: str
    unit: str
    big: Callable[[Verdict], str]
    detail: Callable[[Verdict], str]
    limit: Callable[[Verdict], str]
    axis: Callable[[list[float]], ScreenAxis]
    onto: Callable[[float], float] = lambda value: value


@dataclass(frozen=True)
class ForAnnotators:
    """How one screen is presented to the annotator.

    noticed: what was noticed, in a list within a sentence.
    notice: the same with its numbers, as a title and sentences; of a flag's numbers, the screen's
        thresholds, and `paragraphs`: whether the instrument shows paragraphs.
    evidence: what the screen measured in one task; None: the answers that were given.
    """

    noticed: Words
    notice: Callable[..., NoticeText]
    evidence: Callable[[Task], str] | None = None


def of_share(
    title: str, looks_at: str, unit: str, detail: Callable[[Verdict], str]
) -> ForReviewers:
    """Return the texts of a screen whose value is a share, 0 to 1, and which flags high ones."""
    return ForReviewers(
        title,
        looks_at,
        unit,
        big=lambda said: percent(said.value),
        detail=detail,
        limit=lambda said: f"Flagged if certainly above {percent(said.threshold)}.",
        axis=lambda _values: ScreenAxis(0, 1, percent, flags_above=True),
    )


def within(said: Verdict, write: Callable[[float | None], str]) -> str:
    """Return `Between 0.2 and 0.4 by its interval. `, or "" for a value without an interval."""
    if said.low is None and said.high is None:
        return ""
    if said.low is None:
        return f"At most {write(said.high)} by its interval. "
    if said.high is None:
        return f"At least {write(said.low)} by its interval. "
    return f"Between {write(said.low)} and {write(said.high)} by its interval. "


def times(value: float | None) -> str:
    """Return how many times likelier something is, by its odds' logarithm to base 10."""
    if value is None:
        return "–"
    if abs(value) < 0.02:
        return "As likely"
    size = f"over {count(10**6)}" if abs(value) > 6 else short(10 ** abs(value), most=2)
    return f"{size} times {'likelier' if value > 0 else 'less likely'}"


def odds(value: float | None) -> str:
    """Return the odds whose logarithm to base 10 is `value`."""
    if value is None:
        return "–"
    size = f"over {count(10**6)}" if abs(value) > 6 else count(round(10 ** abs(value)))
    return f"{size} : 1" if value >= 0 else f"1 : {size}"


T = TypeVar("T", bound=Thresholds)


@dataclass(frozen=True)
class Screen(Generic[T]):
    """One screen, complete. CONTRIBUTING.md has the steps to add one.

    key: its name in flags, exports and the API.
    group: the name of its thresholds in the stored settings.
    find: a pure function that measures each annotator of the columns.
    recent: whether it also looks at everybody's last judgments.
    ratio: whether so much evidence is rarer among careful people than one in its power of ten: it
        is a likelihood ratio, or a cautious probability. Then the simulation alone says how rare.
    """

    key: str
    group: str
    thresholds: type[T]
    find: Callable[[Columns, T, CrowdThresholds], ScreenFinding]
    reviewers: ForReviewers
    annotators: ForAnnotators
    recent: bool = False
    ratio: bool = False
